"""Journal transactions of what people do to an instance: pause, resume, restart, terminate, delete.

Each looks, lets the workflow write its rows, then locks the instance and looks again: the
application's rows are locked before the instance, as in the commit of a step.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session

from configs import clock
from pipeline.engine import instances, journal, waits
from pipeline.engine.definitions import FINAL, Outcome, Status, Workflow
from pipeline.engine.dispatch import Dispatcher, timer_name
from pipeline.engine.errors import (
    InstanceNotFoundError,
    InstanceStateError,
    StepNotFoundError,
)
from pipeline.engine.instances import Ending
from pipeline.engine.journal import StepKey, StepRow, TurnRef

Allowed = Callable[[sa.Row[Any]], bool]


@dataclass(frozen=True)
class Target:
    """Which instance of which workflow, and where what becomes due is enqueued."""

    workflow: Workflow[Any]
    id: str
    dispatcher: Dispatcher


def pause(session: Session, target: Target) -> bool:
    """Let what runs come to its end and hold the rest; deadlines do not move.

    Returns:
        False where it is paused, or about to be, already.

    Raises:
        InstanceNotFoundError, InstanceStateError: it has ended or rolls back (not retryable).
    """

    def allowed(row: sa.Row[Any]) -> bool:
        if row.state in journal.FINAL_STATES or row.rollback is not None:
            raise _illegal(row, "paused")
        return row.state not in ("paused", "waiting_for_pause")

    row = _moved(session, target, allowed, Status.PAUSED)
    if row is None:
        return False
    at = journal.now(session)
    values = {"state": "waiting_for_pause", "updated_at": at}
    if row.state != "running":
        values["waiting"] = row.waiting or "[]"
    journal.update_instance(session, target.id, **values)
    journal.settle_pause(session, _locked(session, target))
    return True


def resume(session: Session, target: Target) -> bool:
    """Let a paused instance go on; what came due in the meantime is due at once.

    Returns:
        False where it was not paused.

    Raises:
        InstanceNotFoundError, InstanceStateError: it has ended (not retryable).
    """

    def allowed(row: sa.Row[Any]) -> bool:
        if row.state in journal.FINAL_STATES:
            raise _illegal(row, "resumed")
        return row.state in ("paused", "waiting_for_pause")

    row = _moved(session, target, allowed, Status.QUEUED)
    if row is None:
        return False
    _requeue_held(session, target, row)
    if row.state == "waiting_for_pause" and row.waiting is None:
        journal.update_instance(session, target.id, state="running")  # its turn has not let go yet
        return True
    journal.update_instance(session, target.id, error=None)
    waits.wake(session, target.dispatcher, row)
    return True


def _requeue_held(session: Session, target: Target, row: sa.Row[Any]) -> None:
    """Put resource steps that came up while the instance was paused back on their queues."""
    ref = _ref(row)
    at = journal.now(session)
    for step in instances.steps_of(session, ref):
        if step.status != "held":
            continue
        names = journal.step_names(row.id, row.generation, step.key)
        requeued = sa.update(journal.step_table).where(journal.IS_STEP).values(status="queued")
        journal.execute(session, requeued, names)
        resource = json.loads(step.request or "{}")["resource"]
        attempt = f"{step.failures + 1}+{clock.new_id('again')}"  # an execution's name is used once
        delay_s = max((step.due_at or 0.0) - at, 0.0)
        target.dispatcher.step(session, ref, step.key, resource, attempt, delay_s)


def terminate(session: Session, target: Target, *, rollback: bool) -> bool:
    """End an instance whatever it does; nothing that comes late changes anything.

    Args:
        session: The transaction.
        target: Which instance.
        rollback: Undo first what its steps did; it ends when that is done.

    Returns:
        False where it had ended, or was rolling back and is asked to, already.

    Raises:
        InstanceNotFoundError: no such instance (not retryable).
    """

    def allowed(row: sa.Row[Any]) -> bool:
        if row.state in journal.FINAL_STATES:
            return False
        return not (rollback and row.rollback is not None)

    row = _row(session, target)
    if not allowed(row):
        return False
    if rollback and instances.steps_of(session, _ref(row)):
        return _roll_back(session, target, allowed)
    outcome = Outcome(Status.TERMINATED)
    event = instances.workflow_event(target.workflow, target.id, row.params, row.created_at)
    finished = partial(target.workflow.finished, session, event, outcome)
    if _locked_after(session, target, allowed, finished) is None:
        return False
    return instances.close(session, instances.CLOSE, {"of_instance": target.id}, outcome)


def _roll_back(session: Session, target: Target, allowed: Allowed) -> bool:
    row = _locked(session, target)
    if not allowed(row):
        return False
    instances.begin_rollback(session, target.dispatcher, row, Ending(Status.TERMINATED))
    return True


def restart(session: Session, target: Target, from_step: StepKey | None) -> None:
    """Run an instance again under its id, from its beginning or from a step.

    What had ended of the steps begun before that step is kept; the rest is done again as the next
    generation. Events that steps begun later had consumed are given back.

    Raises:
        InstanceNotFoundError: no such instance (not retryable).
        StepNotFoundError: it has no such step (not retryable).
    """
    row = _moved(session, target, lambda _: True, Status.QUEUED)
    if row is None:
        raise InstanceNotFoundError(details={"instance": target.id})
    kept = _kept(session, row, from_step)
    instances.cancel_open(session, row)
    generation = row.generation + 1
    _copy(session, row, kept, generation)
    _give_back(session, row, {str(step.key) for step in kept}, generation)
    journal.update_instance(
        session,
        target.id,
        generation=generation,
        epoch=row.epoch + 1,
        last_outcome=len(kept),
        state_bytes=sum(len(step.result or "") for step in kept),
        output=None,
        error=None,
        rollback=None,
        ended_at=None,
        delete_at=None,
    )
    waits.wake(session, target.dispatcher, row)


def _kept(session: Session, row: sa.Row[Any], from_step: StepKey | None) -> list[StepRow]:
    """Return the steps that a restart keeps, in the order in which they ended."""
    if from_step is None:
        return []
    steps = instances.steps_of(session, _ref(row))
    first = next((step for step in steps if step.key == from_step), None)
    if first is None or first.kind == journal.ROLLBACK:
        raise StepNotFoundError(details={"instance": row.id, "step": str(from_step)})
    kept = [
        step
        for step in steps
        if step.ordinal < first.ordinal
        and step.outcome is not None
        and step.kind != journal.ROLLBACK
    ]
    return sorted(kept, key=lambda step: step.outcome or 0)


def _copy(session: Session, row: sa.Row[Any], kept: Sequence[StepRow], generation: int) -> None:
    """Write the kept steps into the next generation, their outcomes numbered anew."""
    table = journal.step_table
    for number, step in enumerate(kept, start=1):
        names = journal.step_names(row.id, row.generation, step.key)
        held = journal.execute(session, sa.select(table).where(journal.IS_STEP), names).one()
        values = {**held._mapping, "generation": generation, "outcome": number}  # noqa: SLF001 - the documented way to columns named like methods
        journal.execute(session, sa.insert(table).values(values))


def _give_back(session: Session, row: sa.Row[Any], kept: set[str], generation: int) -> None:
    """Free the events whose consumers are done again; the others belong to the new generation."""
    table, c = journal.event_table, journal.event_table.c
    consumed = sa.select(c.seq, c.consumed_by).where(
        c.instance == row.id, c.consumed_by.is_not(None)
    )
    for event in journal.execute(session, consumed).all():
        step = event.consumed_by.partition(":")[2]
        consumer = f"{generation}:{step}" if step in kept else None
        where = sa.and_(c.instance == row.id, c.seq == event.seq)
        journal.execute(session, sa.update(table).where(where).values(consumed_by=consumer))


def delete(session: Session, target: Target) -> list[str]:
    """Delete an ended instance with its steps, attempts and events.

    Returns:
        As `remove`.

    Raises:
        InstanceNotFoundError, InstanceStateError: it has not ended (not retryable).
    """
    row = _locked(session, target)
    if row.state not in journal.FINAL_STATES:
        raise _illegal(row, "deleted before it is terminated")
    return remove(session, [target.id])


def remove(session: Session, ids: Sequence[str]) -> list[str]:
    """Delete instances with all that belongs to them.

    Returns:
        The names of their deadlines' executions, to be forgotten once this is committed.
    """
    c = journal.step_table.c
    waits_of = sa.select(journal.step_table).where(
        c.instance.in_(ids), c.kind.in_(("sleep", "event")), c.due_at.is_not(None)
    )
    names = [
        timer_name(row.instance, row.generation, journal.step_row(row).key, row.due_at)
        for row in journal.execute(session, waits_of)
    ]
    for table in (journal.step_table, journal.attempt_table, journal.event_table):
        journal.execute(session, sa.delete(table).where(table.c.instance.in_(ids)))
    journal.execute(
        session, sa.delete(journal.instance_table).where(journal.instance_table.c.id.in_(ids))
    )
    return names


def expired(session: Session, limit: int) -> list[str]:
    """Return ended instances whose retention is over, a batch of them, and lock them."""
    c = journal.instance_table.c
    statement = (
        sa.select(c.id)
        .where(c.delete_at <= journal.now(session))
        .order_by(c.delete_at)
        .limit(limit)
        .with_for_update(skip_locked=True)
    )
    return [str(id_) for id_ in journal.execute(session, statement).scalars()]


def _moved(
    session: Session, target: Target, allowed: Allowed, status: Status
) -> sa.Row[Any] | None:
    """Let the workflow write its rows and lock the instance; None where it is not allowed."""
    if not allowed(_row(session, target)):
        return None
    moved = partial(instances.tell_moved, session, target.workflow, target.id, status)
    return _locked_after(session, target, allowed, moved)


def _locked_after(
    session: Session, target: Target, allowed: Allowed, rows: Callable[[], None]
) -> sa.Row[Any] | None:
    """Write the workflow's rows and lock the instance; neither where it is not allowed any more."""
    with session.begin_nested() as savepoint:
        rows()
        session.flush()
        row = _locked(session, target)
        if not allowed(row):
            savepoint.rollback()
            return None
    return row


def _row(session: Session, target: Target) -> sa.Row[Any]:
    table = journal.instance_table
    row = journal.execute(session, sa.select(table).where(table.c.id == target.id)).one_or_none()
    return _of_workflow(row, target)


def _locked(session: Session, target: Target) -> sa.Row[Any]:
    return _of_workflow(journal.lock_instance(session, target.id), target)


def _of_workflow(row: sa.Row[Any] | None, target: Target) -> sa.Row[Any]:
    if row is None or row.workflow != target.workflow.name:
        raise InstanceNotFoundError(details={"instance": target.id})
    return row


def _illegal(row: sa.Row[Any], wanted: str) -> InstanceStateError:
    status = "rolling_back" if row.rollback and Status(row.state) not in FINAL else row.state
    return InstanceStateError(
        f"The instance is {status.replace('_', ' ')}; it cannot be {wanted}.",
        {"instance": row.id, "status": status},
    )


def _ref(row: sa.Row[Any]) -> TurnRef:
    return TurnRef(row.id, row.tenant, row.epoch, row.generation, "")
