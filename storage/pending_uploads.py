"""Uploads whose file goes straight to the store, from their announcement to their run.

The id of an upload is that of the run which it becomes, and its file lies under that run's prefix,
so that erasing the run erases it too. As in `storage.retention`, the database says first that
something goes, then the store deletes it, and the row goes last: broken off anywhere, the same call
again completes it.
"""

import sqlalchemy as sa
from sqlmodel import Session, col, select

from configs.errors import NotFoundError, UploadExpiredError
from storage import audit
from storage.artifacts import ArtifactStore
from storage.database import database_now, lock, reading, transaction
from storage.policy import SYSTEM
from storage.refs import Area, run_prefix
from storage.retention import Receipt
from storage.tables import JsonObject, PendingUpload, Run

_ACTION = "upload.expired"


def find(session: Session, upload_id: str, user_id: str) -> PendingUpload:
    """Return an upload that its user may complete.

    Raises:
        NotFoundError: there is none, or it is somebody else's (not retryable).
        UploadExpiredError: it is too late (not retryable).
    """
    row = session.get(PendingUpload, upload_id)
    if row is None or row.user_id != user_id:
        raise NotFoundError("There is no upload with this id.")
    if row.announcement is None or row.expires_at <= database_now(session):
        raise UploadExpiredError
    return row


def claim(session: Session, upload_id: str) -> Run | None:
    """Hold an upload while the transaction makes its run; return the run if it has been made.

    Raises:
        UploadExpiredError: the upload has been given up (not retryable).
    """
    row = lock(session, PendingUpload, upload_id)
    run = session.get(Run, upload_id)
    if run is None and (row is None or row.announcement is None):
        raise UploadExpiredError
    return run


def clear(database: sa.Engine, store: ArtifactStore, upload_id: str) -> int:
    """Delete an upload and what came in; of one that has become a run, the run's artifacts stay.

    Returns:
        How many versions were deleted in the store.

    Raises:
        StoreRefusedError: the store refuses (not retryable).
        StoreUnavailableError: the store did not answer; call again (retryable).
    """
    with transaction(database) as session:
        row = lock(session, PendingUpload, upload_id)
        if row is None:
            return 0
        has_run = session.get(Run, upload_id) is not None
        row.announcement = None
        session.add(row)
    if has_run:
        versions = store.incoming(row.tenant, row.id, row.bytes).delete()
    else:
        versions = store.delete_prefix(Area.RAW, run_prefix(row.tenant, row.id))
    with transaction(database) as session:
        forget(session, upload_id)
    return versions


def forget(session: Session, upload_id: str) -> None:
    """Delete the row of an upload, and with it what was said of the file."""
    session.exec(sa.delete(PendingUpload).where(col(PendingUpload.id) == upload_id))


def tenants_with_uploads(session: Session) -> list[str]:
    """Return the tenants that have uploads, in order of their names."""
    return sorted(session.exec(select(PendingUpload.tenant).distinct()))


def delete_expired(
    database: sa.Engine, store: ArtifactStore, *, tenant: str, dry_run: bool = False
) -> list[Receipt | str]:
    """Delete the uploads of a tenant that nobody completed in time.

    Returns:
        A receipt for each; with `dry_run` their ids, and nothing is deleted.

    Raises:
        StoreRefusedError: the store refuses, as with an object lock (not retryable).
        StoreUnavailableError: the store did not answer; call again (retryable).
    """
    with reading(database) as session:
        query = select(PendingUpload.id).where(
            col(PendingUpload.tenant) == tenant,
            col(PendingUpload.expires_at) <= database_now(session),
        )
        expired = sorted(session.exec(query))
    return [*expired] if dry_run else [_delete(database, store, one) for one in expired]


def _delete(database: sa.Engine, store: ArtifactStore, upload_id: str) -> Receipt:
    versions = clear(database, store, upload_id)
    with transaction(database) as session:
        now = database_now(session)
        details: JsonObject = {"versions": versions}
        audit.append(session, actor_id=SYSTEM, action=_ACTION, run_id=upload_id, details=details)
    return Receipt(upload_id, _ACTION, 0, versions, True, now)
