"""Leases: one row for each process, so that a dead worker's executions are given to others.

A process renews its lease on the database's clock. An execution whose process has no valid lease is
put back on its queue (by a DBOS cron workflow, and when a worker starts); if that process lives
after all, the epoch and the claims keep it from writing. A process of this machine that is gone
needs no waiting for.
"""

import hashlib
import os
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import Session

from configs import clock
from configs.errors import DatabaseBusyError
from pipeline.engine import journal
from pipeline.engine.dispatch import Dispatcher
from pipeline.engine.runtime import Runtime
from pipeline.engine.threads import Store
from storage.database import is_sqlite

_RECLAIM_LOCK = 7_020_118  # any number of ours


def new_executor() -> str:
    """Return a name for this start of this process, unique for good: place, process id, random."""
    return f"{_place()}-{os.getpid()}-{uuid.uuid4().hex[:12]}"


def _place() -> str:
    """Return a token of what process ids are counted in: this boot and its pid namespace."""
    parts = [str(uuid.getnode())]
    with suppress(OSError):
        parts.append(Path("/proc/sys/kernel/random/boot_id").read_text().strip())
        parts.append(str(Path("/proc/self/ns/pid").readlink()))
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def _gone(executor: str) -> bool:
    """Tell whether a process of this machine certainly is not there any more."""
    place, _, rest = executor.partition("-")
    pid = rest.partition("-")[0]
    return (
        place == _place()
        and pid.isdigit()
        and Path("/proc/self").exists()
        and not Path(f"/proc/{pid}").exists()
    )


def renew(session: Session, executor: str, lease_s: float) -> None:
    """Write or extend this process's lease."""
    at, c = journal.now(session), journal.lease_table.c
    statement = sa.update(journal.lease_table).where(c.executor == executor)
    if journal.execute(session, statement.values(expires_at=at + lease_s)).rowcount == 0:
        row = sa.insert(journal.lease_table).values(
            executor=executor, started_at=at, expires_at=at + lease_s
        )
        journal.execute(session, row)


def drop(session: Session, executor: str) -> None:
    """Delete this process's lease: it has stopped."""
    c = journal.lease_table.c
    journal.execute(session, sa.delete(journal.lease_table).where(c.executor == executor))


def valid(session: Session) -> set[str]:
    """Return the processes whose lease is valid, and delete leases long expired."""
    at, c = journal.now(session), journal.lease_table.c
    journal.execute(session, sa.delete(journal.lease_table).where(c.expires_at < at - 3600))
    statement = sa.select(c.executor).where(c.expires_at > at)
    found = journal.execute(session, statement).scalars()
    return {executor for executor in found if not _gone(executor)}


def reclaim(store: Store, dispatcher: Dispatcher) -> int:
    """Give the executions of dead processes back to their queues; return how many.

    One process does it at a time: of two, the later would give back once more what a living process
    has taken since, and so take it away in the middle of a step.
    """
    with _alone(store.database) as is_alone:
        if not is_alone:
            return 0
        running = dispatcher.running()  # before the leases: a process writes its lease, then runs
        alive = store.run(valid)
        return dispatcher.give_back(entry for entry in running if entry[2] not in alive)


@contextmanager
def _alone(database: sa.Engine) -> Iterator[bool]:
    """Tell whether no other process reclaims, and keep it so.

    SQLite has no lock that leaves the others at work, and only processes of one machine.
    """
    if is_sqlite(database):
        yield True
        return
    with database.connect() as connection, connection.begin():
        yield bool(connection.scalar(sa.select(sa.func.pg_try_advisory_xact_lock(_RECLAIM_LOCK))))


class Heartbeat:
    """Renews the lease, ends executions here that others have taken, gives back what never began.

    DBOS claims executions and then begins them. Where the connection breaks in between, the claim
    stands, with a process that lives and knows nothing of it.
    """

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._stop = threading.Event()
        self._unbegun: dict[tuple[str, str, str], float] = {}
        self._thread = threading.Thread(target=self._beat, name="engine-lease", daemon=True)

    def start(self) -> None:
        """Write the lease, then keep it."""
        self._runtime.store.run(self._renew)
        self._thread.start()

    def stop(self) -> None:
        """Stop renewing."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()

    def _beat(self) -> None:
        with suppress(DatabaseBusyError, SQLAlchemyError):  # otherwise the cron workflow does it
            reclaim(self._runtime.store, self._runtime.dispatcher)
        while not self._stop.wait(self._runtime.settings.lease_s / 3):
            try:
                self._runtime.store.run(self._renew)
                self._end_taken()
                with suppress(SQLAlchemyError):  # the next beat looks again
                    self._give_back_unbegun()
            except DatabaseBusyError as error:
                self._runtime.log.warning("engine.lease_not_renewed", code=error.code)

    def _renew(self, session: Session) -> None:
        renew(session, self._runtime.executor, self._runtime.settings.lease_s)

    def _end_taken(self) -> None:
        live = self._runtime.live
        turns = dict(live.turns)
        claims = dict(live.claims)
        if not turns and not claims:
            return
        epochs, held = self._runtime.store.run(
            lambda session: (
                _epochs(session, [turn.ref.instance for turn in turns.values()]),
                _held(session, list(claims)),
            )
        )
        for turn in turns.values():
            if epochs.get(turn.ref.instance) != turn.ref.epoch:
                with suppress(RuntimeError):  # its loop has ended, and the turn with it
                    turn.loop.call_soon_threadsafe(turn.fence)
        for claim in claims.keys() - held:
            claims[claim].kill(claim)

    def _give_back_unbegun(self) -> None:
        """Give back what this process has claimed and has not begun for a whole lease."""
        runtime, now = self._runtime, clock.monotonic_s()
        claimed = runtime.dispatcher.running(runtime.executor)
        begun = runtime.live.begun()  # after the claims: what has begun meanwhile is among them
        waiting = [entry for entry in claimed if entry[0] not in begun]
        self._unbegun = {entry: self._unbegun.get(entry, now) for entry in waiting}
        lost = [e for e, since in self._unbegun.items() if now - since >= runtime.settings.lease_s]
        runtime.dispatcher.give_back(lost)


def _epochs(session: Session, instances: list[str]) -> dict[str, int]:
    c = journal.instance_table.c
    statement = sa.select(c.id, c.epoch).where(c.id.in_(instances))
    return {row.id: row.epoch for row in journal.execute(session, statement)}


def _held(session: Session, claims: list[str]) -> set[str]:
    c = journal.step_table.c
    return set(journal.execute(session, sa.select(c.claim).where(c.claim.in_(claims))).scalars())
