"""Files that come straight to a real store, and what becomes of those that nobody completes."""

import threading
from dataclasses import replace
from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
import sqlalchemy as sa

from configs.clock import new_id
from configs.errors import (
    AppError,
    PartsError,
    StoreUnavailableError,
    UploadExpiredError,
)
from storage import audit, pending_uploads
from storage.artifacts import Area, ArtifactStore
from storage.database import reading, transaction
from storage.incoming import IncomingFile
from storage.refs import run_prefix
from storage.strays import delete_strays
from storage.tables import PendingUpload
from storage.uploads import PART_BYTES
from tests.rows import make_pending_upload, make_run

DAY = timedelta(days=1)
GIB = 1024**3
TENANT = "default"


def begin(store: ArtifactStore, size: int, run_id: str = "") -> tuple[IncomingFile, str]:
    file = store.incoming(TENANT, run_id or new_id("run"), size)
    return file, file.begin()


def send(file: IncomingFile, upload_id: str, data: bytes) -> dict[int, str]:
    etags = {}
    for number, url in enumerate(file.part_urls(upload_id, DAY), 1):
        part = data[(number - 1) * file.part_bytes : number * file.part_bytes]
        etags[number] = httpx.put(url, content=part).raise_for_status().headers["etag"]
    return etags


def pending(rows: sa.Engine, store: ArtifactStore, lifetime: timedelta = DAY) -> PendingUpload:
    """Return an upload whose parts have been sent."""
    data = b"what was said"
    with transaction(rows) as session:
        row = make_pending_upload(session, size=len(data), lifetime=lifetime)
        session.flush()
    file, row.store_upload_id = begin(store, row.bytes, row.id)
    send(file, row.store_upload_id, data)
    return row


def left(rows: sa.Engine, store: ArtifactStore, row: PendingUpload) -> set[str]:
    prefix, bucket = run_prefix(row.tenant, row.id), store.bucket(Area.RAW)
    found = store._client.list_object_versions(Bucket=bucket, Prefix=prefix)
    uploads = store._client.list_multipart_uploads(Bucket=bucket, Prefix=prefix)
    keys = {one["Key"].removeprefix(prefix).split("/")[0] for one in found.get("Versions", [])}
    with reading(rows) as session:
        keys |= {"row"} if session.get(PendingUpload, row.id) else set()
    return keys | ({"parts"} if uploads.get("Uploads") else set())


@pytest.mark.parametrize(
    ("size", "parts"),
    [(1, 1), (PART_BYTES, 1), (PART_BYTES + 1, 2), (4 * GIB, 512), (100 * GIB + 1, 1000)],
)
def test_parts_when_a_file_is_of_any_size_then_they_cover_it_and_are_at_most_a_thousand(
    store: ArtifactStore, size: int, parts: int
) -> None:
    file = store.incoming(TENANT, "run_1", size)
    urls = file.part_urls("upload", timedelta(hours=2))
    assert len(urls) == parts
    assert (parts - 1) * file.part_bytes < size <= parts * file.part_bytes
    last = parse_qs(urlsplit(urls[-1]).query)
    assert (last["partNumber"], last["X-Amz-Expires"]) == ([str(parts)], ["7200"])
    assert last["X-Amz-SignedHeaders"] == ["content-length;host"]


def test_complete_when_parts_were_sent_again_then_the_object_is_of_those_that_are_named(
    store: ArtifactStore,
) -> None:
    data = bytes(PART_BYTES) + b"end"
    file, upload_id = begin(store, len(data))
    etags = send(file, upload_id, b"x" * PART_BYTES + b"END")
    newer = send(file, upload_id, data)
    assert etags != newer
    file.complete(upload_id, newer)
    body = store._client.get_object(Bucket=file.bucket, Key=file.key)["Body"].read()
    assert body == data


def test_complete_when_a_part_has_another_size_then_nothing_is_joined_yet(
    store: ArtifactStore,
) -> None:
    file, upload_id = begin(store, 3)
    etags = send(file, upload_id, b"abc")
    with pytest.raises(PartsError) as failure:
        replace(file, bytes=4).complete(upload_id, etags)
    assert failure.value.details == {"parts": [1]}
    file.complete(upload_id, etags)
    file.complete(upload_id, {})


def test_complete_when_asked_by_several_at_once_then_one_version(store: ArtifactStore) -> None:
    file, upload_id = begin(store, 3)
    etags, errors = send(file, upload_id, b"abc"), []
    barrier = threading.Barrier(6)

    def work() -> None:
        barrier.wait()
        try:
            file.complete(upload_id, etags)
        except AppError as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert file.delete() == 1


def test_complete_when_the_store_has_dropped_the_parts_then_it_has_expired(
    store: ArtifactStore,
) -> None:
    file, upload_id = begin(store, 3)
    etags = send(file, upload_id, b"abc")
    file.delete()
    with pytest.raises(UploadExpiredError):
        file.complete(upload_id, etags)


def test_expired_when_parts_were_never_completed_then_parts_and_row_go(
    rows: sa.Engine, store: ArtifactStore
) -> None:
    late, running = pending(rows, store, -DAY), pending(rows, store)
    due = pending_uploads.delete_expired(rows, store, tenant=TENANT, dry_run=True)
    assert due == [late.id]
    assert left(rows, store, late) == {"row", "parts"}

    (receipt,) = pending_uploads.delete_expired(rows, store, tenant=TENANT)

    assert not isinstance(receipt, str)
    assert (receipt.run_id, receipt.what, receipt.versions) == (late.id, "upload.expired", 0)
    assert left(rows, store, late) == set()
    assert left(rows, store, running) == {"row", "parts"}
    assert pending_uploads.delete_expired(rows, store, tenant=TENANT) == []
    with reading(rows) as session:
        assert [e["action"] for e in audit.export(session, late.id)] == ["upload.expired"]


def test_expired_when_the_store_fails_then_no_run_is_made_of_it_and_the_next_time_completes_it(
    rows: sa.Engine, store: ArtifactStore
) -> None:
    late = pending(rows, store, -DAY)

    class Away(ArtifactStore):
        def delete_prefix(self, _area: Area, _prefix: str) -> int:
            raise StoreUnavailableError

    with pytest.raises(StoreUnavailableError):
        pending_uploads.delete_expired(rows, Away(store.config), tenant=TENANT)
    with transaction(rows) as session, pytest.raises(UploadExpiredError):
        pending_uploads.claim(session, late.id)
    with reading(rows) as session:
        assert session.get_one(PendingUpload, late.id).announcement is None
    assert len(pending_uploads.delete_expired(rows, store, tenant=TENANT)) == 1
    assert left(rows, store, late) == set()


def test_expired_when_a_run_was_made_then_only_the_incoming_file_goes(
    rows: sa.Engine, store: ArtifactStore
) -> None:
    late = pending(rows, store, -DAY)
    store.put_bytes(TENANT, late.id, "source", b"what was said", ext="bin", media_type="x/y")
    with transaction(rows) as session:
        make_run(session, run_id=late.id)
    pending_uploads.delete_expired(rows, store, tenant=TENANT)
    assert left(rows, store, late) == {"source"}


def test_strays_when_parts_have_no_row_then_go_as_other_strays(
    rows: sa.Engine, store: ArtifactStore
) -> None:
    known, unknown = pending(rows, store), pending(rows, store)
    with transaction(rows) as session:
        pending_uploads.forget(session, unknown.id)
    assert store.tenants(Area.RAW) == [TENANT]
    assert delete_strays(rows, store, DAY, tenant=TENANT) == []
    assert delete_strays(rows, store, timedelta(0), tenant=TENANT, dry_run=True) == [unknown.id]
    assert len(delete_strays(rows, store, timedelta(0), tenant=TENANT)) == 1
    assert left(rows, store, unknown) == set()
    assert left(rows, store, known) == {"row", "parts"}
