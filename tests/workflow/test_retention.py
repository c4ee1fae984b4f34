"""Retention by the clock: what the product does daily without being asked."""

import shutil
from pathlib import Path

import pytest

from configs import settings
from pipeline.engine import Instance, Status
from pipeline.engine.testing import wait_for_status
from pipeline.retention import RetentionReport
from pipeline.steps.retain import Deleted
from storage import audit, runs
from storage.database import reading
from tests.deployment import Deployment
from tests.rows import ended_days_ago


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the settings' folder that a test may change."""
    copy = tmp_path / "configs"
    shutil.copytree(settings.CONFIG_DIR, copy, ignore=shutil.ignore_patterns("demo", "*.py"))
    monkeypatch.setattr(settings, "CONFIG_DIR", copy)
    return copy


def trigger(application: Deployment) -> Instance:
    return application.runtime.engine.schedules.trigger("retention")


def has_source(application: Deployment, run_id: str) -> bool:
    with reading(application.runtime.database) as session:
        return "source" in runs.artifacts_of(session, run_id, 1)


def test_retention_when_its_time_has_come_then_raw_artifacts_past_their_period_go(
    application: Deployment, folder: Path
) -> None:
    database = application.runtime.database
    (folder / "tenants" / "school.toml").write_text('[retention]\nraw = "1 day"\n')
    due = [
        ended_days_ago(database, "default", 31),
        ended_days_ago(database, "school", 2),
        ended_days_ago(database, "closed", 31),
    ]
    recent = [ended_days_ago(database, "default", 2), ended_days_ago(database, "closed", 2)]

    status = wait_for_status(trigger(application))

    assert isinstance(status.output, RetentionReport)
    assert status.output.deleted == Deleted(runs=3, versions=0, unverified=0)
    assert not any(has_source(application, run_id) for run_id in due)
    assert all(has_source(application, run_id) for run_id in recent)
    with reading(database) as session:
        assert [event["action"] for event in audit.export(session, due[0])][-1] == "run.raw_deleted"


def test_retention_when_one_tenants_settings_are_broken_then_the_others_data_goes(
    application: Deployment, folder: Path
) -> None:
    (folder / "tenants" / "broken.toml").write_text("[secrets]\n")
    database = application.runtime.database
    kept, due = ended_days_ago(database, "broken", 31), ended_days_ago(database, "default", 31)

    status = wait_for_status(trigger(application))

    assert status.status is Status.ERRORED
    assert status.error
    assert status.error.code == "settings.invalid"
    assert (has_source(application, kept), has_source(application, due)) == (True, False)


def test_retention_when_the_application_runs_then_is_scheduled_daily(
    application: Deployment,
) -> None:
    shown = application.runtime.engine.schedules.get("retention")
    assert (shown.cron, shown.time_zone, shown.status) == ("30 3 * * *", "UTC", "active")
