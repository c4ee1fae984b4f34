"""Insert a row unless it is there, on SQLite and PostgreSQL alike."""

from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import Session, SQLModel

from storage.database import is_sqlite


def insert_if_absent(session: Session, row: SQLModel) -> bool:
    """Insert `row` unless one of its unique keys is taken.

    Two transactions that insert the same key at once do not fail: the second waits for the first.

    Returns:
        True where the row is new.
    """
    session.flush()
    insert = sqlite.insert if is_sqlite(session) else postgresql.insert
    values = {column.key: getattr(row, column.key) for column in type(row).__table__.columns}  # type: ignore[attr-defined]
    statement = insert(type(row)).values(**values).on_conflict_do_nothing()
    result = session.connection().execute(statement)
    return bool(result.rowcount)
