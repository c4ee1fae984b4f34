"""Journal transactions of steps: begin an attempt, record its success or failure, hand it over.

Order of locks: the application's rows (through `commit`), then the instance, then steps and events,
then the queue. Each function runs in one transaction that its caller opens.

A running attempt stands in its step's row; it gets a row of its own when it ends. Where an answer
to a commit was lost, the caller repeats with what looks first (`Store`'s `again`).
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session

from pipeline.engine import codec, journal
from pipeline.engine.codec import Annotation
from pipeline.engine.desk import Desk
from pipeline.engine.errors import FencedError, LimitError, StepLostError
from pipeline.engine.journal import ROLLBACK, StepKey, StepRow
from pipeline.engine.retries import Retries, retry_after_s

Commit = Callable[[Session, Any], Any]

_INSERT_STEP = sa.insert(journal.step_table)
_INSERT_ATTEMPT = sa.insert(journal.attempt_table)
_UPDATE_STEP = sa.update(journal.step_table).where(journal.IS_STEP)
_END_STEP = _UPDATE_STEP.where(journal.step_table.c.outcome.is_(None))
_COUNTED: Mapping[str, Any] = {
    "last_outcome": journal.instance_table.c.last_outcome + 1,
    "state_bytes": journal.instance_table.c.state_bytes
    + sa.bindparam("of_bytes", type_=sa.BigInteger),
    "updated_at": journal.clock(),
}
_COUNT_OUTCOME = journal.change(journal.IS_INSTANCE, **_COUNTED)
_COUNT_OUTCOME_OWNED = journal.change(journal.IS_OWNED, **_COUNTED)


@dataclass(frozen=True)
class Result:
    """What a step did: its value, how that is written, and the application's rows for it."""

    value: object
    annotation: Annotation
    commit: Commit | None


def new_step(
    session: Session,
    desk: Desk,
    key: StepKey,
    kind: str,
    **values: Any,  # noqa: ANN401 - columns of the step's table
) -> StepRow:
    """Insert a step's row. Rollbacks are not limited: what was done can be undone.

    Raises:
        LimitError: the instance has as many steps as it may (not retryable).
    """
    ordinal = next(desk.ordinals)
    if ordinal > desk.settings.max_steps and kind != ROLLBACK:
        raise LimitError(f"An instance has at most {desk.settings.max_steps} steps.")
    row = {**_NEW, "kind": kind, "ordinal": ordinal, **values}
    place = journal.key_values(desk.ref.instance, desk.ref.generation, key)
    journal.execute(session, _INSERT_STEP, {**place, **row})
    shown = {name: row[name] for name in _SHOWN}
    return StepRow(key=key, **shown)


_SHOWN = tuple(name for name in StepRow.__dataclass_fields__ if name != "key")
_NEW: Mapping[str, Any] = {
    **dict.fromkeys(_SHOWN),
    "attempts": 0,
    "failures": 0,
    "losses": 0,
    "sensitive": False,
}


def start(session: Session, desk: Desk, key: StepKey, kind: str, *, sensitive: bool) -> StepRow:
    """Begin the first attempt of a light step in the turn that owns the instance."""
    at = journal.admit(session, desk.ref).now
    return new_step(
        session,
        desk,
        key,
        kind,
        status="running",
        sensitive=sensitive,
        attempts=1,
        attempt_at=at,
        executor=desk.ref.executor,
        created_at=at,
        started_at=at,
    )


def start_again(
    session: Session, desk: Desk, key: StepKey, first: Callable[[Session], StepRow]
) -> StepRow:
    """Begin the next attempt of a light step; of one that is not there, its first."""
    row = journal.read_step(session, desk.ref.instance, desk.ref.generation, key)
    if row is None:
        return first(session)
    return begin_attempt(session, desk, row, journal.admit(session, desk.ref).now)


def begin_attempt(
    session: Session, desk: Desk, row: StepRow, at: float, claim: str | None = None
) -> StepRow:
    """Count a new attempt; one that never ended was lost with its process.

    Losses do not use up retries, for a killed worker is not the step's fault; after `max_losses`
    the step itself is taken for the cause and fails for good.

    Returns:
        The step as it is now: running, or failed for good (`outcome` set).
    """
    losses = row.losses + close_attempt(session, desk, row, at, "lost")
    if losses > desk.settings.max_losses:
        return end_step(session, desk, replace(row, losses=losses), error=StepLostError())
    values: dict[str, Any] = {"status": "running", "attempts": row.attempts + 1, "losses": losses}
    values |= {"due_at": None, "attempt_at": at, "executor": desk.ref.executor}
    first = {"started_at": at} if row.attempts == 0 else {}
    update_step(session, desk, row.key, claim=claim, **values, **first)
    return replace(row, **values)


def close_attempt(
    session: Session, desk: Desk, row: StepRow, at: float, outcome: str, code: str | None = None
) -> int:
    """Write how the running attempt of a step ended; return 0 where none was running."""
    if row.attempt_at is None:
        return 0
    place = journal.key_values(desk.ref.instance, desk.ref.generation, row.key)
    values = {
        "number": row.attempts,
        "outcome": outcome,
        "error_code": code,
        "executor": row.executor,
        "started_at": row.attempt_at,
        "ended_at": at,
    }
    journal.execute(session, _INSERT_ATTEMPT, {**place, **values})
    return 1


def succeed(session: Session, desk: Desk, row: StepRow, result: Result) -> StepRow:
    """Record a light step's result together with the rows of its `commit`."""
    text = committed_text(session, desk, result)
    return end_step(session, desk, row, owned=True, result=text)


def succeed_again(session: Session, desk: Desk, row: StepRow, result: Result) -> StepRow:
    """Record it unless that was committed before and only the answer was lost."""
    now = _required(session, desk, row.key)
    return now if now.outcome is not None else succeed(session, desk, now, result)


def committed_text(session: Session, desk: Desk, result: Result) -> str:
    """Run a step's `commit` and return the result as JSON; what it returns replaces the value."""
    value = result.value
    if result.commit is not None:
        replaced = result.commit(session, value)
        session.flush()
        value = value if replaced is None else replaced
    return codec.encode(value, result.annotation, limit=desk.settings.max_bytes)


def fail(session: Session, desk: Desk, key: StepKey, error: Exception, retries: Retries) -> StepRow:
    """Record a failed attempt of a light step: the end, or the time of the next attempt."""
    at = journal.fence(session, desk.ref).now
    row = _required(session, desk, key)
    if row.outcome is not None or row.status == "retrying":  # committed before, the answer lost
        return row
    row = replace(row, failures=row.failures + 1)
    delay, error = next_delay(desk, row.failures, error, retries)
    if delay is None:
        return end_step(session, desk, row, error=error)
    close_attempt(session, desk, row, at, "failed", _code(error))
    values: dict[str, Any] = {"status": "retrying", "failures": row.failures}
    values |= {"due_at": at + delay, "error": _error_text(error, row), "attempt_at": None}
    update_step(session, desk, key, **values)
    if delay > desk.settings.inline_delay_s:
        desk.dispatcher.timer(session, desk.ref, key, at + delay, at)
    return replace(row, **values)


def next_delay(
    desk: Desk, failures: int, error: Exception, retries: Retries
) -> tuple[float | None, Exception]:
    """Return the delay before the next attempt, None where there is none, and the error."""
    if not getattr(error, "retryable", True) or failures > retries.limit:
        return None, error
    asked = retry_after_s(error)
    try:
        delay = retries.delay_s(failures, error) if asked is None else asked
    except Exception as problem:  # noqa: BLE001 - a delay function may raise anything
        return None, problem
    return (0.0 if desk.settings.skip_waits else delay), error


def request(
    session: Session,
    desk: Desk,
    key: StepKey,
    call: dict[str, Any],
    resource: str,
    *,
    sensitive: bool,
) -> StepRow:
    """Register a resource step and put its first attempt on the resource's queue."""
    text = json.dumps(call)
    codec.check_size(text, desk.settings.max_bytes, "arguments")
    at = journal.admit(session, desk.ref).now
    values = {"status": "queued", "request": text, "sensitive": sensitive, "created_at": at}
    row = new_step(session, desk, key, "do", **values)
    desk.dispatcher.step(session, desk.ref, key, resource, "1", 0.0)
    return row


def request_again(
    session: Session, desk: Desk, key: StepKey, call: dict[str, Any], resource: str
) -> StepRow:
    """Put a step that had begun as a light one on a resource's queue; what it was at is lost."""
    text = json.dumps(call)
    codec.check_size(text, desk.settings.max_bytes, "arguments")
    at = journal.admit(session, desk.ref).now
    row = _required(session, desk, key)
    if row.request is not None or row.outcome is not None:  # committed before, the answer lost
        return row
    losses = row.losses + close_attempt(session, desk, row, at, "lost")
    values: dict[str, Any] = {"status": "queued", "request": text, "losses": losses}
    values |= {"due_at": None, "attempt_at": None}
    update_step(session, desk, key, **values)
    desk.dispatcher.step(session, desk.ref, key, resource, str(row.failures + 1), 0.0)
    return replace(row, **values)


def decide(session: Session, desk: Desk, key: StepKey, resource: str, retries: Retries) -> StepRow:
    """Decide about a resource step's failed attempt: the end, or the next one with its delay."""
    at = journal.admit(session, desk.ref).now
    row = _required(session, desk, key)
    if row.status != "deciding" or row.error is None:
        return row
    error = codec.restore_error(codec.decode_error(row.error))
    delay, error = next_delay(desk, row.failures, error, retries)
    if delay is None:
        return end_step(session, desk, row, error=error)
    values = {"status": "retrying", "due_at": at + delay}
    update_step(session, desk, key, **values)
    desk.dispatcher.step(session, desk.ref, key, resource, str(row.failures + 1), delay)
    return replace(row, status="retrying", due_at=at + delay)


def look(session: Session, desk: Desk, key: StepKey) -> StepRow:
    """Read a step's row as it is now, in the turn that owns the instance."""
    journal.fence(session, desk.ref)
    return _required(session, desk, key)


def claim(session: Session, desk: Desk, key: StepKey, attempt: int, token: str) -> StepRow | None:
    """Take a resource step's attempt for this execution; any earlier execution loses it.

    A step of an instance that is paused or about to be is held instead, until it is resumed.

    Returns:
        None where there is nothing to do: the step or its instance has moved on.
    """
    instance = journal.lock_instance(session, desk.ref.instance)
    if instance is None or instance.state in journal.FINAL_STATES:
        return None
    row = journal.read_step(session, desk.ref.instance, desk.ref.generation, key)
    if row is None or row.status not in ("queued", "retrying", "running"):
        return None
    if row.failures + 1 != attempt or instance.generation != desk.ref.generation:
        return None
    if instance.state in ("paused", "waiting_for_pause"):
        close_attempt(session, desk, row, instance.now, "lost")
        update_step(session, desk, key, status="held", claim=None, attempt_at=None)
        journal.settle_pause(session, instance)
        return None
    return begin_attempt(session, desk, row, instance.now, claim=token)


def commit_claimed(
    session: Session, desk: Desk, key: StepKey, token: str, outcome: "str | Exception"
) -> sa.Row[Any]:
    """Record how a claimed attempt ended and return the locked instance, to be woken.

    Raises:
        FencedError: another execution has the step, or the instance has ended.
    """
    instance = journal.lock_instance(session, desk.ref.instance)
    if instance is None or instance.generation != desk.ref.generation:
        raise FencedError
    row, held = _claimed(session, desk, key)
    if held != token:
        raise FencedError
    if isinstance(outcome, str):
        end_step(session, desk, row, result=outcome)
    else:
        close_attempt(session, desk, row, instance.now, "failed", _code(outcome))
        values = {"status": "deciding", "failures": row.failures + 1, "attempt_at": None}
        text = _error_text(outcome, row)
        update_step(session, desk, key, error=text, claim=None, **values)
    journal.settle_pause(session, instance)
    return instance


def _claimed(session: Session, desk: Desk, key: StepKey) -> tuple[StepRow, str | None]:
    names = journal.step_names(desk.ref.instance, desk.ref.generation, key)
    statement = sa.select(journal.step_table).where(journal.IS_STEP).with_for_update()
    row = journal.execute(session, statement, names).one_or_none()
    if row is None:
        raise FencedError
    return journal.step_row(row), row.claim


def end_step(
    session: Session,
    desk: Desk,
    row: StepRow,
    *,
    owned: bool = False,
    result: str | None = None,
    error: Exception | None = None,
) -> StepRow:
    """Give a step its one outcome, numbered in the order in which the steps ended.

    Args:
        session: The transaction; it holds the instance, unless `owned` is to be looked at.
        desk: The turn's or the execution's.
        row: The step.
        owned: Write only where this turn still owns the instance.
        result: What it returned, as JSON.
        error: What it failed with.

    Raises:
        FencedError: it does not own it, or the step has ended (nothing is written).
        LimitError: the instance's results are too large together (not retryable).
    """
    which = {**journal.owner(desk.ref), "of_bytes": len(result or "")}
    counted = _COUNT_OUTCOME_OWNED if owned else _COUNT_OUTCOME
    instance = journal.execute(session, counted, which).one_or_none()
    if instance is None:
        raise FencedError
    if instance.state_bytes > desk.settings.max_state_bytes:
        raise LimitError(
            f"An instance's results are at most {desk.settings.max_state_bytes} bytes."
        )
    status = "succeeded" if error is None else "failed"
    code = None if error is None else _code(error)
    close_attempt(session, desk, row, instance.now, status, code)
    values: dict[str, Any] = {"status": status, "outcome": instance.last_outcome, "result": result}
    values |= {"error": None if error is None else _error_text(error, row), "attempt_at": None}
    values |= {"failures": row.failures, "losses": row.losses}
    names = journal.step_names(desk.ref.instance, desk.ref.generation, row.key)
    written = {**names, **values, "ended_at": instance.now, "claim": None}
    if journal.execute(session, _END_STEP, written).rowcount != 1:
        raise FencedError
    return replace(row, **values)


def update_step(session: Session, desk: Desk, key: StepKey, **values: object) -> None:
    """Write columns of a step whose instance is held."""
    names = journal.step_names(desk.ref.instance, desk.ref.generation, key)
    journal.execute(session, _UPDATE_STEP, {**names, **values})


def _required(session: Session, desk: Desk, key: StepKey) -> StepRow:
    row = journal.read_step(session, desk.ref.instance, desk.ref.generation, key)
    if row is None:
        raise FencedError
    return row


def _error_text(error: Exception, row: StepRow) -> str:
    return codec.encode_error(error, sensitive=row.sensitive)


def _code(error: Exception) -> str:
    return codec.record_error(error).code[:256]
