"""Work in threads, for the event loop."""

import asyncio
import contextvars
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import TypeVar

import sqlalchemy as sa
from sqlmodel import Session

from configs.errors import DatabaseBusyError
from storage.database import transaction

T = TypeVar("T")
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.05, 5.0


async def in_thread(work: Callable[[], T]) -> T:
    """Run blocking work in a thread of its own and wait for it.

    A daemon thread rather than a pool: what a cancelled wait leaves behind cannot be stopped, and
    must neither use up a pool nor keep the process from ending.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def unless_done(settle: Callable[[], None]) -> None:
        if not done.done():
            settle()

    def body() -> None:
        settle: Callable[[], None]
        try:
            settle = partial(done.set_result, context.run(work))
        except StopIteration:  # a future cannot carry it
            settle = partial(done.set_exception, RuntimeError("StopIteration"))
        except BaseException as error:  # noqa: BLE001 - handed on
            settle = partial(done.set_exception, error)
        with suppress(RuntimeError):  # the loop has ended; nobody waits any more
            loop.call_soon_threadsafe(unless_done, settle)

    context = contextvars.copy_context()
    threading.Thread(target=body, name="engine-step", daemon=True).start()
    return await done


class Store:
    """Runs journal transactions in threads, and again while the database is busy or away."""

    def __init__(self, database: sa.Engine, threads: int) -> None:
        self.database = database
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="engine-journal")

    async def __call__(
        self, work: Callable[[Session], T], again: Callable[[Session], T] | None = None
    ) -> T:
        """Run `work` in a transaction; it may run several times, but is committed once.

        Where a commit went through but its answer was lost, the repeated transaction finds what it
        wrote and returns that, or raises `FencedError` where it ended the turn.

        Args:
            work: What to do.
            again: What to do instead when it is repeated: it looks for what was written.
        """
        loop, pause = asyncio.get_running_loop(), _FIRST_PAUSE_S
        while True:
            try:
                return await loop.run_in_executor(self._pool, self.run, work)
            except DatabaseBusyError:
                work = again or work
                await asyncio.sleep(pause)
                pause = min(pause * 2, _LONGEST_PAUSE_S)

    def run(self, work: Callable[[Session], T]) -> T:
        """Run `work` in a transaction, once.

        Raises:
            DatabaseBusyError: the database is busy or away (retryable).
        """
        with transaction(self.database) as session:
            return work(session)

    def close(self) -> None:
        """End the threads."""
        self._pool.shutdown(wait=True, cancel_futures=True)
