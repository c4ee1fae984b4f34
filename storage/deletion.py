"""Deleting for good: in a versioned bucket that means every version and every delete marker."""

from typing import TYPE_CHECKING

from configs.errors import IntegrityError, MissingArtifactError
from storage.folders import unfinished
from storage.s3 import translated

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client


def delete_versions(client: "S3Client", bucket: str, prefix: str, *, exact: bool) -> int:
    """Delete what `prefix` names and check that nothing of that is left.

    What is written while this runs is not looked for: whoever wants it gone calls again.

    One request an object: deletion in bulk needs a checksum that not every store accepts.

    Args:
        client: of the store.
        bucket: the bucket; one that does not exist holds nothing.
        prefix: of keys, or a key.
        exact: only the key itself.

    Returns:
        How many versions and markers were deleted.

    Raises:
        IntegrityError: the store still lists a version (not retryable).
        StoreRefusedError: the store refuses (not retryable).
        StoreUnavailableError: the store did not answer (retryable).
    """
    _drop_unfinished(client, bucket, prefix, exact=exact)
    found = _versions(client, bucket, prefix, exact=exact)
    for key, version_id in found:
        with translated("delete"):
            client.delete_object(Bucket=bucket, Key=key, VersionId=version_id)
    left = set(_versions(client, bucket, prefix, exact=exact)) if found else set()
    if left & set(found):
        raise IntegrityError(
            "The object store still holds versions after their deletion.", {"bucket": bucket}
        )
    return len(found)


def _versions(
    client: "S3Client", bucket: str, prefix: str, *, exact: bool
) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    pages = client.get_paginator("list_object_versions").paginate(Bucket=bucket, Prefix=prefix)
    try:
        with translated("list versions"):
            for page in pages:
                found += [(v["Key"], v["VersionId"]) for v in page.get("Versions", [])]
                found += [(m["Key"], m["VersionId"]) for m in page.get("DeleteMarkers", [])]
    except MissingArtifactError:
        return []
    return [(key, version_id) for key, version_id in found if not exact or key == prefix]


def _drop_unfinished(client: "S3Client", bucket: str, prefix: str, *, exact: bool) -> None:
    try:
        uploads = unfinished(client, bucket, prefix)
    except MissingArtifactError:
        return
    for upload in uploads:
        if exact and upload["Key"] != prefix:
            continue
        try:
            with translated("abort"):
                client.abort_multipart_upload(
                    Bucket=bucket, Key=upload["Key"], UploadId=upload["UploadId"]
                )
        except MissingArtifactError:  # it was completed or dropped meanwhile
            continue
