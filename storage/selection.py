"""Which runs to reprocess: `tenant=acme and created>=2026-01-01 and status in (published, failed)`.

The text is parsed into conditions and these into bound SQL; no part of it is ever SQL.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import sqlalchemy as sa
from sqlmodel import Session, col, select

from configs.errors import InputError
from storage.run_list import model_is
from storage.statuses import RunStatus
from storage.tables import Run

_TOKEN = re.compile(
    r"""\s*(?:(?P<op>>=|<=|=)|(?P<mark>[(),])|"(?P<double>[^"]*)"|'(?P<single>[^']*)'"""
    r"""|(?P<word>[^\s(),=<>"']+))"""
)
_TEXT_COLUMNS = {
    "run": Run.id,
    "tenant": Run.tenant,
    "language": Run.language,
    "template": Run.template,
}
_FIELDS = (*_TEXT_COLUMNS, "status", "model", "created")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


@dataclass(frozen=True)
class Condition:
    """One condition; `operator` is `=`, `>=`, `<=` or `in`."""

    field: str
    operator: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class Selection:
    """Conditions that all have to hold."""

    conditions: tuple[Condition, ...]

    def where(self) -> sa.ColumnElement[bool]:
        """Return the conditions as SQL with bound values.

        Erased runs are never selected.
        """
        parts = [_compile(condition) for condition in self.conditions]
        return sa.and_(col(Run.status) != RunStatus.ERASED, *parts)


def parse_selection(text: str) -> Selection:
    """Read a selection.

    Args:
        text: conditions joined by `and`: `field=value`, `field in (a, b)`, and for `created` also
            `>=` and `<=`, over `run tenant language status template model created`. Values with
            spaces are quoted. A date means the whole day, in UTC.

    Raises:
        InputError: what is wrong and where (not retryable).
    """
    reader = _Reader(text)
    conditions = [_condition(reader)]
    while not reader.is_at_end:
        reader.expect_word("and")
        conditions.append(_condition(reader))
    selection = Selection(tuple(conditions))
    selection.where()  # compiled once here, so that wrong values are found now
    return selection


def select_runs(session: Session, selection: Selection) -> list[str]:
    """Return the ids of the selected runs, oldest first."""
    return list(session.exec(select(Run.id).where(selection.where()).order_by(col(Run.id))))


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.place = 0

    @property
    def is_at_end(self) -> bool:
        return not self.text[self.place :].strip()

    def next(self, *kinds: str, wanted: str) -> str:
        match = _TOKEN.match(self.text, self.place)
        found = {k: v for k, v in match.groupdict().items() if v is not None} if match else {}
        for kind in kinds:
            if match is not None and kind in found:
                self.place = match.end()
                return found[kind]
        raise self.error(f"{wanted} is missing")

    def expect_word(self, word: str) -> None:
        start = self.place
        if self.next("word", wanted=f"{word!r}").lower() != word:
            self.place = start
            raise self.error(f"{word!r} is missing")

    def error(self, reason: str) -> InputError:
        return InputError(
            f"The selection cannot be read at character {self.place + 1}: {reason}.",
            {"place": self.place},
        )


def _condition(reader: _Reader) -> Condition:
    start = reader.place
    field = reader.next("word", wanted="a field")
    if field not in _FIELDS:
        reader.place = start
        raise reader.error(f"{field!r} is not one of {', '.join(_FIELDS)}")
    sign = reader.next("op", "word", wanted="=, >=, <= or in")
    if sign.lower() == "in":
        return Condition(field, "in", _values(reader))
    if sign not in {"=", ">=", "<="}:
        raise reader.error(f"{sign!r} is not one of =, >=, <=, in")
    if sign != "=" and field != "created":
        raise reader.error(f"{field} can only be compared with = and in")
    return Condition(field, sign, (_value(reader),))


def _value(reader: _Reader) -> str:
    return reader.next("word", "double", "single", wanted="a value")


def _values(reader: _Reader) -> tuple[str, ...]:
    if reader.next("mark", wanted="(") != "(":
        raise reader.error("( is missing")
    values = [_value(reader)]
    while (mark := reader.next("mark", wanted=", or )")) == ",":
        values.append(_value(reader))
    if mark != ")":
        raise reader.error(") is missing")
    return tuple(values)


def _compile(condition: Condition) -> sa.ColumnElement[bool]:
    values = condition.values
    if condition.field == "created":
        return _compile_created(condition)
    if condition.field == "model":
        return sa.or_(*(model_is(value) for value in values))
    if condition.field == "status":
        return col(Run.status).in_([_status(value) for value in values])
    return col(_TEXT_COLUMNS[condition.field]).in_(values)


def _compile_created(condition: Condition) -> sa.ColumnElement[bool]:
    created = col(Run.created_at)
    if condition.operator == ">=":
        return created >= _period(condition.values[0])[0]
    if condition.operator == "<=":
        return created < _period(condition.values[0])[1]
    periods = [_period(value) for value in condition.values]
    return sa.or_(*(sa.and_(created >= start, created < end) for start, end in periods))


def _period(value: str) -> tuple[datetime, datetime]:
    """Return what a date or time stands for, end exclusive: a day, or a single moment."""
    try:
        start = datetime.fromisoformat(value)
    except ValueError:
        raise InputError(f"{value!r} is no date or time such as 2026-01-31.") from None
    start = start if start.tzinfo else start.replace(tzinfo=UTC)
    is_day = _DAY.fullmatch(value) is not None
    return start, start + (timedelta(days=1) if is_day else timedelta(microseconds=1))


def _status(value: str) -> RunStatus:
    try:
        return RunStatus(value)
    except ValueError:
        known = ", ".join(RunStatus)
        raise InputError(f"{value!r} is no status; they are {known}.") from None
