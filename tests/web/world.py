"""The real web application over a real database, object store and engine, with fictional people.

Runs are seeded as the workflow would leave them at the review, without running any model.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from fastapi.testclient import TestClient
from pydantic import BaseModel

from models.documents import (
    Coverage,
    Finding,
    QualityReport,
    RedactedSegment,
    RedactedTranscript,
    RedactionMark,
    Redactions,
    RedactionSpan,
    SegmentRedactions,
    Sentence,
    Severity,
    Summary,
    SummaryMethod,
    Verdict,
    canonical_json,
)
from pipeline import commands
from pipeline.commands import App
from pipeline.steps.rendering import render_publication
from storage import reviews, runs, users
from storage.artifacts import ArtifactRef
from storage.database import reading, transaction
from storage.policy import ReviewPolicy
from storage.statuses import Role, RunStatus
from storage.tables import Review, User

DATA = Path(__file__).parents[1] / "data"
SPEECH = DATA / "audio" / "zh_funasr_welcome.wav"
AUDIO = Path(__file__).parents[2] / "configs" / "demo" / "interview.opus"
PASSWORD = "correct horse battery"
HOSTILE_NAME = '会議録音 😀 "最終"; filename=evil.html\r\nX-Evil: 1<img src=x onerror=alert(1)>.wav'

# The original, of a fictional person, is "Marigold Fenwick moved the launch to 9 April ...".
TEXT = "[PERSON_1] moved the launch to 9 April. Call [PHONE_NUMBER_1]."
SPANS = (
    RedactionSpan(start=0, end=16, entity_type="PERSON", score=1, replacement="[PERSON_1]"),
    RedactionSpan(
        start=51, end=64, entity_type="PHONE_NUMBER", score=1, replacement="[PHONE_NUMBER_1]"
    ),
)
# The original is "Marigold Fenwick agrees, says Fenwick."
LAST = "[PERSON_1] agrees, says [PERSON_1]."
LAST_SPANS = (
    RedactionSpan(start=0, end=16, entity_type="PERSON", score=1, replacement="[PERSON_1]"),
    RedactionSpan(start=30, end=37, entity_type="PERSON", score=1, replacement="[PERSON_1]"),
)
SECOND = "The budget stays at forty thousand 😀 as Rowan said."


@dataclass(frozen=True)
class Seeded:
    """A run that waits for its review."""

    id: str
    sha256: str


@dataclass
class World:
    """The application, people and the means to make runs."""

    app: App
    client: TestClient
    people: dict[str, User] = field(default_factory=dict)

    def add_person(self, name: str, role: Role, tenant: str = "default") -> User:
        with transaction(self.app.database) as session:
            user = users.create_user(session, name, role, tenant=tenant, password=PASSWORD)
        self.people[name] = user
        return user

    def token(self, name: str) -> dict[str, str]:
        with transaction(self.app.database) as session:
            _, secret = users.create_token(session, self.people[name].id, "test")
        return {"Authorization": f"Bearer {secret}"}

    def sign_in(self, name: str) -> TestClient:
        """Return the client with a browser session of this person."""
        self.client.cookies.clear()
        answer = self.client.post("/sign-in", data={"name": name, "password": PASSWORD})
        assert answer.status_code == 303, answer.text
        return self.client

    def actor(self, name: str) -> commands.Actor:
        user = self.people[name]
        known = users.actor_of(user)
        return commands.Actor(user.id, user.name, user.role, known.tenant, "web")

    def submit(
        self, uploader: str = "uploader", *, file_name: str = "call.wav", title: str = ""
    ) -> str:
        upload = commands.Upload(path=SPEECH, file_name=file_name, title=title or None)
        return commands.submit(self.app, self.actor(uploader), upload).id

    def seed_review(
        self,
        *,
        uploader: str = "uploader",
        verdict: Verdict = Verdict.WARN,
        timeout: timedelta = timedelta(hours=72),
        title: str = "Planning call",
        headline: str = "Launch moves to 9 April",
        file_name: str = "call.wav",
        entailment_model: str | None = None,
        edited: bool = False,
    ) -> Seeded:
        run_id = self.submit(uploader, file_name=file_name, title=title)
        return self.open_review(
            run_id, 1, verdict, timeout, title, headline, entailment_model, edited=edited
        )

    def open_review(
        self,
        run_id: str,
        revision: int,
        verdict: Verdict = Verdict.WARN,
        timeout: timedelta = timedelta(hours=72),
        title: str = "Planning call",
        headline: str = "Launch moves to 9 April",
        entailment_model: str | None = None,
        *,
        edited: bool = False,
    ) -> Seeded:
        report = make_report(verdict, entailment_model)
        summary = make_summary(headline)
        if edited:
            summary = summary.model_copy(update={"method": SummaryMethod.EDITED})
        refs = self._store_documents(run_id, report, title, summary)
        with transaction(self.app.database) as session:
            for role, ref in refs.items():
                runs.keep(session, run_id, revision, role, ref)
            review = reviews.open_review(
                session, run_id, revision, verdict=verdict, timeout=timeout, reasons=report.findings
            )
        return Seeded(run_id, review.sha256)

    def review_of(self, run_id: str, revision: int = 1) -> Review:
        with reading(self.app.database) as session:
            review = reviews.review_of(session, run_id, revision)
        assert review is not None
        return review

    def status_of(self, run_id: str) -> RunStatus:
        with reading(self.app.database) as session:
            return runs.get_run(session, run_id).status

    def _store_documents(
        self, run_id: str, report: QualityReport, title: str, summary: Summary
    ) -> dict[str, ArtifactRef]:
        transcript = make_transcript()
        rendered = render_publication(title, summary, transcript, has_audio=True)
        refs = {
            "redacted_transcript": self._put(run_id, "redacted_transcript", transcript),
            "redactions": self._put(run_id, "redactions", make_redactions()),
            "summary": self._put(run_id, "summary", summary),
            "quality_report": self._put(run_id, "quality_report", report),
            "redacted_audio": self.app.store.put_file(
                "default", run_id, "redacted_audio", AUDIO, ext="opus", media_type="audio/ogg"
            ),
        }
        for kind in ("normalized_audio", "transcript", "pseudonym_map"):  # nothing here reads them
            refs[kind] = self.app.store.put_bytes(
                "default", run_id, kind, kind.encode(), ext="bin", media_type="text/plain"
            )
        for name, data in rendered.items():
            refs[f"rendered/{name}"] = self.app.store.put_bytes(
                "default", run_id, "rendered", data, ext="bin", media_type="text/plain"
            )
        return refs

    def _put(self, run_id: str, kind: str, document: BaseModel) -> ArtifactRef:
        data = canonical_json(document)
        return self.app.store.put_bytes(
            "default", run_id, kind, data, ext="json", media_type="application/json"
        )


def make_transcript() -> RedactedTranscript:
    marks = (
        RedactionMark(start=0, end=10, entity_type="PERSON"),
        RedactionMark(start=45, end=61, entity_type="PHONE_NUMBER"),
    )
    return RedactedTranscript(
        kind="speech",
        language="en",
        duration_s=55.0,
        segments=(
            RedactedSegment(id=1, start=0.0, end=6.0, text=TEXT, marks=marks),
            RedactedSegment(id=2, start=6.0, end=12.5, text=SECOND),
            RedactedSegment(
                id=3,
                start=12.5,
                end=15.0,
                text="Thank you for watching.",
                suspect=("known_phrase",),
            ),
            RedactedSegment(
                id=4,
                start=15.0,
                end=18.0,
                text=LAST,
                marks=(
                    RedactionMark(start=0, end=10, entity_type="PERSON"),
                    RedactionMark(start=24, end=34, entity_type="PERSON"),
                ),
            ),
        ),
        coverage=Coverage(container_s=55, decoded_s=55, speech_s=50, transcribed_s=49),
    )


def make_redactions() -> Redactions:
    return Redactions(
        segments=(
            SegmentRedactions(segment_id=1, spans=SPANS),
            SegmentRedactions(segment_id=4, spans=LAST_SPANS),
        )
    )


def make_summary(headline: str, sentences: Sequence[str] = ()) -> Summary:
    texts = sentences or ("[PERSON_1] moved the launch.", "The budget stays at forty thousand.")
    return Summary(
        method=SummaryMethod.EXTRACTIVE,
        language="en",
        headline=headline,
        abstract=tuple(Sentence(text=t, citations=(i,)) for i, t in enumerate(texts, 1)),
    )


def make_report(verdict: Verdict, entailment_model: str | None = None) -> QualityReport:
    severity = Severity.BLOCK if verdict is Verdict.BLOCK else Severity.WARN
    finding = Finding(
        check="suspect",
        severity=severity,
        place="segment 3",
        reason="Often invented.",
        segments=(3,),
    )
    return QualityReport(
        verdict=verdict,
        findings=() if verdict is Verdict.PASS else (finding,),
        coverage=Coverage(container_s=55, decoded_s=55, speech_s=50, transcribed_s=49),
        entailment_model=entailment_model,
    )


def review_policy(_tenant: str) -> ReviewPolicy:
    return ReviewPolicy(own_upload=False)
