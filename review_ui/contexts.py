"""What each page shows: one frozen dataclass per page, filled by `queries`, read by a template."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from models.documents import Coverage


@dataclass(frozen=True)
class Viewer:
    """Who looks at the page; role decides which links and forms are there."""

    name: str
    role: str
    can_edit: bool
    can_administer: bool


@dataclass(frozen=True)
class Notice:
    """A sentence at the top of a page: `tone` is `good`, `warn`, `bad` or `info`."""

    tone: str
    text: str


@dataclass(frozen=True)
class Frame:
    """What every page has around it. `section` is the part of the navigation one is in."""

    viewer: Viewer | None
    section: str
    waiting: int = 0
    path: str = "/"
    notice: Notice | None = None


@dataclass(frozen=True)
class SignInPage:
    """The sign-in form."""

    name: str
    next_path: str
    error: str | None = None


@dataclass(frozen=True)
class SignInLinkPage:
    """A one-time link that has been used, or has ended."""


@dataclass(frozen=True)
class Refusal:
    """A file that was not taken, and why."""

    file_name: str
    code: str
    message: str


@dataclass(frozen=True)
class Accepted:
    """A file that became a run."""

    file_name: str
    run_id: str


@dataclass(frozen=True)
class UploadPage:
    """The upload form, with the outcome of the last upload where script did not show it."""

    templates: Sequence[str]
    max_bytes: int
    language: str = "auto"
    template: str = "default"
    title: str = ""
    accepted: Sequence[Accepted] = ()
    refused: Sequence[Refusal] = ()


@dataclass(frozen=True)
class RunRow:
    """A run in a list."""

    id: str
    title: str
    file_name: str
    status: str
    language: str | None
    uploader: str
    created_at: datetime
    revision: int
    duration_s: float | None = None
    error_code: str | None = None


@dataclass(frozen=True)
class RunsPage:
    """The list of runs; `status` is the chosen filter, `older` the cursor of the next page."""

    rows: Sequence[RunRow]
    status: str | None
    statuses: Sequence[str]
    older: str | None
    filtered: bool


@dataclass(frozen=True)
class WaitingReview:
    """A review that waits for a decision."""

    run_id: str
    title: str
    file_name: str
    language: str | None
    uploader: str
    verdict: str
    opened_at: datetime
    deadline: datetime
    duration_s: float | None
    findings: int


@dataclass(frozen=True)
class InboxPage:
    """The reviews that wait, the nearest deadline first; and what needs an editor otherwise."""

    waiting: Sequence[WaitingReview]
    returned: Sequence[RunRow]
    now: datetime


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
class RunPage:
    """One run: its steps as they happen, coverage, revisions and cost."""

    run: RunHead
    progress: ProgressView
    revisions: Sequence[RevisionView]
    cost: CostView
    can_reopen: bool


@dataclass(frozen=True)
class Piece:
    """A stretch of a segment's text; a redaction where `entity_type` is set."""

    text: str
    entity_type: str | None = None
    start: int = 0
    end: int = 0


@dataclass(frozen=True)
class SegmentView:
    """A segment of the redacted transcript, cut at its redactions."""

    id: int
    start: float
    end: float
    pieces: Sequence[Piece]
    suspect: Sequence[str]
    speaker: str | None
    location: str | None
    cited: bool
    flagged: bool


@dataclass(frozen=True)
class Citation:
    """A reference from a sentence to the segment that is its evidence."""

    segment_id: int
    label: str
    start: float
    end: float


@dataclass(frozen=True)
class SentenceView:
    """A sentence of the summary with its evidence; `place` names it in findings."""

    place: str
    text: str
    citations: Sequence[Citation]
    owner: str | None = None
    due: str | None = None
    findings: int = 0


@dataclass(frozen=True)
class ChapterView:
    """A chapter heading and where it begins; `place` names it in findings."""

    place: str
    title: str
    citation: Citation


@dataclass(frozen=True)
class SummaryView:
    """The summary as it will be published."""

    method: str
    fallback_reason: str | None
    headline: str
    sections: Sequence[tuple[str, Sequence[SentenceView]]]
    chapters: Sequence[ChapterView]


@dataclass(frozen=True)
class Place:
    """Where a finding is: `kind` names the text that says so, `href` leads there."""

    kind: str
    number: int = 0
    name: str = ""
    href: str | None = None


@dataclass(frozen=True)
class FindingView:
    """One thing the checks found, with links to where it is."""

    check: str
    severity: str
    place: Place
    reason: str
    citations: Sequence[Citation]
    values: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class LegendEntry:
    """A type of redaction and how often it occurs."""

    entity_type: str
    count: int


@dataclass(frozen=True)
class ReviewView:
    """The question that waits, or how it was answered."""

    sha256: str
    status: str
    verdict: str
    opened_at: datetime
    deadline: datetime
    expired: bool
    revision: int
    decided_by: str | None = None
    decided_at: datetime | None = None
    comment: str = ""
    override_reason: str | None = None


@dataclass(frozen=True)
class ReviewPage:
    """Everything an editor needs to decide on exactly these bytes."""

    run: RunHead
    review: ReviewView
    kind: str
    duration_s: float
    has_audio: bool
    segments: Sequence[SegmentView]
    legend: Sequence[LegendEntry]
    summary: SummaryView
    findings: Sequence[FindingView]
    coverage: Coverage
    artifacts: Sequence[tuple[str, str]]
    entity_types: Sequence[str]
    can_decide: bool
    can_edit: bool
    can_override: bool
    comment: str = ""
    error: str | None = None


@dataclass(frozen=True)
class DifferencePage:
    """What changed between the hash that was shown and the one that waits now."""

    run: RunHead
    reason: str
    shown_sha256: str
    current: ReviewView | None
    changed: Sequence[tuple[str, str, str]]
    lines: Sequence[tuple[str, str]]
    comment: str


@dataclass(frozen=True)
class SentenceForm:
    """One row of the summary form: the text and its citations as the editor types them."""

    text: str
    citations: str
    owner: str = ""
    due: str = ""


@dataclass(frozen=True)
class SummaryForm:
    """The summary form: what was stored or, after a refusal, what the editor had typed."""

    title: str
    headline: str
    sections: Mapping[str, Sequence[SentenceForm]]


@dataclass(frozen=True)
class SummaryEditPage:
    """The form that edits a summary beside the transcript it must cite."""

    run: RunHead
    base_sha256: str
    form: SummaryForm
    segments: Sequence[SegmentView]
    errors: Sequence[str] = ()
    theirs: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True)
class RedactionEditPage:
    """The form for one segment: lift redactions, add new ones by their text."""

    run: RunHead
    base_sha256: str
    segment: SegmentView
    entity_types: Sequence[str]
    errors: Sequence[str] = ()
    additions: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True)
class PublicationPage:
    """What is published of a run, and the proof of it."""

    run: RunHead
    publication: PublicationView


@dataclass(frozen=True)
class StepNumbers:
    """One step over all runs."""

    name: str
    finished: int
    failed: int
    retries: int
    median_s: float | None
    slowest_s: float | None


@dataclass(frozen=True)
class ModelNumbers:
    """One model over all runs."""

    model: str
    step: str
    calls: int
    audio_s: float
    input_tokens: int
    output_tokens: int
    cost_usd: float


@dataclass(frozen=True)
class CostlyRun:
    """A run among the most expensive."""

    id: str
    title: str
    file_name: str
    calls: int
    cost_usd: float
    duration_s: float | None


@dataclass(frozen=True)
class OperationsPage:
    """How the installation fares."""

    statuses: Sequence[tuple[str, int]]
    steps: Sequence[StepNumbers]
    models: Sequence[ModelNumbers]
    runs: Sequence[CostlyRun]
    waiting: int
    oldest_waiting_s: float | None
    median_decision_s: float | None
    slowest_decision_s: float | None
    decided: int
    expired: int
    cost_usd: float


@dataclass(frozen=True)
class ErrorPage:
    """A page that says what went wrong and what to do."""

    status: int
    code: str
    message: str
    request_id: str
    back: str = "/"
    details: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class PreviewPage:
    """Exactly the bytes that an approval would publish."""

    run: RunHead
    sha256: str
    revision: int
    files: Sequence[str]
