"""The workflow that runs programs."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from sqlmodel import Session

from configs.errors import AppError
from pipeline.engine import (
    EventTimeoutError,
    Outcome,
    Resource,
    Retries,
    Step,
    Undo,
    Workflow,
    WorkflowEvent,
)
from tests.chaos import effects
from tests.chaos.effects import Effect
from tests.chaos.names import CPU
from tests.chaos.programs import CAUGHT, TIMED_OUT, Node, Output, branch_of, step_name

RESOURCES = {CPU: Resource(per_process=1, fleet=2)}
EVENT_TIMEOUT_S = 3600.0
_LIMIT_S = 0.8
_HEAVY_LIMIT_S = 3.0
_LOST_CHILDREN = 8  # deaths of a child process that are none of its step's doing
_LATE = 8  # time-outs of a step whose process was stopped for a while
_UNDOING = Retries(3, 0.2, "constant")


@dataclass(frozen=True)
class ChaosParams:
    """A program, and the folder of the outside world's ledger."""

    folder: str
    program: Node


@dataclass(frozen=True)
class Place:
    """Where effects of one instance are written down."""

    folder: str
    instance: str

    def effect(self, node: Node, label: str = "", key: str = "") -> Effect:
        """Return a node's effect."""
        return Effect(
            self.folder, self.instance, label or str(node.id), node.value, node.takes_s,
            node.fails, node.how, key,
        )  # fmt: skip


class Chaos(Workflow[ChaosParams]):
    """Walk through a program."""

    name = "chaos"

    async def run(self, event: WorkflowEvent[ChaosParams], step: Step) -> Output:
        place = Place(event.payload.folder, event.instance_id)
        return await walk(event.payload.program, step, place)

    def finished(
        self, session: Session, event: WorkflowEvent[ChaosParams], outcome: Outcome
    ) -> None:
        effects.keep(event.instance_id, f"finished-{outcome.status}", session, 0)


async def walk(node: Node, step: Step, place: Place) -> Output:
    return await _WALKS[node.kind](node, step, place)


async def _do(node: Node, step: Step, place: Place) -> int:
    effect = place.effect(node)
    fn: Callable[[], Any] = partial(
        effects.in_loop if node.how in ("loop", "hang") else effects.in_thread, effect
    )
    value: int = await step.do(
        step_name(node),
        fn,
        retries=_retries(node),
        timeout=_LIMIT_S * 2 if node.how == "hang" else "10 minutes",
        commit=_commit(node, place),
        rollback=_rollback(node, place),
        rollback_retries=_UNDOING,
    )
    return value


async def _heavy(node: Node, step: Step, place: Place) -> int:
    return await step.do(
        step_name(node),
        partial(effects.in_child, place.effect(node)),
        retries=Retries(node.fails + _LOST_CHILDREN, 0.3, "constant"),
        timeout=_HEAVY_LIMIT_S,
        resource=CPU,
        commit=_commit(node, place),
        rollback=_rollback(node, place),
        rollback_retries=_UNDOING,
    )


async def _keyed(node: Node, step: Step, place: Place) -> int:
    key = await step.uuid("key")
    fn = partial(effects.in_thread, place.effect(node, key=key))
    return await step.do(
        step_name(node),
        fn,
        retries=_retries(node),
        rollback=_rollback(node, place),
        rollback_retries=_UNDOING,
    )


async def _sleep(node: Node, step: Step, place: Place) -> int:  # noqa: ARG001 - the shape of a walk
    await step.sleep(step_name(node), node.takes_s)
    return node.value


async def _event(node: Node, step: Step, place: Place) -> int:  # noqa: ARG001 - the same
    timeout = node.takes_s if node.kind in ("contest", "silence") else EVENT_TIMEOUT_S
    try:
        event = await step.wait_for_first_event(step_name(node), list(node.types), timeout)
    except EventTimeoutError:
        return TIMED_OUT
    value: int = event.payload["value"]
    return value


async def _caught(node: Node, step: Step, place: Place) -> int:
    failing = effects.refuse if node.how == "refuse" else effects.exhaust
    try:
        return await step.do(
            step_name(node),
            partial(failing, place.effect(node)),
            retries=Retries(1, 0.1),
            rollback=_rollback(node, place),
            rollback_retries=_UNDOING,
        )
    except AppError:
        return CAUGHT


async def _refuse(node: Node, step: Step, place: Place) -> int:
    return await step.do(step_name(node), partial(effects.refuse, place.effect(node)))


async def _forever(node: Node, step: Step, place: Place) -> int:
    if node.how == "event":
        return await _event(node, step, place)
    await step.sleep(step_name(node), "300 days")
    return node.value


async def _seq(node: Node, step: Step, place: Place) -> list[Output]:
    return [await walk(part, step, place) for part in node.parts]


async def _shared(node: Node, step: Step, place: Place) -> list[Output]:
    return list(await asyncio.gather(*(walk(part, step, place) for part in node.parts)))


async def _all(node: Node, step: Step, place: Place) -> list[Output]:
    return list(await asyncio.gather(*_branches(node, step, place)))


async def _group(node: Node, step: Step, place: Place) -> list[Output]:
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(branch) for branch in _branches(node, step, place)]
    return [task.result() for task in tasks]


async def _race(node: Node, step: Step, place: Place) -> int:
    """Go on with whoever comes first; the others are cancelled."""
    tasks = [asyncio.create_task(branch) for branch in _branches(node, step, place)]
    done, others = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in others:
        task.cancel()
    winner = min(tasks.index(task) for task in done)
    effect = Effect(place.folder, place.instance, f"{node.id}-{winner}", node.value)
    return await step.do(f"after-{node.id}-{winner}", partial(effects.in_thread, effect))


def _commit(node: Node, place: Place) -> Callable[[Session, int], int] | None:
    return partial(effects.keep, place.instance, str(node.id)) if node.keeps else None


def _rollback(node: Node, place: Place) -> Callable[[Undo], None] | None:
    if not node.undo:
        return None
    fails = 1 if node.undo == "flaky" else 0
    effect = Effect(place.folder, place.instance, f"undo-{node.id}", fails=fails, how=node.undo)
    return partial(effects.undo, effect)


def _branches(node: Node, step: Step, place: Place) -> list[Output]:
    return [
        walk(part, step.branch(branch_of(node, number)), place)
        for number, part in enumerate(node.parts)
    ]


def _retries(node: Node) -> Retries:
    """Return enough retries, after delays of several kinds and lengths."""
    limit = node.fails + (_LATE if node.how == "hang" else 0)
    return (
        Retries(limit, 0.1, "linear"),
        Retries(limit, 0.4, "exponential"),
        Retries(limit, 1.3, "constant"),  # longer than what is slept in the turn
    )[node.id % 3]


_Walk = Callable[[Node, Step, Place], Awaitable[Output]]
_WALKS: dict[str, _Walk] = {
    "do": _do,
    "heavy": _heavy,
    "keyed": _keyed,
    "sleep": _sleep,
    "event": _event,
    "either": _event,
    "contest": _event,
    "silence": _event,
    "caught": _caught,
    "refuse": _refuse,
    "forever": _forever,
    "seq": _seq,
    "shared": _shared,
    "all": _all,
    "group": _group,
    "race": _race,
}
