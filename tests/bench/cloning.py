"""Instances by the thousand: the rows of one that was made, copied by the database itself."""

from collections.abc import Iterator, Sequence

import sqlalchemy as sa

from pipeline.engine import journal
from storage.database import create_database, is_sqlite

_NAMES = ("id", "name", "instance", "workflow_uuid", "inputs")  # what an instance's id stands in
_OPEN = ("ENQUEUED", "DELAYED")


def clone(url: str, sources: Sequence[str], copies: int) -> None:
    """Copy instances, their steps and what DBOS has enqueued for them; renew the statistics.

    Copy 7 of the instance `x` is `x-7`. What DBOS has finished is not copied.

    Args:
        url: The database.
        sources: Their ids, which stand in their rows as nothing else.
        copies: How many of each.
    """
    database = create_database(url)
    status, given = _of_dbos(database, "workflow_status"), _of_dbos(database, "workflow_input")
    with database.begin() as connection:
        for source in sources if copies else ():
            for table, where in _rows(source, status, given):
                connection.execute(_copied(table, where, source, copies))
    with database.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql("ANALYZE")
    database.dispose()


def _of_dbos(database: sa.Engine, name: str) -> sa.Table:
    schema = None if is_sqlite(database) else "dbos"
    return sa.Table(name, sa.MetaData(schema=schema), autoload_with=database)


def _rows(
    source: str, status: sa.Table, given: sa.Table
) -> Iterator[tuple[sa.Table, sa.ColumnElement[bool]]]:
    yield journal.instance_table, journal.instance_table.c.id == source
    yield journal.step_table, journal.step_table.c.instance == source
    named = status.c.workflow_uuid.between(f"{source}:", f"{source};")  # by the index
    is_open = named & status.c.status.in_(_OPEN)
    names = sa.select(status.c.workflow_uuid).where(is_open)
    yield given, given.c.workflow_uuid.in_(names)
    yield status, is_open


def _copied(table: sa.Table, where: sa.ColumnElement[bool], source: str, copies: int) -> sa.Insert:
    series = sa.select(sa.literal(1).label("number")).cte("series", recursive=True)
    following = sa.select(series.c.number + 1).where(series.c.number < copies)
    series = series.union_all(following)
    name = sa.literal(f"{source}-").concat(sa.cast(series.c.number, sa.String))
    columns = {
        column.name: sa.func.replace(column, source, name) if _is_name(table, column) else column
        for column in table.columns
    }
    rows = sa.select(*columns.values()).select_from(table.join(series, sa.true())).where(where)
    return sa.insert(table).from_select(list(columns), rows)


def _is_name(table: sa.Table, column: sa.Column[object]) -> bool:
    """Tell whether the instance's id stands in it; a step's or a queue's name is another."""
    named = column.name in _NAMES
    return named and (column.name != "name" or table is journal.instance_table)
