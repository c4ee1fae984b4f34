"""A file that its owner sends straight to the store, in parts, by signed addresses."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from configs.errors import (
    CorruptInputError,
    MissingArtifactError,
    PartsError,
    UploadExpiredError,
)
from storage.deletion import delete_versions
from storage.objects import Objects
from storage.refs import ArtifactRef
from storage.s3 import error_code, translated
from storage.uploads import PART_BYTES

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

_MAX_PARTS = 1000
_MEDIA_TYPE = "application/octet-stream"
_WRONG_PARTS = frozenset({"InvalidPart", "InvalidPartOrder", "EntityTooSmall"})


@dataclass(frozen=True)
class IncomingFile:
    """Where a file of an announced size arrives (`ArtifactStore.incoming`)."""

    client: "S3Client"
    bucket: str
    key: str
    bytes: int

    @property
    def part_bytes(self) -> int:
        """The size of each part but the last."""
        return max(PART_BYTES, -(-self.bytes // _MAX_PARTS))

    def begin(self) -> str:
        """Let parts be sent, and return the store's id of the upload.

        Raises:
            StoreRefusedError: the store refuses (not retryable).
            StoreUnavailableError: the store did not answer (retryable).
        """
        with translated("begin upload"):
            answer = self.client.create_multipart_upload(
                Bucket=self.bucket, Key=self.key, ContentType=_MEDIA_TYPE
            )
        return answer["UploadId"]

    def part_urls(self, upload_id: str, lifetime: timedelta) -> list[str]:
        """Return the address to PUT each part to, in order; each takes a part of its size only."""
        return [
            self.client.generate_presigned_url(
                "upload_part",
                Params={
                    "Bucket": self.bucket,
                    "Key": self.key,
                    "UploadId": upload_id,
                    "PartNumber": number,
                    "ContentLength": size,
                },
                ExpiresIn=int(lifetime.total_seconds()),
            )
            for number, size in self._parts().items()
        ]

    def complete(self, upload_id: str, etags: Mapping[int, str]) -> None:
        """Make one object of the parts; where it has been made, nothing happens.

        Args:
            upload_id: of `begin`.
            etags: what the store answered to each part, by number.

        Raises:
            PartsError: they are not the parts that were announced; send those and call again (not
                retryable).
            StoreUnavailableError: the store did not answer (retryable).
            UploadExpiredError: the store has neither parts nor object (not retryable).
        """
        objects = Objects(self.client)
        if objects.head(self.bucket, self.key) is None:
            try:
                self._join(upload_id, etags)
            except UploadExpiredError:
                if objects.head(self.bucket, self.key) is None:  # nobody was faster
                    raise

    def download(self, path: Path) -> None:
        """Write the object to a file.

        Raises:
            CorruptInputError: it has not the announced size (not retryable).
            MissingArtifactError: it is not there (not retryable).
            StoreUnavailableError: the store did not answer (retryable).
        """
        objects = Objects(self.client)
        head = objects.head(self.bucket, self.key)
        if head is None:
            raise MissingArtifactError
        if head["ContentLength"] != self.bytes:
            raise CorruptInputError
        version = head.get("VersionId", "")
        ref = ArtifactRef(self.bucket, self.key, "", version, self.bytes, _MEDIA_TYPE)
        with path.open("wb") as file:
            for block in objects.body(ref):
                file.write(block)

    def delete(self) -> int:
        """Delete the object in all versions, and parts; return how many versions there were.

        Raises:
            StoreRefusedError: the store refuses (not retryable).
            StoreUnavailableError: the store did not answer (retryable).
        """
        return delete_versions(self.client, self.bucket, self.key, exact=True)

    def _parts(self) -> dict[int, int]:
        """Return the size of each part by its number."""
        starts = range(0, self.bytes, self.part_bytes)
        return {n: min(self.part_bytes, self.bytes - at) for n, at in enumerate(starts, 1)}

    def _join(self, upload_id: str, etags: Mapping[int, str]) -> None:
        quoted = {number: '"' + etag.strip('"') + '"' for number, etag in etags.items()}
        with translated("complete upload"), _told_apart():
            self._require(upload_id, quoted)
            self.client.complete_multipart_upload(
                Bucket=self.bucket,
                Key=self.key,
                UploadId=upload_id,
                MultipartUpload={
                    "Parts": [{"PartNumber": n, "ETag": quoted[n]} for n in sorted(quoted)]
                },
            )

    def _require(self, upload_id: str, etags: Mapping[int, str]) -> None:
        """Look at the parts before: once the store has joined them, none can be sent again.

        Some stores list a part that was sent again with each of its bytes.
        """
        pages = self.client.get_paginator("list_parts").paginate(
            Bucket=self.bucket, Key=self.key, UploadId=upload_id
        )
        there = {
            (part["PartNumber"], part["Size"], part["ETag"])
            for page in pages
            for part in page.get("Parts", [])
        }
        parts = self._parts()
        wrong = [n for n, size in parts.items() if (n, size, etags.get(n, "")) not in there]
        wrong += sorted(set(etags) - set(parts))
        if wrong:
            raise PartsError(details={"parts": wrong[:_MAX_PARTS]})


@contextmanager
def _told_apart() -> Iterator[None]:
    """Tell what the client can mend from what the store cannot do."""
    try:
        yield
    except ClientError as error:
        code = error_code(error)
        if code in _WRONG_PARTS:
            raise PartsError from error
        if code == "NoSuchUpload":
            raise UploadExpiredError from error
        raise
