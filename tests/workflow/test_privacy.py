"""Planted names, numbers and addresses are found nowhere they should not be.

The transcripts are scripted, so that what was said is known; recognition is real in
`tests/eval`. Everything that the application wrote is searched: every table of the database with
the engine's and the scheduler's own, the derived and published objects, the logs, the prompts.
"""

from collections.abc import Iterator

import pytest
import sqlalchemy as sa

from storage.refs import RAW_KINDS
from storage.tables import RunStatus
from tests.deployment import Deployment
from tests.scripted import PLANTED, SENTENCES


def _everything_in(database: sa.Engine) -> Iterator[tuple[str, str]]:
    inspector = sa.inspect(database)
    schemas = [None, "dbos"] if "dbos" in inspector.get_schema_names() else [None]
    with database.connect() as connection:
        for schema in schemas:
            for table in inspector.get_table_names(schema=schema):
                name = f'"{schema}"."{table}"' if schema else f'"{table}"'
                for row in connection.execute(sa.text(f"SELECT * FROM {name}")):  # noqa: S608
                    yield table, repr(tuple(row))


def _found_in(text: str) -> list[str]:
    return [surface for surface in PLANTED if surface in text]


@pytest.mark.parametrize("language", sorted(SENTENCES))
def test_planted_personal_data_is_found_nowhere_it_should_not_be(
    application: Deployment, language: str, capfd: pytest.CaptureFixture[str]
) -> None:
    run_id = application.submit_for_review(language=language)
    application.decide(run_id, "approve")
    application.wait_for_run(run_id, RunStatus.PUBLISHED)
    store = application.runtime.store
    raw = [
        s
        for role, ref in application.artifacts(run_id).items()
        if role.split("/")[0] == "transcript"
        for s in _found_in(store.read_bytes(ref).decode())
    ]
    assert raw, "nothing was planted"
    for table, row in _everything_in(application.runtime.database):
        assert not _found_in(row), table
    for role, ref in application.artifacts(run_id).items():
        if role.split("/")[0] not in RAW_KINDS and not role.startswith("redacted_audio"):
            assert not _found_in(store.read_bytes(ref).decode()), role
    for name in application.published_names(run_id):
        folder, _, file = name.partition("/")
        data = store.read_published(f"default/{run_id}/{folder}/", file)
        assert not _found_in(data.decode(errors="ignore")), name
    shown = capfd.readouterr()
    assert not _found_in(shown.out + shown.err)


def test_search_of_the_database_finds_what_is_there(application: Deployment) -> None:
    run_id = application.submit_for_review()
    assert any(run_id in row for _, row in _everything_in(application.runtime.database))
