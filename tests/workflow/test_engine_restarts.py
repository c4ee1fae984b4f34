"""Engines that stop and start again, and what a stopped engine leaves behind."""

import os
import sqlite3
import threading
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa

from configs.errors import CorruptInputError, TransientError
from pipeline.engine import EngineError, Instance, Retries, Step, Undo
from pipeline.engine.testing import wait_for_status, without_waits
from tests import engine_calls
from tests.databases import NewDatabase
from tests.engines import SETTINGS, Harness, running

AT_ONCE = Retries(limit=3, delay=0)


def test_sleep_when_the_kit_skips_waits_then_takes_no_time(database_url: str) -> None:
    async def script(step: Step) -> object:
        await step.sleep("long", "300 days")
        return "awake"

    with running(database_url, without_waits(SETTINGS)) as harness:
        assert harness.run(script) == "awake"


def test_deadline_when_it_passed_while_everything_was_down_then_fires_at_the_start(
    database_url: str,
) -> None:
    async def script(step: Step) -> object:
        await step.sleep("pause", 1.5)
        return "awake"

    with running(database_url) as harness:
        instance = harness.begin(script)
        wait_for_status(instance, {"waiting"})
    with running(database_url, start=False) as harness:
        harness.scripts[instance.id] = script
        threading.Event().wait(1.6)  # the deadline passes
        harness.engine.start()
        again = harness.engine.workflows.get("scripted").get(instance.id)
        assert wait_for_status(again).output == "awake"


def test_step_in_flight_when_the_engine_stops_then_is_finished_first(database_url: str) -> None:
    began, runs = threading.Event(), list[int]()

    def work() -> int:
        began.set()
        threading.Event().wait(0.5)
        runs.append(1)
        return 1

    async def script(step: Step) -> object:
        first = await step.do("first", work)
        return first + await step.do("second", lambda: 1)

    with running(database_url) as harness:
        instance = harness.begin(script)
        assert began.wait(30)
    with running(database_url, start=False) as harness:
        harness.scripts[instance.id] = script
        harness.engine.start()
        assert wait_for_status(_again(harness, instance.id)).output == 2
    assert runs == [1]


def test_engine_when_stopped_then_leaves_no_thread_and_no_child(database_url: str) -> None:
    with running(database_url) as harness:
        assert harness.run(_on_resource) != os.getpid()
    before = threading.active_count(), _children(), _open_files()
    with running(database_url) as harness:
        assert harness.run(_on_resource) != os.getpid()
    assert (threading.active_count(), _children(), _open_files()) == before


def test_engine_when_another_is_started_in_the_process_then_is_refused(database_url: str) -> None:
    with (
        running(database_url),
        running(database_url, start=False) as second,
        pytest.raises(EngineError),
    ):
        second.engine.start()


def test_engine_when_only_connected_then_creates_instances_that_a_worker_runs(
    database_url: str,
) -> None:
    async def script(step: Step) -> object:
        return await step.do("one", lambda: 1)

    with running(database_url, start=False) as web:
        instance = web.begin(script)
        assert instance.status().status == "queued"
        with running(database_url, start=False) as worker:
            worker.scripts[instance.id] = script
            worker.engine.start()
            assert wait_for_status(instance).output == 1


def test_worker_when_it_serves_no_resource_then_leaves_those_steps_waiting(
    database_url: str,
) -> None:
    with running(database_url, start=False) as harness:
        harness.engine.start(resources=set())
        instance = harness.begin(_on_resource)
        wait_for_status(instance, {"waiting"})
        assert instance.history()[0].status == "waiting"


def test_worker_when_it_serves_only_a_resource_then_advances_no_instance(
    database_url: str,
) -> None:
    with running(database_url, start=False) as harness:
        harness.engine.start(resources={"asr"}, turns=False)
        instance = harness.begin(_on_resource)
        threading.Event().wait(0.5)
        assert instance.status().status == "queued"


async def _on_resource(step: Step) -> object:
    return await step.do("pid", engine_calls.process_id, resource="asr")


def _again(harness: Harness, instance: str) -> Instance:
    return harness.engine.workflows.get("scripted").get(instance)


def _children() -> int:
    return len(Path(f"/proc/self/task/{os.getpid()}/children").read_text().split())


def _open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_rollback_when_the_engine_stops_in_it_then_no_handler_succeeds_twice(
    database_url: str,
) -> None:
    undone: Counter[str] = Counter()
    began, release = threading.Event(), threading.Event()

    def undo_second(_: Undo) -> None:
        undone["second"] += 1

    def undo_first(_: Undo) -> None:
        began.set()
        if not release.is_set():
            release.wait(30)
            raise TransientError
        undone["first"] += 1

    async def script(step: Step) -> object:
        await step.do("first", lambda: None, rollback=undo_first, rollback_retries=AT_ONCE)
        await step.do("second", lambda: None, rollback=undo_second)
        raise CorruptInputError

    with running(database_url) as harness:
        instance = harness.begin(script)
        assert began.wait(30)
        release.set()
    with running(database_url, start=False) as harness:
        harness.scripts[instance.id] = script
        harness.engine.start()
        again = harness.engine.workflows.get("scripted").get(instance.id)
        assert wait_for_status(again).rollback == "complete"
    assert undone == {"first": 1, "second": 1}


def test_terminate_with_rollback_when_nothing_was_done_then_ends_at_once(
    database_url: str,
) -> None:
    async def script(step: Step) -> object:
        return await step.do("first", lambda: 1)

    with running(database_url, start=False) as harness:
        instance = harness.begin(script)
        assert instance.terminate(rollback=True)
        assert instance.status().status == "terminated"


def test_pause_when_queued_then_nothing_begins_until_resumed(database_url: str) -> None:
    runs = list[int]()

    async def script(step: Step) -> object:
        await step.do("first", lambda: runs.append(1))
        return "end"

    with running(database_url, start=False) as harness:
        held, free = harness.begin(script), harness.begin(script)
        held.pause()
        assert held.status().status == "paused"
        harness.engine.start()
        wait_for_status(free)
        assert (held.status().status, runs) == ("paused", [1])
        held.resume()
        assert wait_for_status(held).output == "end"


def test_terminate_when_queued_then_nothing_begins(database_url: str) -> None:
    runs = list[int]()

    async def script(step: Step) -> object:
        return await step.do("first", lambda: runs.append(1))

    with running(database_url, start=False) as harness:
        ended, other = harness.begin(script), harness.begin(script)
        assert ended.terminate()
        harness.engine.start()
        wait_for_status(other)
        assert (ended.status().status, runs) == ("terminated", [1])


def test_event_when_sent_while_everything_is_down_then_is_taken_at_the_start(
    database_url: str,
) -> None:
    async def script(step: Step) -> object:
        return (await step.wait_for_event("go", type="go", timeout=60)).payload

    with running(database_url) as harness:
        instance = harness.begin(script)
        wait_for_status(instance, {"waiting"})
    with running(database_url, start=False) as harness:
        harness.scripts[instance.id] = script
        again = harness.engine.workflows.get("scripted").get(instance.id)
        again.send_event("go", "sent while down")
        harness.engine.start()
        assert wait_for_status(again).output == "sent while down"


def test_database_when_another_process_holds_its_write_lock_then_the_step_waits_for_it(
    new_database: NewDatabase,
) -> None:
    async def script(step: Step) -> object:
        return await step.do("first", lambda: "done")

    with new_database("sqlite") as url, running(url, start=False) as harness:
        instance = harness.begin(script)
        harness.engine.start()
        with closing(sqlite3.connect(sa.make_url(url).database or "", timeout=60)) as other:
            other.execute("BEGIN IMMEDIATE")
            threading.Event().wait(1.0)  # while it is held, nothing can be written
            other.rollback()
        assert wait_for_status(instance).output == "done"


def test_step_when_the_new_code_gives_it_to_a_resource_then_it_goes_on_there(
    database_url: str,
) -> None:
    async def before(step: Step) -> object:
        return await step.do("work", _busy, retries=Retries(limit=5, delay="2 seconds"))

    async def after(step: Step) -> object:
        return await step.do("work", engine_calls.process_id, resource="asr")

    with running(database_url) as harness:
        instance = harness.begin(before)
        wait_for_status(instance, {"waiting"})
    with running(database_url, start=False) as harness:
        harness.scripts[instance.id] = after
        harness.engine.start()
        again = harness.engine.workflows.get("scripted").get(instance.id)
        assert wait_for_status(again).output != os.getpid()


def _busy() -> int:
    raise TransientError
