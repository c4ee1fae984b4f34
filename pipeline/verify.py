"""Checks a publication offline: its files, its manifest, its statement, and who signed it.

The folder is hostile input: nothing is followed, nothing large is read into memory, and whatever is
wrong becomes a failed check with a reason, never an exception. A bundle that was rewritten and
signed again fails, because only the *trusted* key counts.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from cryptography.exceptions import InvalidSignature

from pipeline.bundle import (
    FILE_NAME,
    RefusedError,
    canonical_object,
    decode64,
    file_digest,
    listed_digest,
    member,
    read_small,
)
from pipeline.provenance import (
    MANIFEST_NAME,
    MANIFEST_VERSION,
    PAYLOAD_TYPE,
    PREDICATE_TYPE,
    STATEMENT_NAME,
    STATEMENT_TYPE,
    FileDigest,
    PublicKey,
    approved_role,
    key_id,
    pre_authentication_encoding,
    review_sha256,
)

MAX_FILES = 1000


@dataclass(frozen=True)
class Check:
    """One thing that was checked; `detail` says what was found."""

    name: str
    ok: bool
    detail: str


@dataclass(frozen=True)
class Verification:
    """All checks; `ok` only if every one passed."""

    checks: tuple[Check, ...]

    @property
    def ok(self) -> bool:
        """True where nothing failed."""
        return bool(self.checks) and all(check.ok for check in self.checks)

    def as_dict(self) -> dict[str, object]:
        """Return the form that `verify --json` prints."""
        return {"ok": self.ok, "checks": [asdict(check) for check in self.checks]}


@dataclass
class _Bundle:
    """What is known of the folder so far; later checks build on earlier ones."""

    folder: Path
    key: PublicKey
    names: tuple[str, ...] = ()
    found: dict[str, FileDigest] = field(default_factory=dict)
    listed: dict[str, FileDigest] = field(default_factory=dict)
    statement: Mapping[str, object] = field(default_factory=dict)
    signed: bytes = b""


def verify(folder: Path, trusted_key: PublicKey) -> Verification:
    """Check that a folder holds exactly what was approved and signed.

    Args:
        folder: a publication: the files, `manifest.json` and `statement.json`.
        trusted_key: the only key whose signature counts.

    Returns:
        Every check in order. Checks that need an earlier one that failed are reported as failed.
    """
    bundle = _Bundle(folder, trusted_key)
    checks: list[Check] = []
    for name, needed, check in _CHECKS:
        missing = next((c.name for c in checks if not c.ok and c.name in needed), None)
        checks.append(_run(name, check, bundle, missing))
    return Verification(tuple(checks))


def _run(name: str, check: Callable[[_Bundle], str], bundle: _Bundle, missing: str | None) -> Check:
    if missing:
        return Check(name, ok=False, detail=f"not checked, because {missing} failed")
    try:
        return Check(name, ok=True, detail=check(bundle))
    except RefusedError as refusal:
        return Check(name, ok=False, detail=str(refusal))
    except OSError as error:
        return Check(name, ok=False, detail=f"cannot be read ({type(error).__name__})")


def _check_folder(bundle: _Bundle) -> str:
    """Only regular files with plain names, and not too many of them."""
    if bundle.folder.is_symlink() or not bundle.folder.is_dir():
        raise RefusedError("this is not a folder")
    names: list[str] = []
    with os.scandir(bundle.folder) as entries:
        for entry in entries:
            if not FILE_NAME.fullmatch(entry.name):
                raise RefusedError(f"{entry.name!r} is no name of a published file")
            if not entry.is_file(follow_symlinks=False):
                raise RefusedError(f"{entry.name} is not a regular file")
            names.append(entry.name)
            if len(names) > MAX_FILES:
                raise RefusedError(f"more than {MAX_FILES} files")
    bundle.names = tuple(sorted(names))
    for required in (MANIFEST_NAME, STATEMENT_NAME):
        if required not in names:
            raise RefusedError(f"{required} is missing")
    return f"{len(names)} files"


def _check_manifest(bundle: _Bundle) -> str:
    """The manifest is well formed and in its one canonical form."""
    data = read_small(bundle.folder, MANIFEST_NAME)
    manifest = canonical_object(data, MANIFEST_NAME)
    files = manifest.get("files")
    if manifest.keys() != {"version", "files"} or manifest["version"] != MANIFEST_VERSION:
        raise RefusedError(f"this is not a manifest of version {MANIFEST_VERSION}")
    if not isinstance(files, dict) or len(files) > MAX_FILES:
        raise RefusedError("it does not list files")
    bundle.listed = {name: listed_digest(name, entry) for name, entry in files.items()}
    bundle.found[MANIFEST_NAME] = FileDigest.of(data)
    return f"lists {len(files)} files"


def _check_files(bundle: _Bundle) -> str:
    """No file is missing and none was added."""
    present = set(bundle.names) - {MANIFEST_NAME, STATEMENT_NAME}
    if missing := sorted(bundle.listed.keys() - present):
        raise RefusedError(f"missing: {', '.join(missing[:5])}")
    if added := sorted(present - bundle.listed.keys()):
        raise RefusedError(f"not in the manifest: {', '.join(added[:5])}")
    return "none missing, none added"


def _check_hashes(bundle: _Bundle) -> str:
    """Each file has the size and SHA-256 of the manifest."""
    for name, listed in sorted(bundle.listed.items()):
        found = file_digest(bundle.folder, name, listed.size_bytes)
        if found != listed:
            raise RefusedError(f"{name} was changed: {found.sha256}, not {listed.sha256}")
        bundle.found[name] = found
    return "every file has its recorded size and SHA-256"


def _check_envelope(bundle: _Bundle) -> str:
    """The statement is one DSSE envelope in its one canonical form."""
    envelope = canonical_object(read_small(bundle.folder, STATEMENT_NAME), STATEMENT_NAME)
    if envelope.keys() != {"payload", "payloadType", "signatures"}:
        raise RefusedError("this is not a DSSE envelope")
    if envelope["payloadType"] != PAYLOAD_TYPE:
        raise RefusedError(f"the payload's type is not {PAYLOAD_TYPE}")
    bundle.signed = decode64(envelope["payload"], "payload")
    statement = canonical_object(bundle.signed, "the payload")
    if statement.get("_type") != STATEMENT_TYPE or statement.get("predicateType") != PREDICATE_TYPE:
        raise RefusedError("this is not the statement of a publication")
    bundle.statement = {**statement, "signatures": envelope["signatures"]}
    return PREDICATE_TYPE


def _check_signature(bundle: _Bundle) -> str:
    """The trusted key, and no other, signed the statement."""
    signatures = bundle.statement["signatures"]
    if not isinstance(signatures, list) or len(signatures) != 1:
        raise RefusedError("there is not exactly one signature")
    signature = signatures[0]
    if not isinstance(signature, dict) or signature.keys() != {"keyid", "sig"}:
        raise RefusedError("the signature is malformed")
    trusted = key_id(bundle.key)
    if signature["keyid"] != trusted:
        raise RefusedError(f"signed by another key than the trusted {trusted[:16]}")
    raw = decode64(signature["sig"], "signature")
    try:
        bundle.key.verify(raw, pre_authentication_encoding(PAYLOAD_TYPE, bundle.signed))
    except InvalidSignature:
        raise RefusedError(f"not made by the trusted key {trusted[:16]}") from None
    return f"made by the trusted key {trusted[:16]}"


def _check_subjects(bundle: _Bundle) -> str:
    """The statement speaks of this manifest and of exactly these files."""
    subjects: dict[str, str] = {}
    entries = bundle.statement.get("subject")
    for entry in entries if isinstance(entries, list) else []:
        digest = entry.get("digest") if isinstance(entry, dict) else None
        if not isinstance(digest, dict) or not isinstance(entry.get("name"), str):
            raise RefusedError("a subject is malformed")
        subjects[entry["name"]] = str(digest.get("sha256"))
    expected = {name: digest.sha256 for name, digest in bundle.found.items()}
    if subjects.get(MANIFEST_NAME) != expected[MANIFEST_NAME]:
        raise RefusedError("the manifest is not the one that was signed")
    if subjects != expected:
        raise RefusedError("the files are not the ones that were signed")
    return "manifest and files are the signed ones"


def _check_approval(bundle: _Bundle) -> str:
    """The review hash is right, was approved, and covers the bytes that are here."""
    predicate = member(bundle.statement, "predicate")
    review = member(predicate, "review")
    approved = member(review, "artifacts")
    artifacts = {role: member(approved, role) for role in approved}
    recorded = review.get("sha256")
    run, revision = predicate.get("run"), predicate.get("revision")
    if not isinstance(run, str) or not isinstance(revision, int):
        raise RefusedError("run or revision is missing")
    if review_sha256(run, revision, artifacts) != recorded:
        raise RefusedError("the review hash does not fit its artifacts")
    for name, digest in bundle.listed.items():
        if artifacts.get(approved_role(name), {}).get("sha256") != digest.sha256:
            raise RefusedError(f"{name} is not what was approved")
    return f"{run} r{revision}: {_approver(predicate, str(recorded))}"


def _approver(predicate: Mapping[str, object], recorded: str) -> str:
    decisions = predicate.get("decisions")
    if not isinstance(decisions, list) or not decisions:
        raise RefusedError("nobody approved it")
    approvers = []
    for decision in decisions:
        if not isinstance(decision, dict) or decision.get("decision") != "approve":
            raise RefusedError("a decision is not an approval")
        approvers.append(str(decision.get("approver")))
    return f"{recorded[:16]} approved by {', '.join(approvers)}"


_FILES = ("folder", "manifest", "files", "hashes")
_CHECKS: tuple[tuple[str, tuple[str, ...], Callable[[_Bundle], str]], ...] = (
    # name, the earlier checks that it builds on, check
    ("folder", (), _check_folder),
    ("manifest", ("folder",), _check_manifest),
    ("files", ("folder", "manifest"), _check_files),
    ("hashes", ("folder", "manifest", "files"), _check_hashes),
    ("statement", ("folder",), _check_envelope),
    ("signature", ("folder", "statement"), _check_signature),
    ("subjects", (*_FILES, "statement"), _check_subjects),
    ("approval", (*_FILES, "statement", "signature"), _check_approval),
)
