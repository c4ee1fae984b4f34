"""erase, apply_retention: data that goes for good, with receipts."""

from datetime import timedelta

from sqlmodel import Session

from pipeline.commands.context import (
    Actor,
    App,
    in_transaction,
    instance_of,
    require,
    visible_run,
)
from storage import retention, revisions
from storage.database import reading
from storage.retention import Receipt
from storage.tables import Role


def erase(app: App, actor: Actor, run_id: str) -> Receipt:
    """End whatever works on a run and delete all of it, every version.

    Raises:
        PolicyError: not an admin (not retryable).
        NotFoundError: there is no such run (not retryable).
        StoreUnavailableError: the store did not answer; call again (retryable).
    """
    require(actor, Role.ADMIN)

    def stop(session: Session) -> None:
        visible_run(session, actor, run_id)
        for revision in revisions.revisions_of(session, run_id):
            instance_of(app, revision).terminate(session)

    in_transaction(app, stop)
    return retention.erase_run(app.database, app.store, run_id, actor_id=actor.user_id)


def apply_retention(app: App, period: timedelta, *, dry_run: bool = False) -> list[Receipt | str]:
    """Delete the raw artifacts of runs that ended longer ago than `period`.

    Returns:
        A receipt for each run; with `dry_run` the runs' ids, and nothing is deleted.

    Raises:
        StoreUnavailableError: the store did not answer; call again (retryable).
    """
    done: list[Receipt | str] = []
    while True:
        with reading(app.database) as session:
            due = retention.runs_past_retention(session, period)
        if dry_run:
            return list(due)
        if not due:
            return done
        done += [retention.delete_raw(app.database, app.store, run_id) for run_id in due]
