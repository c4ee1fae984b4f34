"""The delays between attempts, exactly."""

import math
from datetime import timedelta
from typing import Any

import pytest

from configs.errors import TransientError
from pipeline.engine.retries import Retries, retry_after_s

ERROR = TransientError()


@pytest.mark.parametrize(
    ("backoff", "delays"),
    [
        ("constant", [10, 10, 10, 10, 10]),
        ("linear", [10, 20, 30, 40, 50]),
        ("exponential", [10, 20, 40, 80, 160]),
    ],
)
def test_delay_when_attempts_fail_then_follows_the_backoff(
    backoff: str, delays: list[float]
) -> None:
    retries = Retries(backoff=backoff)  # type: ignore[arg-type]  # the parameter names it
    assert [retries.delay_s(attempt, ERROR) for attempt in range(1, 6)] == delays


def test_retries_when_not_given_then_are_five_exponential_from_ten_seconds() -> None:
    assert Retries() == Retries(limit=5, delay="10 seconds", backoff="exponential")


def test_delay_when_it_grows_without_end_then_is_a_year_at_most() -> None:
    assert Retries(limit=10_000).delay_s(9_999, ERROR) == 365 * 86400


@pytest.mark.parametrize("delay", [timedelta(seconds=3), "3 seconds", 3, 3.0, "PT3S"])
def test_delay_when_given_as_any_duration_then_is_read(delay: float | str | timedelta) -> None:
    assert Retries(delay=delay, backoff="constant").delay_s(7, ERROR) == 3


def test_delay_function_when_called_then_is_given_attempt_and_error() -> None:
    calls: list[tuple[int, Exception]] = []

    def delay(attempt: int, error: Exception) -> str:
        calls.append((attempt, error))
        return "2 seconds"

    assert Retries(delay=delay).delay_s(3, ERROR) == 2
    assert calls == [(3, ERROR)]


@pytest.mark.parametrize("value", [-1, "soon", math.nan, math.inf, True, "400 days", None, b"1"])
def test_delay_function_when_it_returns_no_delay_then_is_an_error(value: float) -> None:
    with pytest.raises(ValueError, match="duration"):
        Retries(delay=lambda *_: value).delay_s(1, ERROR)


@pytest.mark.parametrize(
    "values",
    [
        {"limit": -1},
        {"limit": 10_001},
        {"limit": 1.5},
        {"limit": True},
        {"delay": -1},
        {"delay": "soon"},
        {"delay": "400 days"},
        {"backoff": "cubic"},
    ],
)
def test_retries_when_a_value_is_out_of_range_then_are_an_error(values: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"retries|duration|backoff"):
        Retries(**values)


@pytest.mark.parametrize(
    ("value", "expected"),
    [(90, 90.0), (1.5, 1.5), (-5, 0.0), ("90", None), (True, None), (math.nan, None)],
)
def test_retry_after_when_an_error_carries_it_then_is_read(
    value: object, expected: float | None
) -> None:
    class OtherError(Exception):
        retry_after_s = value

    assert retry_after_s(OtherError()) == expected


def test_retry_after_when_in_the_details_then_is_read() -> None:
    assert retry_after_s(TransientError(details={"retry_after_s": 7})) == 7
