"""Objects that no run vouches for, in a real store."""

from datetime import timedelta

import pytest
import sqlalchemy as sa

from configs.clock import new_id
from storage import audit, retention
from storage.artifacts import Area, ArtifactRef, ArtifactStore
from storage.database import reading, transaction
from storage.retention import Receipt
from storage.strays import delete_strays
from tests.rows import make_run

MONTH = timedelta(days=30)


@pytest.fixture
def tenant() -> str:
    """A tenant of this test alone: the store is shared."""
    return new_id("tenant").replace("_", "-").lower()


def put(store: ArtifactStore, tenant: str, run_id: str, kind: str) -> ArtifactRef:
    data = f"{kind} of {run_id}".encode()
    return store.put_bytes(tenant, run_id, kind, data, ext="bin", media_type="text/plain")


def a_run(rows: sa.Engine, tenant: str) -> str:
    with transaction(rows) as session:
        return make_run(session, tenant=tenant).id


def test_strays_when_a_process_wrote_after_its_run_was_erased_then_go_at_once(
    rows: sa.Engine, store: ArtifactStore, tenant: str
) -> None:
    run_id, other = a_run(rows, tenant), a_run(rows, tenant)
    retention.erase_run(rows, store, run_id, actor_id="user_admin")
    late = [put(store, tenant, run_id, kind) for kind in ("transcript", "summary")]
    kept = put(store, tenant, other, "transcript")

    (receipt,) = delete_strays(rows, store, MONTH, tenant=tenant)

    assert isinstance(receipt, Receipt)
    assert (receipt.run_id, receipt.versions) == (run_id, 2)
    assert not any(store.exists(ref) for ref in late)
    assert store.exists(kept)
    assert delete_strays(rows, store, MONTH, tenant=tenant) == []
    with reading(rows) as session:
        assert [e["action"] for e in audit.export(session, run_id)][-1] == "run.strays_deleted"


def test_strays_when_an_upload_has_no_row_then_stay_as_long_as_raw_artifacts(
    rows: sa.Engine, store: ArtifactStore, tenant: str
) -> None:
    run_id = new_id("run")
    left = put(store, tenant, run_id, "source")

    assert delete_strays(rows, store, MONTH, tenant=tenant) == []
    assert store.exists(left)
    assert delete_strays(rows, store, timedelta(0), tenant=tenant, dry_run=True) == [run_id]
    assert store.exists(left)
    assert len(delete_strays(rows, store, timedelta(0), tenant=tenant)) == 1
    assert not store.exists(left)


def test_tenants_when_they_have_artifacts_then_each_is_listed_once(
    store: ArtifactStore, tenant: str
) -> None:
    run_ids = sorted(new_id("run") for _ in range(3))
    for run_id in run_ids:
        put(store, tenant, run_id, "source")
    assert store.tenants(Area.RAW).count(tenant) == 1
    assert store.run_ids(Area.RAW, tenant) == run_ids
    assert store.run_ids(Area.DERIVED, tenant) == []


def test_strays_when_others_keep_things_in_the_buckets_then_left_alone(
    rows: sa.Engine, store: ArtifactStore, tenant: str
) -> None:
    bucket = store.bucket(Area.RAW)
    alien = ["Not a tenant!/x", f"{tenant}/runs/not a run/x"]
    for key in alien:
        store._client.put_object(Bucket=bucket, Key=key, Body=b"x")
    assert store.tenants(Area.RAW).count(tenant) == 1
    assert "Not a tenant!" not in store.tenants(Area.RAW)
    assert delete_strays(rows, store, timedelta(0), tenant=tenant) == []
    for key in alien:
        assert store._client.head_object(Bucket=bucket, Key=key)
        store._client.delete_object(Bucket=bucket, Key=key)
