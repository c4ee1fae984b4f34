"""Many instances that wait, beside workflows of DBOS that wait in its `recv`."""

import json
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import dataclass
from tempfile import TemporaryDirectory

from tests.bench.report import Row, Section
from tests.bench.waiters import Found
from tests.databases import run_postgres

_GOAL_BYTES = 1024  # the granularity of the measurement: nothing is kept for an instance
_GOAL_IDLE = 0.03
_GOAL_WAKE_S = 1.5
_KIB = 1024
_TIMEOUT_S = 5400


@dataclass(frozen=True)
class Waited:
    """One kind of waiter: a process without any, and one with `count` of them."""

    count: int
    without: Found
    found: Found
    begun_s: float

    @property
    def bytes_each(self) -> float:
        """Memory that a waiter adds to the process; 0 where it is too little to be seen."""
        added = self.found.resident_bytes - self.without.resident_bytes
        return max(added, 0) / self.count

    @property
    def idle_ratio(self) -> float:
        """Processor time of the whole process with all its waiters, of a core."""
        return self.found.idle_ratio

    @property
    def idle_ratio_without(self) -> float:
        """Processor time of the same process without waiters, of a core."""
        return self.without.idle_ratio

    @property
    def idle_each(self) -> float:
        """Processor time that a waiter adds, of a core; 0 where it is too little to be seen."""
        return max(self.idle_ratio - self.idle_ratio_without, 0.0) / self.count

    @property
    def begun_each_s(self) -> float:
        """Seconds from the beginning of one to its waiting, many at a time."""
        return self.begun_s / self.count

    def wake_s(self, quantile: float) -> float:
        """Return a quantile of what waking took."""
        took = sorted(self.found.woken_s)
        return took[min(int(len(took) * quantile), len(took) - 1)]


def measure(kind: str, waiters: int, theirs: int, messages: int, idle_s: float) -> Section:
    """Let both wait, each in a process and a database of its own.

    Args:
        kind: `sqlite` or `postgresql`.
        waiters: how many instances of ours.
        theirs: how many of DBOS's.
        messages: how many of them are woken.
        idle_s: how long the processor time of an idle process is looked at.
    """
    with ExitStack() as stack:
        urls = iter(_databases(kind, stack))
        ours = _ours(next(urls), waiters, messages, idle_s)
        recv = _recv(next(urls), next(urls), theirs, messages, idle_s)
    return Section(
        f"Waiting on {kind}: {waiters} instances beside {theirs} in `DBOS.recv`",
        [_memory(ours, recv), *_idle(ours, recv), _wake(ours, recv)],
        [
            (
                "ours: a worker with its default settings, started beside what waits (the waiting "
                "began in another process); theirs: the process that began them, each a task, with "
                "the settings that the engine gives DBOS. The database's server is not counted."
            ),
            (
                f"idle over {idle_s:.0f} s; without waiters: ours {ours.idle_ratio_without:.2%}, "
                f"DBOS {recv.idle_ratio_without:.2%} of a core."
            ),
            (
                f"{messages} woken one by one at random moments; median: ours "
                f"{ours.wake_s(0.5):.2f} s, DBOS {recv.wake_s(0.5):.2f} s."
            ),
            (
                f"from beginning to waiting, each: ours {ours.begun_each_s * 1000:.0f} ms, "
                f"DBOS {recv.begun_each_s * 1000:.0f} ms."
            ),
        ],
    )


def _ours(url: str, count: int, messages: int, idle_s: float) -> Waited:
    without = _run("ours", url, 0, 0, idle_s)
    begun = _run("ours", url, count, 0, 0.0)
    found = _run("ours", url, count, messages, idle_s, "--there")
    return Waited(count, without, found, begun.begun_s)


def _recv(empty: str, url: str, count: int, messages: int, idle_s: float) -> Waited:
    without = _run("recv", empty, 0, 0, idle_s)
    found = _run("recv", url, count, messages, idle_s)
    return Waited(count, without, found, found.begun_s)


def _memory(ours: Waited, theirs: Waited) -> Row:
    return Row(
        "memory for each waiter",
        f"{ours.bytes_each / _KIB:.2f} KiB",
        f"{theirs.bytes_each / _KIB:.2f} KiB",
        _ratio(ours.bytes_each, theirs.bytes_each),
        "nothing (under 1 KiB)",
        ours.bytes_each < _GOAL_BYTES,
    )


def _idle(ours: Waited, theirs: Waited) -> list[Row]:
    return [
        Row(
            "idle processor time in all, of a core",
            f"{ours.idle_ratio:.2%}",
            f"{theirs.idle_ratio:.2%}",
            _ratio(ours.idle_ratio, theirs.idle_ratio),
            f"under {_GOAL_IDLE:.0%}",
            ours.idle_ratio < _GOAL_IDLE,
        ),
        Row(
            "idle processor time for each waiter, of a core",
            f"{ours.idle_each:.6%}",
            f"{theirs.idle_each:.6%}",
            _ratio(ours.idle_each, theirs.idle_each),
        ),
    ]


def _wake(ours: Waited, theirs: Waited) -> Row:
    return Row(
        "from the message to the next step committed, p95",
        f"{ours.wake_s(0.95):.2f} s",
        f"{theirs.wake_s(0.95):.2f} s",
        _ratio(ours.wake_s(0.95), theirs.wake_s(0.95)),
        f"under {_GOAL_WAKE_S} s",
        ours.wake_s(0.95) < _GOAL_WAKE_S,
    )


def _ratio(ours: float, theirs: float) -> float | None:
    return ours / theirs if theirs else None


def _databases(kind: str, stack: ExitStack) -> list[str]:
    names = ("ours", "recv-empty", "recv")
    if kind == "postgresql":
        server = stack.enter_context(run_postgres())
        return [stack.enter_context(server.database()) for _ in names]
    folder = stack.enter_context(TemporaryDirectory(prefix="kikigaki-bench-"))
    return [f"sqlite:///{folder}/{name}.sqlite" for name in names]


def _run(kind: str, url: str, count: int, messages: int, idle_s: float, *more: str) -> Found:
    """Measure one kind in a process of its own, which ends with it."""
    command = [sys.executable, "-m", "tests.bench.waiters", kind, "--url", url, *more]
    command += ["--count", str(count), "--messages", str(messages), "--idle-s", str(idle_s)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_TIMEOUT_S)
    found = [line for line in done.stdout.splitlines() if line.startswith("{")]  # beside a log
    assert found, done.stderr[-4000:]
    return Found(**json.loads(found[0]))
