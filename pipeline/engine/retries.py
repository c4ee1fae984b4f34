"""How often a step is tried, and how long it waits in between."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from configs.durations import parse_duration

Duration = str | float | timedelta
DelayFunction = Callable[[int, Exception], Duration]

LONGEST_DELAY_S = 365 * 86400.0
MOST_RETRIES = 10_000


@dataclass(frozen=True)
class Retries:
    """A step's retry policy.

    Attributes:
        limit: Tries after the first one; 5 gives six attempts, 0 one.
        delay: The base delay, or a function of (attempt from 1, error) that returns the delay; what
            the function raises ends the step.
        backoff: `constant` (base), `linear` (base x n) or `exponential` (base x 2^(n-1)).

    Raises:
        ValueError: a value out of range, or a delay that is none (not retryable).
    """

    limit: int = 5
    delay: Duration | DelayFunction = "10 seconds"
    backoff: Literal["constant", "linear", "exponential"] = "exponential"

    def __post_init__(self) -> None:
        if isinstance(self.limit, bool) or not isinstance(self.limit, int):
            raise ValueError("the limit of retries is a whole number")  # noqa: TRY004 - as documented
        if not 0 <= self.limit <= MOST_RETRIES:
            raise ValueError(f"the limit of retries is from 0 to {MOST_RETRIES}")
        if self.backoff not in ("constant", "linear", "exponential"):
            raise ValueError(f"{self.backoff!r} is no backoff; use constant, linear or exponential")
        if not callable(self.delay):
            seconds(self.delay)

    def delay_s(self, attempt: int, error: Exception) -> float:
        """Return the seconds to wait after failed attempt number `attempt` (from 1).

        Raises:
            ValueError: the delay function returned no valid delay (not retryable).
        """
        if callable(self.delay):
            return seconds(self.delay(attempt, error))
        base = seconds(self.delay)
        factor = {
            "constant": 1.0,
            "linear": float(attempt),
            "exponential": math.ldexp(1.0, min(attempt - 1, 60)),
        }[self.backoff]
        return min(base * factor, LONGEST_DELAY_S)


def seconds(value: Duration) -> float:
    """Return a duration in seconds, at most 365 days.

    Raises:
        ValueError: no duration, negative, not finite or too long (not retryable).
    """
    if isinstance(value, bool) or not isinstance(value, str | int | float | timedelta):
        raise ValueError(f"{type(value).__name__} is no duration")  # noqa: TRY004 - as documented
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("a duration is finite")
    total = parse_duration(value).total_seconds()
    if total > LONGEST_DELAY_S:
        raise ValueError("a duration of the engine is at most 365 days")
    return total


def retry_after_s(error: BaseException) -> float | None:
    """Return the seconds that an error asks to wait (`retry_after_s`, or the same in `details`)."""
    value = getattr(error, "retry_after_s", None)
    if value is None:
        details = getattr(error, "details", None)
        value = details.get("retry_after_s") if isinstance(details, dict) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return min(max(float(value), 0.0), LONGEST_DELAY_S) if math.isfinite(value) else None
