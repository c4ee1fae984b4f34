"""What happened to an instance, in time: attempts, waits, events, rollbacks, restarts."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from pipeline.engine import (
    FINAL,
    AttemptHistory,
    EventHistory,
    InstanceStatus,
    StepHistory,
    StepStatus,
)
from review_ui.engine_contexts import TimelineEntry
from review_ui.queries.step_picture import duration_of

WAITS = frozenset({"sleep", "event"})
_WORK = frozenset({"do", "rollback"})

Key = tuple[str, str, int, datetime]


def timeline_of(
    status: InstanceStatus,
    steps: Sequence[StepHistory],
    attempts: Sequence[AttemptHistory],
    events: Sequence[EventHistory],
) -> list[TimelineEntry]:
    """Return everything that happened, the oldest first.

    Args:
        status: where the instance stands.
        steps: those of every generation; one that a restart kept is in several, and shown once.
        attempts: of all steps.
        events: all that were sent.
    """
    once = _first_of_each(steps)
    repeated = {
        key for key, n in Counter((s.branch, s.name, s.generation) for s in once).items() if n > 1
    }
    by_step = _by_step(attempts)
    entries = [TimelineEntry("created", "", status.created_at, 1)]
    for step in once:
        many = (step.branch, step.name, step.generation) in repeated
        entries += [replace(entry, many=many) for entry in _of_step(step, by_step)]
    entries += _restarts(once)
    entries += [_arrival(event) for event in events]
    if status.status in FINAL and status.ended_at is not None:
        entries.append(_end(status))
    ordered = sorted(entries, key=lambda entry: (entry.at, _RANK.get(entry.kind, 1)))
    return [replace(entry, anchor=f"t{n}") for n, entry in enumerate(ordered, start=1)]


_RANK = {"created": 0, "restart": 0, "ended": 2}


def step_key(step: StepHistory | TimelineEntry) -> tuple[int, str, str, int]:
    """Return what an entry and its step have in common."""
    return (step.generation, step.branch, step.name, step.count)


def _first_of_each(steps: Sequence[StepHistory]) -> list[StepHistory]:
    first: dict[Key, StepHistory] = {}
    for step in sorted(steps, key=lambda s: s.generation):
        first.setdefault((step.branch, step.name, step.count, step.created_at), step)
    return list(first.values())


def _by_step(
    attempts: Iterable[AttemptHistory],
) -> Mapping[tuple[int, str, str, int], list[AttemptHistory]]:
    found: defaultdict[tuple[int, str, str, int], list[AttemptHistory]] = defaultdict(list)
    for attempt in attempts:
        found[attempt.generation, attempt.branch, attempt.name, attempt.count].append(attempt)
    return found


def _of_step(
    step: StepHistory,
    attempts: Mapping[tuple[int, str, str, int], list[AttemptHistory]],
) -> list[TimelineEntry]:
    tried = attempts.get(step_key(step), []) if step.kind in _WORK else []
    if not tried:
        kind = "queued" if step.kind in _WORK else step.kind
        return [_plain(step, kind)]
    entries = [_attempt(step, attempt) for attempt in tried]
    entries[-1] = replace(
        entries[-1],
        until=step.waiting_until,
        error_message=step.error_message,
        status=str(step.status) if _says_more(step) else entries[-1].status,
    )
    return entries


def _says_more(step: StepHistory) -> bool:
    """Tell whether the step's status says more than that of its last attempt."""
    return step.status in (StepStatus.RETRYING, StepStatus.CANCELLED)


def _plain(step: StepHistory, kind: str) -> TimelineEntry:
    return TimelineEntry(
        kind=kind,
        status=str(step.status),
        at=step.started_at or step.created_at,
        generation=step.generation,
        name=step.name,
        count=step.count,
        branch=step.branch,
        duration_s=None if kind == "value" else duration_of(step),
        until=step.waiting_until,
        error_code=step.error_code,
        error_message=step.error_message,
        event_type=", ".join(step.event_types),
    )


def _attempt(step: StepHistory, attempt: AttemptHistory) -> TimelineEntry:
    ended = attempt.ended_at
    return TimelineEntry(
        kind="rollback" if step.kind == "rollback" else "attempt",
        status=attempt.outcome,
        at=attempt.started_at,
        generation=attempt.generation,
        name=attempt.name,
        count=attempt.count,
        branch=attempt.branch,
        number=attempt.number,
        duration_s=(ended - attempt.started_at).total_seconds() if ended else None,
        error_code=attempt.error_code,
    )


def _arrival(event: EventHistory) -> TimelineEntry:
    return TimelineEntry(
        kind="arrival",
        status="consumed" if event.consumed_by else "unread",
        at=event.sent_at,
        generation=1,
        event_type=event.type,
        consumed_by=event.consumed_by,
    )


def _restarts(steps: Iterable[StepHistory]) -> list[TimelineEntry]:
    """Return where a generation begins: at the first thing that was done in it."""
    begun: dict[int, datetime] = {}
    for step in steps:
        begun[step.generation] = min(begun.get(step.generation, step.created_at), step.created_at)
    return [TimelineEntry("restart", "", at, n) for n, at in begun.items() if n > 1]


def _end(status: InstanceStatus) -> TimelineEntry:
    assert status.ended_at is not None  # noqa: S101 - the caller looked
    return TimelineEntry(
        kind="ended",
        status=str(status.status),
        at=status.ended_at,
        generation=status.generation,
        error_code=status.error.code if status.error else None,
        error_message=status.error.message if status.error else None,
    )
