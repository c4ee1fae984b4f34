"""Looking for text in everything that an application wrote."""

from collections.abc import Iterator, Sequence

import sqlalchemy as sa

from storage.refs import RAW_KINDS
from tests.deployment import Deployment


def rows_of(database: sa.Engine) -> Iterator[tuple[str, str]]:
    """Yield every row of every table, the engine's and the scheduler's too, as text."""
    inspector = sa.inspect(database)
    schemas = [None, "dbos"] if "dbos" in inspector.get_schema_names() else [None]
    with database.connect() as connection:
        for schema in schemas:
            for table in inspector.get_table_names(schema=schema):
                name = f'"{schema}"."{table}"' if schema else f'"{table}"'
                for row in connection.execute(sa.text(f"SELECT * FROM {name}")):  # noqa: S608
                    yield table, repr(tuple(row))


def places_of(application: Deployment, run_id: str, surfaces: Sequence[str]) -> list[str]:
    """Return where any of these stands: tables, derived artifacts, published files.

    Raw artifacts are where they belong, and are not looked at; sound is no text.
    """
    store = application.runtime.store
    texts = list(rows_of(application.runtime.database))
    for role, ref in application.artifacts(run_id).items():
        if role.split("/")[0] not in {*RAW_KINDS, "redacted_audio"}:
            texts.append((role, store.read_bytes(ref).decode()))
    for name in application.published_names(run_id):
        folder, _, file = name.partition("/")
        data = store.read_published(f"default/{run_id}/{folder}/", file)
        texts.append((name, data.decode(errors="ignore")))
    return sorted({place for place, text in texts if any(s in text for s in surfaces)})
