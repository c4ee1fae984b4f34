"""Column types: aware times, and enum members kept as text."""

from datetime import UTC, datetime
from enum import StrEnum
from typing import ClassVar

import sqlalchemy as sa
from sqlalchemy.types import TypeDecorator

from storage.statuses import ReviewStatus, Role, RunStatus


class UtcDateTime(TypeDecorator[datetime]):
    """A timezone-aware UTC time on SQLite and PostgreSQL alike."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:
        """Refuse naive times and store UTC."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a stored time needs a time zone")
        utc = value.astimezone(UTC)
        return utc.replace(tzinfo=None) if dialect.name == "sqlite" else utc

    def process_result_value(
        self,
        value: datetime | None,
        dialect: sa.Dialect,  # noqa: ARG002 - the base's signature
    ) -> datetime | None:
        """Return UTC with its time zone."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class _EnumText(TypeDecorator[StrEnum]):
    """A column that is text in the database and an enum member in Python."""

    impl = sa.String
    cache_ok = True
    members: ClassVar[type[StrEnum]]

    def process_bind_param(
        self,
        value: StrEnum | None,
        dialect: sa.Dialect,  # noqa: ARG002 - the base's signature
    ) -> str | None:
        """Refuse what is no member."""
        return None if value is None else self.members(value).value

    def process_result_value(
        self,
        value: str | None,
        dialect: sa.Dialect,  # noqa: ARG002 - the base's signature
    ) -> StrEnum | None:
        """Return the member."""
        return None if value is None else self.members(value)


class RunStatusText(_EnumText):
    """A column of `RunStatus`."""

    cache_ok = True
    members = RunStatus


class ReviewStatusText(_EnumText):
    """A column of `ReviewStatus`."""

    cache_ok = True
    members = ReviewStatus


class RoleText(_EnumText):
    """A column of `Role`."""

    cache_ok = True
    members = Role
