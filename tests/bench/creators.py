"""The measured process of `creating`: `python -m tests.bench.creators ours|plain --url ...`.

Nothing executes meanwhile: instances are created as a web process creates them.
"""

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass

from dbos import DBOSClient, EnqueueOptions

from configs.clock import monotonic_s
from pipeline.engine import Engine, NewInstance
from pipeline.engine.dispatch import serializer
from storage.database import create_database, transaction
from tests.bench.contestants import tell
from tests.bench.executors import Three

BATCH = 100
THREADS = 8
_OPTIONS: EnqueueOptions = {"workflow_name": "bench", "queue_name": "bench", "app_version": "1"}

Create = Callable[[Sequence[int]], object]


@dataclass(frozen=True)
class Rates:
    """Instances created in a second."""

    one_by_one: float
    by_threads: float
    in_batches: float


@contextmanager
def ours(url: str) -> Iterator[Create]:
    """Create instances of the engine."""
    database = create_database(url)
    engine = Engine(database, url, [Three()])
    engine.connect()
    instances = engine.workflows.get(Three.name)
    yield lambda numbers: instances.create_batch([NewInstance(params=number) for number in numbers])
    engine.stop()
    database.dispose()


@contextmanager
def plain(url: str) -> Iterator[Create]:
    """Enqueue workflows of DBOS, in a transaction as the engine does."""
    database = create_database(url)
    Engine(database, url, []).create_schema()
    client = DBOSClient(
        system_database_engine=database,
        application_name="kikigaki-bench",
        serializer=serializer,
        lazy=True,
    )

    def create(numbers: Sequence[int]) -> None:
        with transaction(database) as session:
            for number in numbers:
                client.enqueue_in_transaction(session, _OPTIONS, number)

    yield create
    client.destroy()
    database.dispose()


def measure(create: Create, count: int) -> Rates:
    """Create so many in each way, after a batch that is not counted."""
    numbers = range(count)
    create(numbers[:BATCH])
    singles = [numbers[at : at + 1] for at in numbers]
    return Rates(
        _rate(create, singles, 1),
        _rate(create, singles, THREADS),
        _rate(create, [numbers[at : at + BATCH] for at in numbers[::BATCH]], 1),
    )


def _rate(create: Create, batches: Sequence[Sequence[int]], threads: int) -> float:
    with ThreadPoolExecutor(threads) as pool:
        began_s = monotonic_s()
        list(pool.map(create, batches))
        return sum(map(len, batches)) / (monotonic_s() - began_s)


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("kind", choices=("ours", "plain"))
    parser.add_argument("--url", required=True)
    parser.add_argument("--count", type=int, required=True)
    given = parser.parse_args(arguments)
    run = {"ours": ours, "plain": plain}[given.kind]
    with run(given.url) as create:
        tell(measure(create, given.count))


if __name__ == "__main__":
    main(sys.argv[1:])
