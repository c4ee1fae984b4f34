"""Retention from the command line: each tenant's runs by the tenant's own period."""

import shutil
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from configs import settings
from pipeline.cli.console import ExitCode
from storage import runs
from storage.database import create_database, reading, transaction
from storage.migrate import upgrade
from tests.installation import Installation
from tests.rows import ended_days_ago, make_pending_upload


@pytest.fixture
def tenants(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings with a tenant `school`, whose raw artifacts go after a day."""
    folder = tmp_path / "configs"
    shutil.copytree(settings.CONFIG_DIR, folder, ignore=shutil.ignore_patterns("demo", "*.py"))
    (folder / "tenants" / "school.toml").write_text('[retention]\nraw = "1 day"\n')
    monkeypatch.setattr(settings, "CONFIG_DIR", folder)


@pytest.fixture
def shell(tmp_path: Path) -> Installation:
    made = Installation(tmp_path / "home")
    made.home.mkdir()
    return made


@pytest.fixture
def database(shell: Installation) -> Iterator[sa.Engine]:
    """The installation's database."""
    given = settings.load_settings({"KIKIGAKI_HOME": str(shell.home)})
    engine = create_database(given.database_url)
    upgrade(engine)
    yield engine
    engine.dispose()


@pytest.mark.usefixtures("tenants")
def test_retention_when_tenants_differ_then_each_by_its_own_period(
    shell: Installation, database: sa.Engine
) -> None:
    school = ended_days_ago(database, "school", 2)
    recent = [ended_days_ago(database, "default", 2), ended_days_ago(database, "school", 0)]
    old = ended_days_ago(database, "default", 31)

    due = shell.run("retention", "run", "--dry-run", "--json")
    done = shell.run("retention", "run", "--json")

    assert (due.code, done.code) == (ExitCode.DONE, ExitCode.DONE)
    listed = [{"tenant": "default", "run_id": old}, {"tenant": "school", "run_id": school}]
    assert due.json["runs"] == listed
    deleted = done.json["runs"]
    assert isinstance(deleted, list)
    assert [line["run_id"] for line in deleted if line["verified"]] == [old, school]
    with reading(database) as session:
        assert all("source" in runs.artifacts_of(session, run_id, 1) for run_id in recent)
        assert not any(
            "source" in runs.artifacts_of(session, run_id, 1) for run_id in (old, school)
        )


def test_retention_when_a_tenants_settings_are_gone_then_by_the_defaults_period(
    shell: Installation, database: sa.Engine
) -> None:
    ended_days_ago(database, "closed", 2)
    old = ended_days_ago(database, "closed", 31)
    due = shell.run("retention", "run", "--dry-run", "--json")
    assert due.json["runs"] == [{"tenant": "closed", "run_id": old}]


def test_retention_when_an_upload_was_never_completed_then_it_goes_after_its_time(
    shell: Installation, database: sa.Engine
) -> None:
    with transaction(database) as session:
        late = make_pending_upload(session, tenant="school", lifetime=timedelta(seconds=-1))
        make_pending_upload(session, tenant="school")
    due = shell.run("retention", "run", "--dry-run", "--json")
    assert due.json["runs"] == [{"tenant": "school", "run_id": late.id}]
    done = shell.run("retention", "run", "--json")
    assert isinstance(done.json["runs"], list)
    (line,) = done.json["runs"]
    assert (line["run_id"], line["what"], line["verified"]) == (late.id, "upload.expired", True)
    assert shell.run("retention", "run", "--dry-run", "--json").json["runs"] == []
