"""Steps on a resource: a warm child process for each slot, killed and replaced when it must be."""

import asyncio
import os
import threading
from functools import partial
from pathlib import Path

import pytest

from configs.errors import CorruptInputError
from pipeline.engine import Retries, Step, StepTimeoutError, TooLargeForJournalError
from pipeline.engine.testing import replace, wait_for_status
from tests.engine_calls import (
    Clip,
    be_alone,
    die_once,
    double,
    large,
    loop_in_c,
    note,
    preparations,
    process_id,
    process_id_async,
    read_notes,
    refuse,
    wait_for_file,
)
from tests.engines import Harness, until

ONCE = Retries(limit=0)
AT_ONCE = Retries(limit=3, delay=0)


def test_step_on_a_resource_when_run_then_runs_in_one_warm_child(engine: Harness) -> None:
    async def script(step: Step) -> object:
        one = await step.do("one", process_id, resource="asr")
        two = await step.do("two", process_id_async, resource="asr")
        return [one, two]

    pids = engine.run(script)
    assert isinstance(pids, list)
    assert pids[0] == pids[1] != os.getpid()


def test_child_when_it_runs_several_steps_then_was_prepared_once(engine: Harness) -> None:
    async def script(step: Step) -> object:
        await step.do("one", preparations, resource="asr")
        return await step.do("two", preparations, resource="asr")

    assert engine.run(script) == ["asr"]


def test_arguments_and_result_when_they_have_types_then_keep_them(engine: Harness) -> None:
    seen: list[object] = []

    async def script(step: Step) -> object:
        call = partial(double, clip=Clip("議事録", 1.5))
        seen.append(await step.do("double", call, resource="asr"))
        return None

    engine.run(script)
    assert Clip("議事録", 3.0) in seen


def test_commit_when_the_step_is_on_a_resource_then_writes_and_replaces(engine: Harness) -> None:
    async def script(step: Step) -> object:
        call, commit = partial(double, Clip("a", 1.0)), partial(note, "noted")
        made = await step.do("double", call, resource="asr", commit=commit)
        return made.name

    assert engine.run(script) == "noted"
    assert read_notes(engine.database, "noted") == ["noted"]


def test_error_in_a_child_when_raised_then_keeps_its_type_and_details(engine: Harness) -> None:
    async def script(step: Step) -> object:
        with pytest.raises(CorruptInputError) as caught:
            await step.do("refuse", refuse, resource="asr", retries=AT_ONCE)
        return caught.value.details

    instance = engine.begin(script)
    assert wait_for_status(instance).output == {"at_s": 3}
    assert len(instance.attempts()) == 1


def test_child_when_it_loops_in_c_beyond_its_time_then_is_gone_and_the_next_step_gets_a_fresh_one(
    engine: Harness, tmp_path: Path
) -> None:
    path = tmp_path / "pid"

    async def script(step: Step) -> object:
        call = partial(loop_in_c, str(path))
        with pytest.raises(StepTimeoutError):
            await step.do("loop", call, resource="asr", timeout=1, retries=ONCE)
        return await step.do("next", process_id, resource="asr", retries=ONCE)

    fresh, looping = engine.run(script), int(path.read_text())
    assert not Path(f"/proc/{looping}").exists()
    assert fresh not in (looping, os.getpid())


def test_child_when_it_dies_then_the_step_is_tried_again_in_a_fresh_one(
    engine: Harness, tmp_path: Path
) -> None:
    async def script(step: Step) -> object:
        call = partial(die_once, str(tmp_path / "died"))
        return await step.do("die", call, resource="asr", retries=AT_ONCE)

    instance = engine.begin(script)
    assert wait_for_status(instance).output == "alive"
    codes = [attempt.error_code for attempt in instance.attempts()]
    assert codes == ["engine.worker_process_died", None]


def test_result_of_a_child_when_too_large_then_the_step_fails_for_good(engine: Harness) -> None:
    async def script(step: Step) -> object:
        fits = await step.do("fits", partial(large, 1024 * 1024 - 2), resource="asr")
        with pytest.raises(TooLargeForJournalError):
            await step.do("large", partial(large, 1024 * 1024), resource="asr")
        return len(fits)

    assert engine.run(script) == 1024 * 1024 - 2


def test_function_when_it_is_not_at_module_level_then_the_instance_is_errored(
    engine: Harness,
) -> None:
    async def script(step: Step) -> object:
        return await step.do("local", lambda: 1, resource="asr")

    status = engine.finish(script)
    assert status.error
    assert status.error.code == "TypeError"


def test_resource_when_unknown_then_the_instance_is_errored(engine: Harness) -> None:
    async def script(step: Step) -> object:
        return await step.do("x", process_id, resource="tpu")

    status = engine.finish(script)
    assert status.error
    assert "tpu" in status.error.message


def test_slots_when_there_are_two_then_two_steps_run_at_a_time_and_no_more(
    engine: Harness, tmp_path: Path
) -> None:
    def call(mine: str, other: str) -> "partial[int]":
        return partial(wait_for_file, str(tmp_path / mine), str(tmp_path / other))

    async def script(step: Step) -> object:
        one = step.branch("1").do("meet", call("a", "b"), resource="llm", timeout=30)
        two = step.branch("2").do("meet", call("b", "a"), resource="llm", timeout=30)
        return await asyncio.gather(one, two)

    pids = engine.run(script)
    assert isinstance(pids, list)
    assert len(set(pids)) == 2
    assert len(engine.engine.runtime.pools["asr"].slots) == 1


def test_fleet_limit_when_it_is_less_than_the_slots_then_holds(
    engine: Harness, tmp_path: Path
) -> None:
    async def script(step: Step) -> object:
        call = partial(be_alone, str(tmp_path / "alone"))
        branches = [
            step.branch(str(n)).do("work", call, resource="gpu", retries=ONCE) for n in range(3)
        ]
        return len(await asyncio.gather(*branches))

    assert engine.run(script) == 3


def test_retry_on_a_resource_when_delayed_then_holds_no_slot(engine: Harness) -> None:
    replace(engine.engine.faults, "later", error=TimeoutError(), times=1)

    async def script(step: Step) -> object:
        retries = Retries(limit=1, delay=2.5, backoff="constant")
        return await step.do("later", process_id, resource="asr", retries=retries)

    async def other(step: Step) -> object:
        return await step.do("now", process_id, resource="asr")

    instance = engine.begin(script)
    until(instance, lambda: [a.outcome for a in instance.attempts()] == ["failed"])
    assert engine.run(other)
    assert instance.status().ended_at is None
    assert wait_for_status(instance).status == "complete"
    assert [a.outcome for a in instance.attempts()] == ["failed", "succeeded"]


def test_terminate_when_a_child_works_then_kills_it_and_its_result_changes_nothing(
    engine: Harness, tmp_path: Path
) -> None:
    path = tmp_path / "pid"

    async def script(step: Step) -> object:
        return await step.do("loop", partial(loop_in_c, str(path)), resource="asr")

    instance = engine.begin(script)
    until(instance, lambda: path.exists() and path.read_text() != "")
    pid = int(path.read_text())
    assert instance.terminate()
    _until_gone(pid)
    assert instance.status().status == "terminated"
    assert [step.status for step in instance.history()] == ["cancelled"]


def _until_gone(pid: int) -> None:
    while Path(f"/proc/{pid}").exists():
        threading.Event().wait(0.05)
