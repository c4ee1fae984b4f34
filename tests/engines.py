"""An engine for tests: one for a module, running what each test writes as a plain function."""

import itertools
import threading
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TypeVar

import pytest
import sqlalchemy as sa

from pipeline.engine import (
    Engine,
    EngineSettings,
    Instance,
    InstanceStatus,
    Resource,
    Step,
    Workflow,
    WorkflowEvent,
)
from pipeline.engine.testing import Faults, always_suspending, quick, wait_for_status
from storage.database import create_database
from tests import engine_calls
from tests.databases import NewDatabase

T = TypeVar("T")
Script = Callable[[Step], Awaitable[object]]
SETTINGS = replace(quick(), max_steps=40)
RESOURCES = {
    "asr": Resource(per_process=1),
    "llm": Resource(per_process=2),
    "gpu": Resource(2, fleet=1),
}
_numbers = itertools.count()
CHILD_SETUP = "tests.engine_calls:prepare"


class Scripted(Workflow[str]):
    """A workflow whose `run` is the function that the test names."""

    name = "scripted"

    def __init__(self, scripts: dict[str, Script]) -> None:
        self.scripts = scripts

    async def run(self, event: WorkflowEvent[str], step: Step) -> object:
        return await self.scripts[event.payload](step)


@dataclass
class Harness:
    """A started engine and the scripts it knows."""

    database: sa.Engine
    engine: Engine
    scripts: dict[str, Script]

    def begin(self, script: Script) -> Instance:
        """Create an instance that runs the script."""
        name = f"{script.__name__.strip('_')}-{next(_numbers)}"
        self.scripts[name] = script
        return self.engine.workflows.get("scripted").create(name, name)

    def replace(self, instance: Instance, script: Script) -> None:
        """Change the code of an instance, as a new version of the program does."""
        self.scripts[instance.id] = script

    def finish(self, script: Script) -> InstanceStatus:
        """Run the script to its end."""
        return wait_for_status(self.begin(script))

    def run(self, script: Script) -> object:
        """Run the script to its end and return its output; an error is a failure."""
        status = self.finish(script)
        assert status.error is None, status.error
        return status.output


def replayed(seen: Sequence[T]) -> T:
    """Return what `run` saw in its first run and in at least one replay, each time the same."""
    assert len(seen) > 1
    assert all(value == seen[0] for value in seen), seen
    return seen[0]


def until(instance: Instance, reached: Callable[[], bool]) -> None:
    """Wait for a condition that comes true before the instance ends."""
    while not reached():
        assert instance.status().ended_at is None
        threading.Event().wait(0.02)


@contextmanager
def running(
    url: str, settings: EngineSettings = SETTINGS, *, start: bool = True
) -> Iterator[Harness]:
    """Start an engine on a database and stop it afterwards."""
    database, scripts = create_database(url), dict[str, Script]()
    engine = Engine(database, url, [Scripted(scripts)], RESOURCES, CHILD_SETUP, settings, Faults())
    try:
        engine.connect()
        engine_calls.metadata.create_all(database)
        if start:
            engine.start()
        yield Harness(database, engine, scripts)
    finally:
        engine.stop()
        database.dispose()


MODES = {
    "sqlite": ("sqlite", SETTINGS),
    "postgresql": ("postgresql", SETTINGS),
    "always suspending": ("postgresql", always_suspending(SETTINGS)),
    "one turn, one thread": ("sqlite", replace(SETTINGS, turns=1, journal_threads=1)),
}
"""The suite runs on both databases, and twice more under conditions that bring out faults."""


@pytest.fixture(scope="module", params=MODES)
def module_engine(request: pytest.FixtureRequest, new_database: NewDatabase) -> Iterator[Harness]:
    kind, settings = MODES[request.param]
    with new_database(kind) as url, running(url, settings) as harness:
        yield harness


@pytest.fixture
def engine(module_engine: Harness) -> Iterator[Harness]:
    """The module's engine, without another test's faults."""
    yield module_engine
    module_engine.engine.faults.crashes.clear()
    module_engine.engine.faults.replacements.clear()
