"""Cron expressions in a time zone, over changes of the clock too."""

from datetime import UTC, datetime, timedelta

import pytest

from configs.cron import Cron

BERLIN = "Europe/Berlin"
FORWARD = datetime(2026, 3, 29, tzinfo=UTC)  # 02:00 becomes 03:00, at 01:00 UTC
BACK = datetime(2026, 10, 25, tzinfo=UTC)  # 03:00 becomes 02:00, at 01:00 UTC


def times(expression: str, day: datetime, time_zone: str = BERLIN) -> list[str]:
    """Return the times of a day as hours and minutes of UTC."""
    cron = Cron(expression, time_zone)
    found = list(cron.between(day, day + timedelta(hours=4)))
    assert all(map(cron.happens_at, found))
    assert [cron.latest(moment) for moment in found] == found
    return [f"{moment:%H:%M}" for moment in found]


def test_times_when_in_a_time_zone_then_are_of_its_wall_clock() -> None:
    day = datetime(2026, 6, 1, 12, tzinfo=UTC)
    assert Cron("30 3 * * *", "Asia/Tokyo").after(day) == day.replace(hour=18, minute=30)
    assert Cron("30 3 * * *", "Asia/Tokyo").latest(day) == datetime(2026, 5, 31, 18, 30, tzinfo=UTC)


@pytest.mark.parametrize("expression", ["0 2 * * *", "30 2 * * *", "*/20 2 * * *"])
def test_times_when_the_clock_skips_one_then_it_happens_at_the_skip(expression: str) -> None:
    assert times(expression, FORWARD) == ["01:00"]


@pytest.mark.parametrize(
    ("expression", "found"),
    [("0 2 * * *", ["00:00"]), ("30 2 * * *", ["00:30"]), ("*/30 2 * * *", ["00:00", "00:30"])],
)
def test_times_when_one_comes_twice_then_it_happens_the_first_time(
    expression: str, found: list[str]
) -> None:
    assert times(expression, BACK) == found


@pytest.mark.parametrize("day", [FORWARD, BACK])
def test_times_when_of_every_hour_then_happen_on_every_real_hour(day: datetime) -> None:
    assert times("30 * * * *", day) == ["00:30", "01:30", "02:30", "03:30"]


def test_times_when_seconds_come_first_then_are_counted_in_them() -> None:
    start = datetime(2026, 6, 1, 0, 0, 0, 250_000, tzinfo=UTC)
    found = Cron("*/20 * * * * *").between(start, start + timedelta(minutes=1))
    assert [moment.second for moment in found] == [20, 40, 0]


def test_between_when_its_ends_are_times_then_has_the_first_and_not_the_last() -> None:
    start = datetime(2026, 6, 1, tzinfo=UTC)
    found = list(Cron("0 0 * * *").between(start, start + timedelta(days=2)))
    assert [moment.day for moment in found] == [1, 2]


@pytest.mark.parametrize(
    "expression",
    [
        "",
        "* * * *",
        "61 * * * *",
        "R R * * *",
        "H 1 * * *",
        "@daily",
        "* * * * * * *",
        "x",
        "0 " * 99,
    ],
)
def test_cron_when_the_expression_is_none_then_is_refused(expression: str) -> None:
    with pytest.raises(ValueError, match="is no cron expression"):
        Cron(expression)


def test_cron_when_it_never_happens_then_is_refused() -> None:
    with pytest.raises(ValueError, match="never happens"):
        Cron("0 0 30 2 *")


@pytest.mark.parametrize("zone", ["", "Nowhere/Town", "../../etc/passwd", "/etc/passwd", "\0"])
def test_cron_when_the_time_zone_is_unknown_then_is_refused(zone: str) -> None:
    with pytest.raises(ValueError, match="is no time zone"):
        Cron("0 0 * * *", zone)
