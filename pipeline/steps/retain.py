"""retain: raw artifacts stay for their tenant's retention period, and then go."""

from dataclasses import dataclass
from datetime import timedelta

from pipeline.steps.guard import guarded
from pipeline.steps.services import services
from storage import pending_uploads, retention, strays
from storage.database import reading
from storage.refs import Area
from storage.retention import Receipt


@dataclass(frozen=True)
class Deleted:
    """How much went of how many runs, and in how many something was still being written."""

    runs: int = 0
    versions: int = 0
    unverified: int = 0


@guarded
def raw_tenants() -> list[str]:
    """Return the tenants that have raw artifacts or uploads, by the rows or in the store.

    Raises:
        StoreUnavailableError: the store did not answer (retryable).

    Effects: none.
    Personal data: none.
    """
    found = services()
    stored = [tenant for area in (Area.RAW, Area.DERIVED) for tenant in found.store.tenants(area)]
    with reading(found.database) as session:
        pending = pending_uploads.tenants_with_uploads(session)
        return sorted({*stored, *pending, *retention.tenants_with_raw(session)})


@guarded
def delete_raw(tenant: str) -> Deleted:
    """Delete what is past the tenant's period.

    Raises:
        SettingsError: the tenant's settings cannot be used (not retryable).
        StoreRefusedError: the store refuses, as with an object lock (not retryable).
        StoreUnavailableError: the store did not answer (retryable).

    Effects: objects are deleted, and rows say so; repeated, it goes on where it was.
    Personal data: what is deleted may hold it; what is returned does not.
    """
    receipts = [one for one in past_period(tenant) if isinstance(one, Receipt)]
    return Deleted(
        runs=len(receipts),
        versions=sum(receipt.versions for receipt in receipts),
        unverified=sum(not receipt.verified for receipt in receipts),
    )


def past_period(tenant: str, *, dry_run: bool = False) -> list[Receipt | str]:
    """Delete what is past the tenant's period, expired, or of no run, and return the receipts.

    See `storage.retention.delete_due`, `storage.pending_uploads.delete_expired` and
    `storage.strays.delete_strays`.
    """
    found = services()
    period: timedelta = found.raw_retention(tenant)
    database, store = found.database, found.store
    return [
        *retention.delete_due(database, store, period, tenant=tenant, dry_run=dry_run),
        *pending_uploads.delete_expired(database, store, tenant=tenant, dry_run=dry_run),
        *strays.delete_strays(database, store, period, tenant=tenant, dry_run=dry_run),
    ]
