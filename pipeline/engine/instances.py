"""Journal transactions of an instance's way: create, begin a turn, roll back, end.

What people do to it from outside (pause, resume, restart, terminate, delete) is in `lifecycle`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session

from pipeline.engine import codec, journal, waits
from pipeline.engine.codec import ErrorRecord
from pipeline.engine.definitions import Outcome, Status, Workflow, WorkflowEvent, params_type
from pipeline.engine.dispatch import Dispatcher
from pipeline.engine.errors import FencedError, InstanceExistsError
from pipeline.engine.journal import StepRow, TurnRef

_I, _S = journal.instance_table.c, journal.step_table.c
_OF_TURN = sa.bindparam("of_turn", type_=sa.Integer)
_INSERT = sa.insert(journal.instance_table).values(
    created_at=journal.clock(), updated_at=journal.clock()
)
_BEGIN = journal.change(
    sa.and_(journal.IS_INSTANCE, _I.turn == _OF_TURN, _I.state.in_(("queued", "running"))),
    state="running",
    epoch=_I.epoch + 1,
    updated_at=journal.clock(),
)
_STEPS = sa.select(journal.step_table).where(
    _S.instance == journal.OF_INSTANCE,
    _S.generation == sa.bindparam("of_generation", type_=sa.Integer),
)
_CLOSED: Mapping[str, Any] = {
    "epoch": _I.epoch + 1,
    "waiting": None,
    "updated_at": journal.clock(),
    "ended_at": journal.clock(),
    "delete_at": journal.clock() + _I.retention_s,
}
CLOSE = journal.change(journal.IS_INSTANCE, **_CLOSED)
_CLOSE_OWNED = journal.change(journal.IS_OWNED, **_CLOSED)
_CANCEL_OPEN = (
    sa.update(journal.step_table)
    .where(_S.instance == journal.OF_INSTANCE, _S.outcome.is_(None), _S.status != "cancelled")
    .values(status="cancelled", claim=None)
    .returning(journal.step_table)
)
_INSERT_ATTEMPT = sa.insert(journal.attempt_table)


@dataclass(frozen=True)
class Ending:
    """How an instance that rolls back will end, and whether all rollbacks succeeded."""

    status: Status
    error: ErrorRecord | None = None
    failed: bool = False


@dataclass(frozen=True)
class Begun:
    """A turn that has begun: the right to write, and what the journal holds."""

    ref: TurnRef
    workflow: str
    params: str
    created_at: float
    steps: list[StepRow]
    ending: Ending | None


@dataclass(frozen=True)
class Creation:
    """An instance to be created: its full id, its name in its tenant, parameters as JSON."""

    id: str
    name: str
    params: str
    retention_s: float | None


def create(
    session: Session,
    dispatcher: Dispatcher,
    workflow: Workflow[Any],
    tenant: str,
    creations: Sequence[Creation],
) -> None:
    """Insert instances and make their first turns due.

    Raises:
        InstanceExistsError: an id is in use; none is created (not retryable).
    """
    rows = [_new_row(workflow, tenant, creation) for creation in creations]
    try:
        with session.begin_nested():
            journal.execute(session, _INSERT, rows)
    except IntegrityError:
        used = _used(session, [creation.id for creation in creations])
        raise InstanceExistsError(details={"instance": used}) from None
    for creation in creations:
        dispatcher.turn(session, creation.id, tenant, 1)


def _new_row(workflow: Workflow[Any], tenant: str, creation: Creation) -> dict[str, object]:
    return {
        "id": creation.id,
        "name": creation.name,
        "workflow": workflow.name,
        "version": workflow.version,
        "tenant": tenant,
        "state": "queued",
        "turn": 1,
        "epoch": 0,
        "generation": 1,
        "params": creation.params,
        "retention_s": creation.retention_s,
    }


def _used(session: Session, ids: Sequence[str]) -> str:
    """Return the first of the ids that is in use, or is named twice."""
    c = journal.instance_table.c
    there = set(journal.execute(session, sa.select(c.id).where(c.id.in_(ids))).scalars())
    for number, id_ in enumerate(ids):
        if id_ in there or id_ in ids[:number]:
            return id_
    return ids[0]


def begin(session: Session, id_: str, turn: int, executor: str) -> Begun | None:
    """Raise the epoch and read what the journal holds; None where this turn is not due."""
    due = {"of_instance": id_, "of_turn": turn}
    row = journal.execute(session, _BEGIN, due).one_or_none()
    if row is None:
        _pause_lost_turn(session, id_, turn)
        return None
    ref = TurnRef(id_, row.tenant, row.epoch, row.generation, executor)
    steps = steps_of(session, ref)
    return Begun(ref, row.workflow, row.params, row.created_at, steps, read_ending(row))


def _pause_lost_turn(session: Session, id_: str, turn: int) -> None:
    """Let an instance go whose turn died with its worker after a pause was asked for."""
    lost = sa.and_(
        _I.id == id_, _I.turn == turn, _I.state == "waiting_for_pause", _I.waiting.is_(None)
    )
    let_go = journal.change(lost, waiting="[]", epoch=_I.epoch + 1)
    row = journal.execute(session, let_go).one_or_none()
    if row is not None:
        journal.settle_pause(session, row)


def steps_of(session: Session, ref: TurnRef) -> list[StepRow]:
    """Return all steps of the instance's present generation, rollbacks among them."""
    which = {"of_instance": ref.instance, "of_generation": ref.generation}
    return [journal.step_row(step) for step in journal.execute(session, _STEPS, which)]


def read_ending(row: sa.Row[Any]) -> Ending | None:
    """Return how an instance that rolls back will end; None where it does not roll back."""
    return None if row.rollback is None else codec.decode(row.rollback, Ending)


def begin_rollback(
    session: Session, dispatcher: Dispatcher, row: sa.Row[Any], ending: Ending
) -> None:
    """Turn an instance whose row is locked to its rollbacks, which its next turn begins.

    What still runs can write nothing more.
    """
    values = {"rollback": codec.encode(ending, Ending), "error": None, "epoch": row.epoch + 1}
    journal.update_instance(session, row.id, **values)
    cancel_open(session, row)
    waits.wake(session, dispatcher, row)


def end(
    session: Session,
    workflow: Workflow[Any] | None,
    ref: TurnRef,
    event: WorkflowEvent[Any],
    outcome: Outcome,
    output: str | None,
    ending: Ending | None = None,
) -> None:
    """End an instance in the turn that owns it, with the rows of the workflow's `finished`."""
    if workflow is not None:
        workflow.finished(session, event, outcome)
        session.flush()
    if not close(session, _CLOSE_OWNED, journal.owner(ref), outcome, output, ending):
        raise FencedError


def close(
    session: Session,
    statement: sa.Executable,
    which: Mapping[str, Any],
    outcome: Outcome,
    output: str | None = None,
    ending: Ending | None = None,
) -> bool:
    """Write the end of an instance; nothing late changes it.

    Args:
        session: The transaction.
        statement: `CLOSE`, or what closes it only where a turn owns it.
        which: The statement's parameters.
        outcome: How it ended.
        output: What `run` returned, as JSON.
        ending: How it rolled back.

    Returns:
        False where the statement's condition holds for none.
    """
    values = {
        "state": outcome.status.value,
        "output": output,
        "rollback": None if ending is None else codec.encode(ending, Ending),
        "error": None if outcome.error is None else codec.encode(outcome.error, ErrorRecord),
    }
    row = journal.execute(session, statement, {**which, **values}).one_or_none()
    if row is not None:
        cancel_open(session, row)
    return row is not None


def cancel_open(session: Session, instance: sa.Row[Any]) -> None:
    """Cancel the steps that have not ended; who is at work on one can commit nothing."""
    values = {"of_instance": instance.id, "ended_at": instance.now}
    cancelled = journal.execute(session, _CANCEL_OPEN, values).all()
    running = [row for row in cancelled if row.attempt_at is not None]
    if running:
        cut = [_cut(row, instance.now) for row in running]
        journal.execute(session, _INSERT_ATTEMPT, cut)


def _cut(row: sa.Row[Any], at: float) -> dict[str, Any]:
    """Return the attempt of a cancelled step as a row of its own."""
    m = row._mapping  # noqa: SLF001 - the documented way to columns named like methods
    key = {name: m[name] for name in ("instance", "branch", "name", "count", "generation")}
    attempt = {"number": m["attempts"], "outcome": "cancelled", "executor": m["executor"]}
    return {**key, **attempt, "started_at": m["attempt_at"], "ended_at": at}


def stop(session: Session, workflow: Workflow[Any] | None, ref: TurnRef, error: str) -> None:
    """Pause an instance that cannot go on where it stands, with the reason."""
    if workflow is not None:
        tell_moved(session, workflow, ref.instance, Status.PAUSED)
    row = journal.fence(session, ref)
    values = {"state": "paused", "error": error, "updated_at": journal.now(session)}
    journal.update_instance(session, ref.instance, epoch=row.epoch + 1, **values)


def tell_moved(session: Session, workflow: Workflow[Any], id_: str, status: Status) -> None:
    """Let the workflow write its rows; before the instance is locked, as its steps do."""
    t = journal.instance_table
    row = journal.execute(session, sa.select(t.c.params, t.c.created_at).where(t.c.id == id_)).one()
    workflow.moved(session, workflow_event(workflow, id_, row.params, row.created_at), status)
    session.flush()


def workflow_event(
    workflow: Workflow[Any], id_: str, params: str, created_at: float
) -> WorkflowEvent[Any]:
    """Return what `run` and `finished` are given."""
    created = journal.moment(created_at)
    if created is None:
        raise TypeError("an instance without a time of creation")
    return WorkflowEvent(codec.decode(params, params_type(workflow)), id_, created)
