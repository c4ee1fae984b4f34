"""How many instances are created in a second, beside workflows that DBOS enqueues."""

import os
from collections.abc import Sequence
from tempfile import TemporaryFile

from configs.clock import monotonic_s
from tests.bench.contestants import SERVER, Host, host, measured
from tests.bench.creators import BATCH, THREADS, Rates
from tests.bench.report import Row, Section

_GOAL_PER_S = 300  # on PostgreSQL
_ROUNDS = 3
_FLUSHES, _BLOCK = 100, 8192


def measure(kind: str, count: int) -> Section:
    """Let both create instances from one process.

    Args:
        kind: `sqlite` or `postgresql`.
        count: How many one by one, and how many in batches.
    """
    with host(kind) as where:
        rounds = [(_run("ours", where, count), _run("plain", where, count)) for _ in range(_ROUNDS)]
    ours, plain = (_best(runs) for runs in zip(*rounds, strict=True))
    goal = _GOAL_PER_S if kind == "postgresql" else None
    batches = f"created in batches of {BATCH}, a second"
    return Section(
        f"Creating instances on {kind}",
        [
            _row("created one by one, a second", ours.one_by_one, plain.one_by_one, goal),
            _row(f"by {THREADS} threads, a second", ours.by_threads, plain.by_threads, goal),
            _row(batches, ours.in_batches, plain.in_batches, goal),
        ],
        [
            (
                f"{count} each, from one process, while nothing executes; theirs: a "
                "workflow of DBOS enqueued in a transaction of its own, or so many in one. An "
                "instance of ours is such a workflow and a row of the journal."
            ),
            (
                f"ours and theirs take turns, {_ROUNDS} rounds, the best of each counts. {SERVER} "
                f"One flush to this disk took {_flush_s() * 1000:.1f} ms: one thread cannot commit "
                "more often, whatever it commits."
            ),
        ],
    )


def _run(contestant: str, where: Host, count: int) -> Rates:
    return Rates(**measured("creators", contestant, url=where.new(), count=count))


def _flush_s() -> float:
    """Return how long it takes to write a block to the disk on which databases are made."""
    with TemporaryFile(buffering=0) as file:
        began_s = monotonic_s()
        for _ in range(_FLUSHES):
            file.write(bytes(_BLOCK))
            os.fdatasync(file)
        return (monotonic_s() - began_s) / _FLUSHES


def _best(runs: Sequence[Rates]) -> Rates:
    ways = ("one_by_one", "by_threads", "in_batches")
    return Rates(**{way: max(getattr(run, way) for run in runs) for way in ways})


def _row(what: str, ours: float, theirs: float, goal: int | None) -> Row:
    wanted, met = ("", None) if goal is None else (f"at least {goal}", ours >= goal)
    return Row(what, f"{ours:.0f}", f"{theirs:.0f}", ours / theirs, wanted, met)
