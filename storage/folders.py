"""What lies under a prefix of a bucket, as in a folder; unfinished uploads lie there too."""

from datetime import datetime
from typing import TYPE_CHECKING

from storage.s3 import translated

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_s3.type_defs import MultipartUploadTypeDef


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
        found = {one["Prefix"] for page in pages for one in page.get("CommonPrefixes", [])}
    found |= {one["Key"] for one in unfinished(client, bucket, prefix)}
    return sorted({name.removeprefix(prefix).partition("/")[0] for name in found})


def newest(client: "S3Client", bucket: str, prefix: str) -> datetime | None:
    """Return when the newest object under a prefix was written, or upload begun; None: nothing.

    Raises:
        MissingArtifactError: there is no such bucket (not retryable).
        StoreUnavailableError: the store did not answer (retryable).
    """
    pages = client.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix)
    with translated("list"):
        times = [one["LastModified"] for page in pages for one in page.get("Contents", [])]
    times += [one["Initiated"] for one in unfinished(client, bucket, prefix)]
    return max(times, default=None)


def unfinished(client: "S3Client", bucket: str, prefix: str) -> "list[MultipartUploadTypeDef]":
    """Return the multipart uploads to keys with a prefix that were not completed.

    Raises:
        MissingArtifactError: there is no such bucket (not retryable).
        StoreUnavailableError: the store did not answer (retryable).
    """
    pages = client.get_paginator("list_multipart_uploads").paginate(Bucket=bucket, Prefix=prefix)
    with translated("list uploads"):
        return [upload for page in pages for upload in page.get("Uploads", [])]
