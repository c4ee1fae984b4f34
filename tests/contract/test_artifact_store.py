"""The artifact store against a real S3 server."""

import hashlib
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from configs.clock import new_id
from configs.errors import (
    IntegrityError,
    MissingArtifactError,
    NotFoundError,
    StoreRefusedError,
    StoreUnavailableError,
    TooLargeError,
)
from storage.artifacts import Area, ArtifactRef, ArtifactStore, StoreConfig
from storage.refs import publication_prefix, run_prefix
from storage.uploads import PART_BYTES

TENANT = "default"
TEXT = "議事録 — meeting minutes 😀\n".encode()


@pytest.fixture
def run_id() -> str:
    return new_id("run")


def put(store: ArtifactStore, run_id: str, data: bytes, kind: str = "summary") -> ArtifactRef:
    return store.put_bytes(TENANT, run_id, kind, data, ext="json", media_type="application/json")


def versions(store: ArtifactStore, area: Area, prefix: str) -> int:
    """Ask the server itself, past the code under test."""
    answer = store._client.list_object_versions(Bucket=store.bucket(area), Prefix=prefix)
    return len(answer.get("Versions", [])) + len(answer.get("DeleteMarkers", []))


def big_file(path: Path, size: int) -> Path:
    block = bytes(range(256)) * 4096
    with path.open("wb") as file:
        for start in range(0, size, len(block)):
            file.write(block[: size - start])
    return path


@pytest.mark.parametrize(
    "data", [b"", b"\x00", TEXT, bytes(range(256)) * 8192], ids=["empty", "nul", "text", "2MiB"]
)
def test_put_when_read_back_then_the_same_bytes_and_nothing_added(
    store: ArtifactStore, run_id: str, data: bytes
) -> None:
    ref = put(store, run_id, data)
    assert (ref.sha256, ref.bytes) == (hashlib.sha256(data).hexdigest(), len(data))
    assert store.read_bytes(ref) == data
    assert store.exists(ref)


@pytest.mark.parametrize("kind", ["source", "transcript", "redactions", "pseudonym_map"])
def test_put_when_the_kind_is_raw_then_it_lies_in_the_raw_bucket(
    store: ArtifactStore, run_id: str, kind: str
) -> None:
    ref = put(store, run_id, TEXT, kind)
    assert ref.bucket == store.bucket(Area.RAW)
    assert put(store, run_id, TEXT).bucket == store.bucket(Area.DERIVED)


def test_put_when_repeated_then_the_version_that_is_there_is_adopted(
    store: ArtifactStore, run_id: str
) -> None:
    first = put(store, run_id, TEXT)
    assert put(store, run_id, TEXT) == first
    assert versions(store, Area.DERIVED, run_prefix(TENANT, run_id)) == 1


def test_put_when_many_put_the_same_at_once_then_it_is_one_version(
    store: ArtifactStore, run_id: str
) -> None:
    barrier, refs = threading.Barrier(8), []

    def work() -> None:
        barrier.wait()
        refs.append(put(store, run_id, TEXT))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(refs) == 8
    assert len(set(refs)) == 1
    assert versions(store, Area.DERIVED, run_prefix(TENANT, run_id)) == 1


def test_put_when_another_object_stands_at_the_key_then_it_is_not_adopted(
    store: ArtifactStore, run_id: str
) -> None:
    ref = put(store, run_id, TEXT)
    store._client.put_object(Bucket=ref.bucket, Key=ref.key, Body=b"something else")
    again = put(store, run_id, TEXT)
    assert again.version_id != ref.version_id
    assert store.read_bytes(again) == store.read_bytes(ref) == TEXT


@pytest.mark.parametrize("size", [0, 1, PART_BYTES, PART_BYTES + 1, 3 * PART_BYTES + 17])
def test_put_file_when_of_any_size_then_the_same_bytes(
    store: ArtifactStore, run_id: str, tmp_path: Path, size: int
) -> None:
    source = big_file(tmp_path / "source", size)
    ref = store.put_file(TENANT, run_id, "source", source, ext="wav", media_type="audio/wav")
    assert ref.bytes == size
    assert store.put_file(TENANT, run_id, "source", source, ext="wav", media_type="x/y") == replace(
        ref, media_type="x/y"
    )
    store.download(ref, tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes() == source.read_bytes()
    assert versions(store, Area.RAW, run_prefix(TENANT, run_id)) == 1


@pytest.mark.parametrize(
    "name",
    [
        "会議録音 😀 (最終).wav",
        "../../../etc/passwd",
        "a%2Fb%00.wav",
        " ",
        "-rf.wav",
        "\u202egpj.exe",
    ],
)
def test_put_file_when_its_name_is_hostile_then_the_key_has_nothing_of_it(
    store: ArtifactStore, run_id: str, tmp_path: Path, name: str
) -> None:
    folder = tmp_path / "uploads" / "deep"
    folder.mkdir(parents=True)
    source = folder / Path(name).name
    source.write_bytes(TEXT)
    ref = store.put_file(TENANT, run_id, "source", source, ext="bin", media_type="audio/wav")
    sha256 = hashlib.sha256(TEXT).hexdigest()
    assert ref.key == f"{TENANT}/runs/{run_id}/source/{sha256}.bin"
    assert store.read_bytes(ref) == TEXT


@pytest.mark.parametrize("size", [100, 2 * PART_BYTES])
def test_put_file_when_it_is_not_what_was_hashed_then_nothing_is_written(
    store: ArtifactStore, run_id: str, tmp_path: Path, size: int
) -> None:
    source = big_file(tmp_path / "source", size)
    with pytest.raises(IntegrityError):
        store.put_file(
            TENANT, run_id, "source", source, ext="wav", media_type="x/y", sha256="0" * 64
        )
    prefix = run_prefix(TENANT, run_id)
    assert versions(store, Area.RAW, prefix) == 0
    uploads = store._client.list_multipart_uploads(Bucket=store.bucket(Area.RAW), Prefix=prefix)
    assert uploads.get("Uploads", []) == []


def test_read_when_an_older_version_is_named_then_that_one(
    store: ArtifactStore, run_id: str
) -> None:
    ref = put(store, run_id, TEXT)
    store._client.put_object(Bucket=ref.bucket, Key=ref.key, Body=b"overwritten later")
    store._client.delete_object(Bucket=ref.bucket, Key=ref.key)
    assert store.read_bytes(ref) == TEXT


@pytest.mark.parametrize("body", [b"other bytes", TEXT[:-1] + b"x", b""], ids=["size", "bit", "0"])
def test_read_when_the_version_has_other_bytes_then_integrity_error(
    store: ArtifactStore, run_id: str, tmp_path: Path, body: bytes
) -> None:
    ref = put(store, run_id, TEXT)
    changed = store._client.put_object(Bucket=ref.bucket, Key=ref.key, Body=body)
    forged = replace(ref, version_id=changed["VersionId"])
    with pytest.raises(IntegrityError):
        store.read_bytes(forged)
    with pytest.raises(IntegrityError):
        store.download(forged, tmp_path / "copy")
    assert list(tmp_path.iterdir()) == []
    assert not store.exists(forged)


@pytest.mark.parametrize("change", [{"version_id": "0" * 32}, {"key": "default/runs/x/summary/y"}])
def test_read_when_it_is_missing_then_it_says_so_and_is_not_retried(
    store: ArtifactStore, run_id: str, change: dict[str, str]
) -> None:
    missing = replace(put(store, run_id, TEXT), **change)  # type: ignore[arg-type]
    with pytest.raises(MissingArtifactError) as failure:
        store.read_bytes(missing)
    assert isinstance(failure.value, IntegrityError)
    assert not failure.value.retryable
    assert not store.exists(missing)


def test_read_when_larger_than_allowed_then_refused(store: ArtifactStore, run_id: str) -> None:
    with pytest.raises(TooLargeError):
        store.read_bytes(put(store, run_id, TEXT), max_bytes=5)


@pytest.mark.parametrize(("start", "end"), [(0, 1), (3, 9), (0, len(TEXT)), (len(TEXT) - 1, None)])
def test_range_when_in_the_artifact_then_those_bytes(
    store: ArtifactStore, run_id: str, start: int, end: int | None
) -> None:
    ref = put(store, run_id, TEXT)
    end = end or len(TEXT)
    assert b"".join(store.open_range(ref, start, end)) == TEXT[start:end]


@pytest.mark.parametrize(("start", "end"), [(-1, 2), (2, 2), (3, 2), (0, len(TEXT) + 1)])
def test_range_when_outside_then_value_error(
    store: ArtifactStore, run_id: str, start: int, end: int
) -> None:
    with pytest.raises(ValueError, match="range"):
        store.open_range(put(store, run_id, TEXT), start, end)


def test_range_when_the_artifact_is_large_then_across_parts(
    store: ArtifactStore, run_id: str, tmp_path: Path
) -> None:
    source = big_file(tmp_path / "source", 2 * PART_BYTES + 5)
    ref = store.put_file(TENANT, run_id, "source", source, ext="wav", media_type="audio/wav")
    start, end = PART_BYTES - 100, PART_BYTES + 100
    assert b"".join(store.open_range(ref, start, end)) == source.read_bytes()[start:end]


def test_range_when_the_reader_leaves_early_then_the_connection_is_given_back(
    store: ArtifactStore, run_id: str, tmp_path: Path
) -> None:
    source = big_file(tmp_path / "source", PART_BYTES)
    ref = store.put_file(TENANT, run_id, "source", source, ext="wav", media_type="audio/wav")
    for _ in range(30):  # more than the pool holds
        blocks = store.open_range(ref, 0, ref.bytes)
        next(blocks)
        blocks.close()  # type: ignore[attr-defined]
    assert store.exists(ref)


def test_range_when_the_object_is_missing_then_it_fails_before_the_first_byte(
    store: ArtifactStore, run_id: str
) -> None:
    ref = put(store, run_id, TEXT)
    store.delete_all_versions(ref)
    with pytest.raises(MissingArtifactError):
        store.open_range(ref, 0, 1)


def test_delete_when_there_are_versions_and_markers_then_none_is_left(
    store: ArtifactStore, run_id: str
) -> None:
    ref = put(store, run_id, TEXT)
    other = put(store, run_id, b"another")
    store._client.put_object(Bucket=ref.bucket, Key=ref.key, Body=b"v2")
    store._client.delete_object(Bucket=ref.bucket, Key=ref.key)
    assert store.delete_all_versions(ref) == 3
    assert versions(store, Area.DERIVED, ref.key) == 0
    assert store.delete_all_versions(ref) == 0
    assert store.read_bytes(other) == b"another"


def test_delete_when_a_key_begins_with_another_then_only_the_one_goes(
    store: ArtifactStore, run_id: str
) -> None:
    ref = put(store, run_id, TEXT)
    longer = f"{ref.key}.bak"
    store._client.put_object(Bucket=ref.bucket, Key=longer, Body=b"x")
    store.delete_all_versions(ref)
    assert versions(store, Area.DERIVED, longer) == 1


def test_delete_prefix_when_a_run_goes_then_its_neighbours_stay(store: ArtifactStore) -> None:
    gone = [put(store, "run_1", f"text {n}".encode(), "transcript") for n in range(3)]
    stays = put(store, "run_10", TEXT, "transcript")
    derived = put(store, "run_1", TEXT)
    unfinished = store._client.create_multipart_upload(
        Bucket=gone[0].bucket, Key="default/runs/run_1/source/x.bin"
    )
    store._client.upload_part(
        Bucket=gone[0].bucket,
        Key=unfinished["Key"],
        UploadId=unfinished["UploadId"],
        PartNumber=1,
        Body=b"personal",
    )
    assert store.delete_prefix(Area.RAW, run_prefix(TENANT, "run_1")) == 3
    assert versions(store, Area.RAW, "default/runs/run_1/") == 0
    uploads = store._client.list_multipart_uploads(Bucket=gone[0].bucket)
    assert uploads.get("Uploads", []) == []
    assert store.exists(stays)
    assert store.exists(derived)


@pytest.mark.parametrize("prefix", ["", "/", "default", "default/", "default/runs/run_1"])
def test_delete_prefix_when_it_is_no_folder_of_a_run_then_refused(
    store: ArtifactStore, prefix: str
) -> None:
    with pytest.raises(ValueError, match="folder"):
        store.delete_prefix(Area.RAW, prefix)


@pytest.fixture
def folder(run_id: str) -> str:
    return publication_prefix(TENANT, run_id, 1)


def test_publish_when_approved_then_exactly_the_same_bytes(
    store: ArtifactStore, run_id: str, folder: str, tmp_path: Path
) -> None:
    source = big_file(tmp_path / "audio", PART_BYTES + 100)
    audio = store.put_file(
        TENANT, run_id, "redacted_audio", source, ext="opus", media_type="audio/ogg"
    )
    page = put(store, run_id, TEXT, "rendered")
    store.publish(folder, "audio.opus", audio)
    published = store.publish(folder, "index.html", page)
    assert published.ref.key == f"{folder}index.html"
    assert store.read_published(folder, "index.html") == TEXT
    names = [(file.name, file.ref.sha256) for file in store.list_published(folder)]
    assert names == [("audio.opus", audio.sha256), ("index.html", page.sha256)]


def test_publish_when_repeated_then_nothing_is_written_again(
    store: ArtifactStore, run_id: str, folder: str
) -> None:
    page = put(store, run_id, TEXT, "rendered")
    first = store.publish(folder, "index.html", page)
    assert store.publish(folder, "index.html", page) == first
    manifest = store.put_published(folder, "manifest.json", b"{}", "application/json")
    assert store.put_published(folder, "manifest.json", b"{}", "application/json") == manifest
    assert versions(store, Area.PUBLISHED, folder) == 2


def test_publish_when_another_file_stands_there_then_it_is_left_alone(
    store: ArtifactStore, run_id: str, folder: str
) -> None:
    store.put_published(folder, "manifest.json", b"{}", "application/json")
    with pytest.raises(IntegrityError):
        store.put_published(folder, "manifest.json", b"{ }", "application/json")
    with pytest.raises(IntegrityError):
        store.publish(folder, "manifest.json", put(store, run_id, TEXT, "rendered"))
    assert store.read_published(folder, "manifest.json") == b"{}"
    assert versions(store, Area.PUBLISHED, folder) == 1


def test_publish_when_another_file_comes_in_between_then_it_is_left_alone(
    store: ArtifactStore, run_id: str
) -> None:
    ref, prefix = put(store, run_id, TEXT), publication_prefix(TENANT, run_id, 1)

    class Overtaken(ArtifactStore):
        def read_blocks(self, ref: ArtifactRef) -> Iterator[bytes]:
            store.put_published(prefix, "index.html", b"another", "text/html")
            yield from super().read_blocks(ref)

    with pytest.raises(IntegrityError):
        Overtaken(store.config).publish(prefix, "index.html", ref)
    assert store.read_published(prefix, "index.html") == b"another"


@pytest.mark.parametrize("size", [100, PART_BYTES + 100])
def test_publish_when_the_artifact_changed_after_approval_then_nothing_is_written(
    store: ArtifactStore, run_id: str, folder: str, tmp_path: Path, size: int
) -> None:
    source = big_file(tmp_path / "audio", size)
    audio = store.put_file(
        TENANT, run_id, "redacted_audio", source, ext="opus", media_type="audio/ogg"
    )
    body = source.read_bytes()[:-1] + b"?"
    changed = store._client.put_object(Bucket=audio.bucket, Key=audio.key, Body=body)
    with pytest.raises(IntegrityError):
        store.publish(folder, "audio.opus", replace(audio, version_id=changed["VersionId"]))
    assert versions(store, Area.PUBLISHED, folder) == 0


def test_publish_when_the_artifact_is_gone_then_nothing_is_written(
    store: ArtifactStore, run_id: str, folder: str
) -> None:
    page = put(store, run_id, TEXT, "rendered")
    store.delete_all_versions(page)
    with pytest.raises(MissingArtifactError):
        store.publish(folder, "index.html", page)
    assert versions(store, Area.PUBLISHED, folder) == 0


def test_publish_when_the_artifact_is_raw_then_refused(
    store: ArtifactStore, run_id: str, folder: str
) -> None:
    with pytest.raises(IntegrityError):
        store.publish(folder, "transcript.json", put(store, run_id, TEXT, "transcript"))
    assert versions(store, Area.PUBLISHED, folder) == 0


@pytest.mark.parametrize("name", ["../index.html", "a/b", "", ".hidden", "日本.html", "a\n.html"])
def test_publish_when_the_name_is_no_plain_file_name_then_refused(
    store: ArtifactStore, folder: str, name: str
) -> None:
    with pytest.raises(ValueError, match="place"):
        store.put_published(folder, name, b"x", "text/plain")


@pytest.mark.parametrize("prefix", ["", "/", "default/", "default/run_1/", "../x/r1/", "a/b/rx/"])
def test_publish_when_the_prefix_is_no_publication_then_refused(
    store: ArtifactStore, prefix: str
) -> None:
    with pytest.raises(ValueError, match="place"):
        store.put_published(prefix, "index.html", b"x", "text/plain")


def test_published_when_there_is_no_such_file_then_not_found(
    store: ArtifactStore, folder: str
) -> None:
    with pytest.raises(NotFoundError):
        store.read_published(folder, "index.html")
    assert store.list_published(folder) == []


def test_buckets_when_ensured_again_then_nothing_changes(store: ArtifactStore, run_id: str) -> None:
    ref = put(store, run_id, TEXT)
    store.ensure_buckets()
    assert store.read_bytes(ref) == TEXT


def test_probe_when_the_store_is_whole_then_nothing_is_lacking(store: ArtifactStore) -> None:
    report = store.probe()
    assert report.ok
    assert [check.name for check in report.checks] == [
        "round_trip",
        "versions",
        "metadata",
        "range",
        "conditional_put",
        "delete_all_versions",
    ]
    assert versions(store, Area.RAW, "_probe/") == 0


def test_probe_when_versioning_is_off_then_it_is_named(store: ArtifactStore) -> None:
    bucket = store.bucket(Area.RAW)
    store._client.delete_bucket(Bucket=bucket)
    store._client.create_bucket(Bucket=bucket)
    assert "versions" in [check.name for check in store.probe().lacking]


def test_probe_when_conditional_writes_are_ignored_then_it_is_named(store: ArtifactStore) -> None:
    def forget(params: dict[str, Any], **_: object) -> None:
        params["headers"].pop("If-None-Match", None)

    store._client.meta.events.register("before-call.s3.PutObject", forget)
    assert [check.name for check in store.probe().lacking] == ["conditional_put"]


def test_put_when_versioning_is_off_then_refused(store: ArtifactStore, run_id: str) -> None:
    bucket = store.bucket(Area.RAW)
    store._client.delete_bucket(Bucket=bucket)
    store._client.create_bucket(Bucket=bucket)
    with pytest.raises(StoreRefusedError, match="versions"):
        put(store, run_id, TEXT, "source")


def test_any_when_the_credentials_are_wrong_then_refused_and_not_retried(
    store_config: StoreConfig, store: ArtifactStore, run_id: str
) -> None:
    ref = put(store, run_id, TEXT)
    stranger = ArtifactStore(replace(store_config, secret_key="wrong"))
    with pytest.raises(StoreRefusedError) as failure:
        stranger.read_bytes(ref)
    assert not failure.value.retryable
    assert not stranger.probe().ok


@pytest.fixture
def unreachable(store_config: StoreConfig) -> Iterator[ArtifactStore]:
    import socket

    with socket.socket() as taken:  # bound and not listening: connections are refused
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        yield ArtifactStore(replace(store_config, endpoint_url=f"http://127.0.0.1:{port}"))


def test_any_when_the_store_does_not_answer_then_it_can_be_retried(
    unreachable: ArtifactStore, run_id: str
) -> None:
    with pytest.raises(StoreUnavailableError) as failure:
        put(unreachable, run_id, TEXT)
    assert failure.value.retryable
    assert run_id not in str(failure.value.body())


def test_config_when_shown_then_the_secret_is_not(store_config: StoreConfig) -> None:
    assert store_config.secret_key not in repr(store_config)


_PUT_LARGE = """
import re, sys
from pathlib import Path
from storage.artifacts import ArtifactStore, StoreConfig

def peak_kib():  # not getrusage: its peak is inherited from the process that started this one
    return int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])

def blocks(total, size=1024 * 1024):
    block = bytes(range(256)) * (size // 256)
    for start in range(0, total, size):
        yield block[: total - start]

path, endpoint, key, prefix, run_id = sys.argv[1:]
store = ArtifactStore(StoreConfig(endpoint, key, sys.stdin.read(), prefix))
options = {"ext": "bin", "media_type": "application/octet-stream"}
store.put_bytes("default", run_id, "source", b"warm", **options)  # imports, connections
before = peak_kib()
with open(path, "wb") as file:
    for block in blocks(200 * 1024 * 1024):
        file.write(block)
ref = store.put_file("default", run_id, "source", Path(path), **options)
store.download(ref, Path(path + ".copy"))
print(peak_kib() - before, ref.bytes)
"""


def test_put_and_download_when_200_megabytes_then_memory_stays_bounded(
    store: ArtifactStore, run_id: str, tmp_path: Path
) -> None:
    config = store.config
    arguments = [config.endpoint_url, config.access_key, config.bucket_prefix, run_id]
    done = subprocess.run(
        [sys.executable, "-c", _PUT_LARGE, str(tmp_path / "large"), *arguments],
        input=config.secret_key,
        capture_output=True,
        text=True,
        check=True,
    )
    grown_kib, size = map(int, done.stdout.split())
    assert size == 200 * 1024 * 1024
    assert grown_kib < 64 * 1024
