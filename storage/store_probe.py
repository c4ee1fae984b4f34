"""What a store can do, tried and not believed: some ignore what they do not know."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from configs.clock import new_id
from configs.errors import AppError
from storage.deletion import delete_versions
from storage.s3 import error_code, translated

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

_BYTES = bytes(range(256)) * 1024  # long enough that an SDK would send it in signed chunks


@dataclass(frozen=True)
class StoreCheck:
    """One capability; `detail` says what follows from its lack."""

    name: str
    ok: bool
    detail: str = ""


@dataclass(frozen=True)
class StoreReport:
    """All capabilities, in the order they were tried."""

    checks: tuple[StoreCheck, ...]

    @property
    def ok(self) -> bool:
        """True where nothing is lacking."""
        return all(check.ok for check in self.checks)

    @property
    def lacking(self) -> tuple[StoreCheck, ...]:
        """What is lacking."""
        return tuple(check for check in self.checks if not check.ok)


@dataclass(frozen=True)
class _Probe:
    client: "S3Client"
    bucket: str
    key: str

    def put(self, body: bytes) -> str:
        answer = self.client.put_object(
            Bucket=self.bucket, Key=self.key, Body=body, Metadata={"sha256": _sha256(body)}
        )
        return answer.get("VersionId", "")

    def get(self, version_id: str) -> bytes:
        answer = self.client.get_object(Bucket=self.bucket, Key=self.key, VersionId=version_id)
        return answer["Body"].read()


def probe_store(client: "S3Client", bucket: str) -> StoreReport:
    """Write, read and delete a small object of its own, and report each capability."""
    probe = _Probe(client, bucket, f"_probe/{new_id('probe')}")
    tries: tuple[tuple[str, Callable[[_Probe], str]], ...] = (
        ("round_trip", _round_trip),
        ("versions", _versions),
        ("metadata", _metadata),
        ("range", _range),
        ("conditional_put", _conditional_put),
        ("delete_all_versions", _delete),
    )
    return StoreReport(tuple(_attempt(name, attempt, probe) for name, attempt in tries))


def _attempt(name: str, attempt: Callable[[_Probe], str], probe: _Probe) -> StoreCheck:
    try:
        with translated(name):
            detail = attempt(probe)
    except AppError as error:
        return StoreCheck(name, False, f"{error.code}: {error.details.get('s3_code', '')}")
    return StoreCheck(name, not detail, detail)


def _round_trip(probe: _Probe) -> str:
    version_id = probe.put(_BYTES)
    if not version_id:
        return "the store gives no version ids; turn versioning on"
    return "" if probe.get(version_id) == _BYTES else "the store returns other bytes than it got"


def _versions(probe: _Probe) -> str:
    first, second = probe.put(b"first"), probe.put(b"second")
    if first == second or (probe.get(first), probe.get(second)) != (b"first", b"second"):
        return "an older version cannot be read: approved bytes could be overwritten"
    return ""


def _metadata(probe: _Probe) -> str:
    probe.put(_BYTES)
    head = probe.client.head_object(Bucket=probe.bucket, Key=probe.key)
    kept = head["Metadata"].get("sha256") == _sha256(_BYTES)
    return "" if kept else "metadata is lost: the same bytes are stored again each time"


def _range(probe: _Probe) -> str:
    answer = probe.client.get_object(Bucket=probe.bucket, Key=probe.key, Range="bytes=1-3")
    return "" if answer["Body"].read() == _BYTES[1:4] else "ranges are ignored: players cannot seek"


def _conditional_put(probe: _Probe) -> str:
    try:
        probe.client.put_object(Bucket=probe.bucket, Key=probe.key, Body=b"again", IfNoneMatch="*")
    except ClientError as error:
        if error_code(error) in {"PreconditionFailed", "412"}:
            return ""
        raise
    return "conditional writes are ignored: a race leaves a second version behind"


def _delete(probe: _Probe) -> str:
    deleted = delete_versions(probe.client, probe.bucket, probe.key, exact=True)
    return "" if deleted else "the store lists no versions: data cannot be erased"


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
