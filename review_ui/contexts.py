"""What each page shows: one frozen dataclass per page, filled by `queries`, read by a template.

Runs, reviews and the engine have modules of their own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime


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
    summary_language: str = ""
    title: str = ""
    vocabulary: str = ""
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
class SessionEndedPage:
    """What a stranger sent, kept on the page until they have signed in and send it again.

    `fields` are the form's, in order, with those that come several times; `words` what of it a
    person may have typed. A form that held a file cannot be kept.
    """

    action: str
    can_resend: bool
    fields: Sequence[tuple[str, str]] = ()

    @property
    def words(self) -> Sequence[str]:
        """The values that a person may want to copy."""
        return [value for name, value in self.fields if value and not name.endswith("sha256")]


@dataclass(frozen=True)
class ErrorPage:
    """A page that says what went wrong and what to do."""

    status: int
    code: str
    message: str
    request_id: str
    back: str = "/"
    details: Mapping[str, object] = field(default_factory=dict)
