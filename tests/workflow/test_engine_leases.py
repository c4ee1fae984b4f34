"""Giving a dead process's executions back, while another process does the same."""

import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace

import pytest
import sqlalchemy as sa

from pipeline.engine import Step, leases
from tests.databases import NewDatabase
from tests.engines import SETTINGS, Harness, running

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
