"""What the pages about the engine show: instances, their steps as a picture and in time, schedules.

Nothing here holds a payload or a result; an error of a sensitive step comes without its text.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from urllib.parse import urlencode


@dataclass(frozen=True)
class InstanceFilter:
    """What a list of instances is narrowed to; empty: to nothing."""

    search: str = ""
    workflow: str = ""
    status: str = ""
    tenant: str = ""

    @property
    def is_set(self) -> bool:
        """True where some instances may not be shown."""
        return bool(self.query())

    def query(self, **more: str) -> str:
        """Return the filter as the query of an address, empty fields left out."""
        fields = {
            "search": self.search,
            "workflow": self.workflow,
            "status": self.status,
            "tenant": self.tenant,
            **more,
        }
        return urlencode({name: value for name, value in fields.items() if value})


@dataclass(frozen=True)
class InstanceRow:
    """An instance in a list; `waiting_for` are the steps that wait."""

    id: str
    workflow: str
    tenant: str
    status: str
    waiting_for: Sequence[str]
    error_code: str | None
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True)
class InstancesPage:
    """A page of the list; `older` is the query of the next page, None on the last."""

    rows: Sequence[InstanceRow]
    filter: InstanceFilter
    workflows: Sequence[str]
    statuses: Sequence[str]
    older: str | None
    newest: bool

    @property
    def newest_query(self) -> str:
        """The query of the first page."""
        return self.filter.query()


@dataclass(frozen=True)
class StepNode:
    """A step in the picture, or `size` of them that are alike.

    A gap (`kind` is `gap`) stands for steps that were left out; `counts` are their statuses.
    """

    name: str
    count: int
    many: bool
    kind: str
    status: str
    size: int = 1
    attempts: int = 1
    duration_s: float | None = None
    until: datetime | None = None
    error_code: str | None = None
    href: str = ""
    counts: Sequence[tuple[str, int]] = ()


@dataclass(frozen=True)
class Lane:
    """Steps one after the other; beside other lanes they run at the same time.

    `title` is the branch's name where it has one; `size` lanes are like this one, or where the
    nodes are `counted` over them, are put together in it.
    """

    title: str
    nodes: list[StepNode]
    size: int = 1
    counted: bool = False


@dataclass(frozen=True)
class Picture:
    """The steps of an instance: blocks from top to bottom, the lanes of a block side by side.

    `shortened`: steps are put together or left out; `has_more`: all of them can be shown;
    `everything`: that was wished.
    """

    blocks: Sequence[Sequence[Lane]]
    total: int
    done: int
    shortened: bool
    has_more: bool
    everything: bool = False


@dataclass(frozen=True)
class TimelineEntry:
    """Something that happened.

    `kind` is `created queued attempt sleep event value rollback arrival restart` or `ended`; `at`
    is when it began; `until` is a deadline, or the time of the next attempt.
    """

    kind: str
    status: str
    at: datetime
    generation: int
    name: str = ""
    count: int = 1
    many: bool = False
    branch: str = ""
    number: int = 1
    duration_s: float | None = None
    until: datetime | None = None
    error_code: str | None = None
    error_message: str | None = None
    event_type: str = ""
    consumed_by: str | None = None
    anchor: str = ""


@dataclass(frozen=True)
class Timeline:
    """One page of what happened, the oldest first; `earlier` and `later` are queries."""

    entries: Sequence[TimelineEntry]
    total: int
    first: int
    earlier: str | None
    later: str | None


@dataclass(frozen=True)
class WaitView:
    """Something the instance waits for: `kind` is `queue work sleep event` or `retry`."""

    kind: str
    name: str
    count: int
    many: bool
    until: datetime | None
    event_types: Sequence[str] = ()


@dataclass(frozen=True)
class InstanceHead:
    """The facts about an instance.

    `run_id` is the run it works on, if it works on one; `rollback` is `running`, `complete` or
    `failed`, where its steps were undone.
    """

    id: str
    workflow: str
    tenant: str
    status: str
    created_at: datetime
    updated_at: datetime
    ended_at: datetime | None
    generation: int
    rollback: str | None
    run_id: str | None
    error_code: str | None
    error_message: str | None
    finished: bool


@dataclass(frozen=True)
class InstancePage:
    """One instance; `operations` are those that its status allows, `query` what was chosen."""

    instance: InstanceHead
    waits: Sequence[WaitView]
    picture: Picture
    timeline: Timeline
    operations: Sequence[str]
    query: str = ""


@dataclass(frozen=True)
class StepChoice:
    """A step that a restart may begin at; `value` is how the form names it."""

    value: str
    name: str
    count: int
    branch: str


@dataclass(frozen=True)
class ConfirmPage:
    """The question before an operation, with what it takes; after a refusal with the `error`."""

    instance: InstanceHead
    operation: str
    steps: Sequence[StepChoice] = ()
    event_types: Sequence[str] = ()
    values: Mapping[str, str] = field(default_factory=dict)
    error: str | None = None


@dataclass(frozen=True)
class ScheduleRow:
    """A schedule in the list."""

    name: str
    workflow: str
    cron: str
    time_zone: str
    paused: bool
    next_at: datetime | None
    last_at: datetime | None


@dataclass(frozen=True)
class SchedulesPage:
    """The schedules that this installation was set up with."""

    rows: Sequence[ScheduleRow]


@dataclass(frozen=True)
class ScheduleConfirmPage:
    """The question before something is done to a schedule."""

    schedule: ScheduleRow
    operation: str
    values: Mapping[str, str] = field(default_factory=dict)
    error: str | None = None
