"""What the pages about one run and its publication show."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from models.documents import Coverage


@dataclass(frozen=True)
class StepView:
    """A step of a run. `status` is the engine's, or `pending` for one that has not begun."""

    name: str
    count: int
    many: bool
    status: str
    attempts: int
    started_at: datetime | None
    ended_at: datetime | None
    duration_s: float | None
    error_code: str | None
    waiting_until: datetime | None = None


@dataclass(frozen=True)
class RevisionView:
    """A revision of a run and what became of its review."""

    number: int
    reason: str
    created_by: str
    created_at: datetime
    review_status: str | None
    sha256: str | None


@dataclass(frozen=True)
class ProgressView:
    """The live part of the run page."""

    run_id: str
    status: str
    steps: Sequence[StepView]
    done: int
    total: int
    coverage: Coverage
    error_code: str | None
    error_message: str | None
    finished: bool
    digest: str


@dataclass(frozen=True)
class PublishedFileView:
    """One file of a publication."""

    name: str
    sha256: str
    bytes: int


@dataclass(frozen=True)
class PublicationView:
    """What is live of a run."""

    revision: int
    review_sha256: str
    published_at: datetime
    approver: str
    comment: str
    override_reason: str | None
    files: Sequence[PublishedFileView]
    url: str


@dataclass(frozen=True)
class RunHead:
    """The facts about a run that stand at the top of its pages."""

    id: str
    title: str
    file_name: str
    status: str
    language: str | None
    requested_language: str
    template: str
    uploader: str
    source_bytes: int
    media_type: str
    created_at: datetime
    revision: int
    tenant: str
    has_publication: bool
    has_review: bool


@dataclass(frozen=True)
class CostView:
    """What the models cost on a run."""

    calls: int
    audio_s: float
    input_tokens: int
    output_tokens: int
    cost_usd: float


@dataclass(frozen=True)
class CallView:
    """One entry of the ledger of model calls."""

    step: str
    model: str
    endpoint: str
    outcome: str
    input_tokens: int
    output_tokens: int
    cost_usd: float
    latency_s: float
    prompt_sha256: str | None


@dataclass(frozen=True)
class RunPage:
    """One run: its steps as they happen, coverage, revisions and cost."""

    run: RunHead
    progress: ProgressView
    revisions: Sequence[RevisionView]
    cost: CostView
    calls: Sequence[CallView]
    can_reopen: bool


@dataclass(frozen=True)
class PublicationPage:
    """What is published of a run, and the proof of it."""

    run: RunHead
    publication: PublicationView
