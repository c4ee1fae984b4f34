"""The invariants of the whole: creations, executions, leases, connections, personal data."""

from collections.abc import Iterator

import sqlalchemy as sa

from pipeline.engine import journal
from tests import scripted
from tests.chaos.books import Books
from tests.chaos.effects import SPOKEN
from tests.chaos.plans import number_of, plan_of
from tests.chaos.scene import Scene
from tests.searching import rows_of

_BUSY = ("PENDING", "ENQUEUED")
_FINISHED = ("SUCCESS", "ERROR", "CANCELLED")
_SCHEDULED = "reclaim"  # comes again every few seconds, whether or not somebody works


def problems(scene: Scene, books: Books) -> Iterator[str]:
    """Yield what is wrong with the whole."""
    yield from _creations(books)
    with scene.database.connect() as connection:
        yield from _executions(connection, books)
        yield from _connections(connection)
    yield from _personal_data(scene)


def _creations(books: Books) -> Iterator[str]:
    """Every instance that was created is there, but for those that were to be deleted."""
    created = {e.subject for e in books.entries if e.what == "create"}
    for instance in created - books.cases.keys():
        plan = plan_of(books.seed, number_of(instance))
        if plan.retention_s is None and "delete" not in plan.operations:
            yield f"{instance}: created and not there"
    yield from (f"{instance}: there and not created" for instance in books.cases.keys() - created)
    yield from (f"{instance}: deleted, but not all of it" for instance in books.orphans)
    for case in books.cases.values():
        if case.plan.retention_s is not None and case.row["state"] in journal.FINAL_STATES:
            yield f"{case.id}: not deleted when its time was over"


def _executions(connection: sa.Connection, books: Books) -> Iterator[str]:
    """Nothing is being executed, or queued, for instances that have all come to their end."""
    found = connection.execute(
        sa.text("SELECT workflow_uuid, name, status FROM dbos.workflow_status")
    )
    for execution, name, status in found:
        instance, _, rest = execution.partition(":at:")
        is_gone = instance not in books.cases and not instance.startswith("run_")
        if rest and is_gone and status not in _FINISHED:
            yield f"{instance}: deleted, but not its deadline {execution} ({status})"
        if status in _BUSY and name != _SCHEDULED:
            yield f"the execution {execution} is {status} although nothing is left to do"
    for (lease,) in connection.execute(
        sa.select(journal.lease_table.c.executor).where(
            journal.lease_table.c.expires_at > sa.func.extract("epoch", sa.func.clock_timestamp())
        )
    ):
        yield f"{lease} has a lease although every worker has stopped"


def _connections(connection: sa.Connection) -> Iterator[str]:
    """No process left a session in the database."""
    others = connection.scalar(
        sa.text(
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
    )
    if others:
        yield f"{others} database sessions are left"


def _personal_data(scene: Scene) -> Iterator[str]:
    """What was said stands in no table and in no log; a name in an error's text in no log."""
    surfaces = [name for name in scripted.PLANTED if name]
    for table, row in rows_of(scene.database):
        if any(surface in row for surface in surfaces):
            yield f"the table {table} holds personal data"
    logs = [*scene.logs.iterdir(), scene.postgres.home / "log", *scene.home.glob("s3/*.log")]
    for log in logs:
        text = log.read_text(errors="replace")
        if any(surface in text for surface in [*surfaces, SPOKEN]):
            yield f"the log {log.name} holds personal data"
