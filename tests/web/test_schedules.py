"""The page about schedules and what operators do to them, without script."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
import sqlalchemy as sa
from sqlmodel import col, select

from pipeline.commands import App
from pipeline.engine import Engine, Schedule, ScheduleState, Step, Workflow, WorkflowEvent
from storage.database import reading
from storage.tables import AuditEvent
from tests.web.world import World


class Tidied(Workflow[str]):
    """A workflow that does nothing."""

    name = "tidy-up"

    async def run(self, event: WorkflowEvent[str], step: Step) -> None:
        """End at once."""


@pytest.fixture
def app(app: App) -> Iterator[App]:
    """The application with a schedule: every night at three in Tokyo."""
    nightly = Schedule("nightly", Tidied.name, "0 3 * * *", time_zone="Asia/Tokyo", params="all")
    url = app.database.url.render_as_string(hide_password=False)
    engine = Engine(app.database, url, workflows=[Tidied()], schedules=[nightly])
    engine.connect()
    yield replace(app, engine=engine)
    engine.stop()


def recorded(world: World) -> list[tuple[str, object]]:
    with reading(world.app.database) as session:
        events = session.exec(select(AuditEvent).order_by(col(AuditEvent.sequence))).all()
    return [(e.action, e.details["schedule"]) for e in events if e.action.startswith("schedule.")]


def test_schedules_when_listed_show_when_they_occur_next(world: World) -> None:
    page = world.sign_in("admin").get("/schedules").text
    assert "nightly" in page
    assert "Asia/Tokyo" in page
    assert 'T18:00:00Z"' in page  # three in the morning in Tokyo


@pytest.mark.parametrize("who", ["uploader", "editor"])
def test_schedules_when_asked_for_by_others_than_admins_are_refused(world: World, who: str) -> None:
    client = world.sign_in(who)
    assert client.get("/schedules").status_code == 403
    assert client.post("/schedules/nightly/pause").status_code == 403
    assert world.app.engine.schedules.get("nightly").status is ScheduleState.ACTIVE


def test_schedule_when_paused_and_resumed_asks_first_and_is_audited(world: World) -> None:
    client = world.sign_in("admin")
    assert "Pause this schedule?" in client.get("/schedules/nightly/pause").text
    assert client.post("/schedules/nightly/pause").status_code == 303
    assert world.app.engine.schedules.get("nightly").status is ScheduleState.PAUSED
    assert "The schedule is paused." in client.get("/schedules").text
    client.post("/schedules/nightly/resume")
    client.post("/schedules/nightly/resume")
    assert "nothing was changed" in client.get("/schedules").text
    assert recorded(world) == [("schedule.paused", "nightly"), ("schedule.resumed", "nightly")]


def test_schedule_when_triggered_leads_to_its_new_instance(world: World) -> None:
    client = world.sign_in("admin")
    answer = client.post("/schedules/nightly/trigger")
    (made,) = world.app.engine.instances()
    assert answer.headers["location"] == f"/instances/{made.id}"
    assert recorded(world) == [("schedule.triggered", "nightly")]


def test_schedule_when_backfilled_makes_what_is_missing_on_its_own_clock(world: World) -> None:
    client = world.sign_in("admin")
    times = {"start": "2026-03-01T00:00", "end": "2026-03-03T00:00"}
    assert client.post("/schedules/nightly/backfill", data=times).status_code == 303
    assert {one.id for one in world.app.engine.instances()} == {
        "nightly-20260228T180000Z", "nightly-20260301T180000Z",
    }  # fmt: skip
    assert "Instances begun: 2." in client.get("/instances?search=nightly").text
    assert recorded(world) == [("schedule.backfilled", "nightly")]


@pytest.mark.parametrize(
    ("start", "end"), [("", ""), ("2026-03-03T00:00", "2026-03-01T00:00"), ("soon", "later")]
)
def test_backfill_when_the_times_do_not_fit_keeps_what_was_typed(
    world: World, start: str, end: str
) -> None:
    client = world.sign_in("admin")
    refused = client.post("/schedules/nightly/backfill", data={"start": start, "end": end})
    assert refused.status_code == 422
    assert f'name="start" value="{start}"' in refused.text
    assert world.app.engine.instances() == []


def test_backfill_when_the_audit_log_cannot_be_written_makes_nothing(world: World) -> None:
    client = world.sign_in("admin")
    with world.app.database.begin() as connection:
        connection.execute(sa.text("ALTER TABLE audit_event RENAME TO audit_event_gone"))
    times = {"start": "2026-03-01T00:00", "end": "2026-03-03T00:00"}
    assert client.post("/schedules/nightly/backfill", data=times).status_code == 500
    assert world.app.engine.instances() == []


def test_schedule_when_there_is_none_finds_nothing(world: World) -> None:
    client = world.sign_in("admin")
    assert client.get("/schedules/weekly/pause").status_code == 404
    assert client.post("/schedules/weekly/trigger").status_code == 404
    assert client.get("/schedules/nightly/explode").status_code == 404
