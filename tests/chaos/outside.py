"""The invariants of effects on the outside world: only what was in flight may happen twice."""

from collections.abc import Iterator

from pipeline.engine.journal import StepKey
from tests.chaos.books import Books, Case, Row, by_key, key_of, pid_of
from tests.chaos.effects import FlakyError, RefusedError
from tests.chaos.ledger import Happened
from tests.chaos.programs import Planned, planned, undoing

_OWN_ERRORS = (FlakyError.code, RefusedError.code)
_CLOCK_S = 0.01
_NOTICED_S = 8.0  # a process that was away longer than its lease learns of it when it is back


def happens_in_attempts(books: Books, case: Case) -> Iterator[str]:
    """Each effect belongs to an attempt of its own; none comes after its step's result.

    Except where the attempt's process was stopped or cut off between beginning and effect, or the
    instance or its branch was ended in that moment.
    """
    steps = {step.label: step for step in _with_effects(case)}
    attempts = by_key(case.attempts)
    for label in {effect.label for effect in case.happened} | steps.keys():
        effects = [effect for effect in case.happened if effect.label == label]
        if label not in steps:
            yield f"had the effect {label}, which is not in its program"
        else:
            key = _key(steps[label])
            yield from _matched(books, key, effects, attempts.get(key, []))


def loses_attempts_to_faults(books: Books, case: Case) -> Iterator[str]:
    """An attempt is lost only where its process was killed, stopped or cut off, or had no lease."""
    for attempt in case.attempts:
        if attempt["outcome"] == "lost" and not _is_explained(books, attempt):
            yield f"lost attempt {attempt['number']} of {key_of(attempt)} without any fault"


def happens_once_under_its_key(_: Books, case: Case) -> Iterator[str]:
    """All attempts of a step use one idempotency key, so the receiver does it once."""
    attempts = by_key(case.attempts)
    for step in planned(case.plan.program):
        if step.node.kind != "keyed" or not step.label:
            continue
        keys = {effect.key for effect in case.happened if effect.label == step.label}
        generations = {attempt["generation"] for attempt in attempts.get(_key(step), [])}
        if len(keys) > len(generations) or "" in keys:
            yield f"step {_key(step)} used {len(keys)} idempotency keys"


def _with_effects(case: Case) -> Iterator[Planned]:
    for step in planned(case.plan.program):
        if step.label:
            yield step
            if step.node.undo:
                yield undoing(step)


def _key(step: Planned) -> StepKey:
    return StepKey(step.branch, step.name, step.count)


def _matched(
    books: Books, key: StepKey, effects: list[Happened], attempts: list[Row]
) -> Iterator[str]:
    free = sorted(attempts, key=lambda attempt: attempt["started_at"])
    for effect in effects:
        own = [
            attempt
            for attempt in free
            if pid_of(attempt) == effect.pid and attempt["started_at"] <= effect.at + _CLOCK_S
        ]
        if not own:
            yield f"step {key} had an effect at {effect.at} without an attempt"
            continue
        free.remove(own[-1])
        if _is_late(books, effect, own[-1]):
            yield f"step {key} had an effect after attempt {own[-1]['number']} had ended"
    for attempt in free:
        if attempt["outcome"] == "succeeded" or attempt["error_code"] in _OWN_ERRORS:
            yield f"attempt {attempt['number']} of step {key} had no effect"


def _is_late(books: Books, effect: Happened, attempt: Row) -> bool:
    """Tell whether an effect came after its attempt had ended, and not for one of the reasons.

    A process that was stopped, or cut off from the database, for longer than its lease does not
    know yet that another has its step.
    """
    ended_at = attempt["ended_at"]
    if ended_at is None or effect.at <= ended_at + _CLOCK_S or attempt["outcome"] == "cancelled":
        return False
    was_away = any(
        not d.what.startswith("killed") and d.pid in (0, effect.pid) and d.begun <= effect.at
        for d in books.disturbances
        if d.ended >= attempt["started_at"]
    )
    return not (was_away and attempt["outcome"] == "lost")


def _is_explained(books: Books, attempt: Row) -> bool:
    return any(
        d.pid in (0, pid_of(attempt))
        and d.begun <= attempt["ended_at"] + _CLOCK_S
        and d.ended + _NOTICED_S >= attempt["started_at"]
        for d in books.disturbances
    )


CHECKS = (happens_in_attempts, loses_attempts_to_faults, happens_once_under_its_key)
