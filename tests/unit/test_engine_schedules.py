"""Schedules are looked at when the engine is made."""

from pathlib import Path

import pytest

from pipeline.engine import NotSerializableError, Schedule
from tests.scheduled import Noted, every_second, make_engine


def declare(folder: Path, *schedules: Schedule) -> None:
    make_engine(f"sqlite:///{folder}/database", list(schedules))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"name": "-a"}, "the schedule's name"),
        ({"name": "a" * 65}, "at most 64"),
        ({"workflow": "nothing"}, "no workflow"),
        ({"cron": "61 * * * *"}, "no cron expression"),
        ({"cron": "0 0 31 2 *"}, "never happens"),
        ({"time_zone": "Nowhere/Town"}, "no time zone"),
        ({"start_within": "soon"}, "not a duration"),
        ({"tenant": "a b"}, "tenant"),
    ],
)
def test_engine_when_a_schedule_is_not_allowed_then_is_refused(
    tmp_path: Path, changed: dict[str, str], message: str
) -> None:
    given = {"name": "a", "workflow": Noted.name, "cron": "0 0 * * *", **changed}
    with pytest.raises(ValueError, match=message):
        declare(tmp_path, Schedule(**given, params="x"))


def test_engine_when_two_schedules_have_one_name_then_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="two schedules"):
        declare(tmp_path, every_second("a"), every_second("a"))


def test_engine_when_a_schedules_parameters_do_not_fit_then_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotSerializableError):
        declare(tmp_path, Schedule("a", Noted.name, "0 0 * * *", params=object()))
