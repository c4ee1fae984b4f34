"""What worker and web processes of a run have in common, and how they are begun."""

import ctypes
import os
import signal
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection

from tests.chaos.footprint import Footprint

_PR_SET_PDEATHSIG = 1


@dataclass(frozen=True)
class Orders:
    """What a process is told at its start.

    Attributes:
        name: Its name, as `worker-1`.
        seed: Of the run.
        environ: The settings of its installation.
        folder: The outside world's ledger.
        log: The file that it writes its log to.
        resources: What a worker serves.
        runs: How many sources the web process uploads in all.
        until: The time (seconds since the epoch) at which it creates no more.
    """

    name: str
    seed: int
    environ: dict[str, str]
    folder: str
    log: str
    resources: tuple[str, ...] = ()
    runs: int = 0
    until: float = 0.0


@dataclass(frozen=True)
class Left:
    """What a process that ended in order says at its end: what it held at first and at last.

    `busy` is what it was still doing when it was told to stop, where nothing was left to do.
    """

    before: Footprint
    after: Footprint
    busy: list[str] = field(default_factory=list)


def enter(orders: Orders) -> threading.Event:
    """Become a process of the run: end with its starter, log to a file, stop on SIGTERM.

    Returns:
        What is set by SIGTERM.
    """
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    log = os.open(orders.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(log, sys.stdout.fileno())
    os.dup2(log, sys.stderr.fileno())
    os.close(log)
    os.environ.update(orders.environ)
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    return stop


Main = Callable[[Orders, Connection], None]
