"""erase: data that goes for good, with a receipt."""

from contextlib import suppress

from sqlmodel import Session

from configs.errors import NotFoundError
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
from storage.statuses import Role
from storage.tables import Run


def erasable(app: App, actor: Actor, run_id: str) -> Run:
    """Return the run that `erase` would delete.

    Raises:
        PolicyError: not an admin (not retryable).
        NotFoundError: there is no such run (not retryable).
    """
    require(actor, Role.ADMIN)
    with reading(app.database) as session:
        return visible_run(session, actor, run_id)


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
            with suppress(NotFoundError):  # it was deleted, which only ended ones can be
                instance_of(app, session, revision).terminate(session=session)

    in_transaction(app, stop)
    return retention.erase_run(app.database, app.store, run_id, actor_id=actor.user_id)
