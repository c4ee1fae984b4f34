from datetime import timedelta

import pytest

from configs.durations import parse_duration


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("72 hours", 259_200),
        ("1 hour 30 minutes", 5_400),
        ("PT72H", 259_200),
        ("P1DT2H3M4.5S", 93_784.5),
        ("90", 90),
        (90, 90),
        (0.5, 0.5),
        ("10s", 10),
        ("5 min", 300),
        (timedelta(days=1), 86_400),
    ],
)
def test_parse_duration_reads_what_people_write(text: str | float, seconds: float) -> None:
    assert parse_duration(text).total_seconds() == seconds


@pytest.mark.parametrize("text", ["", "soon", "5 fortnights", "P", "PT", "-5", -1, "5 hours ago"])
def test_parse_duration_of_something_else_is_an_error(text: str | float) -> None:
    with pytest.raises(ValueError, match=r"duration|unit"):
        parse_duration(text)
