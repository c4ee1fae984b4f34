"""A test kit for workflows: no waiting, replaced results, forced time-outs, crashes.

    faults = Faults()
    replace(faults, "transcribe", error=TransientError())
    with started(MyWorkflow(), settings=without_waits(), faults=faults) as engine:
        wait_for_status(engine.workflows.get("my-workflow").create())
    crash_at(faults, "publish", "after effect")

A worker in a process of its own is told by the environment: `ENGINE_CRASH_AT="publish:1:before"`.
"""

import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace as changed
from tempfile import TemporaryDirectory
from typing import Any

from pipeline.engine.definitions import FINAL, Status, Workflow
from pipeline.engine.engine import Engine
from pipeline.engine.faults import CRASH_VARIABLE, Faults, Point, Replacement
from pipeline.engine.handles import Instance
from pipeline.engine.settings import EngineSettings, Resource
from pipeline.engine.views import InstanceStatus
from storage.database import create_database

_POLL_S = 0.02

__all__ = [
    "CRASH_VARIABLE",
    "Faults",
    "always_suspending",
    "crash_at",
    "quick",
    "replace",
    "started",
    "time_out",
    "wait_for_status",
    "without_waits",
]


@contextmanager
def started(
    *workflows: Workflow[Any],
    url: str | None = None,
    resources: Mapping[str, Resource] | None = None,
    settings: EngineSettings | None = None,
    faults: Faults | None = None,
) -> Iterator[Engine]:
    """Give a running engine, on a database of its own where none is named; one at a time."""
    with TemporaryDirectory(prefix="engine-") as folder:
        address = url or f"sqlite:///{folder}/engine.sqlite"
        database = create_database(address)
        engine = Engine(
            database, address, workflows, resources, None, settings or quick(), faults or Faults()
        )
        try:
            engine.start()
            yield engine
        finally:
            engine.stop()
            database.dispose()


def quick(settings: EngineSettings | None = None) -> EngineSettings:
    """Return settings that look into queues often and take a silent worker for dead soon."""
    return changed(
        settings or EngineSettings(),
        poll_s=0.1,
        work_poll_s=0.1,
        linger_s=0.02,
        recheck_s=0.1,
        lease_s=3.0,
        stop_grace_s=3.0,
    )


def without_waits(settings: EngineSettings | None = None) -> EngineSettings:
    """Return settings under which sleeps and retry delays take no time."""
    return changed(settings or quick(), skip_waits=True)


def always_suspending(settings: EngineSettings | None = None) -> EngineSettings:
    """Return settings under which every step ends the turn, so that every step is replayed."""
    return changed(settings or quick(), suspend_always=True)


def crash_at(faults: Faults, step: str, point: str, count: int = 1) -> None:
    """Kill this process with SIGKILL when the step reaches the point.

    Args:
        faults: Those of the engine.
        step: The step's name.
        point: `before` (its effect), `after effect` or `after commit`. For a wait, `after effect`
            is between registering it and letting the instance go.
        count: Which use of the name.
    """
    faults.crashes.add(Point.parse(f"{step}:{count}:{point}"))


def replace(
    faults: Faults,
    step: str,
    *,
    result: object = None,
    error: Exception | None = None,
    count: int | None = None,
    times: int | None = None,
) -> None:
    """Replace what a step does with a result or an error.

    Args:
        faults: Those of the engine.
        step: The step's name.
        result: What it returns.
        error: What it raises instead.
        count: Which use of the name; None: every one.
        times: For how many attempts; None: for all.
    """
    faults.replacements[step, count] = Replacement(result, error, times=times)


def time_out(
    faults: Faults, step: str, *, count: int | None = None, times: int | None = None
) -> None:
    """Let a step's attempts end as if they had taken too long."""
    faults.replacements[step, count] = Replacement(timed_out=True, times=times)


def wait_for_status(
    instance: Instance, wanted: Collection[Status | str] = FINAL, timeout_s: float = 60.0
) -> InstanceStatus:
    """Wait until an instance has one of these statuses.

    Raises:
        TimeoutError: it has not, in that time; the message says where it stands (not retryable).
    """
    end = time.monotonic() + timeout_s
    while True:
        status = instance.status()
        if status.status in wanted:
            return status
        if time.monotonic() > end:
            steps = [(s.name, s.count, s.status.value) for s in instance.history()]
            raise TimeoutError(f"{instance.id} is {status.status}: {steps}")
        time.sleep(_POLL_S)
