"""Resources of this process: for each slot one warm child process that can be killed.

Each slot has a thread of its own that starts and feeds its child. The child is told to die with
that thread (`PR_SET_PDEATHSIG` goes by thread), so the thread lives as long as the slot.
"""

import asyncio
import json
import multiprocessing
import os
import queue
import threading
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Any

from pipeline.engine import child, codec
from pipeline.engine.errors import ChildSetupError, StepTimeoutError, WorkerProcessDiedError

_spawn = multiprocessing.get_context("spawn")


@dataclass
class _Job:
    call: dict[str, Any]
    timeout_s: float
    loop: asyncio.AbstractEventLoop
    done: "asyncio.Future[str]"

    def settle(self, answer: str | Exception) -> None:
        def put() -> None:
            if self.done.done():
                return
            if isinstance(answer, Exception):
                self.done.set_exception(answer)
            else:
                self.done.set_result(answer)

        self.loop.call_soon_threadsafe(put)


_END_S = 3.0  # how long an idle child may take to end by itself


class Slot:
    """One child process and the thread that feeds it."""

    def __init__(self, resource: str, setup: str | None, start_s: float) -> None:
        self._resource, self._setup, self._start_s = resource, setup, start_s
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._process: SpawnProcess | None = None
        self._connection: Connection | None = None
        self._is_answering = False
        self._thread = threading.Thread(
            target=self._serve, name=f"engine-slot-{resource}", daemon=True
        )
        self._thread.start()

    @property
    def pid(self) -> int | None:
        """The child's process id, where there is a child."""
        process = self._process
        return None if process is None else process.pid

    async def run(self, call: dict[str, Any], timeout_s: float) -> str:
        """Run a call in the child; return its result as JSON text.

        Raises:
            StepTimeoutError: it took longer; the child was killed (retryable).
            WorkerProcessDiedError: the child died (retryable).
            ChildSetupError: the child could not be prepared (retryable).
            Exception: what the call raised.
        """
        loop = asyncio.get_running_loop()
        job = _Job(call, timeout_s, loop, loop.create_future())
        self._jobs.put(job)
        try:
            return await job.done
        except asyncio.CancelledError:
            self.kill()
            raise

    def kill(self) -> None:
        """Kill the child now, whatever it does; the next call gets a fresh one."""
        process = self._process
        if process is not None and process.is_alive():
            process.kill()

    def stop(self) -> None:
        """End the thread and the child: an idle one by itself, one at work by a kill."""
        self._jobs.put(None)
        if self._is_answering:
            self.kill()
        self._thread.join(timeout=10.0)

    def _serve(self) -> None:
        while (job := self._jobs.get()) is not None:
            if job.done.done():
                continue
            self._is_answering = True
            try:
                job.settle(self._answer(job))
            except RuntimeError:  # the loop has ended; nobody waits any more
                break
            finally:
                self._is_answering = False
        self._discard(grace_s=_END_S)

    def _answer(self, job: _Job) -> str | Exception:
        try:
            connection = self._ready()
            connection.send_bytes(json.dumps(job.call).encode())
            kind, text = self._receive(job.timeout_s)
        except TimeoutError:  # an OSError too, so it comes first
            self._discard()
            return StepTimeoutError(details={"timeout_s": job.timeout_s})
        except (EOFError, OSError):
            return WorkerProcessDiedError(details={"exit_code": self._discard(grace_s=1.0)})
        except ChildSetupError as error:
            self._discard()
            return error
        if kind == child.RESULT:
            return text
        return codec.restore_error(codec.decode_error(text))

    def _ready(self) -> Connection:
        """Return the connection to a living, prepared child."""
        if self._connection is not None and self._process is not None and self._process.is_alive():
            return self._connection
        self._discard()
        ours, theirs = _spawn.Pipe()
        args = (theirs, os.getpid(), self._resource, self._setup)
        name = f"engine-{self._resource}"
        self._process = _spawn.Process(target=child.serve, args=args, name=name, daemon=True)
        self._process.start()
        theirs.close()
        self._connection = ours
        try:
            kind, text = self._receive(self._start_s)
        except (EOFError, TimeoutError) as error:
            raise ChildSetupError(details={"type": type(error).__name__}) from None
        if kind != child.READY:
            raise ChildSetupError(details={"type": codec.decode_error(text).type})
        return ours

    def _receive(self, timeout_s: float) -> tuple[bytes, str]:
        connection = self._connection
        if connection is None or not wait([connection], timeout_s):
            raise TimeoutError
        kind, _, text = connection.recv_bytes().partition(b"\n")
        return kind, text.decode()

    def _discard(self, grace_s: float = 0.0) -> int | None:
        """Reap the child, killed where it does not end by itself; return its exit code."""
        process, self._process = self._process, None
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()
        if process is None:
            return None
        process.join(grace_s)
        process.kill()
        process.join()
        code = process.exitcode
        process.close()
        return code


class Pool:
    """The slots of one resource in this process."""

    def __init__(self, resource: str, slots: int, setup: str | None, start_s: float) -> None:
        self.slots = [Slot(resource, setup, start_s) for _ in range(slots)]
        self._free: list[Slot] = list(self.slots)
        self._released = asyncio.Event()
        self._busy: dict[str, Slot] = {}

    async def run(self, claim: str, call: dict[str, Any], timeout_s: float) -> str:
        """Run a call in a free slot, as `Slot.run`."""
        while not self._free:
            self._released.clear()
            await self._released.wait()
        slot = self._busy[claim] = self._free.pop()
        try:
            return await slot.run(call, timeout_s)
        finally:
            del self._busy[claim]
            self._free.append(slot)
            self._released.set()

    def kill(self, claim: str) -> None:
        """Kill the child that works under this claim."""
        slot = self._busy.get(claim)
        if slot is not None:
            slot.kill()

    def stop(self) -> None:
        """Kill all children and end all threads."""
        for slot in self.slots:
            slot.stop()
