"""The processes of a run: started, killed, stopped, continued, and started again when they end."""

import math
import multiprocessing
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing import forkserver
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess

from tests.chaos.processes import Left, Main, Orders
from tests.chaos.web import serve
from tests.chaos.worker import work

# Forked from a process that has imported everything: a start is quick, and each is its own.
_processes = multiprocessing.get_context("forkserver")
_END_S = 60.0
_AGAIN_S = 1.0  # before a process that could not start is started again


@dataclass(frozen=True)
class Disturbance:
    """What was done to a process (to all of them: pid 0), and from when to when."""

    what: str
    pid: int
    begun: float
    ended: float


@dataclass
class Member:
    """One place in the crew and the process that fills it now."""

    orders: Orders
    main: Main
    process: ForkServerProcess | None = None
    pipe: Connection | None = None
    is_wanted: bool = True
    has_started: bool = False
    is_done: bool = False
    is_retiring: bool = False
    left: Left | None = None
    stopped_at: float | None = None
    not_before: float = 0.0

    @property
    def pid(self) -> int:
        """The process's id; 0 where there is none."""
        return (self.process.pid or 0) if self.process is not None else 0

    def start(self) -> None:
        """Begin a process in this place."""
        self.pipe, theirs = _processes.Pipe(duplex=False)
        self.process = _processes.Process(target=self.main, args=(self.orders, theirs))
        self.process.start()
        theirs.close()
        self.has_started = self.is_retiring = False
        self.is_wanted, self.stopped_at = True, None

    def listen(self) -> None:
        """Take in what the process has said."""
        while self.pipe is not None and self.pipe.poll():
            try:
                said = self.pipe.recv()
            except EOFError:
                return
            self.has_started = self.has_started or said == "started"
            self.is_done = self.is_done or said == "done"
            if isinstance(said, Left):
                self.left = said

    def end(self, number: signal.Signals, timeout_s: float = _END_S) -> int | None:
        """Send the process a signal that ends it; return its exit code, None if it lives on."""
        process = self.process
        if process is None:
            return 0
        with suppress(ProcessLookupError):  # it has just ended by itself
            os.kill(self.pid, number)
        process.join(timeout_s)
        self.listen()
        code = process.exitcode
        if code is not None:
            self._let_go()
        return code

    def reap(self) -> int | None:
        """Return the exit code of a process that ended by itself."""
        process = self.process
        if process is None or process.exitcode is None:
            return None
        self.listen()
        code = process.exitcode
        self._let_go()
        return code

    def _let_go(self) -> None:
        if self.pipe is not None:
            self.pipe.close()
        if self.process is not None:
            self.process.close()
        self.process = self.pipe = None


@dataclass
class Crew:
    """All processes of a run."""

    members: dict[str, Member]
    disturbances: list[Disturbance] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    failed_starts: int = 0

    @property
    def workers(self) -> list[str]:
        """The names of the worker's places."""
        return [name for name in self.members if name.startswith("worker")]

    @property
    def has_started(self) -> bool:
        """Whether every process is at work."""
        return all(member.has_started for member in self.members.values())

    def look(self) -> None:
        """Take in what processes say, and start again those that ended."""
        for name, member in self.members.items():
            member.listen()
            code = member.reap()
            if code is not None:
                self._ended(name, member, code)
            if member.process is None and member.is_wanted and time.time() >= member.not_before:
                member.start()

    def _ended(self, name: str, member: Member, code: int) -> None:
        if member.is_retiring and code == 0:
            self._check_left(name, member, is_quiet=False)
        elif member.has_started:
            self.problems.append(f"{name} ended by itself with {code}, see its log")
        else:  # database or store were away; a supervisor starts it again
            self.failed_starts += 1
            member.not_before = time.time() + _AGAIN_S

    def kill(self, name: str) -> bool:
        """Kill a process; the place stays empty until it is `wanted`."""
        member = self.members[name]
        if member.process is None:
            return False
        begun, pid = member.stopped_at or time.time(), member.pid
        member.is_wanted = False
        member.end(signal.SIGKILL)
        self.disturbances.append(Disturbance(f"killed {name}", pid, begun, time.time()))
        return True

    def retire(self, name: str) -> None:
        """Ask a process to stop in order; the place stays empty until it is `wanted`."""
        member = self.members[name]
        member.is_wanted, member.is_retiring = False, True
        os.kill(member.pid, signal.SIGTERM)
        self.disturbances.append(Disturbance("retired", member.pid, time.time(), math.inf))

    def dismiss(self) -> None:
        """Let all processes stop in order, and check what they leave behind."""
        for name, member in self.members.items():
            code = member.end(signal.SIGTERM)
            if code != 0:
                self.problems.append(f"{name} ended with {code} when it was asked to stop")
            self._check_left(name, member, is_quiet=True)

    def _check_left(self, name: str, member: Member, *, is_quiet: bool) -> None:
        left, member.left = member.left, None
        if left is None:
            self.problems.append(f"{name} stopped without saying what it leaves behind")
            return
        grown = left.after.grown(left.before) + (left.busy if is_quiet else [])
        self.problems += [f"{name} left {what}" for what in grown]

    def want(self, name: str) -> None:
        """Let there be a process in this place again."""
        self.members[name].is_wanted = True

    def stop(self, name: str) -> bool:
        """Stop a process (SIGSTOP)."""
        member = self.members[name]
        if member.process is None or member.stopped_at is not None or not member.has_started:
            return False
        member.stopped_at = time.time()
        os.kill(member.pid, signal.SIGSTOP)
        return True

    def resume(self, name: str) -> None:
        """Let a stopped process go on, where it is still there."""
        member = self.members[name]
        if member.process is None or member.stopped_at is None:
            return
        os.kill(member.pid, signal.SIGCONT)
        stopped = Disturbance("stopped", member.pid, member.stopped_at, time.time())
        self.disturbances.append(stopped)
        member.stopped_at = None


def prepare() -> None:
    """Start what forks the processes, once for all runs of this process."""
    _processes.set_forkserver_preload([work.__module__, serve.__module__])
    forkserver.ensure_running()


@contextmanager
def hired(orders: list[Orders]) -> Iterator[Crew]:
    """Start a process for each of the orders; at the end none is left."""
    mains: dict[str, Main] = {"worker": work, "web": serve}
    members = {o.name: Member(o, mains[o.name.partition("-")[0]]) for o in orders}
    crew = Crew(members)
    try:
        for member in members.values():
            member.start()
        yield crew
    finally:
        for member in members.values():
            if member.process is not None:
                member.end(signal.SIGKILL)
