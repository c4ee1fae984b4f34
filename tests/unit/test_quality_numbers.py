import pytest

from models.quality.dates import date_marks, numeric_months, relative_marks
from models.quality.negation import Polarity, clauses, polarity
from models.quality.numbers import numbers


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("twenty five people", 25, None),
        ("three hundred and twelve euros", 312, "eur"),
        ("one hundred and fifty thousand", 150_000, None),
        ("in twenty twenty-five", 2025, None),
        ("nineteen ninety", 1990, None),
        ("the ninth of April", 9, None),
        ("the twenty-first", 21, None),
        ("three point five percent", 3.5, "percent"),
        ("$1,234.50", 1234.5, "usd"),
        ("3.5 million users", 3_500_000, None),
        ("from 30 to 40 thousand", 30_000, None),
        ("at 15:00", 3, None),
        ("twelve fifty", 12.5, None),
        ("３万５千円", 35_000, "jpy"),
        ("12億3000万円", 1_230_000_000, "jpy"),
        ("2万4613人", 24_613, None),
        ("三百五十万円", 3_500_000, "jpy"),
        ("二割引き", 20, "percent"),
        ("二〇二六年", 2026, None),
        ("百分之十五", 15, "percent"),
        ("两万五千元", 25_000, "cny"),
        ("十二个人", 12, None),
        ("下午三点半", 3, None),
    ],
)
def test_numbers_when_written_any_way_then_value_and_unit(
    text: str, value: float, unit: str | None
) -> None:
    assert any(
        value in number.values and (number.unit.name if number.unit else None) == unit
        for number in numbers(text)
    )


@pytest.mark.parametrize(
    "text",
    [
        "one of them, no one, the other one",
        "h264 and Q3",
        "一緒に、一番、統一する",
        "一个人一起做，统一安排，十分重要，万一",
        "[PERSON_12] and [PHONE_NUMBER_3]",
        "First, we eat.",
    ],
)
def test_numbers_when_words_only_look_like_them_then_none(text: str) -> None:
    assert numbers(text) == ()


@pytest.mark.parametrize(
    ("text", "marks"),
    [
        ("on Monday, April 9", {"weekday 1", "month 4"}),
        ("on May 3rd we may march", {"month 5"}),
        ("in March", {"month 3"}),
        ("来週の月曜日、四月九日", {"weekday 1", "month 4"}),
        ("下周三，十二月", {"weekday 3", "month 12"}),
        ("星期天", {"weekday 7"}),
        ("3か月と三个月", set()),
        ("You may go.", set()),
    ],
)
def test_dates_when_in_any_language_then_same_marks(text: str, marks: set[str]) -> None:
    assert date_marks(text) == marks


def test_dates_when_relative_or_numeric_then_compared_too() -> None:
    assert relative_marks("来週") == relative_marks("下周") == relative_marks("next week")
    assert "month 4" in numeric_months("2026-04-09")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We will not go", Polarity.NEGATES),
        ("We don't go", Polarity.NEGATES),
        ("We go", Polarity.AFFIRMS),
        ("not only tea", Polarity.AFFIRMS),
        ("why don't we go", Polarity.AFFIRMS),
        ("they postponed it", Polarity.UNCLEAR),
        ("行きません", Polarity.NEGATES),
        ("行かなければなりません", Polarity.AFFIRMS),
        ("行くかもしれない", Polarity.AFFIRMS),
        ("使わずに残す", Polarity.NEGATES),
        ("中止する", Polarity.UNCLEAR),
        ("我们不去", Polarity.NEGATES),
        ("我们不同意", Polarity.NEGATES),
        ("方案不错", Polarity.AFFIRMS),
        ("是不是要去", Polarity.AFFIRMS),
        ("推迟了", Polarity.UNCLEAR),
    ],
)
def test_polarity_when_clause_then_told(text: str, expected: Polarity) -> None:
    assert polarity(text) is expected


def test_clauses_when_joined_then_apart() -> None:
    assert clauses("We go, but they do not go.") == ("We go", "they do not go.")
    assert clauses("値段は変えませんが、席は増やします。") == (
        "値段は変えません",
        "席は増やします。",
    )


def test_number_when_of_words_side_by_side_then_each_is_said_as_often() -> None:
    (claimed,) = numbers("twelve twelve")
    assert not claimed.is_among(numbers("we try to make it for twelve fifty"))
    assert claimed.is_among(numbers("from twelve to another twelve"))
