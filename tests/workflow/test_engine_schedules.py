"""Schedules: each occurrence becomes one instance, whoever sees it and however often."""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from configs.clock import utc_now
from configs.errors import InputError
from pipeline.engine import (
    Engine,
    Instance,
    Schedule,
    ScheduleNotFoundError,
    ScheduleState,
)
from pipeline.engine.testing import wait_for_status
from tests.engine_calls import read_notes
from tests.scheduled import Noted, as_text, every_second, occurrences, scheduled
from tests.waiting import wait_until

TOKYO = Schedule("tokyo", Noted.name, "30 3 * * *", "Asia/Tokyo", as_text)
BERLIN = Schedule("berlin", Noted.name, "30 2 * * *", "Europe/Berlin", as_text)
FAILING = Schedule("failing", Noted.name, "* * * * * *", params=lambda _: 1 // 0)
SCHEDULES = [every_second("tick"), every_second("beat"), TOKYO, BERLIN, FAILING]


@pytest.fixture(scope="module")
def engine(module_database_url: str) -> Iterator[Engine]:
    with scheduled(module_database_url, *SCHEDULES) as made:
        yield made


@pytest.fixture
def still(module_database_url: str) -> Iterator[Engine]:
    """The module's engine as a web process has it: connected, not started."""
    with scheduled(module_database_url, *SCHEDULES, start=False) as made:
        yield made


def occur(engine: Engine, name: str, occurrence: datetime) -> str:
    """Let an occurrence happen, as DBOS does."""
    return asyncio.run(engine.schedules.occur(engine.runtime, name, occurrence))


def second_from_now() -> datetime:
    return utc_now().replace(microsecond=0) + timedelta(seconds=1)


def test_schedule_when_it_occurs_then_is_an_instance_with_its_time(engine: Engine) -> None:
    wait_until(lambda: bool(occurrences(engine, "tick")))
    id_ = occurrences(engine, "tick")[0]
    at = datetime.strptime(id_, "tick-%Y%m%dT%H%M%S%z")
    assert wait_for_status(engine.instance(id_)).output == at.isoformat()


def test_occurrence_when_it_is_repeated_then_is_one_instance(engine: Engine) -> None:
    at = second_from_now()
    assert [occur(engine, "tick", at), occur(engine, "tick", at)] == ["done", "done"]
    id_ = f"tick-{at:%Y%m%dT%H%M%SZ}"
    wait_for_status(engine.instance(id_))
    assert read_notes(engine.database, id_) == [id_]


def test_occurrence_when_its_parameters_fail_then_others_go_on(engine: Engine) -> None:
    at = second_from_now()
    assert [occur(engine, "failing", at), occur(engine, "beat", at)] == ["failed", "done"]
    assert occurrences(engine, "failing") == []


def test_occurrence_when_it_is_none_of_the_schedule_then_does_not_begin(engine: Engine) -> None:
    assert occur(engine, "tokyo", second_from_now() + timedelta(microseconds=1)) == "passed over"
    assert occur(engine, "unheard-of", second_from_now()) == "unknown"


def test_schedule_when_paused_then_does_not_occur(engine: Engine) -> None:
    wait_until(lambda: bool(occurrences(engine, "tick")))
    assert engine.schedules.pause("tick")
    before, beats = occurrences(engine, "tick"), len(occurrences(engine, "beat"))
    assert occur(engine, "tick", second_from_now()) == "passed over"
    wait_until(lambda: len(occurrences(engine, "beat")) > beats + 3)
    assert occurrences(engine, "tick") == before
    assert engine.schedules.resume("tick")


def test_schedule_when_paused_then_shows_no_next_time(engine: Engine) -> None:
    engine.schedules.pause("tokyo")
    shown = engine.schedules.get("tokyo")
    engine.schedules.resume("tokyo")
    assert (shown.status, shown.next_at) == (ScheduleState.PAUSED, None)


def test_schedule_when_resumed_then_goes_on_without_what_it_missed(engine: Engine) -> None:
    engine.schedules.pause("tick")
    missed = second_from_now()
    wait_until(lambda: utc_now() > missed)
    engine.schedules.resume("tick")
    resumed_at = utc_now()
    assert occur(engine, "tick", missed) == "passed over"
    later = f"tick-{resumed_at:%Y%m%dT%H%M%SZ}"
    wait_until(lambda: occurrences(engine, "tick")[-1] > later)


def test_schedule_when_paused_or_resumed_twice_then_says_so(still: Engine) -> None:
    schedules = still.schedules
    done = [schedules.pause("berlin"), schedules.pause("berlin")]
    undone = [schedules.resume("berlin"), schedules.resume("berlin")]
    assert (done, undone) == ([True, False], [True, False])


def test_schedule_when_in_a_time_zone_then_shows_its_next_time_there(still: Engine) -> None:
    next_at = still.schedules.get("tokyo").next_at
    assert next_at
    assert f"{next_at:%H:%M %z}" == "03:30 +0900"
    assert utc_now() < next_at <= utc_now() + timedelta(days=1)


def test_schedules_when_listed_then_show_when_they_last_began(engine: Engine) -> None:
    wait_until(lambda: bool(occurrences(engine, "tick")))
    shown = {one.name: one for one in engine.schedules.list()}
    assert list(shown) == [schedule.name for schedule in SCHEDULES]
    assert shown["berlin"].last_at is None
    last_at = shown["tick"].last_at
    assert last_at
    assert engine.instance(f"tick-{last_at:%Y%m%dT%H%M%SZ}").status()


def test_trigger_when_paused_then_creates_an_instance_of_its_own_id(engine: Engine) -> None:
    engine.schedules.pause("tokyo")
    first, second = engine.schedules.trigger("tokyo"), engine.schedules.trigger("tokyo")
    engine.schedules.resume("tokyo")
    assert first.id != second.id
    assert first.id.startswith("tokyo-now_")
    assert wait_for_status(first).status == "complete"


def test_backfill_when_done_twice_then_creates_each_once(still: Engine) -> None:
    start, end = datetime(2025, 6, 1, tzinfo=UTC), datetime(2025, 6, 3, tzinfo=UTC)
    first = still.schedules.backfill("tokyo", start, end)
    again = still.schedules.backfill("tokyo", start, end + timedelta(days=1))
    assert ids(first) == ["tokyo-20250601T183000Z", "tokyo-20250602T183000Z"]
    assert ids(again) == ["tokyo-20250603T183000Z"]


def test_backfill_when_the_times_have_no_zone_then_are_of_the_schedules(still: Engine) -> None:
    start, end = datetime(2025, 7, 1, 3, 30), datetime(2025, 7, 2, 3, 30)  # noqa: DTZ001 - meant
    assert ids(still.schedules.backfill("tokyo", start, end)) == ["tokyo-20250630T183000Z"]


def test_backfill_when_the_clock_changes_then_each_day_has_one_occurrence(still: Engine) -> None:
    forward, back = datetime(2025, 3, 29, tzinfo=UTC), datetime(2025, 10, 25, tzinfo=UTC)
    found = [
        instance.id.removeprefix("berlin-")
        for start in (forward, back)
        for instance in still.schedules.backfill("berlin", start, start + timedelta(days=3))
    ]
    assert found == [
        "20250329T013000Z", "20250330T010000Z", "20250331T003000Z",
        "20251025T003000Z", "20251026T003000Z", "20251027T013000Z",
    ]  # fmt: skip


def test_backfill_when_its_instances_run_then_they_know_their_time(engine: Engine) -> None:
    start = datetime(2025, 8, 1, tzinfo=UTC)
    found = engine.schedules.backfill("tokyo", start, start + timedelta(days=1))
    assert wait_for_status(found[0]).output == "2025-08-01T18:30:00+00:00"


@pytest.mark.parametrize(
    ("seconds_before", "seconds"), [(2000, 1001), (2000, -1), (10, 3600)], ids=str
)
def test_backfill_when_too_long_backwards_or_in_the_future_then_is_refused(
    still: Engine, seconds_before: int, seconds: int
) -> None:
    start = (utc_now() - timedelta(seconds=seconds_before)).replace(microsecond=0)
    with pytest.raises(InputError):
        still.schedules.backfill("tick", start, start + timedelta(seconds=seconds))
    id_ = f"tick-{start:%Y%m%dT%H%M%SZ}"
    assert seconds_before == 10 or id_ not in occurrences(still, "tick")


def test_backfill_when_it_starts_before_all_clocks_then_is_refused(still: Engine) -> None:
    with pytest.raises(InputError):
        still.schedules.backfill("tokyo", datetime.min, utc_now())  # noqa: DTZ901 - hostile input


def test_schedule_when_unknown_then_is_an_error(still: Engine) -> None:
    schedules, now = still.schedules, utc_now()
    for call in (schedules.get, schedules.pause, schedules.resume, schedules.trigger):
        with pytest.raises(ScheduleNotFoundError):
            call("nothing")
    with pytest.raises(ScheduleNotFoundError):
        schedules.backfill("nothing", now, now)


def ids(instances: list[Instance]) -> list[str]:
    return [instance.id for instance in instances]
