"""The page of one instance, and the question before something is done to it."""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

from pipeline.commands import run_of
from pipeline.engine import FINAL, InstanceStatus, Status, StepHistory, StepKey, StepStatus
from pipeline.workflow import REVIEW_DECISION
from review_ui.engine_contexts import (
    ConfirmPage,
    InstanceHead,
    InstancePage,
    StepChoice,
    Timeline,
    TimelineEntry,
    WaitView,
)
from review_ui.queries.step_picture import picture_of
from review_ui.queries.timeline import timeline_of
from review_ui.web import Web

ENTRIES = 100
_MOST_CHOICES = 500
_HELD = frozenset({Status.PAUSED, Status.WAITING_FOR_PAUSE})
_NO_VALUES = dict.fromkeys(("from_step", "rollback", "type", "payload", "key"), "")

Places = Mapping[tuple[str, str, int], str]


def instance_page(web: Web, instance_id: str, start: int | None, steps: str) -> InstancePage:
    """Return the page of one instance.

    Args:
        web: the application.
        instance_id: which.
        start: the first entry of the timeline that is shown, from 1; None: the last ones.
        steps: `all` leaves nothing out of the picture.

    Raises:
        NotFoundError: there is no such instance (not retryable).
    """
    instance = web.app.engine.instance(instance_id)
    status, every = instance.status(), instance.history(every_generation=True)
    current = [step for step in every if step.generation == status.generation]
    entries = timeline_of(status, every, instance.attempts(), instance.events())
    timeline, places = paged(entries, start, steps)
    return InstancePage(
        instance=head_of(status),
        waits=waits_of(status, current),
        picture=picture_of(
            current,
            lambda step: places.get((step.branch, step.name, step.count), "#timeline"),
            everything=steps == "all",
        ),
        timeline=timeline,
        operations=operations_of(status.status),
        query=urlencode({"start": start or "", "steps": steps}),
    )


def confirm_page(
    web: Web,
    instance_id: str,
    operation: str,
    values: Mapping[str, str],
    error: str | None = None,
) -> ConfirmPage:
    """Return the question before an operation, with what was filled in already.

    Raises:
        NotFoundError: there is no such instance (not retryable).
    """
    instance = web.app.engine.instance(instance_id)
    steps = instance.history()
    return ConfirmPage(
        instance=head_of(instance.status()),
        operation=operation,
        steps=_choices(steps) if operation == "restart" else (),
        event_types=_awaited(steps) if operation == "send-event" else (),
        values={**_NO_VALUES, **values},
        error=error,
    )


def operations_of(status: Status) -> list[str]:
    """Return what may be done to an instance with this status, the usual first."""
    if status in FINAL:
        return ["restart", "delete"]
    if status is Status.ROLLING_BACK:
        return ["restart", "terminate"]
    return ["resume" if status in _HELD else "pause", "send-event", "restart", "terminate"]


def head_of(status: InstanceStatus) -> InstanceHead:
    """Return the facts at the top of an instance's pages."""
    return InstanceHead(
        id=status.id,
        workflow=status.workflow,
        tenant=status.tenant,
        status=str(status.status),
        created_at=status.created_at,
        updated_at=status.updated_at,
        ended_at=status.ended_at,
        generation=status.generation,
        rollback=status.rollback,
        run_id=run_of(status.workflow, status.id),
        error_code=status.error.code if status.error else None,
        error_message=status.error.message if status.error else None,
        finished=status.status in FINAL,
    )


def waits_of(status: InstanceStatus, steps: Sequence[StepHistory]) -> list[WaitView]:
    """Return what an instance waits for, the nearest deadline first; nothing once it has ended."""
    if status.status in FINAL:
        return []
    names = Counter((step.branch, step.name) for step in steps)
    waits = [
        WaitView(
            kind=kind,
            name=step.name,
            count=step.count,
            many=names[step.branch, step.name] > 1,
            until=step.waiting_until,
            event_types=step.event_types,
        )
        for step in steps
        if (kind := _wait_of(status, step))
    ]
    return sorted(waits, key=lambda w: (w.until is None, w.until.timestamp() if w.until else 0.0))


def _wait_of(status: InstanceStatus, step: StepHistory) -> str | None:
    """Return as what an instance waits for a step; a running one where a worker has it."""
    if step.status is StepStatus.RETRYING:
        return "retry"
    if step.status is StepStatus.WAITING:
        return step.kind if step.kind in ("sleep", "event") else "queue"
    has_worker = step.status is StepStatus.RUNNING and status.status is Status.WAITING
    return "work" if has_worker else None


def instance_digest(status: InstanceStatus, steps: Sequence[StepHistory]) -> str:
    """Return a short hash that changes when there is something new to show."""
    lines = [(s.branch, s.name, s.count, s.status, s.attempts) for s in steps]
    state = repr((status.status, status.generation, status.updated_at, lines))
    return hashlib.sha256(state.encode()).hexdigest()[:16]


def paged(
    entries: Sequence[TimelineEntry], start: int | None, steps: str
) -> tuple[Timeline, Places]:
    """Return one page of the timeline, and the link to the first entry of each step."""
    kept = {"steps": steps} if steps else {}
    newest = max(len(entries) - ENTRIES, 0)
    first = newest if start is None else min(max(start - 1, 0), newest)

    def query(place: int) -> str:
        return urlencode(kept if place >= newest else {"start": max(place, 0) + 1, **kept})

    def link(index: int) -> str:
        anchor = f"#{entries[index].anchor}"
        shown = first <= index < first + ENTRIES
        return anchor if shown else f"?{query(index - ENTRIES // 2)}{anchor}"

    return Timeline(
        entries=entries[first : first + ENTRIES],
        total=len(entries),
        first=first + 1,
        earlier=query(first - ENTRIES) if first > 0 else None,
        later=query(first + ENTRIES) if first < newest else None,
    ), {key: link(index) for key, index in _first_of_each_step(entries).items()}


def _first_of_each_step(entries: Sequence[TimelineEntry]) -> Mapping[tuple[str, str, int], int]:
    """Return where each step begins, in the newest generation that did it."""
    found: dict[tuple[str, str, int], int] = {}
    for index, entry in enumerate(entries):
        key = (entry.branch, entry.name, entry.count)
        if entry.name and (key not in found or entry.generation > entries[found[key]].generation):
            found[key] = index
    return found


def _choices(steps: Sequence[StepHistory]) -> list[StepChoice]:
    """Return the steps that a restart may begin at, the newest where there are very many."""
    allowed = [step for step in steps if step.kind not in ("rollback", "value")]
    return [
        StepChoice(
            step_value(StepKey(step.branch, step.name, step.count)),
            step.name,
            step.count,
            step.branch,
        )
        for step in allowed[-_MOST_CHOICES:]
    ]


def step_value(step: StepKey) -> str:
    """Return how a form names a step; `step_of_value` reads it."""
    return json.dumps([step.branch, step.name, step.count], ensure_ascii=False)


def step_of_value(value: str) -> StepKey:
    """Return the step that a form names.

    Raises:
        ValueError: it names none (not retryable).
    """
    branch, name, count = json.loads(value)
    if not (isinstance(branch, str) and isinstance(name, str) and type(count) is int):
        raise ValueError("not a step")
    return StepKey(branch, name, count)


def _awaited(steps: Sequence[StepHistory]) -> list[str]:
    waiting = (s for s in steps if s.kind == "event" and s.status is StepStatus.WAITING)
    return sorted({kind for step in waiting for kind in step.event_types} - {REVIEW_DECISION})
