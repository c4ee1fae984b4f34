"""Journal transactions of schedules: which are declared, which are paused, what has begun.

A schedule's row is locked by whatever decides about it, so a pause and an occurrence come one after
the other: once a pause is committed, nothing begins.
"""

from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session

from configs.cron import Cron
from pipeline.engine import journal
from storage.database import database_now

schedule_table = sa.Table(
    "engine_schedule",
    journal.metadata,
    sa.Column("name", sa.String(100), primary_key=True),
    sa.Column("cron", sa.String(200), nullable=False),
    sa.Column("time_zone", sa.String(200), nullable=False),
    sa.Column("paused", sa.Boolean, nullable=False),
    sa.Column("active_since", sa.Double, nullable=False),  # declared, changed or resumed
    sa.Column("last_at", sa.Double),  # the latest occurrence that has begun
)


def declare(session: Session, declared: Mapping[str, Cron]) -> None:
    """Write the rows of new and changed schedules, and delete those that are not declared."""
    for name in sorted(declared):  # in one order, so that two workers that start cannot deadlock
        cron, row = declared[name], _made(session, name, declared[name])
        if (row.cron, row.time_zone) != (cron.expression, cron.time_zone):
            _update(session, name, active_since=journal.now(session), **_columns(cron))
    gone = sa.delete(schedule_table).where(schedule_table.c.name.not_in(list(declared)))
    journal.execute(session, gone)


def set_paused(session: Session, name: str, cron: Cron, *, paused: bool) -> bool:
    """Pause or resume a schedule; False where that changes nothing.

    What would have occurred in a pause does not come after it.
    """
    row = _made(session, name, cron)
    if row.paused == paused:
        return False
    since = row.active_since if paused else journal.now(session)
    _update(session, name, paused=paused, active_since=since)
    return True


def take(session: Session, name: str, cron: Cron, occurrence: datetime, within_s: float) -> bool:
    """Note that an occurrence begins; False where it must not: paused, too late, or none of it."""
    row, at = _locked(session, name), occurrence.timestamp()
    if row is None or row.paused or at <= row.active_since or not cron.happens_at(occurrence):
        return False
    if journal.now(session) > at + within_s:
        return False
    _update(session, name, last_at=max(at, row.last_at or at))
    return True


def missed(
    session: Session, declared: Mapping[str, Cron], grace_s: float
) -> list[tuple[str, datetime]]:
    """Return the latest occurrence of each active schedule that should have begun and has not."""
    due = database_now(session) - timedelta(seconds=grace_s)
    found = []
    for name, row in rows(session).items():
        if name in declared and not row.paused:
            latest = declared[name].latest(due)
            if latest.timestamp() > max(row.active_since, row.last_at or row.active_since):
                found.append((name, latest))
    return found


def rows(session: Session) -> dict[str, sa.Row[Any]]:
    """Return the schedules' rows by name."""
    return {row.name: row for row in journal.execute(session, sa.select(schedule_table))}


def occurred_at(row: sa.Row[Any] | None) -> datetime | None:
    """Return the latest occurrence that has begun."""
    return None if row is None or row.last_at is None else datetime.fromtimestamp(row.last_at, UTC)


def _made(session: Session, name: str, cron: Cron) -> sa.Row[Any]:
    """Lock a declared schedule's row, made where there is none."""
    row = _locked(session, name)
    if row is None:
        values = {"name": name, "paused": False, "active_since": journal.now(session)}
        statement = sa.insert(schedule_table).values(**values, **_columns(cron))
        with suppress(IntegrityError), session.begin_nested():  # another process may be first
            journal.execute(session, statement)
        row = _locked(session, name)
    if row is None:
        raise TypeError("a schedule without a row")
    return row


def _locked(session: Session, name: str) -> sa.Row[Any] | None:
    statement = sa.select(schedule_table).where(schedule_table.c.name == name).with_for_update()
    return journal.execute(session, statement).one_or_none()


def _update(session: Session, name: str, **values: object) -> None:
    statement = sa.update(schedule_table).where(schedule_table.c.name == name).values(**values)
    journal.execute(session, statement)


def _columns(cron: Cron) -> dict[str, str]:
    return {"cron": cron.expression, "time_zone": cron.time_zone}
