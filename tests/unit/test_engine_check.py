"""What `run` may not do."""

# ruff: noqa: ARG002 - the shape of `run` is fixed

import asyncio
import random
import time
from datetime import UTC, datetime

import pytest

from configs import clock
from pipeline.engine import Step, UnsafeWorkflowError, Workflow, WorkflowEvent
from pipeline.engine.check import check_run


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


class Good(Workflow[str]):
    name = "good"

    async def run(self, event: WorkflowEvent[str], step: Step) -> object:
        moment = await step.now()
        chance = await step.random()
        made = await asyncio.gather(step.do("a", time.time), step.branch("b").do("a", time.time))
        return [moment.isoformat(), chance, *made, event.created_at.isoformat()]


@pytest.mark.parametrize("kind", [Clock, OurClock, Time, Chance, Sleeping, Files])
def test_run_when_a_replay_cannot_repeat_it_then_is_refused(kind: type[Workflow[str]]) -> None:
    with pytest.raises(UnsafeWorkflowError, match=kind.name):
        check_run(kind())


def test_run_when_all_it_awaits_are_steps_then_is_allowed() -> None:
    check_run(Good())
