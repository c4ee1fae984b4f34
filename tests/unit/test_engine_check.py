"""What `run` may not do."""

# ruff: noqa: ARG002 - the shape of `run` is fixed

import asyncio
import random
import time
from datetime import UTC, datetime
from typing import Any

import pytest

from configs import clock
from pipeline.engine import Step, UnsafeWorkflowError, Workflow, WorkflowEvent
from pipeline.engine.check import _parts, check_run
from pipeline.retention import Retention
from pipeline.workflow import ProcessSource


class Clock(Workflow[str]):
    name = "clock"

    async def run(self, event: WorkflowEvent[str], step: Step) -> object:
        return datetime.now(UTC)


class OurClock(Workflow[str]):
    name = "our-clock"

    async def run(self, event: WorkflowEvent[str], step: Step) -> object:
        return clock.utc_now()


class Time(Workflow[str]):
    name = "time"

    async def run(self, event: WorkflowEvent[str], step: Step) -> object:
        return time.monotonic()


class Chance(Workflow[str]):
    name = "chance"

    async def run(self, event: WorkflowEvent[str], step: Step) -> object:
        return random.random()  # noqa: S311 - what is refused


class Sleeping(Workflow[str]):
    name = "sleeping"

    async def run(self, event: WorkflowEvent[str], step: Step) -> None:
        await asyncio.sleep(1)


class Files(Workflow[str]):
    name = "files"

    async def run(self, event: WorkflowEvent[str], step: Step) -> object:
        with open(event.payload) as file:  # noqa: ASYNC230, PTH123 - what is refused
            return file.read()


class Writer:
    """What a workflow hands its step to; its methods are as much a part of `run`."""

    def __init__(self, step: Step) -> None:
        self._step = step

    async def write(self) -> object:
        return self._named(await self._step.do("a", time.time))

    def _named(self, part: object) -> object:
        return part, time.time()


class HandedOn(Workflow[str]):
    name = "handed-on"

    async def run(self, event: WorkflowEvent[str], step: Step) -> object:
        return await Writer(step).write()


class Method(Workflow[str]):
    name = "method"

    async def run(self, event: WorkflowEvent[str], step: Step) -> object:
        return await self._part()

    async def _part(self) -> object:
        return await elsewhere()


async def elsewhere() -> object:
    return random.random()  # noqa: S311 - what is refused


class Good(Workflow[str]):
    name = "good"

    async def run(self, event: WorkflowEvent[str], step: Step) -> object:
        moment = await step.now()
        chance = await step.random()
        made = await asyncio.gather(step.do("a", time.time), step.branch("b").do("a", time.time))
        return [moment.isoformat(), chance, *made, event.created_at.isoformat()]


@pytest.mark.parametrize("kind", [Clock, OurClock, Time, Chance, Sleeping, Files, HandedOn, Method])
def test_run_when_a_replay_cannot_repeat_it_then_is_refused(kind: type[Workflow[str]]) -> None:
    with pytest.raises(UnsafeWorkflowError, match=kind.name):
        check_run(kind())


@pytest.mark.parametrize("workflow", [Good(), ProcessSource(), Retention()])
def test_run_when_all_it_awaits_are_steps_then_is_allowed(workflow: Workflow[Any]) -> None:
    check_run(workflow)


def test_run_when_it_hands_its_step_on_then_what_takes_it_is_looked_at_too() -> None:
    looked_at = {function.__qualname__ for function in _parts(ProcessSource)}
    assert {"write_summary", "SummaryWriter.repair", "last_answer"} <= looked_at
