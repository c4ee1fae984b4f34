"""What a worker process of the engine's crash tests runs.

Its workflow goes through each kind of step and counts its outside effects in a table of its own,
each in a transaction of its own, as an effect on the outside world is.
"""

import asyncio
import os
import signal
import threading
from dataclasses import replace
from functools import partial
from multiprocessing.connection import Connection

import sqlalchemy as sa
from sqlmodel import Session

from configs.errors import CorruptInputError, TransientError
from pipeline.engine import (
    Engine,
    EngineSettings,
    Resource,
    Retries,
    Step,
    Undo,
    Workflow,
    WorkflowEvent,
)
from pipeline.engine.testing import CRASH_VARIABLE, quick
from storage.database import create_database

metadata = sa.MetaData()
effects = sa.Table(
    "effects", metadata, sa.Column("what", sa.Text, nullable=False), sa.Column("how", sa.Text)
)
RETRY_DELAY_S = 1.5


def happen(url: str, what: str, result: int) -> int:
    """Have an effect outside the journal."""
    database = create_database(url)
    with database.begin() as connection:
        connection.execute(sa.insert(effects).values(what=what, how="effect"))
    database.dispose()
    return result


def happen_at_the_second_time(url: str, what: str) -> int:
    """Have an effect that fails the first time."""
    happen(url, what, 0)
    if read_effects(url)[what] == 1:
        raise TransientError
    return 2


def wait_forever(url: str, what: str) -> None:
    """Have an effect and never come back, the first time."""
    happen(url, what, 0)
    if read_effects(url)[what] == 1:
        threading.Event().wait()


def keep(what: str, session: Session, result: int) -> int:
    """Write the application's row in the transaction that records the result."""
    session.connection().execute(sa.insert(effects).values(what=what, how="row"))
    return result


def read_effects(url: str, how: str = "effect") -> dict[str, int]:
    """Return how many times each effect happened."""
    database = create_database(url)
    with database.begin() as connection:
        statement = (
            sa.select(effects.c.what, sa.func.count())
            .where(effects.c.how == how)
            .group_by(effects.c.what)
        )
        found = {row[0]: row[1] for row in connection.execute(statement)}
    database.dispose()
    return found


class Journey(Workflow[str]):
    """Each kind of step once; the parameter is the database's address."""

    name = "journey"

    async def run(self, event: WorkflowEvent[str], step: Step) -> list[object]:
        url = event.payload
        first = await step.do(
            "first", partial(happen, url, "first", 1), commit=partial(keep, "first")
        )
        both = await asyncio.gather(self.branch(step, url), self.event(step))
        flaky = await step.do(
            "flaky",
            partial(happen_at_the_second_time, url, "flaky"),
            retries=Retries(limit=3, delay=RETRY_DELAY_S, backoff="constant"),
        )
        heavy = await step.do(
            "heavy",
            partial(happen, url, "heavy", 3),
            resource="asr",
            commit=partial(keep, "heavy"),
        )
        await step.sleep("nap", 0.5)
        last = await step.do("last", partial(happen, url, "last", 4))
        return [first, *both, flaky, heavy, last]

    async def branch(self, step: Step, url: str) -> int:
        await step.do("left", partial(happen, url, "left", 0))
        return await step.do("right", partial(happen, url, "right", 0))

    async def event(self, step: Step) -> object:
        return (await step.wait_for_event("go", type="go", timeout=120)).payload


class Stuck(Workflow[str]):
    """A step that never comes back where it runs first, light and on a resource."""

    name = "stuck"

    async def run(self, event: WorkflowEvent[str], step: Step) -> str:
        await step.do("before", partial(happen, event.payload, "before", 0))
        await step.do("light", partial(wait_forever, event.payload, "light"))
        await step.do("stuck", partial(wait_forever, event.payload, "stuck"), resource="asr")
        return "done"


class Undone(Workflow[str]):
    """Two steps that are undone; the worker dies in the undoing of the one that began first."""

    name = "undone"

    async def run(self, event: WorkflowEvent[str], step: Step) -> None:
        url = event.payload
        for what in ("one", "two"):
            effect = partial(happen, url, what, 0)
            await step.do(what, effect, rollback=partial(undo, url, what))
        raise CorruptInputError


def undo(url: str, what: str, _: Undo) -> None:
    """Undo a step, and die after it the first time that it is the first one's."""
    happen(url, f"undo {what}", 0)
    if what == "one" and read_effects(url)["undo one"] == 1:
        os.kill(os.getpid(), signal.SIGKILL)


def settings() -> EngineSettings:
    return replace(quick(), lease_s=2.0)


def make_engine(url: str) -> Engine:
    database = create_database(url)
    return Engine(
        database, url, [Journey(), Stuck(), Undone()], {"asr": Resource()}, settings=settings()
    )


def work(url: str, crash_at: str, ready: Connection) -> None:
    """Be a worker until SIGTERM."""
    os.environ[CRASH_VARIABLE] = crash_at
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    engine = make_engine(url)
    engine.start()
    ready.send("started")
    stop.wait()
    engine.stop()
