"""What an instance of three steps costs, beside plain DBOS and beside calling the functions."""

from collections.abc import Sequence

from tests.bench.contestants import SERVER, Host, host, measured
from tests.bench.executors import Used
from tests.bench.report import Row, Section

_GOAL = 1.5
_ROUNDS = 3
_STEPS = 3


def measure(kind: str, count: int) -> Section:
    """Let the engine and DBOS take turns; the round with the least processor time counts.

    Args:
        kind: `sqlite` or `postgresql`.
        count: Instances in each round.
    """
    with host(kind) as where:
        rounds = [(_run("ours", where, count), _run("plain", where, count)) for _ in range(_ROUNDS)]
    ours, plain = (
        min(runs, key=lambda used: used.processor_s) for runs in zip(*rounds, strict=True)
    )
    direct = Used(**measured("executors", "direct", count=count))
    return Section(
        f"An instance of three steps on {kind}, beside plain DBOS",
        [*_rows(ours, plain, count), *_overhead(ours, direct, count)],
        [
            (
                f"{count} instances, each created by itself in the process that executes them, 16 "
                "at a time, from the first creation to the last end, after one that is not "
                "counted. DBOS: three steps in a workflow on a queue with the same polling, pool "
                "and serializer."
            ),
            (
                f"ours and DBOS take turns, {_ROUNDS} rounds, the one with the least processor "
                f"time of each counts; their ratios: {_ratios(rounds)}."
            ),
            (
                "by the clock DBOS waits for a look at its queue, one a second; ours looks as it "
                f"puts something in; theirs in the last rows: the three functions called. {SERVER}"
            ),
        ],
    )


def _run(contestant: str, where: Host, count: int) -> Used:
    url, server = where.new(), where.server
    return Used(**measured("executors", contestant, url=url, count=count, server=server))


def _rows(ours: Used, plain: Used, count: int) -> list[Row]:
    rows = [_row("processor time for each instance", ours.processor_s, plain.processor_s, count)]
    if plain.server_s:
        what = "the database server's processor time for each instance"
        rows.append(_row(what, ours.server_s, plain.server_s, count))
        mine, others = ours.processor_s + ours.server_s, plain.processor_s + plain.server_s
        rows.append(_row("both together", mine, others, count))
    rows[0] = _row(
        "processor time for each instance", ours.processor_s, plain.processor_s, count, _GOAL
    )
    return [*rows, _row("by the clock, for each instance", ours.wall_s, plain.wall_s, count)]


def _row(what: str, ours_s: float, theirs_s: float, count: int, goal: float | None = None) -> Row:
    ratio = ours_s / theirs_s
    wanted, met = ("", None) if goal is None else (f"at most {goal}", ratio <= goal)
    mine, others = ours_s / count * 1000, theirs_s / count * 1000
    return Row(what, f"{mine:.1f} ms", f"{others:.1f} ms", ratio, wanted, met)


def _overhead(ours: Used, direct: Used, count: int) -> list[Row]:
    each = [used / count / _STEPS * 1000 for used in (ours.processor_s, direct.processor_s)]
    wall = [used / count / _STEPS * 1000 for used in (ours.wall_s, direct.wall_s)]
    return [
        Row(
            "processor time for each step, above the call",
            f"{each[0] - each[1]:.2f} ms",
            _us(each[1]),
        ),
        Row(
            "by the clock for each step, above the call",
            f"{wall[0] - wall[1]:.2f} ms",
            _us(wall[1]),
        ),
    ]


def _us(milliseconds: float) -> str:
    return f"{milliseconds * 1000:.0f} µs"


def _ratios(rounds: Sequence[tuple[Used, Used]]) -> str:
    return ", ".join(f"{ours.processor_s / plain.processor_s:.2f}" for ours, plain in rounds)
