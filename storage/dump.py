"""The whole database in files, as it stood at one moment, and back again.

SQLite is copied page by page, PostgreSQL table by table in one snapshot. Tables of the engine are
in it too: a run that waits for its review goes on waiting after a restore.
"""

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psycopg
import sqlalchemy as sa
from psycopg import sql
from sqlmodel import Session, col, select

from configs.errors import IntegrityError
from storage.database import is_sqlite
from storage.refs import ArtifactRef
from storage.runs import as_ref
from storage.statuses import RunStatus
from storage.tables import Artifact, AuditEvent, Publication, Run, User

SQLITE_FILE = "database.sqlite"
_SCHEMAS = (None, "dbos")
_OF_MIGRATIONS = frozenset({"alembic_version", "dbos_migrations"})
_BLOCK_BYTES = 1024 * 1024


@dataclass(frozen=True)
class Referenced:
    """What the rows of a dump refer to: artifacts, and `(prefix, name, sha256)` of publications."""

    artifacts: tuple[ArtifactRef, ...]
    published: tuple[tuple[str, str, str], ...]


def dump(database: sa.Engine, folder: Path) -> Referenced:
    """Write the database into a folder and return the objects that it refers to.

    Raises:
        DatabaseBusyError: the database did not answer (retryable).
    """
    if is_sqlite(database):
        return _dump_sqlite(database, folder / SQLITE_FILE)
    reader = database.execution_options(isolation_level="REPEATABLE READ")
    with reader.connect() as connection:
        driver = _driver(connection)
        for table in _tables(connection):
            path = folder / f"{table.schema or 'public'}.{table.name}.copy"
            with path.open("wb") as file, driver.cursor().copy(_copy(table, "TO STDOUT")) as rows:
                for block in rows:
                    file.write(block)
        return _referenced(Session(connection))


def load(database: sa.Engine, folder: Path) -> None:
    """Fill the empty tables of a PostgreSQL database; they have the schema of the dump.

    Raises:
        IntegrityError: the dump is not of PostgreSQL (not retryable).
    """
    if (folder / SQLITE_FILE).exists():
        raise IntegrityError("This backup is of an SQLite database; restore it into one.")
    with database.begin() as connection:
        driver = _driver(connection)
        tables = list(_tables(connection))
        for table in reversed(tables):
            connection.execute(table.delete())
        for table in tables:
            path = folder / f"{table.schema or 'public'}.{table.name}.copy"
            if path.exists():
                _fill(driver, table, path)


def is_empty(database: sa.Engine) -> bool:
    """Tell whether nothing has ever been kept in this database."""
    present = set(sa.inspect(database).get_table_names())
    with Session(database) as session:
        return not any(
            model.__tablename__ in present and session.exec(select(model).limit(1)).first()
            for model in (Run, User, AuditEvent)
        )


def referenced(database: sa.Engine) -> Referenced:
    """Return the objects that a database refers to."""
    with Session(database) as session:
        return _referenced(session)


def _dump_sqlite(database: sa.Engine, path: Path) -> Referenced:
    path.touch(mode=0o600)
    source = database.raw_connection()
    target = sqlite3.connect(path)
    try:
        driver = source.driver_connection
        assert isinstance(driver, sqlite3.Connection)  # noqa: S101 - as `create_database` makes it
        driver.backup(target)
        target.execute("PRAGMA journal_mode=DELETE")  # one file, without a journal beside it
    finally:
        target.close()
        source.close()
    copy = sa.create_engine(f"sqlite:///{path}")
    try:
        return referenced(copy)
    finally:
        copy.dispose()


def _referenced(session: Session) -> Referenced:
    rows = session.exec(select(Artifact).where(col(Artifact.deleted_at).is_(None)))
    live = session.exec(
        select(Publication)
        .join(Run, col(Run.id) == Publication.run_id)
        .where(Run.status != RunStatus.ERASED)
    )
    return Referenced(
        artifacts=tuple(dict.fromkeys(as_ref(row) for row in rows)),
        published=tuple(
            (publication.prefix, name, str(about["sha256"]))
            for publication in live
            for name, about in sorted(publication.files.items())
            if isinstance(about, dict)
        ),
    )


def _tables(connection: sa.Connection) -> Iterator[sa.Table]:
    """Yield all tables but those of the migrations, each after the ones that it refers to."""
    schemas = set(sa.inspect(connection).get_schema_names())
    metadata = sa.MetaData()
    for schema in _SCHEMAS:
        if schema is None or schema in schemas:
            metadata.reflect(connection, schema=schema)
    yield from (table for table in metadata.sorted_tables if table.name not in _OF_MIGRATIONS)


def _fill(driver: psycopg.Connection, table: sa.Table, path: Path) -> None:
    with path.open("rb") as file, driver.cursor().copy(_copy(table, "FROM STDIN")) as rows:
        while block := file.read(_BLOCK_BYTES):
            rows.write(block)
    for column in table.columns:
        if isinstance(column.type, sa.Integer):
            driver.execute(_go_on_counting(driver, table, column.name))


def _go_on_counting(driver: psycopg.Connection, table: sa.Table, column: str) -> sql.Composed:
    """Return what lets a numbered column go on after the highest number that was restored."""
    name = sql.Identifier(*filter(None, (table.schema, table.name)))
    return sql.SQL(
        "SELECT setval(s, (SELECT greatest(coalesce(max({column}), 1), 1)::bigint FROM {table}))"
        " FROM pg_get_serial_sequence({text}, {label}) AS s WHERE s IS NOT NULL"
    ).format(column=sql.Identifier(column), table=name, text=name.as_string(driver), label=column)


def _copy(table: sa.Table, direction: str) -> sql.Composed:
    return sql.SQL("COPY {table} ({columns}) {direction}").format(
        table=sql.Identifier(*filter(None, (table.schema, table.name))),
        columns=sql.SQL(", ").join(sql.Identifier(column.name) for column in table.columns),
        direction=sql.SQL("TO STDOUT" if direction == "TO STDOUT" else "FROM STDIN"),
    )


def _driver(connection: sa.Connection) -> psycopg.Connection:
    driver = connection.connection.driver_connection
    assert isinstance(driver, psycopg.Connection)  # noqa: S101 - as `create_database` makes it
    return driver
