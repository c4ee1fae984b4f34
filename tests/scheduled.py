"""An engine with schedules: for tests, or as a worker (`python -m tests.scheduled URL`)."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import partial

from sqlmodel import Session

from pipeline.engine import Engine, Schedule, Step, Workflow, WorkflowEvent
from storage.database import create_database
from tests import engine_calls
from tests.engine_calls import write_note
from tests.engines import SETTINGS


class Noted(Workflow[str]):
    """A workflow that notes its id, once for each time that its step is committed."""

    name = "noted"

    async def run(self, event: WorkflowEvent[str], step: Step) -> str:
        await step.do("note", nothing, commit=partial(note, event.instance_id))
        return event.payload


def nothing() -> None:
    """Do nothing."""


def note(instance: str, session: Session, _result: None) -> None:
    """Write the id in the transaction that records the step."""
    write_note(session, instance)


def as_text(occurrence: datetime) -> str:
    """Return the parameters of an occurrence."""
    return occurrence.isoformat()


def every_second(name: str) -> Schedule:
    """Return a schedule that occurs each second."""
    return Schedule(name, Noted.name, "* * * * * *", params=as_text)


def make_engine(url: str, schedules: list[Schedule]) -> Engine:
    """Return an engine that has not been started."""
    return Engine(create_database(url), url, [Noted()], settings=SETTINGS, schedules=schedules)


@contextmanager
def scheduled(url: str, *schedules: Schedule, start: bool = True) -> Iterator[Engine]:
    """Run an engine on a database and stop it afterwards."""
    engine = make_engine(url, list(schedules))
    try:
        engine.connect()
        engine_calls.metadata.create_all(engine.database)
        if start:
            engine.start()
        yield engine
    finally:
        engine.stop()
        engine.database.dispose()


def occurrences(engine: Engine, name: str) -> list[str]:
    """Return the ids of a schedule's occurrences that are instances, oldest first."""
    found = engine.instances(search=f"{name}-2", limit=1000)
    return sorted(one.id for one in found)


if __name__ == "__main__":
    make_engine(sys.argv[1], [every_second("tick")]).start()
    threading.Event().wait()
