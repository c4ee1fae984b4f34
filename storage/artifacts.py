"""The artifact store: exact bytes by key, version and hash, in any S3 store.

Keys are content-addressed, so that putting the same bytes again is harmless and returns the version
that is there. What is read is checked against size and SHA-256: an ETag is no hash.
"""

import hashlib
import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from botocore.exceptions import ClientError

from configs.errors import IntegrityError, MissingArtifactError, NotFoundError, TooLargeError
from storage.deletion import delete_versions
from storage.folders import folders, newest
from storage.incoming import IncomingFile
from storage.objects import Blocks, Objects, about
from storage.refs import (
    Area,
    ArtifactRef,
    PublishedFile,
    area_of,
    artifact_key,
    is_run_id,
    is_tenant,
    run_prefix,
)
from storage.s3 import StoreConfig, create_client, error_code, translated
from storage.store_probe import StoreReport, probe_store
from storage.uploads import Target, file_blocks, hash_file, upload

__all__ = [
    "Area",
    "ArtifactRef",
    "ArtifactStore",
    "PublishedFile",
    "StoreConfig",
    "StoreReport",
    "artifact_key",
]

_DEFAULT_MAX_BYTES = 64 * 1024 * 1024
_FILE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_PREFIX = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}/[A-Za-z0-9_-]{1,100}/r[0-9]{1,9}/")


class ArtifactStore:
    """Puts, reads and deletes artifacts; one instance may be shared by threads."""

    def __init__(self, config: StoreConfig) -> None:
        """Make a client; nothing is sent yet."""
        self.config = config
        self._client = create_client(config)
        self._objects = Objects(self._client)

    def bucket(self, area: Area) -> str:
        """Return the name of an area's bucket."""
        return f"{self.config.bucket_prefix}-{area.value}"

    def ensure_buckets(self) -> None:
        """Create the buckets that are missing and turn versioning on.

        Raises:
            StoreRefusedError: the credentials may not do that (not retryable).
            StoreUnavailableError: the store did not answer (retryable).
        """
        for area in Area:
            self._ensure_bucket(self.bucket(area))

    def put_bytes(
        self, tenant: str, run_id: str, kind: str, data: bytes, *, ext: str, media_type: str
    ) -> ArtifactRef:
        """Store bytes; the same bytes again return the version that is there.

        Raises:
            StoreRefusedError: the store refuses (not retryable).
            StoreUnavailableError: the store did not answer (retryable).
            ValueError: a part cannot be in a key (not retryable).
        """
        sha256 = hashlib.sha256(data).hexdigest()
        key = artifact_key(tenant, run_id, kind, sha256, ext)
        target = Target(self.bucket(area_of(kind)), key, sha256, len(data), media_type)
        return self._objects.put(target, lambda: (data,))

    def put_file(
        self,
        tenant: str,
        run_id: str,
        kind: str,
        path: Path,
        *,
        ext: str,
        media_type: str,
        sha256: str | None = None,
    ) -> ArtifactRef:
        """Store a file with bounded memory; the same bytes again return the version that is there.

        Args:
            tenant: whose run it is.
            run_id: the run.
            kind: the artifact's kind, which chooses the bucket.
            path: the file.
            ext: the key's extension, from the content and never from the file's own name.
            media_type: of the content.
            sha256: when it is known already; it is checked on the way.

        Raises:
            IntegrityError: the file changed meanwhile; nothing was written (not retryable).
            StoreRefusedError: the store refuses (not retryable).
            StoreUnavailableError: the store did not answer (retryable).
            ValueError: a part cannot be in a key (not retryable).
        """
        known, size = (sha256, path.stat().st_size) if sha256 else hash_file(path)
        key = artifact_key(tenant, run_id, kind, known, ext)
        target = Target(self.bucket(area_of(kind)), key, known, size, media_type)
        return self._objects.put(target, lambda: file_blocks(path))

    def incoming(self, tenant: str, run_id: str, size: int) -> IncomingFile:
        """Return where a file of this size comes in that is to be a run's source.

        Raises:
            ValueError: a part cannot be in a key (not retryable).
        """
        key = f"{run_prefix(tenant, run_id)}incoming/file.bin"
        return IncomingFile(self._client, self.bucket(Area.RAW), key, size)

    def read_bytes(self, ref: ArtifactRef, max_bytes: int = _DEFAULT_MAX_BYTES) -> bytes:
        """Return an artifact's bytes, verified.

        Raises:
            IntegrityError: other bytes than recorded, or none (not retryable).
            StoreUnavailableError: the store did not answer (retryable).
            TooLargeError: more than `max_bytes`; use `download` (not retryable).
        """
        if ref.bytes > max_bytes:
            raise TooLargeError("The artifact is too large to be read at once.")
        return b"".join(self.read_blocks(ref))

    def read_blocks(self, ref: ArtifactRef) -> Iterator[bytes]:
        """Yield an artifact in blocks; only after the last one is it known to be the right one.

        Raises:
            IntegrityError: other bytes than recorded, or none (not retryable).
            StoreUnavailableError: the store did not answer (retryable).
        """
        digest, size = hashlib.sha256(), 0
        for block in self._objects.body(ref):
            digest.update(block)
            size += len(block)
            yield block
        if size != ref.bytes or digest.hexdigest() != ref.sha256:
            raise IntegrityError(details=about(ref))

    def download(self, ref: ArtifactRef, path: Path) -> None:
        """Write an artifact to a file, which is there only when it is complete and verified.

        Raises:
            IntegrityError: other bytes than recorded, or none (not retryable).
            StoreUnavailableError: the store did not answer (retryable).
        """
        partial = path.with_name(f"{path.name}.part")
        try:
            with partial.open("wb") as file:
                for block in self.read_blocks(ref):
                    file.write(block)
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)

    def open_range(self, ref: ArtifactRef, start: int, end: int) -> Iterator[bytes]:
        """Yield the bytes `[start, end)` of an artifact, for players that seek.

        A part cannot be hashed; key, version and size are checked.

        Raises:
            IntegrityError: the object is missing or of another size (not retryable).
            StoreUnavailableError: the store did not answer (retryable).
            ValueError: the range does not lie in the artifact (not retryable).
        """
        if not 0 <= start < end <= ref.bytes:
            raise ValueError(f"[{start}, {end}) is no range of {ref.bytes} bytes")
        return self._objects.body(ref, f"bytes={start}-{end - 1}")

    def exists(self, ref: ArtifactRef) -> bool:
        """Tell whether this version is in the store, with the size and hash it was put with.

        Raises:
            StoreUnavailableError: the store did not answer (retryable).
        """
        return self._objects.has(ref)

    def tenants(self, area: Area) -> list[str]:
        """Return the tenants that have artifacts or unfinished uploads in an area, in order.

        Raises:
            StoreUnavailableError: the store did not answer (retryable).
        """
        return list(filter(is_tenant, folders(self._client, self.bucket(area))))

    def run_ids(self, area: Area, tenant: str) -> list[str]:
        """Return the runs of a tenant that have artifacts or unfinished uploads in an area.

        Raises:
            StoreUnavailableError: the store did not answer (retryable).
        """
        found = folders(self._client, self.bucket(area), f"{tenant}/runs/")
        return list(filter(is_run_id, found))

    def last_change(self, area: Area, prefix: str) -> datetime | None:
        """Return when the newest object of a folder was written, or upload begun; None: empty.

        Raises:
            StoreUnavailableError: the store did not answer (retryable).
        """
        return newest(self._client, self.bucket(area), prefix)

    def delete_all_versions(self, ref: ArtifactRef) -> int:
        """Delete every version and delete marker of an artifact's key, and check that none is left.

        Returns:
            How many versions and markers were deleted; 0 where there were none.

        Raises:
            IntegrityError: the store still has one (not retryable).
            StoreRefusedError: the store refuses, as with an object lock (not retryable).
            StoreUnavailableError: the store did not answer (retryable).
        """
        return delete_versions(self._client, ref.bucket, ref.key, exact=True)

    def delete_prefix(self, area: Area, prefix: str) -> int:
        """Delete every version of every key of an area under a folder, unfinished uploads too.

        Args:
            area: whose bucket.
            prefix: of `refs.run_prefix` or `refs.publication_prefix`; ends with `/`.

        Returns:
            How many versions and markers were deleted.

        Raises:
            IntegrityError: the store still has one that it said was deleted (not retryable).
            StoreRefusedError: the store refuses, as with an object lock (not retryable).
            StoreUnavailableError: the store did not answer (retryable).
            ValueError: the prefix is no folder (not retryable).
        """
        if not re.fullmatch(r"[^/]+/.*/", prefix):
            raise ValueError(f"{prefix!r} is not the folder of a run")
        return delete_versions(self._client, self.bucket(area), prefix, exact=False)

    def publish(self, prefix: str, name: str, ref: ArtifactRef) -> PublishedFile:
        """Copy an artifact into a publication, its bytes hashed on the way.

        A file that stands there with the same hash is left alone.

        Args:
            prefix: the publication's folder (`refs.publication_prefix`).
            name: the file's name in it.
            ref: a derived artifact.

        Raises:
            IntegrityError: the artifact is raw, missing or changed, or another file stands there;
                nothing was written (not retryable).
            StoreUnavailableError: the store did not answer (retryable).
        """
        if ref.bucket != self.bucket(Area.DERIVED):
            raise IntegrityError("Only derived artifacts can be published.", {"file": name})
        target = self._published_target(prefix, name, ref.sha256, ref.bytes, ref.media_type)
        return PublishedFile(name, self._objects.put_once(target, lambda: self.read_blocks(ref)))

    def put_published(
        self, prefix: str, name: str, data: bytes, media_type: str, *, replace: bool = False
    ) -> PublishedFile:
        """Write bytes that are made while publishing (manifest, statement) into a publication.

        Args:
            prefix: the publication's folder (`refs.publication_prefix`).
            name: the file's name in it.
            data: the bytes.
            media_type: of the bytes.
            replace: write over another file that stands there; nobody may know of that one yet.

        Raises:
            IntegrityError: another file stands there; it is left alone (not retryable).
            StoreUnavailableError: the store did not answer (retryable).
        """
        sha256 = hashlib.sha256(data).hexdigest()
        target = self._published_target(prefix, name, sha256, len(data), media_type)
        put = self._objects.put if replace else self._objects.put_once
        return PublishedFile(name, put(target, lambda: (data,)))

    def published(self, prefix: str, name: str) -> PublishedFile:
        """Return a published file, which every method here that takes a reference can read.

        Raises:
            NotFoundError: there is no such file (not retryable).
            StoreUnavailableError: the store did not answer (retryable).
        """
        target = self._published_target(prefix, name, "", 0, "")
        head = self._objects.head(target.bucket, target.key)
        if head is None:
            raise NotFoundError("There is no such published file.")
        ref = ArtifactRef(
            target.bucket,
            target.key,
            head["Metadata"].get("sha256", ""),
            head.get("VersionId", ""),
            head["ContentLength"],
            head.get("ContentType", "application/octet-stream"),
        )
        return PublishedFile(name, ref)

    def read_published(self, prefix: str, name: str) -> bytes:
        """Return the bytes of a published file, verified against the hash it was written with.

        Raises:
            IntegrityError: other bytes than written (not retryable).
            NotFoundError: there is no such file (not retryable).
            StoreUnavailableError: the store did not answer (retryable).
        """
        return self.read_bytes(self.published(prefix, name).ref)

    def list_published(self, prefix: str) -> list[PublishedFile]:
        """Return the files of a publication by name.

        Raises:
            StoreUnavailableError: the store did not answer (retryable).
        """
        _check(_PREFIX, prefix)
        with translated("list"):
            pages = self._client.get_paginator("list_objects_v2").paginate(
                Bucket=self.bucket(Area.PUBLISHED), Prefix=prefix
            )
            keys = [item["Key"] for page in pages for item in page.get("Contents", [])]
        return [self.published(prefix, key.removeprefix(prefix)) for key in sorted(keys)]

    def restore(self, ref: ArtifactRef, blocks: Blocks) -> None:
        """Put back an object under the version that rows and approvals know it by.

        A store gives every object a version id of its own, so the old one is kept beside the bytes,
        where reading looks for it.

        Raises:
            IntegrityError: the bytes are not those of `ref`; nothing was written (not retryable).
            StoreRefusedError: the store refuses (not retryable).
            StoreUnavailableError: the store did not answer (retryable).
        """
        target = Target(ref.bucket, ref.key, ref.sha256, ref.bytes, ref.media_type, ref.version_id)
        upload(self._client, target, blocks(), only_if_absent=False)

    def is_empty(self) -> bool:
        """Tell whether no bucket holds anything; one that does not exist holds nothing.

        Raises:
            StoreUnavailableError: the store did not answer (retryable).
        """
        return all(self._is_empty(self.bucket(area)) for area in Area)

    def _is_empty(self, bucket: str) -> bool:
        try:
            with translated("list"):
                found = self._client.list_object_versions(Bucket=bucket, MaxKeys=1)
        except MissingArtifactError:
            return True
        return not (found.get("Versions") or found.get("DeleteMarkers"))

    def probe(self) -> StoreReport:
        """Try what the application needs of the store and say what is lacking."""
        return probe_store(self._client, self.bucket(Area.RAW))

    def _ensure_bucket(self, bucket: str) -> None:
        with translated("create bucket"):
            try:
                self._client.create_bucket(Bucket=bucket)
            except ClientError as error:
                if error_code(error) not in {"BucketAlreadyOwnedByYou", "BucketAlreadyExists"}:
                    raise
            self._client.put_bucket_versioning(
                Bucket=bucket, VersioningConfiguration={"Status": "Enabled"}
            )

    def _published_target(
        self, prefix: str, name: str, sha256: str, size: int, media_type: str
    ) -> Target:
        _check(_PREFIX, prefix)
        _check(_FILE_NAME, name)
        return Target(self.bucket(Area.PUBLISHED), f"{prefix}{name}", sha256, size, media_type)


def _check(pattern: re.Pattern[str], value: str) -> None:
    if not pattern.fullmatch(value):
        raise ValueError(f"{value[:100]!r} cannot be the place of a published file")
