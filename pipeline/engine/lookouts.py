"""Looks into the queues: at intervals, and at once where this process has put something in.

DBOS looks at intervals only, and each step of an instance waits for one. Its loop is run here with
an event of ours: what DBOS takes for a wait until the stop ends as well when there is work.
"""

import threading
from collections.abc import Iterable

from dbos import DBOS
from dbos._queue import queue_worker_thread  # not public: the loop that `DBOS.launch` runs as well
from sqlalchemy import event
from sqlmodel import Session

_GAP_S = 0.05
_TO_LOOK_INTO = "queues to look into"


class Lookout(threading.Event):
    """The stop of one queue's loop; waiting for it ends early where the queue is worth a look."""

    def __init__(self) -> None:
        super().__init__()
        self._worth = threading.Event()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for the stop, the time or work; return whether to stop.

        Looks are `_GAP_S` apart whatever is put in: one finds all that came meanwhile.
        """
        if super().wait(_GAP_S):
            return True
        self._worth.wait(None if timeout is None else max(timeout - _GAP_S, 0.0))
        self._worth.clear()
        return self.is_set()

    def set(self) -> None:
        """Stop."""
        super().set()
        self._worth.set()

    def look(self) -> None:
        """End the present wait, or the next one."""
        self._worth.set()


class Lookouts:
    """One loop for each queue that this process serves."""

    def __init__(self) -> None:
        self._lookouts: dict[str, Lookout] = {}

    def start(self, dbos: DBOS, queues: Iterable[str]) -> None:
        """Begin to look into registered queues."""
        for name in queues:
            lookout = self._lookouts[name] = Lookout()
            threading.Thread(
                target=queue_worker_thread,
                args=(lookout, dbos, DBOS.retrieve_queue(name)),
                name=f"queue-worker-{name}",
                daemon=True,
            ).start()

    def look_after(self, session: Session, queue: str) -> None:
        """Look into a queue once the session's transaction has been committed."""
        if queue not in self._lookouts:
            return
        if _TO_LOOK_INTO not in session.info:
            session.info[_TO_LOOK_INTO] = set()
            event.listen(session, "after_commit", self._look, once=True)
        session.info[_TO_LOOK_INTO].add(queue)

    def look(self, queue: str) -> None:
        """Look into a queue now: a slot is free again."""
        if lookout := self._lookouts.get(queue):
            lookout.look()

    def stop(self) -> None:
        """Take nothing more; what was taken goes on."""
        for lookout in self._lookouts.values():
            lookout.set()
        self._lookouts.clear()

    def _look(self, session: Session) -> None:
        for queue in session.info.pop(_TO_LOOK_INTO, ()):
            self.look(queue)
