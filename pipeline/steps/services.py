"""What the steps work with, installed once per process by the composition root.

Steps run in threads of a worker and in its child processes; a step function crosses that border by
name, with references as arguments, so it finds its services here instead of carrying them.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol

import sqlalchemy as sa

from models.documents import Document, RedactionEdit, Transcript, canonical_json
from models.quality import CheckOptions
from models.redactor import RedactionPolicy, RedactionResult
from models.summarizer import Summarizer
from models.transcriber import Speech, Window
from models.voices import VoiceModel
from pipeline.provenance import SigningKey
from pipeline.steps.job import Job
from storage import runs
from storage.artifacts import ArtifactStore
from storage.database import reading
from storage.refs import ArtifactRef
from storage.statuses import RunStatus


class TranscriberPort(Protocol):
    """What recognizes speech: `models.transcriber.Transcriber`, or a script in tests."""

    @property
    def name(self) -> str:
        """The model's name, for records."""

    @property
    def digest(self) -> str:
        """SHA-256 of the weights."""

    def transcribe(
        self,
        normalized: Path,
        window: Window,
        speech: Speech,
        language: str | None,
        vocabulary: Sequence[str] = (),
    ) -> Transcript:
        """Return the window's transcript; times count from the start of the recording."""


class RedactorPort(Protocol):
    """What removes personal data: `models.redactor.Redactor`, or a script in tests."""

    @property
    def name(self) -> str:
        """The models' names, for records."""

    @property
    def digest(self) -> str:
        """SHA-256 over models and rules."""

    def redact(
        self, transcript: Transcript, policy: RedactionPolicy, edits: Sequence[RedactionEdit] = ()
    ) -> RedactionResult:
        """Return the redacted transcript, the redactions and the pseudonyms."""


@dataclass(frozen=True)
class ReviewOptions:
    """Until when a review waits, and how many approvals it needs."""

    timeout: timedelta
    approvals: int


@dataclass(frozen=True)
class WebhookOptions:
    """Whom to tell of a publication."""

    url: str
    secret: str
    allow_private: bool
    base_url: str | None


@dataclass(frozen=True)
class StepOptions:
    """The settings of one revision: the tenant's, with what the uploader or a reprocess changed.

    `window` is about how much of a recording one recognition step takes, `vocabulary` the tenant's
    names and terms; `digests` are keyed hashes of the settings that can change a stage's result, by
    group (`asr`, `redaction`, `llm`, `quality`).
    """

    window: timedelta
    vocabulary: tuple[str, ...]
    review: ReviewOptions
    webhook: WebhookOptions | None
    digests: dict[str, str]


@dataclass(frozen=True)
class Services:
    """Store, database and models; a model is loaded when a step first asks for it.

    `redaction_policy` raises `UnknownTenantError` for a tenant whose file is gone: its own lists of
    names are gone with it, and nothing is redacted without them.
    """

    store: ArtifactStore
    database: sa.Engine
    scratch: Path
    signing_key: SigningKey
    options: Callable[[Job], StepOptions]
    raw_retention: Callable[[str], timedelta]
    transcriber: Callable[[Job], TranscriberPort]
    voices: Callable[[Job], VoiceModel | None]
    redactor: Callable[[], RedactorPort]
    redaction_policy: Callable[[Job], RedactionPolicy]
    summarizer: Callable[[Job], Summarizer]
    extractive: Callable[[Job], Summarizer]
    check_options: Callable[[Job], CheckOptions]

    @contextmanager
    def workspace(self) -> Iterator[Path]:
        """Open a temporary folder for one step, removed at its end."""
        self.scratch.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=self.scratch) as folder:
            yield Path(folder)

    def put(self, job: Job, kind: str, data: bytes, ext: str, media_type: str) -> ArtifactRef:
        """Store bytes as an artifact of the job's run; the same bytes are the same artifact."""
        ref = self.store.put_bytes(
            job.tenant, job.run_id, kind, data, ext=ext, media_type=media_type
        )
        return unless_erased(self.database, self.store, job.run_id, ref)

    def put_document(self, job: Job, kind: str, document: Document) -> ArtifactRef:
        """Store a document in its canonical form."""
        return self.put(job, kind, canonical_json(document), "json", "application/json")

    def put_file(self, job: Job, kind: str, path: Path, ext: str, media_type: str) -> ArtifactRef:
        """Store a file as an artifact of the job's run."""
        ref = self.store.put_file(
            job.tenant, job.run_id, kind, path, ext=ext, media_type=media_type
        )
        return unless_erased(self.database, self.store, job.run_id, ref)


def unless_erased(
    database: sa.Engine, store: ArtifactStore, run_id: str, ref: ArtifactRef
) -> ArtifactRef:
    """Return what was just stored; where its run was erased meanwhile, delete it again.

    An erasure marks the run before it goes through the store, so one of the two finds the object.

    Raises:
        ErasedError: it was (not retryable).
    """
    with reading(database) as session:
        run = runs.get_run(session, run_id)
    if run.status is RunStatus.ERASED:
        store.delete_all_versions(ref)
    runs.require_there(run)
    return ref


class _Installed:
    services: Services | None = None


def install(services: Services) -> None:
    """Set what the steps of this process work with."""
    _Installed.services = services


def services() -> Services:
    """Return what was installed.

    Raises:
        RuntimeError: nothing was (not retryable; the composition root is at fault).
    """
    if _Installed.services is None:
        raise RuntimeError("no services are installed in this process")
    return _Installed.services
