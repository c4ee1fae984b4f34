"""Insert a row unless it is there, on SQLite and PostgreSQL alike."""

import sqlalchemy as sa
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
    table: sa.Table = sa.inspect(type(row)).local_table
    values = {column.key: getattr(row, column.key) for column in table.columns}
    statement = insert(table).values(values).on_conflict_do_nothing()
    inserted = statement.returning(*table.primary_key.columns)  # a row count is not reliable here
    return session.connection().execute(inserted).first() is not None
