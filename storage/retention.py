"""Erasing runs and letting raw artifacts go, with receipts.

The store cannot take part in a transaction. So the database says first that the data goes, the
store then deletes every version, and the database says last that it is gone: broken off anywhere,
the same call again completes it. A step that is just being stopped may still write; so the store is
gone through again until nothing more turns up, and what has been published goes after what it would
be published from.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlmodel import Session, col, select

from storage import audit, idempotency, reviews, runs
from storage.artifacts import ArtifactStore
from storage.database import database_now, reading, transaction
from storage.policy import SYSTEM
from storage.refs import RAW_KINDS, Area, publication_prefix, run_prefix
from storage.search import forget_published_text
from storage.statuses import ENDED, RunStatus
from storage.tables import Artifact, Decision, JsonObject, PendingUpload, Review, Run

_AT_ONCE = 100
_PASSES = 5  # a step that is being stopped writes for seconds at most; more passes change nothing


@dataclass(frozen=True)
class Receipt:
    """What was deleted: artifacts that the database knew, and object versions in the store.

    `verified` says that the last pass over the store found nothing left. Where it is False,
    something still writes: the database does not say that the data is gone, and the same call is
    due again.
    """

    run_id: str
    what: str
    artifacts: int
    versions: int
    verified: bool
    at: datetime


def erase_run(database: sa.Engine, store: ArtifactStore, run_id: str, *, actor_id: str) -> Receipt:
    """Delete all of a run for good: raw, derived and published, every version.

    What stays is that there was a run, its hashes, who decided what, and the audit log; title, file
    name, comments and reasons go. The caller ends the run's engine instance before.

    Args:
        database: where the rows are.
        store: where the objects are.
        run_id: the run.
        actor_id: who asks for it.

    Returns:
        The receipt; erasing again gives another, of what was left.

    Raises:
        IntegrityError: the store still lists a version; call again (not retryable).
        NotFoundError: there is no such run (not retryable).
        StoreRefusedError: the store refuses, as with an object lock (not retryable).
        StoreUnavailableError: the store did not answer; call again (retryable).
    """
    with transaction(database) as session:
        tenant = _announce(session, run_id, actor_id)
    folder = run_prefix(tenant, run_id)
    published = publication_prefix(tenant, run_id)
    places = ((Area.RAW, folder), (Area.DERIVED, folder), (Area.PUBLISHED, published))
    swept = _sweep(store, places)
    with transaction(database) as session:
        return _complete(session, run_id, actor_id, "run.erased", None, swept)


def delete_raw(
    database: sa.Engine, store: ArtifactStore, run_id: str, *, actor_id: str = SYSTEM
) -> Receipt:
    """Delete a run's raw artifacts for good: source, transcript, redactions, pseudonyms.

    Raises:
        IntegrityError: the store still lists a version; call again (not retryable).
        NotFoundError: there is no such run (not retryable).
        StoreRefusedError: the store refuses, as with an object lock (not retryable).
        StoreUnavailableError: the store did not answer; call again (retryable).
    """
    with reading(database) as session:
        tenant = runs.get_run(session, run_id).tenant
    swept = _sweep(store, ((Area.RAW, run_prefix(tenant, run_id)),))
    with transaction(database) as session:
        return _complete(session, run_id, actor_id, "run.raw_deleted", RAW_KINDS, swept)


def runs_past_retention(
    session: Session, period: timedelta, *, tenant: str | None = None, limit: int = 100
) -> list[str]:
    """Return runs that ended longer ago than `period` and still have raw artifacts, oldest first.

    Runs that may still go on (waiting for review, for changes, paused) are never among them.

    Args:
        session: the transaction.
        period: how long raw artifacts stay.
        tenant: only this tenant's runs; None: of all.
        limit: at most so many.
    """
    query = select(Run.id).where(*_is_due(session, period))
    if tenant is not None:
        query = query.where(Run.tenant == tenant)
    return list(session.exec(query.order_by(col(Run.updated_at)).limit(limit)))


def tenants_with_raw(session: Session) -> list[str]:
    """Return the tenants of ended runs that still have raw artifacts, in order of their names."""
    query = select(Run.tenant).where(col(Run.status).in_(ENDED), _has_raw())
    return sorted(session.exec(query.distinct()))


def delete_due(
    database: sa.Engine,
    store: ArtifactStore,
    period: timedelta,
    *,
    tenant: str,
    dry_run: bool = False,
) -> list[Receipt | str]:
    """Delete the raw artifacts of a tenant's runs that ended longer ago than `period`.

    Broken off anywhere, the same call again completes it.

    Args:
        database: where the rows are.
        store: where the objects are.
        period: how long raw artifacts stay.
        tenant: whose runs.
        dry_run: only say which runs are due.

    Returns:
        A receipt for each run; with `dry_run` the runs' ids, and nothing is deleted.

    Raises:
        StoreRefusedError: the store refuses, as with an object lock (not retryable).
        StoreUnavailableError: the store did not answer; call again (retryable).
    """
    done: dict[str, Receipt | str] = {}
    while True:
        with reading(database) as session:
            limit = len(done) + _AT_ONCE  # an unverified one is due again
            found = runs_past_retention(session, period, tenant=tenant, limit=limit)
        due = [run_id for run_id in found if run_id not in done]
        if not due:
            return list(done.values())
        for run_id in due:
            if dry_run:
                done[run_id] = run_id
            elif _still_due(database, run_id, period):  # deleting those before it took its time
                done[run_id] = delete_raw(database, store, run_id)


def _still_due(database: sa.Engine, run_id: str, period: timedelta) -> bool:
    with reading(database) as session:
        query = select(Run.id).where(Run.id == run_id, *_is_due(session, period))
        return session.exec(query).first() is not None


def _is_due(session: Session, period: timedelta) -> Sequence[sa.ColumnElement[bool]]:
    before = database_now(session) - period
    return (col(Run.status).in_(ENDED), col(Run.updated_at) <= before, _has_raw())


def _has_raw() -> sa.ColumnElement[bool]:
    return sa.exists().where(
        col(Artifact.run_id) == Run.id,
        col(Artifact.kind).in_(RAW_KINDS),
        col(Artifact.deleted_at).is_(None),
    )


@dataclass(frozen=True)
class _Swept:
    versions: int
    is_clean: bool


def _sweep(store: ArtifactStore, places: Sequence[tuple[Area, str]]) -> _Swept:
    """Delete every version in the places, in their order, until a pass finds none."""
    versions = 0
    for _ in range(_PASSES):
        deleted = sum(store.delete_prefix(area, prefix) for area, prefix in places)
        versions += deleted
        if not deleted:
            return _Swept(versions, True)
    return _Swept(versions, False)


def _announce(session: Session, run_id: str, actor_id: str) -> str:
    """Mark the run as erased, so that nothing is added to it, and return its tenant."""
    run = runs.lock_run(session, run_id)
    if run.status is not RunStatus.ERASED:
        run.status, run.updated_at = RunStatus.ERASED, database_now(session)
        run.title, run.file_name = "", ""
        run.error_message = None
        session.add(run)
        session.flush()
        _forget_words(session, run_id)
        forget_published_text(session, run_id)
        session.exec(sa.delete(PendingUpload).where(col(PendingUpload.id) == run_id))
        reviews.supersede(session, run_id, actor_id=actor_id)
        audit.append(
            session, actor_id=actor_id, action="run.erasure_begun", run_id=run_id, details={}
        )
    return run.tenant


def _forget_words(session: Session, run_id: str) -> None:
    """Blank what people wrote when they decided; who decided what, and when, stays."""
    of_run = select(Review.id).where(Review.run_id == run_id)
    mine = sa.update(Decision).where(col(Decision.review_id).in_(of_run))
    connection = session.connection()
    connection.execute(mine.values(comment=""))
    overridden = col(Decision.override_reason).is_not(None)
    connection.execute(mine.where(overridden).values(override_reason=""))


def _complete(
    session: Session,
    run_id: str,
    actor_id: str,
    action: str,
    kinds: frozenset[str] | None,
    swept: _Swept,
) -> Receipt:
    """Say in the rows what is gone, and record the receipt."""
    runs.lock_run(session, run_id)
    idempotency.forget(session, run_id)
    now = database_now(session)
    marked = _mark_deleted(session, run_id, kinds, now) if swept.is_clean else 0
    receipt = Receipt(run_id, action, marked, swept.versions, swept.is_clean, now)
    details: JsonObject = {**asdict(receipt), "at": now.isoformat()}
    audit.append(session, actor_id=actor_id, action=action, run_id=run_id, details=details)
    return receipt


def _mark_deleted(
    session: Session, run_id: str, kinds: frozenset[str] | None, now: datetime
) -> int:
    gone = sa.update(Artifact).where(
        col(Artifact.run_id) == run_id, col(Artifact.deleted_at).is_(None)
    )
    if kinds is not None:
        gone = gone.where(col(Artifact.kind).in_(kinds))
    return session.connection().execute(gone.values(deleted_at=now)).rowcount
