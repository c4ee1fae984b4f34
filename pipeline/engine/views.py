"""What is shown of instances: status, steps, attempts, events. Never a payload or a result."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session

from pipeline.engine import codec, journal
from pipeline.engine.codec import Annotation, ErrorRecord
from pipeline.engine.definitions import FINAL, Status, StepStatus
from pipeline.engine.errors import InstanceNotFoundError
from pipeline.engine.instances import read_ending

_AT_WORK = ("queued", "running", "waiting")

_SHOWN = {
    "queued": StepStatus.WAITING,
    "running": StepStatus.RUNNING,
    "waiting": StepStatus.WAITING,
    "held": StepStatus.WAITING,
    "retrying": StepStatus.RETRYING,
    "deciding": StepStatus.RETRYING,
    "succeeded": StepStatus.SUCCEEDED,
    "failed": StepStatus.FAILED,
    "cancelled": StepStatus.CANCELLED,
}


@dataclass(frozen=True)
class InstanceStatus:
    """What is shown of an instance. `error` is without text where its step is sensitive.

    Attributes:
        waiting_for: The steps it waits for, as `name (count)`.
        due_at: The earliest deadline among them.
        rollback: `running`, `complete` or `failed` (at its first step that could not be undone);
            None where it did not roll back.
    """

    id: str
    workflow: str
    tenant: str
    status: Status
    created_at: datetime
    updated_at: datetime
    ended_at: datetime | None
    output: Any
    error: ErrorRecord | None
    waiting_for: tuple[str, ...]
    due_at: datetime | None
    generation: int
    rollback: str | None


@dataclass(frozen=True)
class StepHistory:
    """What is shown of a step; `kind` is do, sleep, event, value or rollback.

    `generation` counts the restarts; `order` is in which it first started, `created_at` when its
    turn came, before any queue. `event_types` are those that an `event` waits for.
    """

    name: str
    count: int
    branch: str
    kind: str
    status: StepStatus
    attempts: int
    started_at: datetime | None
    ended_at: datetime | None
    error_code: str | None
    error_message: str | None
    waiting_until: datetime | None
    generation: int
    order: int
    created_at: datetime
    event_types: tuple[str, ...]


@dataclass(frozen=True)
class AttemptHistory:
    """One attempt of a step.

    `outcome` is running, succeeded, failed, lost (with its process) or cancelled.
    """

    name: str
    count: int
    branch: str
    number: int
    outcome: str
    error_code: str | None
    executor: str
    started_at: datetime
    ended_at: datetime | None
    generation: int


@dataclass(frozen=True)
class EventHistory:
    """An event that was sent; `consumed_by` is the step that took it."""

    seq: int
    type: str
    key: str | None
    sent_at: datetime
    consumed_by: str | None


def status(session: Session, workflow: str, id_: str, output: Annotation) -> InstanceStatus:
    """Read what is shown of an instance.

    Raises:
        InstanceNotFoundError: no such instance of this workflow (not retryable).
    """
    statement = sa.select(journal.instance_table).where(journal.instance_table.c.id == id_)
    row = journal.execute(session, statement).one_or_none()
    if row is None or row.workflow != workflow:
        raise InstanceNotFoundError(details={"instance": id_})
    return _shown(row, output)


def find(session: Session, id_: str) -> tuple[str, str]:
    """Return the full id and the workflow of an instance.

    Args:
        session: A reading session.
        id_: The full id, or the id without its tenant where only one tenant has it.

    Raises:
        InstanceNotFoundError: no such instance (not retryable).
    """
    if not id_.isprintable():  # a database may refuse to look for such a character
        raise InstanceNotFoundError
    c = journal.instance_table.c
    statement = sa.select(c.id, c.workflow).where(sa.or_(c.id == id_, c.name == id_)).limit(3)
    rows = journal.execute(session, statement).all()
    exact = [row for row in rows if row.id == id_] or rows
    if len(exact) != 1:
        raise InstanceNotFoundError(details={"instance": id_[:201]})
    return str(exact[0].id), str(exact[0].workflow)


@dataclass(frozen=True)
class Selection:
    """Which instances are listed: newest first, `limit` of them after the one named `before`."""

    status: str | None = None
    tenant: str | None = None
    search: str | None = None
    limit: int = 50
    before: str | None = None


def listed(
    session: Session, outputs: Mapping[str, Annotation], selection: Selection
) -> list[InstanceStatus]:
    """Return instances of the workflows in `outputs` (name to output type), newest first."""
    table, c = journal.instance_table, journal.instance_table.c
    statement = sa.select(table).where(c.workflow.in_(list(outputs)))
    if selection.status is not None:
        statement = statement.where(_has_status(selection.status))
    if selection.tenant is not None:
        statement = statement.where(c.tenant == selection.tenant)
    if selection.search:
        statement = statement.where(c.id.contains(selection.search, autoescape=True))
    if selection.before is not None:
        last = sa.select(c.created_at).where(c.id == selection.before).scalar_subquery()
        statement = statement.where(
            sa.or_(c.created_at < last, sa.and_(c.created_at == last, c.id < selection.before))
        )
    statement = statement.order_by(c.created_at.desc(), c.id.desc()).limit(selection.limit)
    return [_shown(row, outputs[row.workflow]) for row in journal.execute(session, statement)]


def _has_status(status: str) -> sa.ColumnElement[bool]:
    c = journal.instance_table.c
    if status == Status.ROLLING_BACK:
        return sa.and_(c.rollback.is_not(None), c.state.in_(_AT_WORK))
    if status in _AT_WORK:
        return sa.and_(c.rollback.is_(None), c.state == status)
    return c.state == status


def _shown(row: sa.Row[Any], output: Annotation) -> InstanceStatus:
    created, updated = journal.moment(row.created_at), journal.moment(row.updated_at)
    if created is None or updated is None:
        raise TypeError("an instance without times")
    waits = journal.read_waits(row.waiting)
    return InstanceStatus(
        id=row.id,
        workflow=row.workflow,
        tenant=row.tenant,
        status=Status.ROLLING_BACK if row.rollback and row.state in _AT_WORK else Status(row.state),
        created_at=created,
        updated_at=updated,
        ended_at=journal.moment(row.ended_at),
        output=None if row.output is None else codec.decode(row.output, output),
        error=None if row.error is None else _shown_error(row.error),
        waiting_for=tuple(str(wait.step) for wait in waits),
        due_at=journal.moment(min(due)) if (due := [w.due_at for w in waits if w.due_at]) else None,
        generation=row.generation,
        rollback=_rollback(row),
    )


def _rollback(row: sa.Row[Any]) -> str | None:
    ending = read_ending(row)
    if ending is None:
        return None
    if ending.failed:
        return "failed"
    return "complete" if Status(row.state) in FINAL else "running"


def _shown_error(text: str) -> ErrorRecord:
    record = codec.decode_error(text)
    if not record.sensitive:
        return record
    return ErrorRecord(record.type, record.code, "", retryable=record.retryable, sensitive=True)


def history(session: Session, id_: str, *, every_generation: bool = False) -> list[StepHistory]:
    """Read the steps of an instance in the order in which they were first started."""
    c = journal.step_table.c
    statement = sa.select(journal.step_table).where(c.instance == id_)
    if not every_generation:
        i = journal.instance_table.c
        present = sa.select(i.generation).where(i.id == id_).scalar_subquery()
        statement = statement.where(c.generation == present)
    statement = statement.order_by(c.generation, c.ordinal)
    return [_history(row) for row in journal.execute(session, statement)]


def _history(row: sa.Row[Any]) -> StepHistory:
    m = row._mapping  # noqa: SLF001 - the documented way to columns named like methods
    error = None if m["error"] is None or m["status"] == "succeeded" else _shown_error(m["error"])
    created = journal.moment(m["created_at"])
    if created is None:
        raise TypeError("a step without a time")
    return StepHistory(
        name=m["name"],
        count=m["count"],
        branch=m["branch"],
        kind=m["kind"],
        status=_SHOWN[m["status"]],
        attempts=m["attempts"],
        started_at=journal.moment(m["started_at"]),
        ended_at=journal.moment(m["ended_at"]),
        error_code=error.code if error else None,
        error_message=error.message if error else None,
        waiting_until=journal.moment(m["due_at"]) if m["outcome"] is None else None,
        generation=m["generation"],
        order=m["ordinal"],
        created_at=created,
        event_types=tuple(json.loads(m["request"] or "[]")) if m["kind"] == "event" else (),
    )


def events(session: Session, id_: str) -> list[EventHistory]:
    """Read the events that an instance was sent, oldest first; not what they carried."""
    c = journal.event_table.c
    statement = sa.select(journal.event_table).where(c.instance == id_).order_by(c.seq)
    return [_event(row) for row in journal.execute(session, statement)]


def _event(row: sa.Row[Any]) -> EventHistory:
    sent = journal.moment(row.sent_at)
    if sent is None:
        raise TypeError("an event without a time")
    consumer = None if row.consumed_by is None else row.consumed_by.partition(":")[2]
    return EventHistory(row.seq, row.type, row.key, sent, consumer)


def attempts(session: Session, id_: str) -> list[AttemptHistory]:
    """Read all attempts of an instance's steps, oldest first; those that run are in their steps."""
    a, s = journal.attempt_table.c, journal.step_table.c
    ended = sa.select(journal.attempt_table).where(a.instance == id_)
    running = sa.select(journal.step_table).where(
        s.instance == id_, s.attempt_at.is_not(None), s.status == "running"
    )
    found = [_attempt(row) for row in journal.execute(session, ended)]
    found += [_running(row) for row in journal.execute(session, running)]
    return sorted(found, key=lambda attempt: (attempt.started_at, attempt.number))


def _attempt(row: sa.Row[Any]) -> AttemptHistory:
    m = row._mapping  # noqa: SLF001 - the documented way to columns named like methods
    return _shown_attempt(row, m["number"], m["outcome"], m["started_at"], m["ended_at"])


def _running(row: sa.Row[Any]) -> AttemptHistory:
    m = row._mapping  # noqa: SLF001 - the documented way to columns named like methods
    return _shown_attempt(row, m["attempts"], "running", m["attempt_at"], None)


def _shown_attempt(
    row: sa.Row[Any], number: int, outcome: str, started_at: float, ended_at: float | None
) -> AttemptHistory:
    m = row._mapping  # noqa: SLF001 - the documented way to columns named like methods
    started = journal.moment(started_at)
    if started is None:
        raise TypeError("an attempt without a time")
    return AttemptHistory(
        name=m["name"],
        count=m["count"],
        branch=m["branch"],
        number=number,
        outcome=outcome,
        error_code=None if outcome == "running" else m["error_code"],
        executor=m["executor"],
        started_at=started,
        ended_at=journal.moment(ended_at),
        generation=m["generation"],
    )
