"""What the pages show on which editors review and edit."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from models.documents import Coverage
from review_ui.run_contexts import RunHead


@dataclass(frozen=True)
class Piece:
    """A stretch of a segment's text; a redaction where `entity_type` is set."""

    text: str
    entity_type: str | None = None
    start: int = 0
    end: int = 0


@dataclass(frozen=True)
class SegmentView:
    """A segment of the redacted transcript, cut at its redactions; `form` as in the document."""

    id: int
    start: float
    end: float
    pieces: Sequence[Piece]
    suspect: Sequence[str]
    speaker: str | None
    location: str | None
    cited: bool
    flagged: bool
    form: str = ""


@dataclass(frozen=True)
class Citation:
    """A reference from a sentence to the segment that is its evidence."""

    segment_id: int
    start: float
    end: float
    location: str | None = None


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
    """The summary as it will be published.

    `template` is the template's name without its version, `template_title` what it calls itself.
    """

    method: str
    language: str
    template: str
    template_title: str
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
    """Everything an editor needs to decide on exactly these bytes.

    `entailment_model` names the model that compared the sentences with their evidence by meaning;
    None where only words were compared. `ended` is true where the run was ended before anybody
    decided.
    """

    run: RunHead
    review: ReviewView
    kind: str
    duration_s: float
    has_audio: bool
    segments: Sequence[SegmentView]
    legend: Sequence[LegendEntry]
    summary: SummaryView
    findings: Sequence[FindingView]
    entailment_model: str | None
    coverage: Coverage
    artifacts: Sequence[tuple[str, str]]
    entity_types: Sequence[str]
    can_decide: bool
    can_edit: bool
    can_override: bool
    ended: bool = False
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
class SummaryBase:
    """What a summary form was typed over: review hash and title.

    `seen` is the revision of somebody else that the page has shown since, 0 where it has not.
    """

    sha256: str
    title: str
    seen: int = 0


@dataclass(frozen=True)
class SummaryEditPage:
    """The form that edits a summary beside the transcript it must cite.

    `theirs` is how `theirs_revision`, which somebody else saved meanwhile, differs from the form;
    there is none where `theirs_revision` is 0.
    """

    run: RunHead
    base: SummaryBase
    form: SummaryForm
    segments: Sequence[SegmentView]
    errors: Sequence[str] = ()
    theirs: Sequence[tuple[str, str]] = ()
    theirs_revision: int = 0


@dataclass(frozen=True)
class RedactionEditPage:
    """The form for one segment: lift redactions, add new ones by their text.

    `places` says how often each pseudonym stands in the whole text; `keeps_summary` whether a
    person edited the summary, which then follows.
    """

    run: RunHead
    base_sha256: str
    segment: SegmentView
    entity_types: Sequence[str]
    places: Mapping[str, int]
    keeps_summary: bool = False
    errors: Sequence[str] = ()
    additions: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True)
class PreviewPage:
    """Exactly the bytes that an approval would publish, or that an earlier one would have."""

    run: RunHead
    sha256: str
    revision: int
    files: Sequence[str]
    is_earlier: bool = False
