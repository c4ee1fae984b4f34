"""Revisions of a run: an edit, a reprocess or a reopening begins the next one."""

from collections.abc import Collection

from sqlmodel import Session, col, select

from configs.errors import ConflictError, NotFoundError
from storage import audit, reviews, runs
from storage.database import database_now
from storage.policy import Actor
from storage.refs import instance_id
from storage.statuses import RunStatus
from storage.tables import JsonObject, Revision, RevisionArtifact, Run

_BUSY = (RunStatus.APPROVED, RunStatus.PUBLISHING)


def add_revision(
    session: Session,
    run_id: str,
    *,
    reason: str,
    begins_at: str,
    actor: Actor,
    carry: Collection[str],
    overrides: JsonObject | None = None,
) -> Revision:
    """Begin the next revision of a run; open reviews of the older ones become `superseded`.

    Args:
        session: the transaction, in which the caller also creates the engine instance.
        run_id: the run.
        reason: `summary_edit`, `redaction_edit`, `reprocess` or `reopen`.
        begins_at: the first step that runs again.
        actor: who asks for it.
        carry: the artifact kinds that stay as they are; their references are taken over.
        overrides: settings that a reprocess changes.

    Returns:
        The new revision; the run is `queued`.

    Raises:
        ConflictError: the run is being published right now (not retryable).
        ErasedError: it has been erased (not retryable).
        NotFoundError: there is no such run (not retryable).
    """
    run = runs.lock_run(session, run_id)
    _refuse(run)
    revision = Revision(
        run_id=run_id,
        number=run.revision + 1,
        instance_id=instance_id(run_id, run.revision + 1),
        reason=reason,
        begins_at=begins_at,
        based_on=run.revision,
        overrides=overrides or {},
        created_by=actor.id,
        created_at=database_now(session),
    )
    session.add(revision)
    session.flush()
    _carry(session, revision, frozenset(carry))
    run.revision = revision.number
    session.add(run)
    runs.set_status(session, run_id, RunStatus.QUEUED)
    reviews.supersede(session, run_id, actor_id=actor.id, newest=revision.number)
    _record(session, revision)
    return revision


def get_revision(session: Session, run_id: str, number: int) -> Revision:
    """Return a revision.

    Raises:
        NotFoundError: there is none with this number (not retryable).
    """
    revision = session.get(Revision, (run_id, number))
    if revision is None:
        raise NotFoundError("There is no such revision.", {"run": run_id[:100], "revision": number})
    return revision


def latest_revision(session: Session, run_id: str) -> Revision:
    """Return the newest revision of a run.

    Raises:
        NotFoundError: there is no such run (not retryable).
    """
    return get_revision(session, run_id, runs.get_run(session, run_id).revision)


def revisions_of(session: Session, run_id: str) -> list[Revision]:
    """Return all revisions of a run, oldest first."""
    query = select(Revision).where(Revision.run_id == run_id).order_by(col(Revision.number))
    return list(session.exec(query))


def _refuse(run: Run) -> None:
    runs.require_there(run)
    if run.status in _BUSY:
        raise ConflictError("The run is being published right now; try again after it.")


def _carry(session: Session, revision: Revision, kinds: frozenset[str]) -> None:
    rows = session.exec(
        select(RevisionArtifact).where(
            RevisionArtifact.run_id == revision.run_id,
            RevisionArtifact.revision == revision.based_on,
        )
    )
    for row in rows.all():
        if row.role.split("/")[0] in kinds:
            session.add(
                RevisionArtifact(
                    run_id=row.run_id,
                    revision=revision.number,
                    role=row.role,
                    artifact_id=row.artifact_id,
                )
            )
    session.flush()


def _record(session: Session, revision: Revision) -> None:
    details: JsonObject = {
        "revision": revision.number,
        "reason": revision.reason,
        "begins_at": revision.begins_at,
    }
    audit.append(
        session,
        actor_id=revision.created_by,
        action="revision.created",
        run_id=revision.run_id,
        details=details,
    )
