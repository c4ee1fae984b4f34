"""Many instances that wait, beside workflows of DBOS that wait in its `recv`."""

import json
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.bench.report import Row, Section
from tests.bench.waiters import Found
from tests.databases import run_postgres

_GOAL_BYTES = 1024  # the granularity of the measurement: nothing is kept for an instance
_GOAL_IDLE = 0.03
_GOAL_WAKE_S = 1.5
_KIB = 1024
_TIMEOUT_S = 5400


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
        urls = _databases(kind, stack)
        ours, recv = (
            _run(name, url, count, messages, idle_s)
            for name, url, count in zip(("ours", "recv"), urls, (waiters, theirs), strict=True)
        )
    return Section(
        f"Waiting on {kind}: {waiters} instances beside {theirs} in `DBOS.recv`",
        [_memory(ours, recv), *_idle(ours, recv), _wake(ours, recv)],
        [
            (
                "the worker's process (not the database's server) with its default settings; DBOS "
                "with those that the engine gives it, each `recv` a task; 50 of each have waited "
                "before anything is measured."
            ),
            (
                f"idle over {idle_s:.0f} s; without waiters: ours {ours.idle_ratio_without:.2%}, "
                f"DBOS {recv.idle_ratio_without:.2%} of a core."
            ),
            (
                f"{messages} woken one by one at random moments; middle of them: ours "
                f"{ours.wake_p50_s:.2f} s, DBOS {recv.wake_p50_s:.2f} s."
            ),
            (
                f"from beginning to waiting, each: ours {ours.begun_each_s * 1000:.0f} ms, "
                f"DBOS {recv.begun_each_s * 1000:.0f} ms."
            ),
        ],
    )


def _memory(ours: Found, theirs: Found) -> Row:
    each, other = max(ours.bytes_each, 0.0), theirs.bytes_each
    return Row(
        "memory for each waiter",
        f"{each / _KIB:.2f} KiB",
        f"{other / _KIB:.2f} KiB",
        each / other,
        "nothing (under 1 KiB)",
        each < _GOAL_BYTES,
    )


def _idle(ours: Found, theirs: Found) -> list[Row]:
    each, other = _each(ours), _each(theirs)
    return [
        Row(
            "idle processor time in all, of a core",
            f"{ours.idle_ratio:.2%}",
            f"{theirs.idle_ratio:.2%}",
            ours.idle_ratio / theirs.idle_ratio,
            f"under {_GOAL_IDLE:.0%}",
            ours.idle_ratio < _GOAL_IDLE,
        ),
        Row(
            "idle processor time for each waiter, of a core",
            f"{each:.6%}",
            f"{other:.6%}",
            each / other if other else None,
        ),
    ]


def _each(found: Found) -> float:
    """Return what each waiter adds to an idle process."""
    return max(found.idle_ratio - found.idle_ratio_without, 0.0) / found.waiters


def _wake(ours: Found, theirs: Found) -> Row:
    return Row(
        "from the message to the next step committed, p95",
        f"{ours.wake_p95_s:.2f} s",
        f"{theirs.wake_p95_s:.2f} s",
        ours.wake_p95_s / theirs.wake_p95_s,
        f"under {_GOAL_WAKE_S} s",
        ours.wake_p95_s < _GOAL_WAKE_S,
    )


def _databases(kind: str, stack: ExitStack) -> tuple[str, str]:
    if kind == "postgresql":
        server = stack.enter_context(run_postgres())
        first, second = (stack.enter_context(server.database()) for _ in range(2))
        return first, second
    folder = Path(stack.enter_context(TemporaryDirectory(prefix="kikigaki-bench-")))
    return f"sqlite:///{folder}/ours.sqlite", f"sqlite:///{folder}/recv.sqlite"


def _run(name: str, url: str, count: int, messages: int, idle_s: float) -> Found:
    """Measure one kind in a process of its own, which ends with it."""
    command = [sys.executable, "-m", "tests.bench.waiters", name, "--url", url]
    command += ["--count", str(count), "--messages", str(messages), "--idle-s", str(idle_s)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_TIMEOUT_S)
    assert done.stdout, done.stderr[-4000:]
    return Found(**json.loads(done.stdout))
