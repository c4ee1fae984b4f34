"""Parallel branches in any shape, replays that take the same turnings, and drift."""

import asyncio
import threading
from collections import Counter
from contextlib import suppress
from functools import partial

import pytest

from configs.errors import CorruptInputError
from pipeline.engine import Retries, Step
from pipeline.engine.testing import wait_for_status
from tests.engines import Harness, Script
from tests.waiting import wait_until


def test_branches_of_several_steps_when_one_waits_then_finished_steps_do_not_run_again(
    engine: Harness,
) -> None:
    runs: Counter[str] = Counter()

    def work(name: str, value: int) -> int:
        runs[name] += 1
        return value

    async def script(step: Step) -> object:
        async def branch(number: int) -> int:
            last = 0
            for k in range(3):
                name = f"{number}.{k}"
                last = await step.do(name, partial(work, name, number * 10 + k))
            return last

        async def waiter() -> object:
            return (await step.wait_for_event("go", type="go", timeout=60)).payload

        return await asyncio.gather(branch(1), waiter(), branch(2))

    instance = engine.begin(script)
    wait_for_status(instance, {"waiting"})
    instance.send_event("go", "x")
    assert wait_for_status(instance).output == [12, "x", 22]
    assert set(runs.values()) == {1}


def test_named_branches_when_they_use_the_same_name_then_each_counts_for_itself(
    engine: Harness,
) -> None:
    async def script(step: Step) -> object:
        async def branch(number: int) -> list[int]:
            part = step.branch(f"part {number}")
            return [await part.do("sum", partial(int, number + k)) for k in (1, 2)]

        return await asyncio.gather(branch(10), branch(20))

    instance = engine.begin(script)
    assert wait_for_status(instance).output == [[11, 12], [21, 22]]
    shown = sorted((s.branch, s.name, s.count) for s in instance.history())
    assert shown == [
        ("part 10", "sum", 1),
        ("part 10", "sum", 2),
        ("part 20", "sum", 1),
        ("part 20", "sum", 2),
    ]


def test_race_when_replayed_then_the_same_branch_wins(engine: Harness) -> None:
    release, winners = threading.Event(), list[object]()

    async def script(step: Step) -> object:
        slow = asyncio.create_task(step.do("slow", lambda: release.wait(30) and "slow"))
        fast = asyncio.create_task(step.do("fast", lambda: "fast"))
        done, _ = await asyncio.wait({slow, fast}, return_when=asyncio.FIRST_COMPLETED)
        winners.append([task.result() for task in done])
        await step.do("release", release.set)
        await slow
        await step.sleep("pause", 1.2)
        return winners[-1]

    assert engine.run(script) == ["fast"]
    assert len(winners) > 1
    assert all(winner == ["fast"] for winner in winners)


def test_task_group_when_a_branch_fails_then_a_replay_cancels_the_same_steps(
    engine: Harness,
) -> None:
    runs, release = Counter[str](), threading.Event()

    def fail() -> None:
        release.wait(30)
        raise CorruptInputError

    async def script(step: Step) -> object:
        async def long() -> None:
            await step.do("one", lambda: runs.update(["one"]))
            await step.do("two", release.set)
            await step.wait_for_event("never", type="never", timeout=60)
            await step.do("three", lambda: runs.update(["three"]))

        async def failing() -> None:
            await step.do("fail", fail)

        with suppress(ExceptionGroup):
            async with asyncio.TaskGroup() as group:
                group.create_task(long())
                group.create_task(failing())
        await step.sleep("pause", 1.2)
        return await step.do("after", lambda: "after")

    assert engine.run(script) == "after"
    assert runs == {"one": 1}


def test_parked_branch_when_another_is_busy_then_its_event_is_taken_at_once(
    engine: Harness,
) -> None:
    arrived = threading.Event()

    async def script(step: Step) -> object:
        async def waiting() -> None:
            await step.wait_for_event("go", type="go", timeout=60)
            await step.do("tell", arrived.set)

        async def busy() -> bool:
            return await step.do("busy", lambda: arrived.wait(30))

        _, heard = await asyncio.gather(waiting(), busy())
        return heard

    instance = engine.begin(script)
    instance.send_event("go")
    assert wait_for_status(instance).output is True


def test_two_waits_for_one_type_when_two_events_come_then_each_takes_one(
    engine: Harness,
) -> None:
    async def script(step: Step) -> object:
        one = step.wait_for_event("one", type="go", timeout=60)
        two = step.wait_for_event("two", type="go", timeout=60)
        return [event.payload for event in await asyncio.gather(one, two)]

    instance = engine.begin(script)
    wait_for_status(instance, {"waiting"})
    instance.send_event("go", 1)
    instance.send_event("go", 2)
    assert wait_for_status(instance).output == [1, 2]


def test_error_in_one_branch_when_not_caught_then_ends_the_instance(engine: Harness) -> None:
    is_parked = threading.Event()

    def fail() -> None:
        is_parked.wait(30)
        raise CorruptInputError

    async def script(step: Step) -> object:
        waiting = step.wait_for_event("go", type="go", timeout=60)
        return await asyncio.gather(waiting, step.do("fail", fail, retries=Retries(limit=0)))

    instance = engine.begin(script)
    wait_until(lambda: any(entry.name == "go" for entry in instance.history()))
    is_parked.set()
    status = wait_for_status(instance)
    assert status.error
    assert status.error.code == "input.corrupt"
    assert {s.name: s.status for s in instance.history()} == {"go": "cancelled", "fail": "failed"}


async def _old(step: Step) -> object:
    await step.do("first", lambda: 1)
    await step.do("second", lambda: 2)
    return (await step.wait_for_event("go", type="go", timeout=60)).payload


async def _renamed(step: Step) -> object:
    await step.do("first", lambda: 1)
    await step.do("other", lambda: 3)
    return (await step.wait_for_event("go", type="go", timeout=60)).payload


async def _other_kind(step: Step) -> object:
    await step.do("first", lambda: 1)
    await step.sleep("second", 1)
    return (await step.wait_for_event("go", type="go", timeout=60)).payload


async def _inserted(step: Step) -> object:
    await step.do("zeroth", lambda: 0)
    return await _old(step)


async def _wait_renamed(step: Step) -> object:
    await step.do("first", lambda: 1)
    await step.do("second", lambda: 2)
    return (await step.wait_for_event("gone", type="go", timeout=60)).payload


@pytest.mark.parametrize(
    ("changed", "asked", "held"),
    [
        (_renamed, "other (1)", "second (1)"),
        (_other_kind, "second (1)", "second (1)"),
        (_inserted, "zeroth (1)", "first (1)"),
        (_wait_renamed, "gone (1)", "go (1)"),
    ],
)
def test_code_that_does_not_fit_the_journal_when_replayed_then_the_instance_is_paused(
    engine: Harness, changed: Script, asked: str, held: str
) -> None:
    instance = engine.begin(_old)
    wait_for_status(instance, {"waiting"})
    engine.replace(instance, changed)
    instance.send_event("go", 1)
    status = wait_for_status(instance, {"paused", "complete", "errored"})
    assert status.status == "paused"
    assert status.error
    assert status.error.code == "engine.drift"
    assert (status.error.details["asked"], status.error.details["held"]) == (asked, held)


def test_code_with_a_step_appended_when_replayed_then_goes_on(engine: Harness) -> None:
    async def longer(step: Step) -> object:
        await _old(step)
        return await step.do("third", lambda: 3)

    instance = engine.begin(_old)
    wait_for_status(instance, {"waiting"})
    engine.replace(instance, longer)
    instance.send_event("go", 1)
    assert wait_for_status(instance).output == 3
