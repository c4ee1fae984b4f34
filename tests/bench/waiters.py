"""The measured process of `waiting`: `python -m tests.bench.waiters ours|recv --url ...`.

Both kinds do the same: wait for a message, then take two steps. The second one tells the time: when
it begins, the result of the first has been committed. What waits has been begun by another process
(ours), or is begun here (DBOS's, which wait in memory).
"""

import argparse
import asyncio
import os
import queue
import random
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import sqlalchemy as sa
from dbos import DBOS, SetWorkflowID

from configs.clock import monotonic_s, new_id
from pipeline.engine import Engine, Instances, Resource, Step, Workflow, WorkflowEvent, journal
from pipeline.runtime import RESOURCES
from storage.database import create_database, is_sqlite, transaction
from tests.bench.contestants import server_s, tell
from tests.bench.executors import dbos
from tests.bench.processes import processor_s, settled_bytes
from tests.waiting import wait_until

_BATCH = 100
_LONGEST_S = 3600.0
_YEAR_S = 365 * 86_400
WAKES_PER_S = 5
_TOPIC = "go"

_woken: "queue.SimpleQueue[tuple[str, float]]" = queue.SimpleQueue()
_never = threading.Event()


@dataclass(frozen=True)
class Found:
    """What one process found.

    Attributes:
        ready_s: From its start (after the imports) to the end of a fresh instance.
        begun_s: From the beginning of those begun here until all wait.
        resident_bytes: Its memory while all wait.
        idle_ratio: Its processor time for each second while all wait.
        server_ratio: That of the database's server.
        woken_s: From a message to the next step committed, for each message.
    """

    ready_s: float
    begun_s: float
    resident_bytes: int
    idle_ratio: float
    server_ratio: float
    woken_s: list[float]


class Waiters(Protocol):
    """Something that can wait many times over."""

    def run(self, name: str) -> None:
        """Begin something of that name that waits for nothing."""

    def begin(self, names: Sequence[str]) -> None:
        """Begin waiting under these names."""

    def waiting(self) -> int:
        """Count those that wait."""

    def wake(self, name: str) -> None:
        """Send what one waits for."""


def nothing() -> None:
    """Do what the next step does."""


def note(name: str) -> None:
    """Note when the step before this one had been committed."""
    _woken.put((name, monotonic_s()))


class Waiting(Workflow[int]):
    """An instance that waits once."""

    name = "bench-waiting"

    async def run(self, event: WorkflowEvent[int], step: Step) -> None:
        await step.wait_for_event("wait", type=_TOPIC, timeout=f"{_YEAR_S} seconds")
        await step.do("next", nothing)
        await step.do("note", partial(note, event.instance_id))


class Fresh(Workflow[int]):
    """An instance that does not wait."""

    name = "bench-fresh"

    async def run(self, event: WorkflowEvent[int], step: Step) -> None:
        await step.do("next", nothing)
        await step.do("note", partial(note, event.instance_id))


class Ours:
    """Instances of the engine, with the settings that it has by default."""

    def __init__(self, engine: Engine, elsewhere: Engine) -> None:
        self._engine, self._elsewhere = engine, elsewhere
        self._instances: Instances = engine.workflows.get(Waiting.name)

    def run(self, name: str) -> None:
        self._engine.workflows.get(Fresh.name).create(name, 0)

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
        self._elsewhere.workflows.get(Waiting.name).get(name).send_event(_TOPIC, None)


class Recv:
    """Workflows of DBOS itself, each a task in `recv`: a thread for each would cost more."""

    def __init__(self, database: sa.Engine, loop: asyncio.AbstractEventLoop) -> None:
        self._database, self._loop = database, loop

    def run(self, name: str) -> None:
        asyncio.run_coroutine_threadsafe(_run(name), self._loop).result()

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


async def _run(name: str) -> None:
    with SetWorkflowID(name):
        await DBOS.start_workflow_async(recv_nothing, name)


@DBOS.step(name="next")
async def _next() -> None:
    nothing()


@DBOS.step(name="note")
async def _note(name: str) -> None:
    note(name)


@DBOS.workflow(name="bench-nothing")
async def recv_nothing(name: str) -> None:
    """Do the same without waiting."""
    await _next()
    await _note(name)


@DBOS.workflow(name="bench-recv")
async def recv_waiting(name: str) -> None:
    """Wait once, by DBOS's own means."""
    await DBOS.recv_async(_TOPIC, timeout_seconds=_YEAR_S)
    await _next()
    await _note(name)


@contextmanager
def ours(url: str) -> Iterator[Waiters]:
    """Run the engine as a worker does, beside one that only sends, as the web process does."""
    database = create_database(url)
    engine, web = (
        Engine(database, url, [Waiting(), Fresh()], {name: Resource() for name in RESOURCES})
        for _ in range(2)
    )
    engine.start()
    web.connect()
    try:
        yield Ours(engine, web)
    finally:
        web.stop()
        engine.stop()
        database.dispose()


@contextmanager
def recv(url: str) -> Iterator[Waiters]:
    """Run DBOS on the same kind of database, with the settings that the engine gives it."""
    database = create_database(url, explicit_begin=False)
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    with dbos(url, database):
        thread.start()
        yield Recv(database, loop)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
    database.dispose()


def names(count: int, copies: int = 0) -> list[str]:
    """Return the ids of those begun and of their copies (`cloning`)."""
    begun = [f"waiter-{number:06}" for number in range(count)]
    return begun + [f"{name}-{copy}" for name in begun for copy in range(1, copies + 1)]


def measure(waiters: Waiters, began_s: float, given: argparse.Namespace) -> Found:
    """Run a fresh one; let many wait; look at memory and idle time; then wake some."""
    ready_s = _ready_s(waiters, began_s)
    begun_s = _begin(waiters, names(given.begin)) if given.begin else 0.0
    _pause(given.idle_s / 4)  # what the beginning left to do
    resident_bytes = settled_bytes()
    idle, server = _idle_ratios(given.idle_s, given.server) if given.idle_s else (0.0, 0.0)
    there = names(given.sources, given.copies)
    woken = random.Random(1).sample(there, given.messages)  # noqa: S311 - no secret
    return Found(ready_s, begun_s, resident_bytes, idle, server, _wake(waiters, woken))


def _ready_s(waiters: Waiters, began_s: float) -> float:
    name = new_id("fresh")
    waiters.run(name)
    ended, at_s = _woken.get(timeout=_LONGEST_S)
    assert ended == name
    return at_s - began_s


def _begin(waiters: Waiters, begun: Sequence[str]) -> float:
    began_s = monotonic_s()
    waiters.begin(begun)
    wait_until(lambda: waiters.waiting() == len(begun), f"{len(begun)} to wait", _LONGEST_S)
    return monotonic_s() - began_s


def _wake(waiters: Waiters, woken: Sequence[str]) -> list[float]:
    """Wake some at random moments, whatever became of the others; return what each took."""
    chance, sent_s = random.Random(2), {}  # noqa: S311 - no secret
    for name in woken:
        _pause(chance.expovariate(WAKES_PER_S))
        sent_s[name] = monotonic_s()
        waiters.wake(name)
    ended = dict(_woken.get(timeout=_LONGEST_S) for _ in woken)
    return [at_s - sent_s[name] for name, at_s in ended.items()]


def _idle_ratios(seconds: float, server: int | None) -> tuple[float, float]:
    began_s, used_s, served_s = monotonic_s(), processor_s(os.getpid()), server_s(server)
    _pause(seconds)
    took_s = monotonic_s() - began_s
    return (processor_s(os.getpid()) - used_s) / took_s, (server_s(server) - served_s) / took_s


def _pause(seconds: float) -> None:
    _never.wait(seconds)


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("kind", choices=("ours", "recv"))
    parser.add_argument("--url", required=True)
    parser.add_argument("--begin", type=int, default=0, help="how many begin to wait here")
    parser.add_argument("--sources", type=int, default=0, help="how many of those are there")
    parser.add_argument("--copies", type=int, default=0, help="how many copies of each are there")
    parser.add_argument("--messages", type=int, default=0)
    parser.add_argument("--idle-s", type=float, default=0.0)
    parser.add_argument("--server", type=int, help="the process of the database's server")
    given = parser.parse_args(arguments)
    run = ours if given.kind == "ours" else recv
    began_s = monotonic_s()
    with run(given.url) as waiters:
        tell(measure(waiters, began_s, given))


if __name__ == "__main__":
    main(sys.argv[1:])
