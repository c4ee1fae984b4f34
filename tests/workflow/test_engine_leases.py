"""Giving a dead process's executions back, while another process does the same."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace

import pytest
import sqlalchemy as sa

from pipeline.engine import Step, leases
from pipeline.engine.executions import run_turn
from pipeline.engine.journal import StepKey
from pipeline.engine.step_run import step_run
from pipeline.engine.testing import wait_for_status
from tests.databases import NewDatabase
from tests.engine_calls import process_id
from tests.engines import SETTINGS, Harness, running
from tests.waiting import wait_until

_LONG_LEASE = replace(SETTINGS, lease_s=600.0)  # no renewal while the test looks


@pytest.fixture
def without_lease(new_database: NewDatabase) -> Iterator[Harness]:
    """An engine on PostgreSQL that is in the middle of a step and has lost its lease."""
    began, released = threading.Event(), threading.Event()

    def work() -> int:
        began.set()
        released.wait()
        return 1

    async def script(step: Step) -> object:
        return await step.do("work", work)

    with new_database("postgresql") as url, running(url, _LONG_LEASE) as harness:
        harness.begin(script)
        assert began.wait(60)
        runtime = harness.engine.runtime
        runtime.store.run(lambda session: leases.drop(session, runtime.executor))
        try:
            yield harness
        finally:
            released.set()


def test_executions_when_their_process_has_no_lease_then_are_given_back_once(
    without_lease: Harness,
) -> None:
    runtime = without_lease.engine.runtime
    with closing(without_lease.database.connect()) as other:
        other.execute(sa.select(sa.func.pg_advisory_xact_lock(leases._RECLAIM_LOCK)))
        assert leases.reclaim(runtime.store, runtime.dispatcher) == 0
    assert leases.reclaim(runtime.store, runtime.dispatcher) == 1


def test_execution_when_claimed_and_never_begun_then_is_given_back_after_a_lease(
    new_database: NewDatabase,
) -> None:
    async def script(step: Step) -> object:
        return await step.do("work", lambda: 1)

    short = replace(SETTINGS, lease_s=1.0)
    with new_database("postgresql") as url, running(url, short, start=False) as harness:
        instance = harness.begin(script)
        harness.engine.start(turns=False)  # it claims no turns itself
        runtime = harness.engine.runtime
        claim(harness, runtime.executor)  # as where the answer to the claim was lost
        assert runtime.dispatcher.running(runtime.executor) != []
        wait_until(lambda: runtime.dispatcher.running(runtime.executor) == [])
        harness.engine.stop()
        harness.engine.start()
        assert wait_for_status(instance).output == 1


def test_claim_when_given_to_another_since_then_begins_nothing(new_database: NewDatabase) -> None:
    """A process comes back from a stop with what it had claimed before; another has it now."""

    async def script(step: Step) -> object:
        return await step.do("work", lambda: 1)

    with new_database("postgresql") as url, running(url, start=False) as harness:
        instance = harness.begin(script)
        harness.engine.start(turns=False)
        runtime = harness.engine.runtime
        claim(harness, "another")
        name = f"{instance.id}:1"
        with runtime.live.execution(name) as ours:
            assert asyncio.run(run_turn(runtime, ours, instance.id, 1)) == "fenced"
        assert instance.status().status == "queued"
        claim(harness, runtime.executor)
        with runtime.live.execution(name) as before, runtime.live.execution(name) as since:
            assert asyncio.run(run_turn(runtime, before, instance.id, 1)) == "fenced"
            assert asyncio.run(run_turn(runtime, since, instance.id, 1)) == "complete"


def test_claim_of_a_step_when_given_to_another_since_then_begins_nothing(
    new_database: NewDatabase,
) -> None:
    async def script(step: Step) -> object:
        return await step.do("work", process_id, resource="asr")

    with new_database("postgresql") as url, running(url, start=False) as harness:
        instance = harness.begin(script)
        harness.engine.start(resources=set())  # the step stays on its queue
        wait_until(lambda: len(instance.history()) == 1)
        runtime, key = harness.engine.runtime, StepKey("", "work", 1)
        with runtime.live.execution("another's") as ours:
            ran = asyncio.run(step_run(runtime, ours, instance.id, key, 1, 1))
        assert ran == "fenced"
        assert instance.attempts() == []


def claim(harness: Harness, executor: str) -> None:
    """Write that an executor has claimed the turns."""
    with harness.database.begin() as connection:
        connection.execute(
            sa.text(
                "UPDATE dbos.workflow_status SET status = 'PENDING', executor_id = :me"
                " WHERE queue_name = 'turns'"
            ),
            {"me": executor},
        )


def test_executions_when_one_is_deleted_meanwhile_then_the_others_are_given_back(
    new_database: NewDatabase,
) -> None:
    async def script(step: Step) -> object:
        return await step.do("work", lambda: 1)

    with new_database("postgresql") as url, running(url, start=False) as harness:
        instance = harness.begin(script)
        claim(harness, "gone")
        dispatcher = harness.engine._connected()
        there = dispatcher.running("gone")
        dispatcher.give_back([("deleted", there[0][1], "gone"), *there])
        harness.engine.start()
        assert wait_for_status(instance).output == 1
