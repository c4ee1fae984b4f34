"""The measured process of `backlog`: `python -m tests.bench.backlogged make|work --url ...`."""

import argparse
import queue
import random
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

import sqlalchemy as sa

from configs.clock import monotonic_s
from pipeline.engine import Engine, Step, Workflow, WorkflowEvent
from storage.database import create_database
from tests.bench.contestants import server_s, tell
from tests.waiting import wait_until

TENANT = "flood"
SOURCE = "queued"
_OTHER = "other"
_PAUSE_S = 1.0
_LONGEST_S = 600.0
_QUEUE_THREAD = "queue-worker-turns"

_ended: "queue.SimpleQueue[tuple[str, float]]" = queue.SimpleQueue()
_never = threading.Event()


@dataclass(frozen=True)
class Worked:
    """What a worker did beside so many queued instances.

    Attributes:
        fresh_s: From the creation of another tenant's instance to its end, for each.
        rate: Instances of the flood that ended, for each second.
        processor_s: Its processor time for each instance that ended.
        server_s: That of the database's server.
        look_s: What one look at the queue waited for the database.
    """

    fresh_s: list[float]
    rate: float
    processor_s: float
    server_s: float
    look_s: float


@dataclass
class Looks:
    """Looks at the queue of turns, and how long their statements took."""

    number: int = 0
    waited_s: float = 0.0


class Queued(Workflow[int]):
    """An instance of one step."""

    name = "bench-queued"

    def __init__(self) -> None:
        self.ended = 0

    async def run(self, event: WorkflowEvent[int], step: Step) -> None:
        await step.do("note", partial(self.note, event.instance_id))

    async def note(self, id_: str) -> None:
        """Count one of the flood, or tell when another was done."""
        if id_.startswith(f"{_OTHER}."):
            _ended.put((id_, monotonic_s()))
        else:
            self.ended += 1  # on the event loop, one at a time


@contextmanager
def looks() -> Iterator[Looks]:
    """Watch what the thread that takes turns from the queue asks of the database."""
    found, began_s = Looks(), [0.0]

    def before(*_: object) -> None:
        began_s[0] = monotonic_s() if _is_looking() else began_s[0]

    def after(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        if _is_looking():
            found.waited_s += monotonic_s() - began_s[0]
            found.number += statement.startswith("WITH RECURSIVE")  # one for each look

    sa.event.listen(sa.Engine, "before_cursor_execute", before)
    sa.event.listen(sa.Engine, "after_cursor_execute", after)
    try:
        yield found
    finally:
        sa.event.remove(sa.Engine, "before_cursor_execute", before)
        sa.event.remove(sa.Engine, "after_cursor_execute", after)


def _is_looking() -> bool:
    return threading.current_thread().name == _QUEUE_THREAD


def make(url: str) -> None:
    """Create the instance that is to be copied."""
    database = create_database(url)
    engine = Engine(database, url, [Queued()])
    engine.connect()
    engine.workflows.for_tenant(TENANT).get(Queued.name).create(SOURCE, 0)
    engine.stop()
    database.dispose()


def work(url: str, fresh: int, server: int | None) -> Worked:
    """Take from the queue, and create another tenant's instances one after the other."""
    database, workflow = create_database(url), Queued()
    engine = Engine(database, url, [workflow])
    engine.start()
    wait_until(lambda: workflow.ended > 0, "the first", _LONGEST_S)
    with looks() as found:
        began_s, used_s, served_s = monotonic_s(), time.process_time(), server_s(server)
        before = workflow.ended
        fresh_s = [_fresh_s(engine, number) for number in range(fresh)]
        ended, took_s = workflow.ended - before + fresh, monotonic_s() - began_s
        used_s, served_s = time.process_time() - used_s, server_s(server) - served_s
    engine.stop()
    database.dispose()
    look_s = found.waited_s / found.number
    return Worked(fresh_s, ended / took_s, used_s / ended, served_s / ended, look_s)


def _fresh_s(engine: Engine, number: int) -> float:
    """Create another tenant's instance at a random moment; return how long until it was done."""
    _never.wait(random.Random(number).uniform(0, _PAUSE_S))  # noqa: S311 - no secret
    began_s = monotonic_s()
    engine.workflows.for_tenant(_OTHER).get(Queued.name).create(f"fresh-{number}", 0)
    _, ended_s = _ended.get(timeout=_LONGEST_S)
    return ended_s - began_s


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=("make", "work"))
    parser.add_argument("--url", required=True)
    parser.add_argument("--fresh", type=int, default=0, help="instances of another tenant")
    parser.add_argument("--server", type=int, help="the process of the database's server")
    given = parser.parse_args(arguments)
    if given.what == "make":
        make(given.url)
        sys.stdout.write("{}\n")
    else:
        tell(work(given.url, given.fresh, given.server))


if __name__ == "__main__":
    main(sys.argv[1:])
