"""Rollback (saga): undo what the steps of an instance did, in reverse order of their starts.

The handlers are code and not in the journal: a turn learns of them by running `run` again, up to
where it stands. What they did is in the journal, as steps of kind `rollback`: none succeeds twice.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from pipeline.engine import codec, instances, journal
from pipeline.engine.codec import Annotation
from pipeline.engine.definitions import Undo, is_async
from pipeline.engine.instances import Ending
from pipeline.engine.journal import StepKey, StepRow
from pipeline.engine.light import Effect, run_in_turn
from pipeline.engine.names import ROLLBACK_BRANCH
from pipeline.engine.retries import Retries

if TYPE_CHECKING:
    from pipeline.engine.turn import Turn


@dataclass(frozen=True)
class Rollback:
    """How a step is undone; `annotation` is the type of its result."""

    fn: Callable[[Undo], object]
    retries: Retries
    timeout_s: float
    annotation: Annotation


async def roll_back(turn: "Turn", handlers: Mapping[StepKey, Rollback], ending: Ending) -> Ending:
    """Undo every step that was started and has a handler; stop at the first that cannot be undone.

    Returns:
        How the instance ends, with what became of this.
    """
    rows = {row.key: row for row in await turn.store(partial(instances.steps_of, ref=turn.ref))}
    started = [row for key, row in rows.items() if key in handlers and row.attempts > 0]
    for row in sorted(started, key=lambda row: row.ordinal, reverse=True):
        key = _key(row.key)
        undone = rows.get(key)
        if undone is None or undone.outcome is None:
            effect = _effect(handlers[row.key], row, ending)
            undone = await run_in_turn(turn, key, undone, effect)
        if undone.status == "failed":
            return replace(ending, failed=True)
    return ending


def _key(step: StepKey) -> StepKey:
    branch = f"{ROLLBACK_BRANCH}/{step.branch}" if step.branch else ROLLBACK_BRANCH
    return StepKey(branch, step.name, step.count)


def _effect(handler: Rollback, row: StepRow, ending: Ending) -> Effect:
    result = None
    if row.status == "succeeded" and row.result is not None:
        result = codec.decode(row.result, handler.annotation)
    fn = _without_result(handler.fn, Undo(result, ending.error))
    return Effect(
        fn, handler.retries, handler.timeout_s, row.sensitive, None, kind=journal.ROLLBACK
    )


def _without_result(fn: Callable[[Undo], object], undo: Undo) -> Callable[[], object]:
    """Call a handler for its effect: what it returns is not kept."""
    if is_async(fn):

        async def call_async() -> None:
            await fn(undo)  # type: ignore[misc]  # `is_async` looked

        return call_async

    def call() -> None:
        fn(undo)

    return call
