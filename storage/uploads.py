"""Putting bytes into a store: in one request when small, in parts with bounded memory when large.

The hash is computed on the way, and the object only comes into being when it is the one that its
key and its reader expect.
"""

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from configs.errors import AppError, IntegrityError, StoreRefusedError
from storage.s3 import error_code, translated

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_s3.type_defs import (
        CompletedPartTypeDef,
        CompleteMultipartUploadRequestTypeDef,
        PutObjectRequestTypeDef,
    )

BLOCK_BYTES = 1024 * 1024
RESTORED = "restored-version"
PART_BYTES = 8 * 1024 * 1024
_MAX_PARTS = 9000  # S3 allows 10,000


@dataclass(frozen=True)
class Target:
    """Where bytes go and what they must be.

    `restored_version` is the version that a restored object had in the store it comes from.
    """

    bucket: str
    key: str
    sha256: str
    bytes: int
    media_type: str
    restored_version: str = ""

    @property
    def metadata(self) -> dict[str, str]:
        """What the store keeps beside the bytes."""
        restored = {RESTORED: self.restored_version} if self.restored_version else {}
        return {"sha256": self.sha256, **restored}


class AlreadyThereError(AppError):
    """An object with this key is there already."""

    code = "store.exists"


def file_blocks(path: Path) -> Iterator[bytes]:
    """Yield a file in blocks of `BLOCK_BYTES`."""
    with path.open("rb") as file:
        while block := file.read(BLOCK_BYTES):
            yield block


def hash_file(path: Path) -> tuple[str, int]:
    """Return the SHA-256 and the size of a file."""
    digest, size = hashlib.sha256(), 0
    for block in file_blocks(path):
        digest.update(block)
        size += len(block)
    return digest.hexdigest(), size


def upload(
    client: "S3Client", target: Target, blocks: Iterable[bytes], *, only_if_absent: bool
) -> str:
    """Upload and return the version id of the new object.

    Args:
        client: of the store.
        target: where to, and the hash and size to expect.
        blocks: the bytes; at most a part and a block are held in memory.
        only_if_absent: do not add a version where the key has one.

    Raises:
        AlreadyThereError: the key exists (only with `only_if_absent`).
        IntegrityError: the bytes are not those of `target`; nothing was written (not retryable).
        StoreRefusedError: the store refuses, or keeps no versions (not retryable).
        StoreUnavailableError: the store did not answer (retryable).
    """
    send = _send_whole if target.bytes <= PART_BYTES else _send_parts
    version_id = send(client, target, blocks, only_if_absent)
    if not version_id or version_id == "null":
        raise StoreRefusedError("The object store keeps no versions; turn versioning on.")
    return version_id


def _send_whole(
    client: "S3Client", target: Target, blocks: Iterable[bytes], only_if_absent: bool
) -> str:
    request: PutObjectRequestTypeDef = {
        "Bucket": target.bucket,
        "Key": target.key,
        "Body": b"".join(_verified(target, blocks)),
        "ContentType": target.media_type,
        "Metadata": target.metadata,
    }
    if only_if_absent:
        request["IfNoneMatch"] = "*"
    with translated("put"), _existing_told_apart():
        answer = client.put_object(**request)
    return answer.get("VersionId", "")


def _send_parts(
    client: "S3Client", target: Target, blocks: Iterable[bytes], only_if_absent: bool
) -> str:
    with translated("put"):
        upload_id = client.create_multipart_upload(
            Bucket=target.bucket,
            Key=target.key,
            ContentType=target.media_type,
            Metadata=target.metadata,
        )["UploadId"]
    try:
        request: CompleteMultipartUploadRequestTypeDef = {
            "Bucket": target.bucket,
            "Key": target.key,
            "UploadId": upload_id,
            "MultipartUpload": {"Parts": _upload_parts(client, target, upload_id, blocks)},
        }
        if only_if_absent:
            request["IfNoneMatch"] = "*"
        with translated("put"), _existing_told_apart():
            answer = client.complete_multipart_upload(**request)
    except BaseException:
        _abort(client, target, upload_id)
        raise
    return answer.get("VersionId", "")


def _upload_parts(
    client: "S3Client", target: Target, upload_id: str, blocks: Iterable[bytes]
) -> "list[CompletedPartTypeDef]":
    parts: list[CompletedPartTypeDef] = []
    part_bytes = max(PART_BYTES, -(-target.bytes // _MAX_PARTS))
    for number, part in enumerate(_joined(_verified(target, blocks), part_bytes), start=1):
        with translated("put"):
            answer = client.upload_part(
                Bucket=target.bucket,
                Key=target.key,
                UploadId=upload_id,
                PartNumber=number,
                Body=part,
            )
        parts.append({"PartNumber": number, "ETag": answer["ETag"]})
    return parts


def _abort(client: "S3Client", target: Target, upload_id: str) -> None:
    """Drop the parts; where even that fails, deleting the run drops them."""
    try:
        with translated("abort"):
            client.abort_multipart_upload(Bucket=target.bucket, Key=target.key, UploadId=upload_id)
    except AppError:
        return


def _verified(target: Target, blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Pass blocks through, and fail at the end where they are not what was announced."""
    digest, size = hashlib.sha256(), 0
    for block in blocks:
        digest.update(block)
        size += len(block)
        if size > target.bytes:
            break
        yield block
    if size != target.bytes or digest.hexdigest() != target.sha256:
        raise IntegrityError(
            "The bytes changed while they were being stored; nothing was written.",
            {"expected_bytes": target.bytes},
        )


def _joined(blocks: Iterable[bytes], part_bytes: int) -> Iterator[bytes]:
    buffer = bytearray()
    for block in blocks:
        buffer += block
        while len(buffer) >= part_bytes:
            yield bytes(buffer[:part_bytes])
            del buffer[:part_bytes]
    if buffer:
        yield bytes(buffer)


@contextmanager
def _existing_told_apart() -> Iterator[None]:
    """Turn "precondition failed" into `AlreadyThereError`."""
    try:
        yield
    except ClientError as error:
        if error_code(error) in {"PreconditionFailed", "412"}:
            raise AlreadyThereError from error
        raise
