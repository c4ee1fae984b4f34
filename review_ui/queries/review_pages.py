"""The review page, its preview, and what differs when a decision came too late."""

import difflib
from collections.abc import Mapping
from dataclasses import dataclass

from sqlmodel import Session

from configs.errors import AppError, NotFoundError
from models.documents import QualityReport, RedactedTranscript, Summary
from review_ui.queries.access import ENTITY_TYPES, load_document, name_of, visible_run
from review_ui.queries.findings import finding_views
from review_ui.queries.run_pages import run_head
from review_ui.queries.transcript import legend, segment_views, summary_view
from review_ui.review_contexts import DifferencePage, PreviewPage, ReviewPage, ReviewView
from review_ui.run_contexts import RunHead
from review_ui.visitors import Visitor
from review_ui.web import Web
from storage import reviews, runs
from storage.database import database_now, reading
from storage.refs import ArtifactRef
from storage.statuses import ENDED, ReviewStatus, RunStatus
from storage.tables import Review

AUDIO = "redacted_audio"
RENDERED = "rendered/"


@dataclass(frozen=True)
class ReviewedRevision:
    """A review with the run and the artifacts that it is about."""

    head: RunHead
    review: Review
    view: ReviewView
    artifacts: Mapping[str, ArtifactRef]

    @property
    def is_open(self) -> bool:
        """True where a decision can be taken."""
        is_newest = self.review.revision == self.head.revision
        is_asked = self.review.status is ReviewStatus.OPEN and not self.view.expired
        return is_asked and is_newest and not self.ended

    @property
    def ended(self) -> bool:
        """True where the run was ended before anybody decided."""
        has_ended = self.head.status in ENDED - {RunStatus.EXPIRED}
        return self.review.status is ReviewStatus.OPEN and has_ended

    @property
    def is_current(self) -> bool:
        """True for the review of the newest revision: an edit would make the next one."""
        return (
            self.review.revision == self.head.revision
            and self.review.status is not ReviewStatus.SUPERSEDED
        )


def reviewed_revision(web: Web, visitor: Visitor, run_id: str) -> ReviewedRevision:
    """Return the newest review of a run.

    Raises:
        ErasedError: the run has been erased (not retryable).
        NotFoundError: no such run, or it has no review yet (not retryable).
    """
    with reading(web.app.database) as session:
        run = visible_run(session, visitor, run_id)
        runs.require_there(run)
        review = reviews.latest_review(session, run_id)
        if review is None:
            raise NotFoundError("This run has no review yet.")
        return ReviewedRevision(
            head=run_head(session, run),
            review=review,
            view=review_view(session, review),
            artifacts=runs.artifacts_of(session, run_id, review.revision),
        )


def review_page(
    web: Web, visitor: Visitor, run_id: str, *, comment: str = "", error: str | None = None
) -> ReviewPage:
    """Return everything an editor needs to decide.

    Args:
        web: the application.
        visitor: an editor.
        run_id: the run.
        comment: what was typed before a refusal.
        error: why the decision was refused.

    Raises:
        NotFoundError: no such run, or it has no review yet (not retryable).
        IntegrityError: a stored document is not what was recorded (not retryable).
    """
    seen = reviewed_revision(web, visitor, run_id)
    refs = seen.artifacts
    transcript = load_document(web.app, refs.get("redacted_transcript"), RedactedTranscript)
    summary = load_document(web.app, refs.get("summary"), Summary)
    report = load_document(web.app, refs.get("quality_report"), QualityReport)
    return ReviewPage(
        run=seen.head,
        review=seen.view,
        kind=transcript.kind,
        duration_s=transcript.duration_s,
        has_audio=AUDIO in refs,
        segments=segment_views(
            transcript,
            cited=summary.cited_segments,
            flagged={i for finding in report.findings for i in finding.segments},
        ),
        legend=legend(transcript),
        summary=summary_view(summary, transcript, report.findings),
        findings=finding_views(
            report.findings, transcript, f"/runs/{run_id}/preview/{seen.review.revision}"
        ),
        entailment_model=report.entailment_model,
        coverage=report.coverage,
        artifacts=[(role, str(about["sha256"])) for role, about in _named(seen.review)],
        entity_types=ENTITY_TYPES,
        can_decide=visitor.can_edit and seen.is_open,
        can_edit=visitor.can_edit and seen.is_current,
        can_override=visitor.can_administer,
        ended=seen.ended,
        comment=comment,
        error=error,
    )


def preview_page(
    web: Web, visitor: Visitor, run_id: str, revision: int | None = None
) -> PreviewPage:
    """Return the page around exactly the bytes that an approval publishes.

    Args:
        web: the application.
        visitor: an editor.
        run_id: the run.
        revision: an earlier one to look at; None: the newest that has a review.

    Raises:
        NotFoundError: no such run, it has no such review, or the files are gone (not retryable).
    """
    newest = reviewed_revision(web, visitor, run_id)
    review, artifacts = newest.review, newest.artifacts
    if revision is not None and revision != review.revision:
        review, artifacts = _earlier(web, run_id, revision)
    names = [r.removeprefix(RENDERED) for r in artifacts if r.startswith(RENDERED)]
    audio = ["audio.opus"] if AUDIO in artifacts else []
    return PreviewPage(
        run=newest.head,
        sha256=review.sha256,
        revision=review.revision,
        files=sorted(names + audio),
        is_earlier=review.revision != newest.head.revision,
    )


def _earlier(web: Web, run_id: str, revision: int) -> tuple[Review, Mapping[str, ArtifactRef]]:
    with reading(web.app.database) as session:
        review = reviews.review_of(session, run_id, revision)
        artifacts = runs.artifacts_of(session, run_id, revision)
    if review is None or f"{RENDERED}index.html" not in artifacts:
        raise NotFoundError("There is nothing to show of this revision.")
    return review, artifacts


def previewed_file(
    web: Web, visitor: Visitor, run_id: str, revision: int, name: str
) -> ArtifactRef:
    """Return the artifact that would be published under a name.

    Raises:
        NotFoundError: no such run, revision or file, or it has been erased (not retryable).
    """
    role = AUDIO if name == "audio.opus" else f"{RENDERED}{name}"
    with reading(web.app.database) as session:
        runs.require_there(visible_run(session, visitor, run_id))
        ref = runs.artifacts_of(session, run_id, revision).get(role)
    if ref is None:
        raise NotFoundError("This revision has no such file.")
    return ref


def review_view(session: Session, review: Review) -> ReviewView:
    """Return the question and, once it is answered, who answered it."""
    last = reviews.closing_decision(session, review)
    is_late = review.status is ReviewStatus.OPEN and review.deadline <= database_now(session)
    return ReviewView(
        sha256=review.sha256,
        status=review.status.value,
        verdict=review.verdict,
        opened_at=review.opened_at,
        deadline=review.deadline,
        expired=is_late or review.status is ReviewStatus.EXPIRED,
        revision=review.revision,
        decided_by=name_of(session, last.approver_id) if last else None,
        decided_at=last.decided_at if last else None,
        comment=last.comment if last else "",
        override_reason=last.override_reason if last else None,
    )


def difference_page(
    web: Web, visitor: Visitor, run_id: str, shown_sha256: str, error: AppError, comment: str
) -> DifferencePage:
    """Return what changed between the hash that was shown and the one that is there now.

    Raises:
        NotFoundError: no such run, or it has no review (not retryable).
    """
    seen = reviewed_revision(web, visitor, run_id)
    shown = review_by_hash(web, run_id, seen.review.revision, shown_sha256)
    before = dict(_named(shown)) if shown else {}
    after = dict(_named(seen.review))
    changed = [
        (
            role,
            str(before.get(role, {}).get("sha256", "")),
            str(after.get(role, {}).get("sha256", "")),
        )
        for role in sorted(before | after)
        if shown and before.get(role) != after.get(role)
    ]
    return DifferencePage(
        run=seen.head,
        reason=error.code,
        shown_sha256=shown_sha256,
        current=seen.view if seen.is_current else None,
        changed=changed,
        lines=summary_difference(web, run_id, shown, seen) if shown else [],
        comment=comment,
    )


def summary_difference(
    web: Web, run_id: str, shown: Review, seen: ReviewedRevision
) -> list[tuple[str, str]]:
    """Return the sentences that went and came between two revisions, as `(kind, text)`."""
    if shown.revision == seen.review.revision:
        return []
    with reading(web.app.database) as session:
        older = runs.artifacts_of(session, run_id, shown.revision).get("summary")
    newer = seen.artifacts.get("summary")
    if older is None or newer is None or older.sha256 == newer.sha256:
        return []
    return line_difference(
        _lines(load_document(web.app, older, Summary)),
        _lines(load_document(web.app, newer, Summary)),
    )


def line_difference(before: list[str], after: list[str]) -> list[tuple[str, str]]:
    """Return removed and added lines, in order."""
    kinds = {"- ": "removed", "+ ": "added"}
    return [
        (kinds[line[:2]], line[2:]) for line in difflib.ndiff(before, after) if line[:2] in kinds
    ]


def _lines(summary: Summary) -> list[str]:
    return [summary.headline, *(sentence.text for _, sentence in summary.sentences())]


def review_by_hash(web: Web, run_id: str, newest: int, sha256: str) -> Review | None:
    """Return the review of a run, up to a revision, that has this hash."""
    with reading(web.app.database) as session:
        for revision in range(newest, 0, -1):
            review = reviews.review_of(session, run_id, revision)
            if review is not None and review.sha256 == sha256:
                return review
    return None


def _named(review: Review) -> list[tuple[str, dict[str, object]]]:
    return [
        (role, about) for role, about in sorted(review.artifacts.items()) if isinstance(about, dict)
    ]
