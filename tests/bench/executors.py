"""The measured process of `engine`: `python -m tests.bench.executors ours|plain|direct ...`.

All do the same: three asynchronous steps that return 1, for many instances from a queue.
"""

import argparse
import asyncio
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import sqlalchemy as sa
from dbos import DBOS, DBOSConfig

from configs.clock import monotonic_s
from pipeline.engine import Engine, EngineSettings, Step, Workflow, WorkflowEvent, journal
from pipeline.engine.dispatch import serializer
from storage.database import create_database, is_sqlite
from tests.bench.contestants import server_s, tell
from tests.waiting import wait_until

_QUEUE = "bench"
_LONGEST_S = 1800.0

Begin = Callable[[int], object]
Ended = Callable[[], int]


@dataclass(frozen=True)
class Used:
    """What the instances took together, from the creation of the first to the end of the last."""

    processor_s: float
    server_s: float
    wall_s: float


async def one() -> int:
    """Do what each step does."""
    return 1


class Three(Workflow[int]):
    """Three steps, one after the other."""

    name = "bench-three"

    async def run(self, event: WorkflowEvent[int], step: Step) -> int:
        first = await step.do("first", one)
        second = await step.do("second", one)
        return event.payload + first + second + await step.do("third", one)


_one = DBOS.step(name="one")(one)


@DBOS.workflow(name="bench-plain")
async def plain_three(number: int) -> int:
    """The same three steps by DBOS's own means."""
    return number + await _one() + await _one() + await _one()


@contextmanager
def ours(url: str) -> Iterator[tuple[Begin, Ended]]:
    """Run the engine with the settings that it has by default."""
    database = create_database(url)
    engine = Engine(database, url, [Three()])
    engine.start()
    instances = engine.workflows.get(Three.name)
    complete = sa.select(sa.func.count()).where(journal.instance_table.c.state == "complete")
    try:
        yield (lambda number: instances.create(params=number)), lambda: _count(database, complete)
    finally:
        engine.stop()
        database.dispose()


@contextmanager
def plain(url: str) -> Iterator[tuple[Begin, Ended]]:
    """Run DBOS with the settings and the polling that the engine gives it."""
    settings = EngineSettings()
    database = create_database(url, explicit_begin=False)
    with dbos(url, database):
        DBOS.register_queue(
            _QUEUE, worker_concurrency=settings.turns, polling_interval_sec=settings.poll_s
        )
        queue = DBOS.retrieve_queue(_QUEUE)
        assert queue is not None
        table = "workflow_status" if is_sqlite(database) else "dbos.workflow_status"
        complete = sa.text(f"SELECT count(*) FROM {table} WHERE status = 'SUCCESS'")  # noqa: S608 - ours
        yield (
            (lambda number: queue.enqueue(plain_three, number)),
            lambda: _count(database, complete),
        )
    database.dispose()


@contextmanager
def dbos(url: str, database: sa.Engine) -> Iterator[None]:
    """Launch DBOS as the engine does."""
    config: DBOSConfig = {
        "name": "kikigaki-bench",
        "system_database_url": url,
        "application_version": "1",
        "log_level": "ERROR",
        "serializer": serializer,
        "sys_db_pool_size": 10,
        "enable_otlp": False,
        "notification_listener_polling_interval_sec": 1.0,
    }
    if is_sqlite(database):
        config["system_database_engine"] = database
    DBOS(config=config)
    # A thread without an event loop, so that DBOS uses its own, as the engine has it.
    launch = threading.Thread(target=DBOS.launch)
    launch.start()
    launch.join()
    try:
        yield
    finally:
        DBOS.destroy()


@contextmanager
def direct(_: str) -> Iterator[tuple[Begin, Ended]]:
    """Call the three functions."""
    ended = []

    async def three() -> int:
        return await one() + await one() + await one()

    with asyncio.Runner() as runner:
        yield (lambda _: ended.append(runner.run(three()))), lambda: len(ended)


def measure(begin: Begin, ended: Ended, count: int, server: int | None) -> Used:
    """Let one instance run before the measurement, then many."""
    begin(0)
    wait_until(lambda: ended() == 1, "the first", _LONGEST_S)
    began_s, used_s, served_s = monotonic_s(), time.process_time(), server_s(server)
    for number in range(count):
        begin(number)
    wait_until(lambda: ended() == count + 1, "all to end", _LONGEST_S)
    return Used(time.process_time() - used_s, server_s(server) - served_s, monotonic_s() - began_s)


def _count(database: sa.Engine, statement: sa.Executable) -> int:
    with database.connect() as connection:
        return int(connection.execute(statement).scalar_one())


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("kind", choices=("ours", "plain", "direct"))
    parser.add_argument("--url", default="")
    parser.add_argument("--count", type=int, required=True)
    parser.add_argument("--server", type=int)
    given = parser.parse_args(arguments)
    run = {"ours": ours, "plain": plain, "direct": direct}[given.kind]
    with run(given.url) as (begin, ended):
        tell(measure(begin, ended, given.count, given.server))


if __name__ == "__main__":
    main(sys.argv[1:])
