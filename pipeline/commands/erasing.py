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

_AT_ONCE = 100


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
            instance_of(app, session, revision).terminate(session=session)

    in_transaction(app, stop)
    return retention.erase_run(app.database, app.store, run_id, actor_id=actor.user_id)


def apply_retention(
    app: App, period: timedelta, *, tenant: str | None = None, dry_run: bool = False
) -> list[Receipt | str]:
    """Delete the raw artifacts of runs that ended longer ago than `period`.

    Args:
        app: the application.
        period: how long raw artifacts stay.
        tenant: whose runs; None: those of all tenants.
        dry_run: only say which runs are due.

    Returns:
        A receipt for each run; with `dry_run` the runs' ids, and nothing is deleted.

    Raises:
        StoreUnavailableError: the store did not answer; call again (retryable).
    """
    done: dict[str, Receipt | str] = {}
    while True:
        with reading(app.database) as session:
            found = retention.runs_past_retention(
                session, period, tenant=tenant, limit=len(done) + _AT_ONCE
            )
        due = [run_id for run_id in found if run_id not in done]  # an unverified one is due again
        if not due:
            return list(done.values())
        for run_id in due:
            done[run_id] = (
                run_id if dry_run else retention.delete_raw(app.database, app.store, run_id)
            )
