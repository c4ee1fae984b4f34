"""The connection to an S3 store, and the one place where its errors become ours."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import boto3
from botocore.config import Config
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectionError,  # noqa: A004 - the SDK's name
    HTTPClientError,
    IncompleteReadError,
)

from configs.errors import AppError, MissingArtifactError, StoreRefusedError, StoreUnavailableError

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

_MISSING = frozenset({"404", "NoSuchKey", "NoSuchVersion", "NoSuchBucket", "NotFound"})
_TRANSIENT = frozenset(
    {
        "InternalError",
        "OperationAborted",
        "RequestTimeout",
        "ServiceUnavailable",
        "SlowDown",
        "ConditionalRequestConflict",
        "NoSuchUpload",  # the store restarted and forgot it: the next attempt begins another
    }
)
_UNREACHABLE = (ConnectionError, HTTPClientError, IncompleteReadError, OSError)


@dataclass(frozen=True)
class StoreConfig:
    """Where the store is and how to sign requests."""

    endpoint_url: str
    access_key: str
    secret_key: str = field(repr=False)
    bucket_prefix: str = "kikigaki"
    region: str = "us-east-1"


def create_client(config: StoreConfig, *, tries: int = 5) -> "S3Client":
    """Return a client that any S3 store understands; it may be shared by threads.

    Newer boto3 adds checksum trailers that other stores refuse or write into the object:
    `when_required` turns that off. Requests are still signed over the hash of their payload.

    Args:
        config: where to.
        tries: how often a request is sent in all where the store does not answer.
    """
    options = Config(
        signature_version="s3v4",
        request_checksum_calculation="when_required",
        response_checksum_validation="when_required",
        s3={"addressing_style": "path"},
        connect_timeout=5,
        read_timeout=60,
        retries={"mode": "standard", "total_max_attempts": tries},
        max_pool_connections=20,
    )
    return boto3.client(
        "s3",
        endpoint_url=config.endpoint_url,
        aws_access_key_id=config.access_key,
        aws_secret_access_key=config.secret_key,
        region_name=config.region,
        config=options,
    )


def error_code(error: ClientError) -> str:
    """Return the store's own code of an error, as `NoSuchKey`."""
    return str(error.response.get("Error", {}).get("Code", "unknown"))


@contextmanager
def translated(operation: str) -> Iterator[None]:
    """Turn errors of the SDK into ours; they name the operation and never a key.

    Raises:
        MissingArtifactError: the object or its version is not there (not retryable).
        StoreRefusedError: the store refuses: credentials, rights, capability (not retryable).
        StoreUnavailableError: no answer, a time-out, a busy store (retryable).
    """
    try:
        yield
    except ClientError as error:
        raise _client_error(operation, error) from error
    except _UNREACHABLE as error:
        raise StoreUnavailableError(details=_reason(operation, error)) from error
    except BotoCoreError as error:  # refused by the SDK itself
        raise StoreRefusedError(details=_reason(operation, error)) from error


def _reason(operation: str, error: Exception) -> dict[str, object]:
    return {"operation": operation, "reason": type(error).__name__}


def _client_error(operation: str, error: ClientError) -> AppError:
    code = error_code(error)
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    details: dict[str, object] = {"operation": operation, "s3_code": code}
    if code in _TRANSIENT or status in (429, 500, 502, 503, 504):
        return StoreUnavailableError(details=details)
    if code in _MISSING:
        return MissingArtifactError(details=details)
    return StoreRefusedError(details=details)
