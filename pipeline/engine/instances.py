"""Journal transactions of whole instances: create, begin a turn, end, and what is shown of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session

from pipeline.engine import codec, journal
from pipeline.engine.codec import Annotation, ErrorRecord
from pipeline.engine.definitions import (
    FINAL,
    Outcome,
    Status,
    StepStatus,
    Workflow,
    WorkflowEvent,
    params_type,
)
from pipeline.engine.dispatch import Dispatcher
from pipeline.engine.errors import InstanceExistsError, InstanceNotFoundError
from pipeline.engine.journal import StepRow, TurnRef

_SHOWN = {
    "queued": StepStatus.WAITING,
    "running": StepStatus.RUNNING,
    "waiting": StepStatus.WAITING,
    "retrying": StepStatus.RETRYING,
    "deciding": StepStatus.RETRYING,
    "succeeded": StepStatus.SUCCEEDED,
    "failed": StepStatus.FAILED,
    "cancelled": StepStatus.CANCELLED,
}


@dataclass(frozen=True)
class Begun:
    """A turn that has begun: the right to write, and what the journal holds."""

    ref: TurnRef
    workflow: str
    params: str
    created_at: float
    steps: list[StepRow]


@dataclass(frozen=True)
class InstanceStatus:
    """What is shown of an instance. `error` is without text where its step is sensitive."""

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


@dataclass(frozen=True)
class StepHistory:
    """What is shown of a step; `kind` is do, sleep, event or value."""

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


@dataclass(frozen=True)
class AttemptHistory:
    """One attempt of a step: `outcome` is running, succeeded, failed or lost (with its process)."""

    name: str
    count: int
    branch: str
    number: int
    outcome: str
    error_code: str | None
    executor: str
    started_at: datetime
    ended_at: datetime | None


def create(
    session: Session,
    dispatcher: Dispatcher,
    workflow: Workflow[Any],
    id_: str,
    tenant: str,
    params: str,
) -> None:
    """Insert an instance and make its first turn due.

    Raises:
        InstanceExistsError: the id is in use (not retryable).
    """
    at = journal.now(session)
    statement = sa.insert(journal.instance_table).values(
        id=id_,
        workflow=workflow.name,
        version=workflow.version,
        tenant=tenant,
        state="queued",
        turn=1,
        epoch=0,
        generation=1,
        params=params,
        created_at=at,
        updated_at=at,
    )
    try:
        with session.begin_nested():
            journal.execute(session, statement)
    except IntegrityError:
        raise InstanceExistsError(details={"instance": id_}) from None
    dispatcher.turn(session, id_, tenant, 1)


def begin(session: Session, id_: str, turn: int, executor: str) -> Begun | None:
    """Raise the epoch and read what the journal holds; None where this turn is not due."""
    row = journal.lock_instance(session, id_)
    if row is None or row.turn != turn or row.state not in ("queued", "running"):
        return None
    values = {"state": "running", "epoch": row.epoch + 1, "updated_at": journal.now(session)}
    journal.update_instance(session, id_, **values)
    c = journal.step_table.c
    statement = sa.select(journal.step_table).where(
        c.instance == id_, c.generation == row.generation
    )
    steps = [journal.step_row(step) for step in journal.execute(session, statement)]
    ref = TurnRef(id_, row.tenant, row.epoch + 1, row.generation, executor)
    return Begun(ref, row.workflow, row.params, row.created_at, steps)


def end(
    session: Session,
    workflow: Workflow[Any] | None,
    ref: TurnRef,
    event: WorkflowEvent[Any],
    outcome: Outcome,
    output: str | None,
) -> None:
    """End an instance in the turn that owns it, with the rows of the workflow's `finished`."""
    if workflow is not None:
        workflow.finished(session, event, outcome)
        session.flush()
    journal.fence(session, ref)
    _close(session, ref.instance, ref.epoch, outcome, output)


def _close(session: Session, id_: str, epoch: int, outcome: Outcome, output: str | None) -> None:
    at = journal.now(session)
    error = None if outcome.error is None else codec.encode(outcome.error, ErrorRecord)
    journal.update_instance(
        session,
        id_,
        state=outcome.status.value,
        epoch=epoch + 1,
        waiting=None,
        output=output,
        error=error,
        updated_at=at,
        ended_at=at,
    )
    c = journal.step_table.c
    open_steps = sa.update(journal.step_table).where(c.instance == id_, c.outcome.is_(None))
    journal.execute(session, open_steps.values(status="cancelled", claim=None, ended_at=at))
    a = journal.attempt_table.c
    running = sa.update(journal.attempt_table).where(a.instance == id_, a.ended_at.is_(None))
    journal.execute(session, running.values(outcome="cancelled", ended_at=at))


def pause(session: Session, ref: TurnRef, error: str) -> None:
    """Stop an instance where it stands, with the reason."""
    journal.fence(session, ref)
    values = {"state": "paused", "error": error, "updated_at": journal.now(session)}
    journal.update_instance(session, ref.instance, epoch=ref.epoch + 1, **values)


def terminate(session: Session, workflow: Workflow[Any], id_: str) -> bool:
    """End an instance whatever it does; nothing that comes late changes anything.

    Returns:
        False where it had ended already; then nothing changes.

    Raises:
        InstanceNotFoundError: no such instance (not retryable).
    """
    row = journal.lock_instance(session, id_)
    if row is None:
        raise InstanceNotFoundError(details={"instance": id_})
    if Status(row.state) in FINAL:
        return False
    outcome = Outcome(Status.TERMINATED)
    _close(session, id_, row.epoch, outcome, None)
    workflow.finished(session, workflow_event(workflow, id_, row.params, row.created_at), outcome)
    session.flush()
    return True


def workflow_event(
    workflow: Workflow[Any], id_: str, params: str, created_at: float
) -> WorkflowEvent[Any]:
    """Return what `run` and `finished` are given."""
    created = journal.moment(created_at)
    if created is None:
        raise TypeError("an instance without a time of creation")
    return WorkflowEvent(codec.decode(params, params_type(workflow)), id_, created)


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


def workflow_of(session: Session, id_: str) -> str:
    """Return the name of an instance's workflow.

    Raises:
        InstanceNotFoundError: no such instance (not retryable).
    """
    table = journal.instance_table
    name = journal.execute(session, sa.select(table.c.workflow).where(table.c.id == id_)).scalar()
    if name is None:
        raise InstanceNotFoundError(details={"instance": id_[:100]})
    return str(name)


def recent(
    session: Session, outputs: Mapping[str, Annotation], state: str | None, limit: int
) -> list[InstanceStatus]:
    """Return instances of the workflows in `outputs` (name to output type), newest first."""
    table = journal.instance_table
    statement = sa.select(table).where(table.c.workflow.in_(list(outputs)))
    if state is not None:
        statement = statement.where(table.c.state == state)
    statement = statement.order_by(table.c.created_at.desc(), table.c.id.desc()).limit(limit)
    return [_shown(row, outputs[row.workflow]) for row in journal.execute(session, statement)]


def _shown(row: sa.Row[Any], output: Annotation) -> InstanceStatus:
    created, updated = journal.moment(row.created_at), journal.moment(row.updated_at)
    if created is None or updated is None:
        raise TypeError("an instance without times")
    waits = journal.read_waits(row.waiting)
    return InstanceStatus(
        id=row.id,
        workflow=row.workflow,
        tenant=row.tenant,
        status=Status(row.state),
        created_at=created,
        updated_at=updated,
        ended_at=journal.moment(row.ended_at),
        output=None if row.output is None else codec.decode(row.output, output),
        error=None if row.error is None else _shown_error(row.error),
        waiting_for=tuple(str(wait.step) for wait in waits),
    )


def _shown_error(text: str) -> ErrorRecord:
    record = codec.decode_error(text)
    if not record.sensitive:
        return record
    return ErrorRecord(record.type, record.code, "", retryable=record.retryable, sensitive=True)


def history(session: Session, id_: str) -> list[StepHistory]:
    """Read the steps of an instance in the order in which they were first started."""
    c = journal.step_table.c
    statement = sa.select(journal.step_table).where(c.instance == id_).order_by(c.ordinal)
    return [_history(row) for row in journal.execute(session, statement)]


def _history(row: sa.Row[Any]) -> StepHistory:
    m = row._mapping  # noqa: SLF001 - the documented way to columns named like methods
    error = None if m["error"] is None or m["status"] == "succeeded" else _shown_error(m["error"])
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
    )


def attempts(session: Session, id_: str) -> list[AttemptHistory]:
    """Read all attempts of an instance's steps, oldest first."""
    c = journal.attempt_table.c
    statement = (
        sa.select(journal.attempt_table).where(c.instance == id_).order_by(c.started_at, c.number)
    )
    return [_attempt(row) for row in journal.execute(session, statement)]


def _attempt(row: sa.Row[Any]) -> AttemptHistory:
    m = row._mapping  # noqa: SLF001 - the documented way to columns named like methods
    started = journal.moment(m["started_at"])
    if started is None:
        raise TypeError("an attempt without a time")
    return AttemptHistory(
        name=m["name"],
        count=m["count"],
        branch=m["branch"],
        number=m["number"],
        outcome=m["outcome"],
        error_code=m["error_code"],
        executor=m["executor"],
        started_at=started,
        ended_at=journal.moment(m["ended_at"]),
    )
