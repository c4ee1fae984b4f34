"""Durations as people write them: `72 hours`, `PT72H` or seconds."""

import re
from datetime import timedelta

_UNITS_S = {
    "second": 1,
    "minute": 60,
    "hour": 3600,
    "day": 86400,
    "week": 604800,
}
_SHORT = {
    "s": "second",
    "sec": "second",
    "m": "minute",
    "min": "minute",
    "h": "hour",
    "d": "day",
    "w": "week",
}
_PART = re.compile(r"(\d+(?:\.\d+)?)\s*([a-z]+)")
_ISO = re.compile(
    r"P(?:(?P<week>\d+(?:\.\d+)?)W)?(?:(?P<day>\d+(?:\.\d+)?)D)?"
    r"(?:T(?:(?P<hour>\d+(?:\.\d+)?)H)?(?:(?P<minute>\d+(?:\.\d+)?)M)?(?:(?P<second>\d+(?:\.\d+)?)S)?)?"
)


def parse_duration(value: str | float | timedelta) -> timedelta:
    """Read a duration.

    Args:
        value: `"72 hours"`, `"1 hour 30 minutes"`, ISO 8601 (`"PT72H"`) or a number of seconds.

    Returns:
        The duration, zero or more.

    Raises:
        ValueError: the text is no duration, or it is negative (not retryable).
    """
    if isinstance(value, timedelta):
        return _not_negative(value)
    if isinstance(value, int | float):
        return _not_negative(timedelta(seconds=value))
    text = value.strip()
    if re.fullmatch(r"\d+(?:\.\d+)?", text):
        return timedelta(seconds=float(text))
    if text.startswith("P"):
        return timedelta(seconds=_iso_seconds(text))
    return timedelta(seconds=_spoken_seconds(text))


def _not_negative(value: timedelta) -> timedelta:
    if value < timedelta(0):
        raise ValueError("a duration cannot be negative")
    return value


def _iso_seconds(text: str) -> float:
    match = _ISO.fullmatch(text)
    parts = {k: v for k, v in match.groupdict().items() if v} if match else {}
    if not parts:
        raise ValueError(f"{text!r} is not an ISO 8601 duration such as PT72H")
    return sum(float(number) * _UNITS_S[unit] for unit, number in parts.items())


def _spoken_seconds(text: str) -> float:
    lowered = text.lower()
    parts = _PART.findall(lowered)
    if not parts or _PART.sub("", lowered).strip(" ,"):
        raise ValueError(f"{text!r} is not a duration such as '72 hours', 'PT72H' or 90")
    return sum(float(number) * _unit_seconds(unit, text) for number, unit in parts)


def _unit_seconds(unit: str, text: str) -> int:
    name = _SHORT.get(unit, unit.removesuffix("s"))
    if name not in _UNITS_S:
        raise ValueError(f"{unit!r} in {text!r} is no unit; use seconds, minutes, hours or days")
    return _UNITS_S[name]
