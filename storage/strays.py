"""Objects that no run vouches for, and how they go.

A process that dies between an upload's objects and its row leaves objects without a run; one that
dies just after it wrote for a run that was being erased leaves objects of an erased run.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlmodel import col, select

from storage import audit
from storage.artifacts import ArtifactStore
from storage.database import database_now, reading, transaction
from storage.policy import SYSTEM
from storage.refs import Area, run_prefix
from storage.retention import Receipt
from storage.statuses import RunStatus
from storage.tables import JsonObject, PendingUpload, Run

_AREAS = (Area.RAW, Area.DERIVED)
_AT_ONCE = 500


def delete_strays(
    database: sa.Engine,
    store: ArtifactStore,
    period: timedelta,
    *,
    tenant: str,
    dry_run: bool = False,
) -> list[Receipt | str]:
    """Delete what a tenant has in the store of erased runs, and of unknown ones after `period`.

    An upload that is going on has objects and no row for a moment; a database that was restored
    from an older state lacks rows. So what is unknown stays as long as raw artifacts do. What
    comes straight to the store has a row until it expires (`storage.pending_uploads`).

    Args:
        database: where the rows are.
        store: where the objects are.
        period: how long raw artifacts stay.
        tenant: whose objects.
        dry_run: only say which runs' objects would go.

    Returns:
        A receipt for each run; with `dry_run` the runs' ids, and nothing is deleted.

    Raises:
        StoreRefusedError: the store refuses, as with an object lock (not retryable).
        StoreUnavailableError: the store did not answer; call again (retryable).
    """
    with reading(database) as session:
        before = database_now(session) - period
    strays = sorted(set(_strays(database, store, tenant, before)))
    return [*strays] if dry_run else [_delete(database, store, tenant, run) for run in strays]


def _strays(
    database: sa.Engine, store: ArtifactStore, tenant: str, before: datetime
) -> Iterator[str]:
    for area in _AREAS:
        found = store.run_ids(area, tenant)
        for start in range(0, len(found), _AT_ONCE):
            some = found[start : start + _AT_ONCE]
            with reading(database) as session:
                query = select(Run.id, Run.status).where(col(Run.id).in_(some))
                status = dict(session.exec(query).all())
                pending = session.exec(
                    select(PendingUpload.id).where(col(PendingUpload.id).in_(some))
                ).all()
            for run_id in set(some).difference(pending):
                if status.get(run_id, RunStatus.ERASED) is not RunStatus.ERASED:
                    continue
                changed = store.last_change(area, run_prefix(tenant, run_id))
                if changed and (run_id in status or changed <= before):
                    yield run_id


def _delete(database: sa.Engine, store: ArtifactStore, tenant: str, run_id: str) -> Receipt:
    prefix = run_prefix(tenant, run_id)
    versions = sum(store.delete_prefix(area, prefix) for area in _AREAS)
    with transaction(database) as session:
        now = database_now(session)
        details: JsonObject = {"versions": versions}
        audit.append(
            session, actor_id=SYSTEM, action="run.strays_deleted", run_id=run_id, details=details
        )
    return Receipt(run_id, "run.strays_deleted", 0, versions, True, now)
