"""`Idempotency-Key`: the same key by the same user is the same run."""

import sqlalchemy as sa
from sqlmodel import Session, col

from configs.errors import ConflictError, DatabaseBusyError
from storage.database import database_now
from storage.tables import IdempotencyKey
from storage.upsert import insert_if_absent


def run_for(session: Session, user_id: str, key: str, request_sha256: str) -> str | None:
    """Return the run that this key has made, if it has.

    Args:
        session: the transaction that would make the run.
        user_id: whose key it is.
        key: what the client sent.
        request_sha256: of the request: file hash, title, vocabulary and what else was asked for.

    Raises:
        ConflictError: the key was used for another request (not retryable).
    """
    row = session.get(IdempotencyKey, (user_id, key))
    if row is None:
        return None
    if row.request_sha256 != request_sha256:
        raise ConflictError("This Idempotency-Key was used for another request.")
    return row.run_id


def remember(session: Session, user_id: str, key: str, request_sha256: str, *, run_id: str) -> None:
    """Bind a key to the run that was just made, in the transaction that made it.

    Raises:
        DatabaseBusyError: another request with this key was faster; try again to find its run
            (retryable: the transaction must not be committed).
    """
    row = IdempotencyKey(
        user_id=user_id,
        key=key,
        run_id=run_id,
        request_sha256=request_sha256,
        created_at=database_now(session),
    )
    if not insert_if_absent(session, row):
        raise DatabaseBusyError("Another request with this Idempotency-Key was faster.")


def forget(session: Session, run_id: str) -> None:
    """Delete the keys of a run; a hash of its names could be guessed, and a key may hold some."""
    session.exec(sa.delete(IdempotencyKey).where(col(IdempotencyKey.run_id) == run_id))
