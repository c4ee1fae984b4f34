"""Journals of released versions come to their end under this one."""

from pathlib import Path

import pytest

from pipeline.engine import Engine
from pipeline.engine.testing import Faults, quick, wait_for_status
from storage.database import create_database
from tests.journals import FOLDER, OUTPUT, RESOURCES, Journey, load

JOURNALS = sorted(FOLDER.glob("*.json"))


def test_journals_when_a_version_is_released_then_there_is_at_least_one() -> None:
    assert JOURNALS


@pytest.mark.parametrize("path", JOURNALS, ids=lambda path: path.stem)
def test_journal_when_replayed_by_this_version_then_no_finished_step_runs_again(
    path: Path, database_url: str
) -> None:
    journey, database = Journey(), create_database(database_url)
    engine = Engine(database, database_url, [journey], RESOURCES, None, quick(), Faults())
    try:
        engine.create_schema()
        load(engine, path)
        engine.start()
        instance = engine.instance("recorded")
        assert instance.send_event("go", "late")
        status = wait_for_status(instance)
    finally:
        engine.stop()
        database.dispose()
    assert (status.error, status.output) == (None, OUTPUT)
    assert journey.ran == ["after"]
