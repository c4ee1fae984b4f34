"""Retention from the command line: each tenant's runs by the tenant's own period."""

import shutil
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from configs import settings
from pipeline.cli.console import ExitCode
from storage import runs
from storage.database import create_database, reading, transaction
from storage.migrate import upgrade
from storage.tables import RunStatus
from tests.installation import Installation
from tests.rows import keep_artifacts, make_run


@pytest.fixture
def tenants(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings with a tenant `school`, whose raw artifacts go after a day."""
    folder = tmp_path / "configs"
    shutil.copytree(settings.CONFIG_DIR, folder, ignore=shutil.ignore_patterns("demo", "*.py"))
    (folder / "tenants" / "school.toml").write_text('[retention]\nraw = "1 day"\n')
    monkeypatch.setattr(settings, "CONFIG_DIR", folder)


def ended_days_ago(database: sa.Engine, tenant: str, days: int) -> str:
    with transaction(database) as session:
        run = make_run(session, tenant=tenant)
        keep_artifacts(session, run.id)
        runs.set_status(session, run.id, RunStatus.PUBLISHED)
        run.updated_at -= timedelta(days=days)
        session.add(run)
        return run.id


@pytest.mark.usefixtures("tenants")
def test_retention_when_tenants_differ_then_each_by_its_own_period(tmp_path: Path) -> None:
    shell = Installation(tmp_path / "home")
    shell.home.mkdir()
    given = settings.load_settings({"KIKIGAKI_HOME": str(shell.home)})
    database = create_database(given.database_url)
    upgrade(database)
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
    database.dispose()
