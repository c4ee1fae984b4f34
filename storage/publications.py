"""What has been published, and who was told."""

from sqlmodel import Session, col, select

from configs.errors import NotFoundError
from storage import audit, runs
from storage.database import database_now
from storage.policy import SYSTEM
from storage.reviews import Approval
from storage.statuses import RunStatus
from storage.tables import JsonObject, Notification, Publication, Run
from storage.upsert import insert_if_absent


def record_publication(
    session: Session, approval: Approval, *, bucket: str, prefix: str, files: JsonObject
) -> Publication:
    """Record that the files of an approved revision stand in the published bucket.

    A repeated call returns the first record and writes nothing; the run becomes `published` and the
    audit log says so once.

    Args:
        session: the transaction that commits the step's result.
        approval: what `reviews.approval_of` returned.
        bucket: the published bucket.
        prefix: the publication's folder in it.
        files: `{name: {"sha256", "bytes"}}`.

    Raises:
        NotFoundError: there is no such run (not retryable).
    """
    review = approval.review
    runs.lock_run(session, review.run_id)
    row = Publication(
        run_id=review.run_id,
        revision=review.revision,
        review_sha256=review.sha256,
        decision_id=approval.decision.id,
        bucket=bucket,
        prefix=prefix,
        files=files,
        published_at=database_now(session),
    )
    is_new = insert_if_absent(session, row)
    runs.set_status(session, review.run_id, RunStatus.PUBLISHED, revision=review.revision)
    if is_new:
        _record(session, row)
    return session.get_one(Publication, (review.run_id, review.revision))


def get_publication(session: Session, run_id: str, revision: int) -> Publication:
    """Return the publication of a revision.

    Raises:
        NotFoundError: it has not been published (not retryable).
    """
    row = find_publication(session, run_id, revision)
    if row is None:
        raise NotFoundError("This revision has not been published.", {"revision": revision})
    return row


def find_publication(session: Session, run_id: str, revision: int) -> Publication | None:
    """Return the publication of a revision, if it has been published."""
    return session.get(Publication, (run_id, revision))


def latest_publication(session: Session, run_id: str) -> Publication | None:
    """Return what is live for a run: its newest published revision; nothing once it is erased."""
    query = (
        select(Publication)
        .join(Run, col(Run.id) == Publication.run_id)
        .where(Publication.run_id == run_id, Run.status != RunStatus.ERASED)
    )
    return session.exec(query.order_by(col(Publication.revision).desc()).limit(1)).first()


def publications_of(session: Session, run_id: str) -> list[Publication]:
    """Return all publications of a run, oldest first."""
    query = select(Publication).where(Publication.run_id == run_id)
    return list(session.exec(query.order_by(col(Publication.revision))))


def record_notification(
    session: Session,
    *,
    key: str,
    run_id: str,
    revision: int,
    host: str,
) -> Notification:
    """Note a webhook call that arrived, once per idempotency key; a repeated call changes nothing.

    Args:
        session: the transaction.
        key: the idempotency key: hash of what was published and the target.
        run_id: the run.
        revision: the published revision.
        host: of the target; never its path or query, which may hold secrets.
    """
    row = Notification(
        key=key,
        run_id=run_id,
        revision=revision,
        host=host,
        at=database_now(session),
    )
    insert_if_absent(session, row)
    return session.get_one(Notification, key)


def notifications_of(session: Session, run_id: str) -> list[Notification]:
    """Return the webhook calls about a run, oldest first."""
    query = select(Notification).where(Notification.run_id == run_id)
    return list(session.exec(query.order_by(col(Notification.at))))


def _record(session: Session, row: Publication) -> None:
    details: JsonObject = {
        "revision": row.revision,
        "review_sha256": row.review_sha256,
        "decision": row.decision_id,
    }
    audit.append(
        session,
        actor_id=SYSTEM,
        action="publication.published",
        run_id=row.run_id,
        details=details,
    )
