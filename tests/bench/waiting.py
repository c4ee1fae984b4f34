"""Many instances that wait: what they cost at rest, and how soon one goes on."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from tests.bench.cloning import clone
from tests.bench.contestants import SERVER, Host, host, measured
from tests.bench.report import Row, Section
from tests.bench.waiters import WAKES_PER_S, Found, names

_GOAL_BYTES = 1024  # the granularity of the measurement: nothing is kept for an instance
_GOAL_IDLE = 0.03
_GOAL_WAKE_S = 1.5
_GOAL_READY = 1.2
_KIB, _MIB = 1024, 1024**2
_REAL = 200
_SOME = 1_000
_STARTS = 9
_QUANTILES = (0.5, 0.95, 0.99)


@dataclass(frozen=True)
class Crowd:
    """A database in which so many wait, and what a worker found in it."""

    url: str
    count: int
    found: Found

    def bytes_each(self, without: "Crowd") -> float:
        """Return the memory that each adds to the process; 0 where it is too little to be seen."""
        added = self.found.resident_bytes - without.found.resident_bytes
        return max(added, 0) / self.count

    def wake_s(self, quantile: float) -> float:
        """Return a quantile of what waking took."""
        took = sorted(self.found.woken_s)
        return took[min(int(len(took) * quantile), len(took) - 1)]


@dataclass(frozen=True)
class Plan:
    """What to measure.

    Attributes:
        waiters: Instances of ours.
        theirs: Workflows of DBOS.
        messages: How many are woken.
        idle_s: How long an idle process is looked at.
    """

    waiters: int
    theirs: int
    messages: int
    idle_s: float


def measure(kind: str, plan: Plan) -> Section:
    """Let both wait, each in a process and a database of its own.

    Args:
        kind: `sqlite` or `postgresql`.
        plan: How many, how long.
    """
    with host(kind) as where:
        recv = _recv(where, plan)
        ours = [_ours(where, plan, count) for count in (0, _SOME, plan.waiters)]
        ready = _starts(ours[0], ours[-1])
    return Section(
        f"Waiting on {kind}: {plan.waiters} instances beside {plan.theirs} in `DBOS.recv`",
        [
            _memory(ours, recv),
            *_idle(ours, recv),
            *(_wake(ours[-1], recv[-1], quantile) for quantile in _QUANTILES),
            _ready(ready, plan.waiters),
        ],
        _notes(ours, recv, plan),
    )


def _ours(where: Host, plan: Plan, count: int) -> Crowd:
    """Make some, copy them until there are so many, and look at a worker beside them."""
    url, real = where.new(), min(_REAL, count)
    copies = count // real - 1 if real else 0
    measured("waiters", "ours", url=url, begin=real)
    clone(url, names(real), copies)
    messages = plan.messages if count == plan.waiters else 0
    return Crowd(
        url, count, _found("ours", where, url, plan, messages, sources=real, copies=copies)
    )


def _recv(where: Host, plan: Plan) -> list[Crowd]:
    crowds = []
    for count, messages in ((0, 0), (plan.theirs, plan.messages)):
        url = where.new()
        found = _found("recv", where, url, plan, messages, begin=count, sources=count)
        crowds.append(Crowd(url, count, found))
    return crowds


def _found(kind: str, where: Host, url: str, plan: Plan, messages: int, **more: int) -> Found:
    told = measured(
        "waiters",
        kind,
        url=url,
        messages=messages,
        idle_s=plan.idle_s,
        server=where.server,
        **more,
    )
    return Found(**told)


def _starts(empty: Crowd, full: Crowd) -> tuple[list[float], list[float]]:
    """Start workers by turns beside nothing and beside all that wait; return what each took."""
    rounds = [
        [Found(**measured("waiters", "ours", url=crowd.url)).ready_s for crowd in (empty, full)]
        for _ in range(_STARTS)
    ]
    return [one for one, _ in rounds], [other for _, other in rounds]


def _memory(ours: Sequence[Crowd], recv: Sequence[Crowd]) -> Row:
    mine, others = ours[-1].bytes_each(ours[0]), recv[-1].bytes_each(recv[0])
    return Row(
        "memory for each waiter",
        f"{mine / _KIB:.2f} KiB",
        f"{others / _KIB:.2f} KiB",
        _ratio(mine, others),
        "nothing (under 1 KiB)",
        mine < _GOAL_BYTES,
    )


def _idle(ours: Sequence[Crowd], recv: Sequence[Crowd]) -> list[Row]:
    most, others = ours[-1].found, recv[-1].found
    rows = [
        Row(
            "idle processor time of the process, of a core",
            f"{most.idle_ratio:.2%}",
            f"{others.idle_ratio:.2%}",
            _ratio(most.idle_ratio, others.idle_ratio),
            f"under {_GOAL_IDLE:.0%}",
            most.idle_ratio < _GOAL_IDLE,
        )
    ]
    if most.server_ratio:
        mine, its = most.server_ratio, others.server_ratio
        what = "that of the database's server meanwhile"
        rows.append(Row(what, f"{mine:.2%}", f"{its:.2%}", _ratio(mine, its)))
    return rows


def _wake(ours: Crowd, theirs: Crowd, quantile: float) -> Row:
    mine, others = ours.wake_s(quantile), theirs.wake_s(quantile)
    goal = (
        ("", None)
        if quantile != _QUANTILES[1]
        else (f"under {_GOAL_WAKE_S} s", mine < _GOAL_WAKE_S)
    )
    what = f"from the message to the next step committed, p{quantile * 100:.0f}"
    return Row(what, f"{mine:.2f} s", f"{others:.2f} s", _ratio(mine, others), *goal)


def _ready(starts: tuple[list[float], list[float]], count: int) -> Row:
    """Compare ours with ours: the column of the others is an empty database."""
    empty_s, full_s = (statistics.median(took) for took in starts)
    return Row(
        f"a worker's start to a fresh instance's end, beside {count} (theirs: ours, beside none)",
        f"{full_s:.2f} s",
        f"{empty_s:.2f} s",
        full_s / empty_s,
        f"under {_GOAL_READY}",
        full_s / empty_s < _GOAL_READY,
    )


def _notes(ours: Sequence[Crowd], recv: Sequence[Crowd], plan: Plan) -> list[str]:
    return [
        (
            f"ours: {_REAL} instances were made and came to wait; the others are their rows, "
            "copied in the database (instance, step, DBOS's delayed timer). A worker with its "
            "default settings, a queue for each of the application's resources, was then started "
            "beside them. Theirs: the process that began them, each a task, with the settings "
            "that the engine gives DBOS."
        ),
        "at rest: " + "; ".join(_rest(crowd) for crowd in ours) + f"; DBOS with {_rest(recv[0])}.",
        (
            f"idle: over {plan.idle_s:.0f} s. {plan.messages} woken at random moments, on average "
            f"{WAKES_PER_S} a second: ours as by another process (a worker finds what it put on a "
            "queue itself at once), theirs by the process that waits. Starts: the median of "
            f"{_STARTS}, by turns, without imports."
        ),
        SERVER,
    ]


def _rest(crowd: Crowd) -> str:
    found = crowd.found
    server = f", server {found.server_ratio:.2%}" if found.server_ratio else ""
    memory = f"{found.resident_bytes / _MIB:.0f} MiB"
    return f"{crowd.count} waiting {memory}, {found.idle_ratio:.2%} of a core{server}"


def _ratio(ours: float, theirs: float) -> float | None:
    return ours / theirs if theirs else None
