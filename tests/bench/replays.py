"""The measured process of `replay`: `python -m tests.bench.replays --url ... --lengths 10 100`.

The turns are called here one after the other, and not from a queue: what is measured is the turn.
"""

import argparse
import asyncio
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import sqlalchemy as sa

from configs.clock import monotonic_s
from pipeline.engine import Engine, Instances, Step, Workflow, WorkflowEvent
from pipeline.engine.executions import run_turn
from pipeline.engine.runtime import Execution, Runtime
from storage.database import create_database, is_sqlite
from tests.bench.contestants import tell
from tests.bench.executors import one

_INSTANCES = 5


@dataclass(frozen=True)
class Replays:
    """Medians of one turn for each length of history, in seconds."""

    wall_s: list[float]
    processor_s: list[float]


class Long(Workflow[int]):
    """As many steps as its parameter says, then a wait."""

    name = "bench-long"

    async def run(self, event: WorkflowEvent[int], step: Step) -> None:
        for _ in range(event.payload):
            await step.do("one", one)
        await step.wait_for_event("wait", type="go")


def measure(engine: Engine, lengths: Sequence[int]) -> Replays:
    """Let instances take their steps and wait; then measure the turn that ends them."""
    instances = engine.workflows.get(Long.name)
    taken = [
        [_last_turn(engine.runtime, instances, length) for _ in range(_INSTANCES)]
        for length in lengths
    ]
    return Replays(
        [statistics.median(wall for wall, _ in turns) for turns in taken],
        [statistics.median(used for _, used in turns) for turns in taken],
    )


def _last_turn(runtime: Runtime, instances: Instances, length: int) -> tuple[float, float]:
    instance = instances.create(params=length)
    with _claimed(runtime, f"{instance.id}:1") as turn:
        assert asyncio.run(run_turn(runtime, turn, instance.id, 1)) == "suspended"
    instance.send_event("go", None)
    with _claimed(runtime, f"{instance.id}:2") as turn, asyncio.Runner() as runner:
        runner.get_loop()
        began_s, used_s = monotonic_s(), time.process_time()
        assert runner.run(run_turn(runtime, turn, instance.id, 2)) == "complete"
        return monotonic_s() - began_s, time.process_time() - used_s


@contextmanager
def _claimed(runtime: Runtime, name: str) -> Iterator[Execution]:
    """Take an execution from the queue, as DBOS does before it begins it."""
    with runtime.store.database.begin() as connection:
        schema = "" if is_sqlite(runtime.store.database) else "dbos."
        claim = sa.text(
            f"UPDATE {schema}workflow_status SET status = 'PENDING', executor_id = :executor"  # noqa: S608 - no input
            " WHERE workflow_uuid = :name"
        )
        connection.execute(claim, {"executor": runtime.executor, "name": name})
    with runtime.live.execution(name) as execution:
        yield execution


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--url", required=True)
    parser.add_argument("--lengths", required=True, help="as 10,100")
    given = parser.parse_args(arguments)
    database = create_database(given.url)
    engine = Engine(database, given.url, [Long()])
    engine.start(turns=False)
    lengths = [1, *map(int, given.lengths.split(","))]  # the first is to warm up
    found = measure(engine, lengths)
    tell(Replays(found.wall_s[1:], found.processor_s[1:]))
    engine.stop()
    database.dispose()


if __name__ == "__main__":
    main(sys.argv[1:])
