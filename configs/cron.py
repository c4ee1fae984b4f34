"""Times that come again and again, as cron writes them: `30 3 * * *` in a time zone."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

from croniter import croniter
from croniter.croniter import CroniterError

from configs import clock

_FIELD = re.compile(
    r"(?:[0-9*?,/#L-]|MON|TUE|WED|THU|FRI|SAT|SUN"
    r"|JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)+",
    re.IGNORECASE,
)
_LONGEST = 200
_SECOND = timedelta(seconds=1)


@dataclass(frozen=True)
class Cron:
    """A cron expression in a time zone, by the wall clock of that zone.

    Where the clock is set forward, a time that it skips happens at the moment of the skip. Where it
    is set back, a time that comes twice happens the first time only; an expression whose hours are
    `*` goes on every real hour.

    Attributes:
        expression: Minute, hour, day of month, month, day of week; with six fields, seconds first.
        time_zone: A name of the IANA database, as `Asia/Tokyo`.

    Raises:
        ValueError: no such expression, it never happens, or no such time zone (not retryable).
    """

    expression: str
    time_zone: str = "UTC"

    def __post_init__(self) -> None:
        if not _is_expression(self.expression):
            raise ValueError(
                f"{self.expression[:_LONGEST]!r} is no cron expression; write minute, hour, day of"
                " month, month and day of week, as '30 3 * * *'"
            )
        _ = self.zone
        now = clock.utc_now()
        try:
            for look in (self.after, self.latest):
                look(now)
        except CroniterError:
            raise ValueError(f"{self.expression!r} never happens") from None

    @property
    def zone(self) -> tzinfo:
        """The time zone's rules."""
        if self.time_zone == "UTC":  # known also where no database of time zones is installed
            return UTC
        try:
            return ZoneInfo(self.time_zone)
        except (KeyError, ValueError, OSError):
            raise ValueError(
                f"{self.time_zone[:_LONGEST]!r} is no time zone; write one as 'Asia/Tokyo'"
            ) from None

    def after(self, moment: datetime) -> datetime:
        """Return the first time after `moment`, in UTC."""
        times = self._from(moment)
        while True:
            found = _utc(times.get_next(datetime))
            if self._counts(found):
                return found

    def latest(self, moment: datetime) -> datetime:
        """Return the last time that is not after `moment`, in UTC."""
        times = self._from(_utc(moment).replace(microsecond=0) + _SECOND)
        while True:
            found = _utc(times.get_prev(datetime))
            if self._counts(found):
                return found

    def between(self, start: datetime, end: datetime) -> Iterator[datetime]:
        """Return the times from `start` on and before `end`, in UTC."""
        moment = self.after(_utc(start) - timedelta(microseconds=1))
        while moment < end:
            yield moment
            moment = self.after(moment)

    def happens_at(self, moment: datetime) -> bool:
        """Tell whether this is one of the times."""
        return self.latest(moment) == _utc(moment)

    def _from(self, moment: datetime) -> croniter:
        return croniter(self.expression, moment.astimezone(self.zone), second_at_beginning=True)

    def _counts(self, moment: datetime) -> bool:
        """Refuse the second of two equal times on the wall clock."""
        return not moment.astimezone(self.zone).fold or self.expression.split()[-4].startswith("*")


def _utc(moment: datetime) -> datetime:
    """Return a moment in UTC, where Python compares moments and not what two clocks show.

    croniter marks what it finds going back as the second of two times (`fold`) in any zone.
    """
    return moment.astimezone(UTC).replace(fold=0)


def _is_expression(text: str) -> bool:
    fields = text.split() if len(text) <= _LONGEST else []
    return (
        len(fields) in (5, 6)
        and all(map(_FIELD.fullmatch, fields))
        and bool(croniter.is_valid(text, second_at_beginning=True))
    )
