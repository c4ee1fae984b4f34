"""Journal transactions of waiting: register a wait, look whether it is over, let go, wake up.

No wake-up can be lost: who lets go and who wakes lock the same instance row, and who lets go looks
once more first.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session

from pipeline.engine import attempts, codec, journal
from pipeline.engine.desk import Desk
from pipeline.engine.dispatch import Dispatcher
from pipeline.engine.errors import (
    EventTimeoutError,
    InstanceEndedError,
    InstanceNotFoundError,
    NonRetryableError,
)
from pipeline.engine.journal import StepKey, StepRow, Wait
from pipeline.engine.retries import LONGEST_DELAY_S
from pipeline.engine.settings import EngineSettings


@dataclass
class Resolved:
    """What became of parked branches.

    Attributes:
        ended: Steps that have an outcome now, in the order of their outcomes.
        due: Steps whose retry delay is over, or whose failed attempt is to be decided about.
        suspended: The instance let go; the turn ends.
        pausing: The instance is to be paused; what is parked stays so.
    """

    ended: list[StepRow] = field(default_factory=list)
    due: list[StepKey] = field(default_factory=list)
    suspended: bool = False
    pausing: bool = False


@dataclass(frozen=True)
class Terms:
    """What is waited for: `wait_s` from now, or `until` a moment, for a `sleep` or `event`."""

    kind: str
    types: tuple[str, ...]
    wait_s: float
    until: float | None = None


def unless_there(
    session: Session, desk: Desk, key: StepKey, insert: Callable[[Session], StepRow]
) -> StepRow:
    """Return the step's row, inserted now where it was not before."""
    there = journal.read_step(session, desk.ref.instance, desk.ref.generation, key)
    return insert(session) if there is None else there


def register(session: Session, desk: Desk, key: StepKey, terms: Terms) -> StepRow:
    """Write a sleep or a wait for events with its absolute deadline, and enqueue its timer.

    An event that is there already, and a time that is over already, end the step at once.
    """
    at = journal.admit(session, desk.ref).now
    due_at = at + terms.wait_s if terms.until is None else terms.until
    values = {"status": "waiting", "request": json.dumps(list(terms.types)), "due_at": due_at}
    row = attempts.new_step(session, desk, key, terms.kind, created_at=at, started_at=at, **values)
    if terms.kind == "sleep":
        over = _sleep_over(session, desk, row, terms, at)
    else:
        over = _take_event(session, desk, row, terms.types)
    if over is None:
        desk.dispatcher.timer(session, desk.ref, key, due_at, at)
    return over or row


def _sleep_over(
    session: Session, desk: Desk, row: StepRow, terms: Terms, at: float
) -> StepRow | None:
    ahead = terms.wait_s if terms.until is None else terms.until - at
    if terms.until is not None and not 0 <= ahead <= LONGEST_DELAY_S:
        problem = "is over" if ahead < 0 else "is more than 365 days away"
        error = NonRetryableError(f"The moment to sleep until {problem}.")
        return attempts.end_step(session, desk, row, error=error)
    if ahead == 0 or desk.settings.skip_waits:
        return attempts.end_step(session, desk, row, result="null")
    return None


def record_value(session: Session, desk: Desk, key: StepKey, text: str) -> StepRow:
    """Write a drawn value (time, random number) as a step that has succeeded."""
    at = journal.admit(session, desk.ref).now
    row = attempts.new_step(
        session, desk, key, "value", status="running", created_at=at, started_at=at
    )
    return attempts.end_step(session, desk, row, result=text)


def resolve(
    session: Session,
    desk: Desk,
    parked: list[Wait],
    delivered: int,
    *,
    suspend: bool,
    held: bool,
) -> Resolved:
    """End the waits that are over; where none is and `suspend` is asked, let the instance go.

    Args:
        session: The transaction.
        desk: The turn's.
        parked: In the order in which the branches were parked.
        delivered: The last outcome that the turn knows.
        suspend: Write what is waited for, so that the turn can end.
        held: A branch stands before something new, for the instance is to be paused; where it is
            not any more, the turn goes on.
    """
    instance = journal.fence(session, desk.ref)
    at, found = instance.now, Resolved()
    found.pausing = instance.state == "waiting_for_pause"
    if not found.pausing:
        _resolve_all(session, desk, parked, at, found)
    found.ended = read_outcomes(session, desk, delivered)
    if suspend and not found.ended and not found.due and (found.pausing or not held):
        _let_go(session, instance, parked, at)
        found.suspended = True
    return found


def requeue(session: Session, desk: Desk, parked: list[Wait]) -> None:
    """End the turn and make the next one due, or pause where this was asked for."""
    instance = journal.fence(session, desk.ref)
    if instance.state == "waiting_for_pause":
        _let_go(session, instance, parked, instance.now)
    else:
        wake(session, desk.dispatcher, instance)


def _let_go(session: Session, instance: sa.Row[Any], parked: list[Wait], at: float) -> None:
    state = "waiting" if instance.state == "running" else instance.state
    values = {"state": state, "waiting": journal.write_waits(parked), "updated_at": at}
    journal.update_instance(session, instance.id, **values)
    released = journal.lock_instance(session, instance.id)
    if released is not None:
        journal.settle_pause(session, released)


def _resolve_all(
    session: Session, desk: Desk, parked: list[Wait], at: float, found: Resolved
) -> None:
    for wait in parked:
        row = journal.read_step(session, desk.ref.instance, desk.ref.generation, wait.step)
        if row is not None and row.outcome is None:
            _resolve_one(session, desk, wait, row, at, found)


def _resolve_one(
    session: Session, desk: Desk, wait: Wait, row: StepRow, at: float, found: Resolved
) -> None:
    over = wait.due_at is not None and wait.due_at <= at
    if row.kind == "event":
        if _take_event(session, desk, row, wait.types) is None and over:
            attempts.end_step(session, desk, row, error=EventTimeoutError())
    elif row.kind == "sleep" and over:
        attempts.end_step(session, desk, row, result="null")
    elif row.status == "deciding" or (row.status == "retrying" and over):
        found.due.append(row.key)


def _take_event(
    session: Session, desk: Desk, step: StepRow, types: Sequence[str]
) -> StepRow | None:
    """Consume the oldest event of the wanted types that nobody has consumed."""
    c = journal.event_table.c
    statement = (
        sa.select(journal.event_table)
        .where(c.instance == desk.ref.instance, c.consumed_by.is_(None), c.type.in_(types))
        .order_by(c.seq)
        .limit(1)
    )
    row = journal.execute(session, statement).one_or_none()
    if row is None:
        return None
    consumer = f"{desk.ref.generation}:{step.key}"
    taken = sa.update(journal.event_table).where(c.instance == desk.ref.instance, c.seq == row.seq)
    journal.execute(session, taken.values(consumed_by=consumer))
    event = {"type": row.type, "payload": json.loads(row.payload), "sent_at": row.sent_at}
    return attempts.end_step(session, desk, step, result=json.dumps(event))


def read_outcomes(session: Session, desk: Desk, after: int) -> list[StepRow]:
    """Return the steps of `run` that ended after outcome number `after`, in that order."""
    c = journal.step_table.c
    statement = (
        sa.select(journal.step_table)
        .where(
            c.instance == desk.ref.instance,
            c.generation == desk.ref.generation,
            c.outcome > after,
            c.kind != journal.ROLLBACK,
        )
        .order_by(c.outcome)
    )
    return [journal.step_row(row) for row in journal.execute(session, statement)]


def wake(session: Session, dispatcher: Dispatcher, instance: sa.Row[Any]) -> None:
    """Make the next turn of a waiting instance (whose row is locked) due."""
    turn = instance.turn + 1
    values = {"state": "queued", "waiting": None, "turn": turn, "updated_at": journal.now(session)}
    journal.update_instance(session, instance.id, **values)
    dispatcher.turn(session, instance.id, instance.tenant, turn)


def step_ended(
    session: Session, dispatcher: Dispatcher, instance: sa.Row[Any], key: StepKey
) -> None:
    """Wake the instance if it waits for this step; otherwise its running turn will look."""
    waits = journal.read_waits(instance.waiting)
    if instance.state == "waiting" and any(wait.step == key for wait in waits):
        wake(session, dispatcher, instance)


def time_passed(
    session: Session, dispatcher: Dispatcher, name: str, instance: str, due_at: float
) -> None:
    """Wake the instance if it waits for a time that has come; come again if this came early."""
    row = journal.lock_instance(session, instance)
    if row is None or row.state in journal.FINAL_STATES:
        return
    at = journal.now(session)
    if at < due_at:  # another machine's clock is ahead of the database's
        again = f"{name.partition('+')[0]}+{round(at * 1000)}"
        dispatcher.later(session, again, instance, row.tenant, due_at, at)
    elif row.state == "waiting" and any(
        wait.due_at is not None and wait.due_at <= at for wait in journal.read_waits(row.waiting)
    ):
        wake(session, dispatcher, row)


def send_event(
    session: Session,
    dispatcher: Dispatcher,
    instance: str,
    kind: str,
    payload: object,
    key: str | None,
    settings: EngineSettings,
) -> bool:
    """Put an event into an instance's inbox and wake it if it waits for that type.

    Returns:
        False where the key was used before; then nothing changes.

    Raises:
        InstanceNotFoundError: no such instance (not retryable).
        InstanceEndedError: it takes no more events (not retryable).
    """
    text = codec.encode(payload, limit=settings.max_bytes, what="event's payload")
    row = journal.lock_instance(session, instance)
    if row is None:
        raise InstanceNotFoundError(details={"instance": instance})
    c = journal.event_table.c
    if key is not None:
        same = sa.select(c.seq).where(c.instance == instance, c.key == key)
        if journal.execute(session, same).first() is not None:
            return False
    if row.state in journal.FINAL_STATES:
        raise InstanceEndedError(details={"instance": instance, "status": row.state})
    at, seq = journal.now(session), row.last_event + 1
    values = {"instance": instance, "seq": seq, "type": kind, "payload": text, "key": key}
    journal.execute(session, sa.insert(journal.event_table).values(sent_at=at, **values))
    journal.update_instance(session, instance, last_event=seq, updated_at=at)
    waits = journal.read_waits(row.waiting)
    if row.state == "waiting" and any(kind in wait.types for wait in waits):
        wake(session, dispatcher, row)
    return True
