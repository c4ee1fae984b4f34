"""Bringing the database to the present schema, in process and without a configuration file."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

from storage import tables
from storage.database import is_sqlite

_SCRIPTS = Path(__file__).parent / "migrations"
_LOCK = 0x6B696B69  # any number that nothing else uses: it names the lock on PostgreSQL

METADATA: sa.MetaData = tables.Run.metadata


def upgrade(engine: sa.Engine, to: str = "head") -> None:
    """Run all migrations that are missing, in one transaction; several processes may call it.

    Args:
        engine: the database.
        to: the last migration to run.

    Raises:
        DatabaseBusyError: another process holds the database (retryable).
    """
    with _migrating(engine) as config:
        command.upgrade(config, to)


def is_current(engine: sa.Engine) -> bool:
    """Tell whether the database has the schema that this code needs."""
    return current(engine) == head()


def current(engine: sa.Engine) -> str | None:
    """Return the newest migration that the database has; None where it has none."""
    with engine.connect() as connection:
        return MigrationContext.configure(connection).get_current_revision()


def head() -> str | None:
    """Return the newest migration's id."""
    return ScriptDirectory.from_config(_config()).get_current_head()


def differences(engine: sa.Engine) -> list[object]:
    """Return how the database differs from the tables in code; empty when it does not.

    Tables of the engine and of its scheduler, which share the database, are left out.
    """
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"include_name": is_ours})
        return list(compare_metadata(context, METADATA))


def add_migration(engine: sa.Engine, message: str) -> None:
    """Write the next migration from what differs (for developers; read it before you commit)."""
    with _migrating(engine) as config:
        command.revision(config, message, autogenerate=True, rev_id=_next_id())


def is_ours(name: str | None, kind: str, _parents: object) -> bool:
    """Tell alembic which tables belong to the application."""
    return kind != "table" or name in METADATA.tables


@contextmanager
def _migrating(engine: sa.Engine) -> Iterator[Config]:
    config = _config()
    with engine.begin() as connection:
        if not is_sqlite(engine):
            connection.execute(sa.text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
        config.attributes["connection"] = connection
        yield config


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(_SCRIPTS))
    config.set_main_option("path_separator", "os")
    return config


def _next_id() -> str:
    return f"{int(head() or 0) + 1:04d}"
