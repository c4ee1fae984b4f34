"""How many instances are created in a second, beside workflows that DBOS enqueues."""

from collections.abc import Sequence

from tests.bench.contestants import SERVER, Host, host, measured
from tests.bench.creators import BATCH, Rates
from tests.bench.report import Row, Section

_GOAL_PER_S = 300  # on PostgreSQL
_ROUNDS = 3


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
            _row(batches, ours.in_batches, plain.in_batches, goal),
        ],
        [
            (
                f"{count} each, from one thread of one process, while nothing executes; theirs: a "
                "workflow of DBOS enqueued in a transaction of its own, or so many in one. An "
                "instance of ours is such a workflow and a row of the journal."
            ),
            f"ours and theirs take turns, {_ROUNDS} rounds, the best of each counts. {SERVER}",
        ],
    )


def _run(contestant: str, where: Host, count: int) -> Rates:
    return Rates(**measured("creators", contestant, url=where.new(), count=count))


def _best(runs: Sequence[Rates]) -> Rates:
    return Rates(max(run.one_by_one for run in runs), max(run.in_batches for run in runs))


def _row(what: str, ours: float, theirs: float, goal: int | None) -> Row:
    wanted, met = ("", None) if goal is None else (f"at least {goal}", ours >= goal)
    return Row(what, f"{ours:.0f}", f"{theirs:.0f}", ours / theirs, wanted, met)
