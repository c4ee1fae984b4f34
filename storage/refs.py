"""Names of things that are stored: references to artifacts, areas, keys and ids.

No key ever holds a name that a person chose: keys are made of ids, kinds and hashes.
"""

import re
from dataclasses import dataclass
from enum import StrEnum

RAW_KINDS = frozenset(
    {"source", "vocabulary", "normalized_audio", "transcript", "redactions", "pseudonym_map"},
)
DERIVED_KINDS = frozenset(
    {
        "redacted_transcript",
        "redacted_audio",
        "summary",
        "rendered",
        "quality_report",
        "model_answer",
    },
)
KINDS = RAW_KINDS | DERIVED_KINDS

_TENANT = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}")
_ID = re.compile(r"[A-Za-z0-9_-]{1,100}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_EXTENSION = re.compile(r"[a-z0-9]{1,10}")


class Area(StrEnum):
    """The buckets: each has its own rights and retention."""

    RAW = "raw"
    DERIVED = "derived"
    PUBLISHED = "published"


@dataclass(frozen=True)
class ArtifactRef:
    """Exactly one version of one object, and the hash of its bytes."""

    bucket: str
    key: str
    sha256: str
    version_id: str
    bytes: int
    media_type: str


@dataclass(frozen=True)
class PublishedFile:
    """One file of a publication; `name` is relative to the publication's folder."""

    name: str
    ref: ArtifactRef


def area_of(kind: str) -> Area:
    """Return the area that a kind of artifact belongs to.

    Raises:
        ValueError: there is no such kind (not retryable).
    """
    if kind not in KINDS:
        raise ValueError(f"there is no artifact kind {kind!r}")
    return Area.RAW if kind in RAW_KINDS else Area.DERIVED


def artifact_key(tenant: str, run_id: str, kind: str, sha256: str, ext: str) -> str:
    """Return `{tenant}/runs/{run}/{kind}/{sha256}.{ext}`.

    Raises:
        ValueError: a part has characters that a key may not have (not retryable).
    """
    area_of(kind)
    _require(_SHA256, sha256, "SHA-256")
    _require(_EXTENSION, ext, "extension")
    return f"{run_prefix(tenant, run_id)}{kind}/{sha256}.{ext}"


def is_tenant(name: str) -> bool:
    """Tell whether a tenant may have this name: a store can hold others' folders too."""
    return _TENANT.fullmatch(name) is not None


def is_run_id(name: str) -> bool:
    """Tell whether a run may have this id."""
    return _ID.fullmatch(name) is not None


def run_prefix(tenant: str, run_id: str) -> str:
    """Return what all keys of a run begin with in the raw and derived areas.

    Raises:
        ValueError: a part has characters that a key may not have (not retryable).
    """
    _require(_TENANT, tenant, "tenant")
    _require(_ID, run_id, "run id")
    return f"{tenant}/runs/{run_id}/"


def publication_prefix(tenant: str, run_id: str, revision: int | None = None) -> str:
    """Return `{tenant}/{run}/r{revision}/`, or without a revision that of all of the run's.

    Raises:
        ValueError: a part has characters that a key may not have (not retryable).
    """
    _require(_TENANT, tenant, "tenant")
    _require(_ID, run_id, "run id")
    base = f"{tenant}/{run_id}/"
    return base if revision is None else f"{base}r{revision}/"


def instance_id(run_id: str, revision: int) -> str:
    """Return the id of the engine instance that works on a revision."""
    return f"{run_id}-r{revision}"


def _require(pattern: re.Pattern[str], value: str, what: str) -> None:
    if not pattern.fullmatch(value):
        raise ValueError(f"{what} {value[:40]!r} cannot be part of a key")
