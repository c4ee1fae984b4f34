"""What lies under a prefix of a bucket, as in a folder."""

from datetime import datetime
from typing import TYPE_CHECKING

from storage.s3 import translated

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client


def folders(client: "S3Client", bucket: str, prefix: str = "") -> list[str]:
    """Return the names right under a prefix, in order; some stores list empty ones for a while.

    Raises:
        MissingArtifactError: there is no such bucket (not retryable).
        StoreUnavailableError: the store did not answer (retryable).
    """
    pages = client.get_paginator("list_objects_v2").paginate(
        Bucket=bucket, Prefix=prefix, Delimiter="/"
    )
    with translated("list"):
        found = [one["Prefix"] for page in pages for one in page.get("CommonPrefixes", [])]
    return sorted(name.removeprefix(prefix).rstrip("/") for name in found)


def newest(client: "S3Client", bucket: str, prefix: str) -> datetime | None:
    """Return when the newest object under a prefix was written; None where there is none.

    Raises:
        MissingArtifactError: there is no such bucket (not retryable).
        StoreUnavailableError: the store did not answer (retryable).
    """
    pages = client.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix)
    with translated("list"):
        times = [one["LastModified"] for page in pages for one in page.get("Contents", [])]
    return max(times, default=None)
