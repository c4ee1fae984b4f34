"""Connections and transactions, on SQLite and PostgreSQL alike.

A transaction is short (milliseconds), synchronous, and holds no call to a model, a store or another
connection: on SQLite a second write transaction opened inside one waits for itself.
"""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.engine.interfaces import DBAPIConnection, DBAPICursor
from sqlalchemy.exc import DataError, DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.pool import ConnectionPoolEntry
from sqlmodel import Session, SQLModel

from configs.errors import DatabaseBusyError, InputError

ModelT = TypeVar("ModelT", bound=SQLModel)

_READ_ONLY = "kikigaki_read_only"
_IDLE_MS = 60_000
_WAL_TRIES, _WAL_PAUSE_S = 100, 0.05
_SQLITE_PRAGMAS = (
    "busy_timeout=30000",  # first: the next ones may have to wait for another process
    "synchronous=NORMAL",
    "foreign_keys=ON",
)


def create_database(url: str, *, explicit_begin: bool = True) -> sa.Engine:
    """Return a connection pool for the database.

    Errors of the database name no values (`hide_parameters`), so none reach a log.

    Args:
        url: `sqlite:///path/to/file` or `postgresql://user:password@host/name`.
        explicit_begin: SQLite: every transaction takes the write lock at its start (`BEGIN
            IMMEDIATE`), so that what it reads cannot change before it writes. False leaves the
            beginning to the driver (before the first write), for libraries that begin themselves.

    Raises:
        ValueError: another kind of database (not retryable).
    """
    parsed = sa.make_url(url)
    backend = parsed.get_backend_name()
    if backend == "postgresql":
        return sa.create_engine(
            parsed.set(drivername="postgresql+psycopg"),
            pool_size=10,
            max_overflow=20,
            pool_pre_ping=True,
            hide_parameters=True,
            # A process that is stopped inside a transaction must not keep its locks for ever.
            connect_args={"options": f"-c idle_in_transaction_session_timeout={_IDLE_MS}"},
        )
    if backend != "sqlite":
        raise ValueError(f"the database {backend!r} is not supported; use sqlite or postgresql")
    return _create_sqlite(parsed, explicit_begin=explicit_begin)


def _create_sqlite(url: sa.URL, *, explicit_begin: bool) -> sa.Engine:
    if url.database and url.database != ":memory:":
        Path(url.database).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        Path(url.database).touch(mode=0o600)  # the journals beside it take over its mode
    engine = sa.create_engine(
        url,
        pool_size=10,
        max_overflow=20,
        connect_args={"check_same_thread": False},
        hide_parameters=True,
    )
    listener = _connect_explicit if explicit_begin else _connect_immediate
    event.listen(engine, "connect", listener)
    if explicit_begin:
        event.listen(engine, "begin", _begin_sqlite)
    return engine


def _connect_explicit(connection: DBAPIConnection, _record: ConnectionPoolEntry) -> None:
    connection.isolation_level = None  # the driver begins nothing; `_begin_sqlite` does
    _set_pragmas(connection)


def _connect_immediate(connection: DBAPIConnection, _record: ConnectionPoolEntry) -> None:
    connection.isolation_level = "IMMEDIATE"
    _set_pragmas(connection)


def _set_pragmas(connection: DBAPIConnection) -> None:
    cursor = connection.cursor()
    for pragma in _SQLITE_PRAGMAS:
        cursor.execute(f"PRAGMA {pragma}")
    _use_wal(cursor)
    cursor.close()


def _use_wal(cursor: DBAPICursor) -> None:
    """Switch the file to write-ahead logging; of a file that has it already, this is a read.

    Where several connections make the first switch at once, SQLite fails without the wait that
    `busy_timeout` gives everything else.
    """
    for _ in range(_WAL_TRIES):
        with suppress(sqlite3.OperationalError):
            cursor.execute("PRAGMA journal_mode=WAL")
            return
        time.sleep(_WAL_PAUSE_S)
    cursor.execute("PRAGMA journal_mode=WAL")


def _begin_sqlite(connection: sa.Connection) -> None:
    read_only = connection.get_execution_options().get(_READ_ONLY, False)
    connection.exec_driver_sql("BEGIN" if read_only else "BEGIN IMMEDIATE")


@contextmanager
def transaction(engine: sa.Engine) -> Iterator[Session]:
    """Open one write transaction; commit at the end, roll back on any error.

    Raises:
        DatabaseBusyError: locked, a deadlock, a lost connection or no free one (retryable: nothing
            was written, except where the connection was lost in the commit itself).
        InputError: PostgreSQL: a value cannot be stored or looked for, as a text with a NUL (not
            retryable).
    """
    with _translated(), Session(engine, expire_on_commit=False) as session, session.begin():
        yield session


@contextmanager
def reading(engine: sa.Engine) -> Iterator[Session]:
    """Open a session for reading only; it takes no write lock and is never committed.

    Raises:
        DatabaseBusyError, InputError: as for `transaction`.
    """
    reader = engine.execution_options(
        **{_READ_ONLY: True} if is_sqlite(engine) else {"postgresql_readonly": True}
    )
    with _translated(), Session(reader, expire_on_commit=False) as session:
        yield session


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except DataError:
        message = "A value holds a character or number that the database does not take."
        raise InputError(message) from None
    except PoolTimeoutError as error:
        raise DatabaseBusyError("No database connection became free in time.") from error
    except (OperationalError, InterfaceError) as error:
        if not _is_busy(error):
            raise
        raise DatabaseBusyError(details={"driver": type(error.orig).__name__}) from error


def _is_busy(error: DBAPIError) -> bool:
    """Tell contention and lost connections from errors that will not go away by themselves."""
    if error.connection_invalidated:
        return True
    state = getattr(error.orig, "sqlstate", None)
    if state is not None:  # 40: rollback (serialization, deadlock); 08, 57P: connection lost
        return str(state).startswith(("40", "08", "57P", "53", "55P03"))
    text = str(error.orig)
    if "locked" in text or "busy" in text:
        return True
    return type(error.orig).__module__.startswith("psycopg")  # no state: never reached the server


def is_sqlite(database: sa.Engine | Session) -> bool:
    """Tell SQLite from PostgreSQL where SQL has to differ."""
    bind = database if isinstance(database, sa.Engine) else database.get_bind()
    return bind.dialect.name == "sqlite"


def database_now(session: Session) -> datetime:
    """Return the time of the database's clock, aware UTC (not the start of the transaction)."""
    if is_sqlite(session):
        text = session.connection().scalar(sa.text("SELECT strftime('%Y-%m-%dT%H:%M:%f', 'now')"))
        return datetime.fromisoformat(str(text)).replace(tzinfo=UTC)
    value = session.connection().scalar(sa.select(sa.func.clock_timestamp()))
    if not isinstance(value, datetime):
        raise TypeError("the database returned no time")
    return value.astimezone(UTC)


def lock(session: Session, model: type[ModelT], *key: object) -> ModelT | None:
    """Read a row by primary key and hold it until the transaction ends.

    On SQLite the transaction itself holds the lock. A row that the session has already read is
    read again, so that what is returned is what was locked.

    Returns:
        The row, or None where there is none.
    """
    identity = key[0] if len(key) == 1 else key
    return session.get(model, identity, with_for_update=True, populate_existing=True)
