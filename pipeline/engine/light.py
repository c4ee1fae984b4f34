"""Light steps: their attempts run in the turn itself, in a thread or on the event loop."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from sqlmodel import Session

from pipeline.engine import attempts
from pipeline.engine.codec import Annotation
from pipeline.engine.definitions import is_async, journal_type
from pipeline.engine.errors import FencedError, StepTimeoutError
from pipeline.engine.faults import Faults
from pipeline.engine.journal import StepKey, StepRow, Wait
from pipeline.engine.retries import Retries
from pipeline.engine.threads import in_thread

if TYPE_CHECKING:
    from pipeline.engine.turn import Turn


@dataclass(frozen=True)
class Effect:
    """What a step does and on which terms."""

    fn: Callable[[], Any]
    retries: Retries
    timeout_s: float
    sensitive: bool
    commit: attempts.Commit | None
    kind: str = "do"

    @cached_property
    def annotation(self) -> Annotation:
        """The type of the step's result."""
        return journal_type(self.fn, self.commit)


async def run_in_turn(turn: "Turn", key: StepKey, row: StepRow | None, effect: Effect) -> StepRow:
    """Try until the step has its outcome; delays that outlast the turn are parked."""
    faults = turn.runtime.faults
    while True:
        if row is not None and row.due_at is not None:
            await _until_due(turn, row)
        await turn.runtime.admitted()
        with turn.runtime.live.effect():
            row = await _started(turn, key, row, effect)
        faults.reach(turn.ref.instance, key, "after commit")
        if row.outcome is not None:
            return row


async def _started(turn: "Turn", key: StepKey, row: StepRow | None, effect: Effect) -> StepRow:
    def first(session: Session) -> StepRow:
        return attempts.start(session, turn.desk, key, effect.kind, sensitive=effect.sensitive)

    again = partial(attempts.start_again, desk=turn.desk, key=key, first=first)
    started = await turn.store(first if row is None else again, again)
    if started.outcome is not None:
        return started
    return await _attempt(turn, started, effect)


async def _until_due(turn: "Turn", row: StepRow) -> None:
    settings = turn.runtime.settings
    remaining = (row.due_at or 0.0) - turn.runtime.now()
    if settings.skip_waits or remaining <= 0:
        return
    if remaining <= settings.inline_delay_s:
        await asyncio.sleep(remaining)
    else:
        await turn.park(Wait(row.key, row.due_at))


async def _attempt(turn: "Turn", row: StepRow, effect: Effect) -> StepRow:
    faults, key, instance = turn.runtime.faults, row.key, turn.ref.instance
    faults.reach(instance, key, "before")
    try:
        value = await run_effect(faults, key, effect)
        faults.reach(instance, key, "after effect")
        result = attempts.Result(value, effect.annotation, effect.commit)
        first = partial(attempts.succeed, desk=turn.desk, row=row, result=result)
        again = partial(attempts.succeed_again, desk=turn.desk, row=row, result=result)
        return await turn.store(first, again)
    except FencedError:
        raise
    except Exception as error:  # noqa: BLE001 - a step may raise anything
        fail = partial(attempts.fail, desk=turn.desk, key=key, error=error)
        return await turn.store(partial(fail, retries=effect.retries))


async def run_effect(faults: Faults, key: StepKey, effect: Effect) -> object:
    """Run the step's function once, within its time limit.

    Raises:
        StepTimeoutError: it took longer (retryable).
    """
    replaced = faults.replaced(key)
    if replaced is not None:
        return replaced.apply()
    timer = asyncio.timeout(effect.timeout_s)
    try:
        async with timer:
            if is_async(effect.fn):
                return await effect.fn()
            return await in_thread(effect.fn)
    except TimeoutError:
        if timer.expired():
            raise StepTimeoutError(details={"timeout_s": effect.timeout_s}) from None
        raise
