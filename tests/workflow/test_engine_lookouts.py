"""What this process puts on a queue is looked for at once; looks at intervals find the rest."""

from dataclasses import replace

import pytest
from sqlmodel import Session

from pipeline.engine import Step
from pipeline.engine.lookouts import Lookout, Lookouts
from storage.database import create_database
from tests.databases import NewDatabase
from tests.engine_calls import process_id
from tests.engines import SETTINGS, running

NEVER_S = 86_400.0


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_instance_when_nothing_looks_at_intervals_then_still_comes_to_its_end(
    new_database: NewDatabase, kind: str
) -> None:
    async def script(step: Step) -> object:
        one = await step.do("one", process_id, resource="asr")
        two = await step.do("two", process_id, resource="llm")
        return one != two

    settings = replace(SETTINGS, poll_s=NEVER_S, work_poll_s=NEVER_S)
    with new_database(kind) as url, running(url, settings) as harness:
        assert harness.run(script) is True


def test_wait_when_there_is_work_then_ends_without_stopping() -> None:
    lookout = Lookout()
    lookout.look()
    assert not lookout.wait(NEVER_S)
    assert not lookout.wait(0.06)  # the work has been found


def test_wait_when_stopped_then_says_so() -> None:
    lookout = Lookout()
    lookout.set()
    assert lookout.wait(NEVER_S)


def test_look_after_when_rolled_back_then_nothing_is_worth_a_look(
    new_database: NewDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []
    monkeypatch.setattr(Lookout, "look", lambda _: seen.append("look"))
    lookouts = Lookouts()
    lookouts._lookouts["turns"] = Lookout()
    with new_database("sqlite") as url:
        database = create_database(url)
        with Session(database) as session:
            lookouts.look_after(session, "turns")
            session.rollback()
            assert not seen
            lookouts.look_after(session, "turns")
            lookouts.look_after(session, "another process's")
            session.commit()
        database.dispose()
    assert seen == ["look"]
