"""What proves a publication: its manifest, its signed statement, and the installation's key.

`manifest.json` lists every file of a publication but itself and the statement. `statement.json` is
a DSSE envelope (Ed25519) around an in-toto Statement: its subjects are the manifest and each file,
its predicate says what was done to which source, by which models, and who approved which review
hash. Both are canonical, so building them again from the same facts gives the same bytes: a
repeated publish step writes what is already there.

Hashes of raw artifacts (transcript, redactions, pseudonyms) are published as keyed commitments:
beside the redacted text a plain hash would let anybody try all telephone numbers until one fits.
"""

import base64
import hashlib
import hmac
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NewType

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from models.documents import canonical_json

MANIFEST_NAME = "manifest.json"
STATEMENT_NAME = "statement.json"
PAYLOAD_TYPE = "application/vnd.in-toto+json"
STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE = "urn:kikigaki:publication:v1"
MANIFEST_VERSION = 1
AUDIO_NAME = "audio.opus"
RAW_KINDS = frozenset(
    {"normalized_audio", "transcript", "redactions", "pseudonym_map", "vocabulary"}
)

KeyId = NewType("KeyId", str)
PublicKey = Ed25519PublicKey


@dataclass(frozen=True)
class FileDigest:
    """The SHA-256 (hex) and size of one file."""

    sha256: str
    size_bytes: int

    @classmethod
    def of(cls, data: bytes) -> "FileDigest":
        """Return the digest of these bytes."""
        return cls(hashlib.sha256(data).hexdigest(), len(data))


@dataclass(frozen=True)
class Approval:
    """One decision that approved the review hash; `approver_id` is an id, never a name.

    Of `override_reason`, a person's own words, only a commitment is published.
    """

    decision_id: str
    approver_id: str
    decided_at: datetime
    channel: str
    override_reason: str | None = None


@dataclass(frozen=True)
class StepFacts:
    """What one step read, wrote and worked with (hashes by role, as in `step_record`)."""

    step: str
    count: int
    inputs: Mapping[str, object]
    outputs: Mapping[str, object]
    model: Mapping[str, object]
    prompt_sha256: str | None
    config_sha256: str


@dataclass(frozen=True)
class PublicationFacts:
    """Everything that the statement says beside the files.

    `artifacts` is `{role: {"sha256", "version_id"}}` exactly as the review hash was taken over it,
    so that a reader can compute `review_sha256` again and see that the approved bytes are these.
    """

    tenant: str
    run: str
    revision: int
    source_sha256: str
    review_sha256: str
    artifacts: Mapping[str, Mapping[str, str]]
    approvals: Sequence[Approval]
    steps: Sequence[StepFacts]
    version: str


class SigningKey:
    """The installation's Ed25519 key pair."""

    def __init__(self, private: Ed25519PrivateKey) -> None:
        self._private = private

    @classmethod
    def generate(cls) -> "SigningKey":
        """Make a new key pair."""
        return cls(Ed25519PrivateKey.generate())

    @property
    def public(self) -> PublicKey:
        """The key that verifiers have to trust."""
        return self._private.public_key()

    def sign(self, message: bytes) -> bytes:
        """Return the 64-byte signature; the same message always gives the same one."""
        return self._private.sign(message)

    def commit(self, value: bytes) -> str:
        """Return a commitment to `value` that only a holder of this key can check or search."""
        seed = self._private.private_bytes_raw()
        derived = HKDF(hashes.SHA256(), 32, salt=None, info=b"kikigaki commitment v1").derive(seed)
        return f"hmac-sha256:{hmac.new(derived, value, hashlib.sha256).hexdigest()}"

    def private_pem(self) -> bytes:
        """Return the private key as unencrypted PKCS #8 PEM."""
        return self._private.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )


def key_id(key: PublicKey) -> KeyId:
    """Return the SHA-256 of the key's DER form, in hex."""
    der = key.public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    return KeyId(hashlib.sha256(der).hexdigest())


def public_pem(key: PublicKey) -> bytes:
    """Return the public key as PEM, the form that `kikigaki verify --key` reads."""
    return key.public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )


def build_manifest(files: Mapping[str, FileDigest]) -> bytes:
    """Return `manifest.json`: name, SHA-256 and size of every file but manifest and statement.

    Raises:
        ValueError: a file has the name of the manifest or statement (not retryable).
    """
    if reserved := {MANIFEST_NAME, STATEMENT_NAME} & files.keys():
        raise ValueError(f"{sorted(reserved)} cannot be listed in the manifest")
    listed = {n: {"sha256": d.sha256, "bytes": d.size_bytes} for n, d in files.items()}
    return canonical_json({"version": MANIFEST_VERSION, "files": listed})


def build_statement(
    facts: PublicationFacts, files: Mapping[str, FileDigest], key: SigningKey
) -> bytes:
    """Return `statement.json`: the signed DSSE envelope over the files and their provenance.

    Args:
        facts: what is stated; equal facts give equal bytes.
        files: the same files that `build_manifest` was given.
        key: the installation's key.

    Returns:
        Canonical JSON of the envelope.
    """
    manifest = FileDigest.of(build_manifest(files))
    subjects = {MANIFEST_NAME: manifest, **files}
    statement: dict[str, object] = {
        "_type": STATEMENT_TYPE,
        "subject": [
            {"name": n, "digest": {"sha256": subjects[n].sha256}} for n in sorted(subjects)
        ],
        "predicateType": PREDICATE_TYPE,
        "predicate": _predicate(facts, key),
    }
    payload = canonical_json(statement)
    signature = {
        "keyid": key_id(key.public),
        "sig": encode64(key.sign(pre_authentication_encoding(PAYLOAD_TYPE, payload))),
    }
    envelope: dict[str, object] = {
        "payload": encode64(payload),
        "payloadType": PAYLOAD_TYPE,
        "signatures": [signature],
    }
    return canonical_json(envelope)


def pre_authentication_encoding(payload_type: str, payload: bytes) -> bytes:
    """Return the bytes that DSSE signs.

    Source: DSSE protocol v1, "PAE" (github.com/secure-systems-lab/dsse/blob/master/protocol.md).
    """
    kind = payload_type.encode()
    return b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)


def encode64(data: bytes) -> str:
    """Return standard base64 with padding, as DSSE writes it."""
    return base64.b64encode(data).decode()


def review_sha256(run: str, revision: int, artifacts: Mapping[str, Mapping[str, object]]) -> str:
    """Compute the review hash again from what the statement says of it."""
    content = {
        "run": run,
        "revision": revision,
        "artifacts": {role: dict(ref) for role, ref in artifacts.items()},
    }
    return hashlib.sha256(canonical_json(content)).hexdigest()


def approved_role(name: str) -> str:
    """Return the role, in the review's artifacts, of a published file."""
    return "redacted_audio" if name == AUDIO_NAME else f"rendered/{name}"


def _predicate(facts: PublicationFacts, key: SigningKey) -> dict[str, object]:
    return {
        "tenant": facts.tenant,
        "run": facts.run,
        "revision": facts.revision,
        "source": {"sha256": facts.source_sha256},
        "review": {
            "sha256": facts.review_sha256,
            "artifacts": {role: dict(ref) for role, ref in facts.artifacts.items()},
        },
        "decisions": [_approval(approval, key) for approval in facts.approvals],
        "steps": [_step(step, key) for step in facts.steps],
        "builder": {"name": "kikigaki", "version": facts.version},
    }


def _approval(approval: Approval, key: SigningKey) -> dict[str, object]:
    reason = approval.override_reason
    return {
        "id": approval.decision_id,
        "decision": "approve",
        "approver": approval.approver_id,
        "decided_at": approval.decided_at.astimezone(UTC).isoformat(timespec="microseconds"),
        "channel": approval.channel,
        "override_reason": key.commit(reason.encode()) if reason else None,
    }


def _step(step: StepFacts, key: SigningKey) -> dict[str, object]:
    return {
        "name": step.step,
        "count": step.count,
        "inputs": _conceal_raw(step.inputs, key),
        "outputs": _conceal_raw(step.outputs, key),
        "model": dict(step.model),
        "prompt_sha256": step.prompt_sha256,
        "config_sha256": step.config_sha256,
    }


def _conceal_raw(refs: Mapping[str, object], key: SigningKey) -> dict[str, object]:
    return {
        role: key.commit(json.dumps(value, sort_keys=True).encode())
        if role.partition("/")[0] in RAW_KINDS
        else value
        for role, value in refs.items()
    }
