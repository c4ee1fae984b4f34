"""Single objects of a store: looking, reading and putting, by key and version."""

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from configs.errors import IntegrityError, MissingArtifactError
from storage.refs import ArtifactRef
from storage.s3 import translated
from storage.uploads import BLOCK_BYTES, RESTORED, AlreadyThereError, Target, upload

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_s3.type_defs import GetObjectOutputTypeDef, HeadObjectOutputTypeDef

Blocks = Callable[[], Iterable[bytes]]


class Objects:
    """The objects that one client reaches; may be shared by threads."""

    def __init__(self, client: "S3Client") -> None:
        self._client = client
        self._restored: dict[ArtifactRef, str] = {}

    def has(self, ref: ArtifactRef) -> bool:
        """Tell whether this version is there, with the size and hash it was put with."""
        head = self.head(ref.bucket, ref.key, self._restored.get(ref, ref.version_id))
        if head is None and (version_id := self._find_restored(ref)):
            head = self.head(ref.bucket, ref.key, version_id)
        return head is not None and _matches(head, ref.sha256, ref.bytes)

    def put(self, target: Target, blocks: Blocks) -> ArtifactRef:
        """Store bytes, unless the key has the same ones; other ones get a newer version."""
        head = self.head(target.bucket, target.key)
        if head is not None and _matches(head, target.sha256, target.bytes):
            return _ref(target, head.get("VersionId", ""))
        try:
            version_id = upload(self._client, target, blocks(), only_if_absent=head is None)
        except AlreadyThereError:  # another process put it since
            return self.put(target, blocks)
        return _ref(target, version_id)

    def put_once(self, target: Target, blocks: Blocks) -> ArtifactRef:
        """Store bytes under a key that never gets others.

        Raises:
            IntegrityError: it has others (not retryable).
        """
        head = self.head(target.bucket, target.key)
        if head is None:
            try:
                version_id = upload(self._client, target, blocks(), only_if_absent=True)
            except AlreadyThereError:  # another process put something since: the same, or not
                return self.put_once(target, blocks)
            return _ref(target, version_id)
        if not _matches(head, target.sha256, target.bytes):
            raise IntegrityError("Another file has been published under this name.")
        return _ref(target, head.get("VersionId", ""))

    def head(
        self, bucket: str, key: str, version_id: str | None = None
    ) -> "HeadObjectOutputTypeDef | None":
        """Return what the store says of an object, None where it has none."""
        try:
            with translated("head"):
                if version_id is None:
                    return self._client.head_object(Bucket=bucket, Key=key)
                return self._client.head_object(Bucket=bucket, Key=key, VersionId=version_id)
        except MissingArtifactError:
            return None

    def body(self, ref: ArtifactRef, byte_range: str | None = None) -> Iterator[bytes]:
        """Ask for the object now, and yield it when iterated."""
        try:
            answer = self._get(ref, self._restored.get(ref, ref.version_id), byte_range)
        except MissingArtifactError:
            version_id = self._find_restored(ref)
            if version_id is None:
                raise
            answer = self._get(ref, version_id, byte_range)
        total = answer.get("ContentRange", f"/{answer['ContentLength']}").rpartition("/")[2]
        if total != str(ref.bytes):
            answer["Body"].close()
            raise IntegrityError(details=about(ref))
        return _stream(answer)

    def _get(
        self, ref: ArtifactRef, version_id: str, byte_range: str | None
    ) -> "GetObjectOutputTypeDef":
        with translated("get"):
            if byte_range is None:
                return self._client.get_object(Bucket=ref.bucket, Key=ref.key, VersionId=version_id)
            return self._client.get_object(
                Bucket=ref.bucket, Key=ref.key, VersionId=version_id, Range=byte_range
            )

    def _find_restored(self, ref: ArtifactRef) -> str | None:
        """Return the version that a restore gave an object instead of the one in `ref`."""
        with translated("list versions"):
            listed = self._client.list_object_versions(Bucket=ref.bucket, Prefix=ref.key)
        for version in listed.get("Versions", []):
            head = self.head(ref.bucket, version["Key"], version["VersionId"])
            if version["Key"] == ref.key and head and _was(head, ref):
                self._restored[ref] = version["VersionId"]
                return version["VersionId"]
        return None


def _was(head: "HeadObjectOutputTypeDef", ref: ArtifactRef) -> bool:
    """Tell whether an object was put back in place of this one."""
    return head["Metadata"].get(RESTORED) == ref.version_id and _matches(
        head, ref.sha256, ref.bytes
    )


def _stream(answer: "GetObjectOutputTypeDef") -> Iterator[bytes]:
    body = answer["Body"]
    try:
        while True:
            with translated("get"):
                block = body.read(BLOCK_BYTES)
            if not block:
                return
            yield block
    finally:
        body.close()


def _ref(target: Target, version_id: str) -> ArtifactRef:
    return ArtifactRef(
        target.bucket,
        target.key,
        target.sha256,
        version_id,
        target.bytes,
        target.media_type,
    )


def _matches(head: "HeadObjectOutputTypeDef", sha256: str, size: int) -> bool:
    return head["ContentLength"] == size and head["Metadata"].get("sha256") == sha256


def about(ref: ArtifactRef) -> dict[str, object]:
    """Return what an error may say of an artifact."""
    return {"key": ref.key, "version_id": ref.version_id, "sha256": ref.sha256}
