"""What is stored of schedules: pauses, declarations, what was missed; and several schedulers."""

import asyncio
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import sqlalchemy as sa

from configs.clock import utc_now
from pipeline.engine import Engine, Schedule, ScheduleState
from pipeline.engine.journal import lease_table
from pipeline.engine.occurrences import schedule_table
from pipeline.engine.testing import wait_for_status
from tests.engine_calls import read_notes
from tests.scheduled import Noted, as_text, every_second, occurrences, scheduled
from tests.waiting import wait_until

LATE = Schedule("late", Noted.name, "0 0 1 * *", params=as_text, start_within="40 days")


def test_schedules_when_two_processes_keep_the_clock_then_each_occurrence_is_one_instance(
    database_url: str,
) -> None:
    with ExitStack() as stack:
        engine = stack.enter_context(scheduled(database_url, every_second("tick"), start=False))
        for _ in range(2):
            command = [sys.executable, "-m", "tests.scheduled", database_url]
            root = Path(__file__).parents[2]
            process = stack.enter_context(subprocess.Popen(command, cwd=root))
            stack.callback(process.kill)
        wait_until(lambda: _processes(engine) == 2)
        seen = len(occurrences(engine, "tick"))
        wait_until(lambda: len(_noted(engine)) >= seen + 5)
    noted = _noted(engine)
    assert len(noted) == len(set(noted))


def test_pause_when_a_worker_starts_again_then_stays(database_url: str) -> None:
    with scheduled(database_url, every_second("tick"), every_second("beat")) as engine:
        engine.schedules.pause("tick")
    with scheduled(database_url, every_second("tick"), every_second("beat")) as engine:
        beats = len(occurrences(engine, "beat"))
        wait_until(lambda: len(occurrences(engine, "beat")) > beats + 2)
        status = engine.schedules.get("tick").status
        assert (status, occurrences(engine, "tick")) == (ScheduleState.PAUSED, [])


def test_pause_when_no_worker_has_started_yet_then_holds_at_its_start(database_url: str) -> None:
    with scheduled(database_url, every_second("tick"), start=False) as web:
        web.schedules.pause("tick")
    with scheduled(database_url, every_second("tick"), every_second("beat")) as engine:
        wait_until(lambda: len(occurrences(engine, "beat")) > 2)
        assert occurrences(engine, "tick") == []


def test_schedule_when_it_is_no_longer_declared_then_is_removed(database_url: str) -> None:
    with scheduled(database_url, every_second("tick")) as engine:
        wait_until(lambda: bool(occurrences(engine, "tick")))
        engine.schedules.pause("tick")
    with scheduled(database_url, every_second("beat")) as engine:
        before = occurrences(engine, "tick")
        wait_until(lambda: len(occurrences(engine, "beat")) > 2)
        assert occurrences(engine, "tick") == before
        assert [one.name for one in engine.schedules.list()] == ["beat"]
    with scheduled(database_url, every_second("tick"), start=False) as engine:
        assert engine.schedules.get("tick").status is ScheduleState.ACTIVE


def test_schedule_when_its_times_change_then_only_the_new_ones_occur(database_url: str) -> None:
    old = Schedule("daily", Noted.name, "0 0 * * *", params="old", start_within="2 days")
    with scheduled(database_url, old):
        pass
    new = every_second("daily")
    with scheduled(database_url, new) as engine:
        wait_until(lambda: len(occurrences(engine, "daily")) > 1)
        last = engine.instance(occurrences(engine, "daily")[-1])
        assert wait_for_status(last).output != "old"


def test_occurrence_when_missed_while_all_were_down_then_the_latest_begins_at_the_start(
    database_url: str,
) -> None:
    with scheduled(database_url, LATE) as engine:
        set_back(engine, days=300)
    with scheduled(database_url, LATE) as engine:
        wait_until(lambda: bool(occurrences(engine, "late")))
        look_again(engine)
        assert occurrences(engine, "late") == [f"late-{months_first()}"]


def test_occurrence_when_missed_for_too_long_then_is_passed_over(database_url: str) -> None:
    with scheduled(database_url, replace(LATE, start_within="1 second")) as engine:
        set_back(engine, days=300)
        look_again(engine)
        assert occurrences(engine, "late") == []


def test_occurrence_when_before_the_declaration_then_is_not_made_up_for(database_url: str) -> None:
    with scheduled(database_url, LATE) as engine:
        look_again(engine)
        assert occurrences(engine, "late") == []


def test_occurrence_when_its_instance_was_deleted_then_is_not_made_up_for(
    database_url: str,
) -> None:
    with scheduled(database_url, LATE) as engine:
        set_back(engine, days=300)
        look_again(engine)
        instance = engine.instance(f"late-{months_first()}")
        wait_for_status(instance)
        instance.delete()
        look_again(engine)
        assert occurrences(engine, "late") == []


def test_schedule_when_of_a_tenant_then_creates_that_tenants_instances(database_url: str) -> None:
    school = Schedule("tidy", Noted.name, "0 0 1 * *", params="x", tenant="school")
    with scheduled(database_url, school, start=False) as engine:
        assert engine.schedules.trigger("tidy").status().tenant == "school"


def look_again(engine: Engine) -> None:
    """Look for what was missed, as is done from time to time."""
    asyncio.run(engine.schedules.make_up(engine.runtime))


def set_back(engine: Engine, days: float) -> None:
    """Let all schedules have been declared earlier."""
    with engine.database.begin() as connection:
        since = schedule_table.c.active_since - days * 86400
        connection.execute(sa.update(schedule_table).values(active_since=since))


def months_first() -> str:
    """Return the latest midnight that began a month, as it stands in an id."""
    return f"{utc_now().replace(day=1):%Y%m%dT000000Z}"


def _processes(engine: Engine) -> int:
    with engine.database.begin() as connection:
        return connection.execute(sa.select(sa.func.count()).select_from(lease_table)).scalar_one()


def _noted(engine: Engine) -> list[str]:
    return read_notes(engine.database, "tick-")
