"""Journal transactions of steps: begin an attempt, record its success or failure, hand it over.

Order of locks: the application's rows (through `commit`), then the instance, then steps and events,
then the queue. Each function runs in one transaction that its caller opens.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session

from pipeline.engine import codec, journal
from pipeline.engine.codec import Annotation
from pipeline.engine.desk import Desk
from pipeline.engine.errors import FencedError, LimitError, StepLostError
from pipeline.engine.journal import StepKey, StepRow
from pipeline.engine.retries import Retries, retry_after_s

Commit = Callable[[Session, Any], Any]


@dataclass(frozen=True)
class Started:
    """An attempt that may begin, or (`row.outcome` set) a step that failed for good before it."""

    row: StepRow
    number: int


def new_step(
    session: Session,
    desk: Desk,
    key: StepKey,
    **values: object,
) -> None:
    """Insert a step's row and count it. Rollbacks are not limited: what was done can be undone.

    Raises:
        LimitError: the instance has as many steps as it may (not retryable).
        FencedError: the turn is over.
        PausingError: nothing new begins now.
    """
    row = journal.admit(session, desk.ref)
    if row.steps >= desk.settings.max_steps and row.rollback is None:
        raise LimitError(f"An instance has at most {desk.settings.max_steps} steps.")
    at = journal.now(session)
    journal.update_instance(session, desk.ref.instance, steps=row.steps + 1, updated_at=at)
    journal.execute(
        session,
        sa.insert(journal.step_table).values(
            **journal.key_values(desk.ref.instance, desk.ref.generation, key),
            ordinal=row.steps + 1,
            created_at=at,
            **values,
        ),
    )


def start(session: Session, desk: Desk, key: StepKey, *, kind: str, sensitive: bool) -> Started:
    """Begin an attempt of a light step in the turn that owns the instance."""
    row = journal.read_step(session, desk.ref.instance, desk.ref.generation, key)
    if row is None:
        new_step(session, desk, key, kind=kind, status="running", sensitive=sensitive)
    else:
        journal.admit(session, desk.ref)
    return begin_attempt(session, desk, key)


def begin_attempt(session: Session, desk: Desk, key: StepKey, claim: str | None = None) -> Started:
    """Count a new attempt; one that never ended was lost with its process.

    Losses do not use up retries, for a killed worker is not the step's fault; after `max_losses`
    the step itself is taken for the cause and fails for good.
    """
    at = journal.now(session)
    lost = _close_lost(session, desk, key, at)
    row = _required(session, desk, key)
    losses, number = row.losses + lost, row.attempts + 1
    if losses > desk.settings.max_losses:
        end_step(session, desk, key, error=StepLostError(), losses=losses)
        return Started(_required(session, desk, key), row.attempts)
    values: dict[str, Any] = {"status": "running", "attempts": number, "losses": losses}
    if row.attempts == 0:
        values["started_at"] = at
    _update_step(session, desk, key, due_at=None, claim=claim, **values)
    journal.execute(
        session,
        sa.insert(journal.attempt_table).values(
            **journal.key_values(desk.ref.instance, desk.ref.generation, key),
            number=number,
            outcome="running",
            executor=desk.ref.executor,
            started_at=at,
        ),
    )
    return Started(_required(session, desk, key), number)


def _close_lost(session: Session, desk: Desk, key: StepKey, at: float) -> int:
    c = journal.attempt_table.c
    statement = (
        sa.update(journal.attempt_table)
        .where(
            journal.attempt_where(desk.ref.instance, desk.ref.generation, key), c.ended_at.is_(None)
        )
        .values(outcome="lost", ended_at=at)
    )
    return journal.execute(session, statement).rowcount


def succeed(
    session: Session,
    desk: Desk,
    key: StepKey,
    value: object,
    annotation: Annotation,
    commit: Commit | None,
) -> StepRow:
    """Record a light step's result together with the rows of its `commit`."""
    done = _required(session, desk, key)
    if done.outcome is not None:  # committed before, but the answer was lost on the way
        return done
    text = committed_text(session, desk, value, annotation, commit)
    journal.fence(session, desk.ref)
    end_step(session, desk, key, result=text)
    return _required(session, desk, key)


def committed_text(
    session: Session,
    desk: Desk,
    value: object,
    annotation: Annotation,
    commit: Commit | None,
) -> str:
    """Run a step's `commit` and return the result as JSON; what it returns replaces the value."""
    if commit is not None:
        replaced = commit(session, value)
        session.flush()
        value = value if replaced is None else replaced
    return codec.encode(value, annotation, limit=desk.settings.max_bytes)


def fail(
    session: Session,
    desk: Desk,
    key: StepKey,
    error: Exception,
    retries: Retries,
) -> StepRow:
    """Record a failed attempt of a light step: the end, or the time of the next attempt."""
    journal.fence(session, desk.ref)
    row = _required(session, desk, key)
    if row.outcome is not None or row.status == "retrying":  # committed before, the answer lost
        return row
    delay, error = next_delay(desk, row.failures + 1, error, retries)
    if delay is None:
        end_step(session, desk, key, error=error, failures=row.failures + 1)
        return _required(session, desk, key)
    at = journal.now(session)
    _close_attempt(session, desk, key, at, "failed", _code(error))
    values = {"status": "retrying", "failures": row.failures + 1, "due_at": at + delay}
    _update_step(session, desk, key, error=_error_text(error, row), **values)
    if delay > desk.settings.inline_delay_s:
        desk.dispatcher.timer(session, desk.ref, key, at + delay, at)
    return _required(session, desk, key)


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
    there = journal.read_step(session, desk.ref.instance, desk.ref.generation, key)
    if there is not None:  # committed before, but the answer was lost on the way
        return there
    text = json.dumps(call)
    codec.check_size(text, desk.settings.max_bytes, "arguments")
    new_step(session, desk, key, kind="do", status="queued", request=text, sensitive=sensitive)
    desk.dispatcher.step(session, desk.ref, key, resource, "1", 0.0)
    return _required(session, desk, key)


def decide(
    session: Session,
    desk: Desk,
    key: StepKey,
    resource: str,
    retries: Retries,
) -> StepRow:
    """Decide about a resource step's failed attempt: the end, or the next one with its delay."""
    journal.admit(session, desk.ref)
    row = _required(session, desk, key)
    if row.status != "deciding" or row.error is None:
        return row
    error = codec.restore_error(codec.decode_error(row.error))
    delay, error = next_delay(desk, row.failures, error, retries)
    if delay is None:
        end_step(session, desk, key, error=error)
        return _required(session, desk, key)
    due = journal.now(session) + delay
    _update_step(session, desk, key, status="retrying", due_at=due)
    desk.dispatcher.step(session, desk.ref, key, resource, str(row.failures + 1), delay)
    return _required(session, desk, key)


def look(session: Session, desk: Desk, key: StepKey) -> StepRow:
    """Read a step's row as it is now, in the turn that owns the instance."""
    journal.fence(session, desk.ref)
    return _required(session, desk, key)


def claim(
    session: Session,
    desk: Desk,
    key: StepKey,
    attempt: int,
    token: str,
) -> Started | None:
    """Take a resource step's attempt for this execution; any earlier execution loses it.

    A step of an instance that is paused or about to be is held instead, until `pauses.resume`.

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
        _close_lost(session, desk, key, journal.now(session))
        _update_step(session, desk, key, status="held", claim=None)
        journal.settle_pause(session, instance)
        return None
    return begin_attempt(session, desk, key, claim=token)


def commit_claimed(
    session: Session,
    desk: Desk,
    key: StepKey,
    token: str,
    outcome: "str | Exception",
) -> sa.Row[Any]:
    """Record how a claimed attempt ended and return the locked instance, to be woken.

    Raises:
        FencedError: another execution has the step, or the instance has ended.
    """
    instance = journal.lock_instance(session, desk.ref.instance)
    if instance is None or instance.generation != desk.ref.generation:
        raise FencedError
    where = journal.step_where(desk.ref.instance, desk.ref.generation, key)
    held = journal.execute(
        session, sa.select(journal.step_table.c.claim).where(where).with_for_update()
    ).scalar()
    if held != token:
        raise FencedError
    if isinstance(outcome, str):
        end_step(session, desk, key, result=outcome)
        journal.settle_pause(session, instance)
        return instance
    row = _required(session, desk, key)
    _close_attempt(session, desk, key, journal.now(session), "failed", _code(outcome))
    text = _error_text(outcome, row)
    values = {"status": "deciding", "failures": row.failures + 1}
    _update_step(session, desk, key, error=text, claim=None, **values)
    journal.settle_pause(session, instance)
    return instance


def end_step(
    session: Session,
    desk: Desk,
    key: StepKey,
    *,
    result: str | None = None,
    error: Exception | None = None,
    **values: object,
) -> int:
    """Give a step its one outcome, numbered in the order in which the steps ended."""
    instance = journal.lock_instance(session, desk.ref.instance)
    row = _required(session, desk, key)
    if instance is None or row.outcome is not None:
        raise FencedError
    at, size = journal.now(session), instance.state_bytes + len(result or "")
    if size > desk.settings.max_state_bytes:
        raise LimitError(
            f"An instance's results are at most {desk.settings.max_state_bytes} bytes."
        )
    number: int = instance.last_outcome + 1
    journal.update_instance(
        session, desk.ref.instance, last_outcome=number, state_bytes=size, updated_at=at
    )
    status = "succeeded" if error is None else "failed"
    _close_attempt(session, desk, key, at, status, None if error is None else _code(error))
    text = None if error is None else _error_text(error, row)
    values = {"status": status, "result": result, "error": text, "ended_at": at, **values}
    _update_step(session, desk, key, outcome=number, claim=None, **values)
    return number


def _close_attempt(
    session: Session, desk: Desk, key: StepKey, at: float, outcome: str, code: str | None
) -> None:
    c = journal.attempt_table.c
    statement = (
        sa.update(journal.attempt_table)
        .where(
            journal.attempt_where(desk.ref.instance, desk.ref.generation, key), c.ended_at.is_(None)
        )
        .values(outcome=outcome, ended_at=at, error_code=code)
    )
    journal.execute(session, statement)


def _update_step(session: Session, desk: Desk, key: StepKey, **values: object) -> None:
    where = journal.step_where(desk.ref.instance, desk.ref.generation, key)
    journal.execute(session, sa.update(journal.step_table).where(where).values(**values))


def _required(session: Session, desk: Desk, key: StepKey) -> StepRow:
    row = journal.read_step(session, desk.ref.instance, desk.ref.generation, key)
    if row is None:
        raise FencedError
    return row


def _error_text(error: Exception, row: StepRow) -> str:
    return codec.encode_error(error, sensitive=row.sensitive)


def _code(error: Exception) -> str:
    return codec.record_error(error).code[:256]
