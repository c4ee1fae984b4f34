"""The measured process of `waiting`: `python -m tests.bench.waiters ours|recv --url ...`.

Both kinds do the same: wait for a message, then take two steps. The second one tells the time: when
it begins, the result of the first has been committed.
"""

import argparse
import asyncio
import json
import os
import queue
import random
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from typing import Protocol

import sqlalchemy as sa
from dbos import DBOS, DBOSConfig, SetWorkflowID

from configs.clock import monotonic_s
from pipeline.engine import Engine, Instances, Resource, Step, Workflow, WorkflowEvent, journal
from pipeline.runtime import RESOURCES
from storage.database import create_database, is_sqlite, transaction
from tests.bench.processes import processor_s, settled_bytes
from tests.waiting import wait_until

_BATCH = 100
_LONGEST_S = 3600.0
_YEAR_S = 365 * 86_400
_PAUSE_S = 1.0
_TOPIC = "go"

_woken: "queue.SimpleQueue[tuple[str, float]]" = queue.SimpleQueue()
_never = threading.Event()


@dataclass(frozen=True)
class Found:
    """What one process found; processor time in seconds for each second."""

    resident_bytes: int
    idle_ratio: float
    begun_s: float
    woken_s: list[float]


class Waiters(Protocol):
    """Something that can wait many times over."""

    def begin(self, names: Sequence[str]) -> None:
        """Begin waiting under these names."""

    def waiting(self) -> int:
        """Count those that wait."""

    def wake(self, name: str) -> None:
        """Send what one waits for."""


def nothing() -> None:
    """Do what the next step does."""


def tell(name: str) -> None:
    """Note when the step before this one had been committed."""
    _woken.put((name, monotonic_s()))


class Waiting(Workflow[int]):
    """An instance that waits once."""

    name = "bench-waiting"

    async def run(self, event: WorkflowEvent[int], step: Step) -> None:
        await step.wait_for_event("wait", type=_TOPIC, timeout=f"{_YEAR_S} seconds")
        await step.do("next", nothing)
        await step.do("tell", partial(tell, event.instance_id))


class Ours:
    """Instances of the engine, with the settings that it has by default."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._instances: Instances = engine.workflows.get(Waiting.name)

    def begin(self, names: Sequence[str]) -> None:
        for at in range(0, len(names), _BATCH):
            with transaction(self._engine.database) as session:
                for name in names[at : at + _BATCH]:
                    self._instances.create(name, 0, session=session)

    def waiting(self) -> int:
        c = journal.instance_table.c
        counted = sa.select(sa.func.count()).where(c.state == "waiting")
        with self._engine.database.connect() as connection:
            return connection.execute(counted).scalar_one()

    def wake(self, name: str) -> None:
        self._instances.get(name).send_event(_TOPIC, None)


class Recv:
    """Workflows of DBOS itself, each a task in `recv`: a thread for each would cost more."""

    def __init__(self, database: sa.Engine, loop: asyncio.AbstractEventLoop) -> None:
        self._database, self._loop = database, loop

    def begin(self, names: Sequence[str]) -> None:
        asyncio.run_coroutine_threadsafe(_start(names), self._loop).result()

    def waiting(self) -> int:
        table = "operation_outputs" if is_sqlite(self._database) else "dbos.operation_outputs"
        counted = sa.text(f"SELECT count(*) FROM {table} WHERE function_name = 'DBOS.sleep'")  # noqa: S608 - ours
        with self._database.connect() as connection:
            return int(connection.execute(counted).scalar_one())

    def wake(self, name: str) -> None:
        DBOS.send(name, "go", _TOPIC)


async def _start(names: Sequence[str]) -> None:
    for name in names:
        with SetWorkflowID(name):
            await DBOS.start_workflow_async(recv_waiting, name)


@DBOS.step(name="next")
async def _next() -> None:
    nothing()


@DBOS.step(name="tell")
async def _tell(name: str) -> None:
    tell(name)


@DBOS.workflow(name="bench-recv")
async def recv_waiting(name: str) -> None:
    """Wait once, by DBOS's own means."""
    await DBOS.recv_async(_TOPIC, timeout_seconds=_YEAR_S)
    await _next()
    await _tell(name)


@contextmanager
def ours(url: str) -> Iterator[Waiters]:
    """Run the engine as a worker does."""
    database = create_database(url)
    engine = Engine(database, url, [Waiting()], {name: Resource() for name in RESOURCES})
    engine.start()
    try:
        yield Ours(engine)
    finally:
        engine.stop()
        database.dispose()


@contextmanager
def recv(url: str) -> Iterator[Waiters]:
    """Run DBOS on the same kind of database, with the settings that the engine gives it."""
    config: DBOSConfig = {
        "name": "kikigaki-bench",
        "system_database_url": url,
        "application_version": "1",
        "log_level": "ERROR",
        "sys_db_pool_size": 10,
        "enable_otlp": False,
    }
    database = create_database(url, explicit_begin=False)
    if is_sqlite(database):
        config["system_database_engine"] = database
    DBOS(config=config)
    DBOS.launch()
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield Recv(database, loop)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        DBOS.destroy()
        database.dispose()


def measure(waiters: Waiters, count: int, messages: int, idle_s: float, *, there: bool) -> Found:
    """Let many wait, or find them waiting; look at memory and idle time, then wake some."""
    names = [f"waiter-{number}" for number in range(count)]
    began_s = monotonic_s()
    if not there:
        waiters.begin(names)
    wait_until(lambda: waiters.waiting() == count, f"{count} to wait", _LONGEST_S)
    begun_s = monotonic_s() - began_s
    _pause(idle_s / 4)  # what the beginning left to do
    return Found(
        resident_bytes=settled_bytes(),
        idle_ratio=_idle_ratio(idle_s) if idle_s else 0.0,
        begun_s=begun_s,
        woken_s=_wake(waiters, random.Random(1).sample(names, messages)),  # noqa: S311 - no secret
    )


def _wake(waiters: Waiters, names: Sequence[str]) -> list[float]:
    """Wake one after the other, at moments that fit no polling interval; return what it took."""
    chance, took = random.Random(2), []  # noqa: S311 - no secret
    for name in names:
        _pause(chance.uniform(0, _PAUSE_S))
        began_s = monotonic_s()
        waiters.wake(name)
        woken, at_s = _woken.get(timeout=_LONGEST_S)
        assert woken == name
        took.append(at_s - began_s)
    return took


def _idle_ratio(seconds: float) -> float:
    began_s, used_s = monotonic_s(), processor_s(os.getpid())
    _pause(seconds)
    return (processor_s(os.getpid()) - used_s) / (monotonic_s() - began_s)


def _pause(seconds: float) -> None:
    _never.wait(seconds)


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("kind", choices=("ours", "recv"))
    parser.add_argument("--url", required=True)
    parser.add_argument("--count", type=int, required=True)
    parser.add_argument("--messages", type=int, required=True)
    parser.add_argument("--idle-s", type=float, required=True)
    parser.add_argument("--there", action="store_true", help="they have been begun before")
    given = parser.parse_args(arguments)
    run = ours if given.kind == "ours" else recv
    with run(given.url) as waiters:
        found = measure(waiters, given.count, given.messages, given.idle_s, there=given.there)
        sys.stdout.write(f"{json.dumps(asdict(found))}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
