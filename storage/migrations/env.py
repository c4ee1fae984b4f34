"""What alembic runs for each command: always in process, on the connection it is given."""

from typing import Literal

import sqlalchemy as sa
from alembic import context
from alembic.autogenerate.api import AutogenContext
from sqlalchemy.types import TypeDecorator

from storage.migrate import METADATA, is_ours


def _plain_type(kind: str, value: object, _context: AutogenContext) -> str | Literal[False]:
    """Write the database's own types into migrations: they must not change with our code."""
    if kind == "type" and isinstance(value, TypeDecorator):
        return f"sa.{value.impl_instance!r}"
    return False


def _run(connection: sa.Connection) -> None:
    context.configure(
        connection=connection,
        target_metadata=METADATA,
        include_name=is_ours,
        render_item=_plain_type,
        render_as_batch=connection.dialect.name == "sqlite",
    )
    with context.begin_transaction():
        context.run_migrations()


_run(context.config.attributes["connection"])
