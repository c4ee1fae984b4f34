"""Reads a publication's files as what they are: input from anywhere.

Links are not followed, nothing large is read into memory, and JSON and base64 are accepted in one
spelling only, so that every changed byte is noticed.
"""

import base64
import binascii
import hashlib
import json
import os
import re
import stat
from collections.abc import Mapping
from pathlib import Path

from models.documents import canonical_json
from pipeline.provenance import MANIFEST_NAME, STATEMENT_NAME, FileDigest, encode64

MAX_JSON_BYTES = 8 * 1024 * 1024
FILE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}")
_CHUNK_BYTES = 1024 * 1024
_SHA256 = re.compile(r"[0-9a-f]{64}")


class RefusedError(Exception):
    """What was read is not what it has to be; the message is a check's detail."""


def listed_digest(name: str, entry: object) -> FileDigest:
    """Read an entry of the manifest.

    Raises:
        RefusedError: name or entry is malformed (not retryable).
    """
    if not FILE_NAME.fullmatch(name) or name in {MANIFEST_NAME, STATEMENT_NAME}:
        raise RefusedError(f"{name[:80]!r} is no name of a published file")
    if not isinstance(entry, dict) or entry.keys() != {"sha256", "bytes"}:
        raise RefusedError(f"the entry of {name} is malformed")
    sha256, size = entry["sha256"], entry["bytes"]
    if type(size) is not int or size < 0 or not isinstance(sha256, str):
        raise RefusedError(f"the entry of {name} is malformed")
    if not _SHA256.fullmatch(sha256):
        raise RefusedError(f"the SHA-256 of {name} is malformed")
    return FileDigest(sha256, size)


def _open(folder: Path, name: str) -> int:
    """Open a regular file of the folder; a link or pipe put there meanwhile is refused."""
    descriptor = os.open(folder / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise RefusedError(f"{name} is not a regular file")
    return descriptor


def read_small(folder: Path, name: str) -> bytes:
    """Read a file that has to be small.

    Raises:
        RefusedError: it is no regular file, or too large (not retryable).
    """
    with os.fdopen(_open(folder, name), "rb") as file:
        data = file.read(MAX_JSON_BYTES + 1)
    if len(data) > MAX_JSON_BYTES:
        raise RefusedError(f"{name} is larger than {MAX_JSON_BYTES} bytes")
    return data


def file_digest(folder: Path, name: str, expected_bytes: int) -> FileDigest:
    """Hash a file of any size.

    Raises:
        RefusedError: it is no regular file, or its size is another (not retryable).
    """
    digest = hashlib.sha256()
    with os.fdopen(_open(folder, name), "rb") as file:
        size = os.fstat(file.fileno()).st_size
        if size != expected_bytes:
            raise RefusedError(f"{name} was changed: {size} bytes, not {expected_bytes}")
        while chunk := file.read(_CHUNK_BYTES):
            digest.update(chunk)
    return FileDigest(digest.hexdigest(), size)


def canonical_object(data: bytes, what: str) -> dict[str, object]:
    """Parse JSON and refuse every spelling of it but the canonical one, duplicate keys included.

    Raises:
        RefusedError: it is another spelling, or no object (not retryable).
    """
    try:
        value = json.loads(data.decode("utf-8"))
        same = isinstance(value, dict) and canonical_json(value) == data
    except (ValueError, RecursionError):
        raise RefusedError(f"{what} is not valid JSON") from None
    if not same:
        raise RefusedError(f"{what} is not in canonical form")
    return value  # type: ignore[no-any-return]


def decode64(value: object, what: str) -> bytes:
    """Decode base64 and refuse every spelling of it but the one that we write.

    Raises:
        RefusedError: it is another spelling, or no base64 (not retryable).
    """
    if not isinstance(value, str):
        raise RefusedError(f"the {what} is not text")
    try:
        data = base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        raise RefusedError(f"the {what} is not base64") from None
    if encode64(data) != value:
        raise RefusedError(f"the {what} is not in canonical base64")
    return data


def member(value: Mapping[str, object], key: str) -> dict[str, object]:
    """Return the object under a key.

    Raises:
        RefusedError: there is none (not retryable).
    """
    member = value.get(key)
    if not isinstance(member, dict):
        raise RefusedError(f"{key} is missing")
    return member
