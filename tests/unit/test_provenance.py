"""Manifest, signed statement and the installation's key."""

import base64
import json
import stat
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from configs.errors import InputError, NotFoundError
from pipeline.keys import read_public_key, signing_key, trusted_key
from pipeline.provenance import (
    RAW_KINDS,
    FileDigest,
    SigningKey,
    build_manifest,
    key_id,
    public_pem,
    review_sha256,
)
from storage.refs import RAW_KINDS as STORED_RAW_KINDS
from storage.refs import ArtifactRef
from storage.reviews import review_hash
from tests.publications import FILES, facts_for, signed_files


def payload_of(statement: bytes) -> dict[str, object]:
    payload: dict[str, object] = json.loads(base64.b64decode(json.loads(statement)["payload"]))
    return payload


def test_manifest_when_built_then_lists_hash_and_size_of_each_file() -> None:
    manifest = json.loads(build_manifest({"summary.md": FileDigest.of(b"text")}))
    assert manifest["files"]["summary.md"] == {
        "sha256": "982d9e3eb996f559e633f4d194def3761d909f5a3b647d1a851fead67c32c9d1",
        "bytes": 4,
    }


def test_manifest_when_it_would_list_itself_then_refused() -> None:
    with pytest.raises(ValueError, match=r"manifest\.json"):
        build_manifest({"manifest.json": FileDigest.of(b"")})


def test_statement_when_built_twice_then_same_bytes() -> None:
    key = SigningKey.generate()
    assert signed_files(key, FILES) == signed_files(key, FILES)


def test_statement_when_built_then_names_every_file_and_the_manifest() -> None:
    statement = payload_of(signed_files(SigningKey.generate(), FILES)["statement.json"])
    subject = statement["subject"]
    assert isinstance(subject, list)
    assert {entry["name"] for entry in subject} == {*FILES, "manifest.json"}


def test_statement_when_built_then_says_source_review_approver_and_models() -> None:
    statement = payload_of(signed_files(SigningKey.generate(), FILES)["statement.json"])
    predicate = statement["predicate"]
    assert isinstance(predicate, dict)
    assert predicate["source"] == {"sha256": "5" * 64}
    assert predicate["review"]["sha256"] == facts_for(FILES).review_sha256
    assert predicate["decisions"][0]["approver"] == "user_1"
    assert predicate["steps"][0]["config_sha256"] == "4" * 64


def test_statement_when_a_step_used_raw_artifacts_then_their_plain_hashes_are_absent() -> None:
    statement = signed_files(SigningKey.generate(), FILES)["statement.json"]
    text = json.dumps(payload_of(statement))
    assert "1" * 64 not in text, "the transcript's hash would let anybody test guesses"
    assert "3" * 64 not in text, "the pseudonym map's hash would let anybody test guesses"
    assert "2" * 64 in text, "the redacted transcript is not raw"


def test_statement_when_a_check_was_overridden_then_only_a_commitment_to_the_reason() -> None:
    key, facts = SigningKey.generate(), facts_for(FILES)
    reason = "Adwoa Mensah agreed on the telephone."
    overridden = replace(facts, approvals=[replace(facts.approvals[0], override_reason=reason)])

    statement = signed_files(key, FILES, overridden)["statement.json"]

    predicate = payload_of(statement)["predicate"]
    assert isinstance(predicate, dict)
    assert predicate["decisions"][0]["override_reason"] == key.commit(reason.encode())
    assert b"Mensah" not in base64.b64decode(json.loads(statement)["payload"])


def test_commitment_when_key_differs_then_differs() -> None:
    first, second = SigningKey.generate(), SigningKey.generate()
    assert first.commit(b"value") == first.commit(b"value")
    assert first.commit(b"value") != second.commit(b"value")


def test_signing_key_when_used_first_then_made_once_and_private(tmp_path: Path) -> None:
    first = signing_key(tmp_path)
    mode = stat.S_IMODE((tmp_path / "keys" / "signing.pem").stat().st_mode)
    assert mode == 0o600
    assert key_id(signing_key(tmp_path).public) == key_id(first.public)


def test_signing_key_when_made_by_many_at_once_then_all_get_the_same(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        keys = list(pool.map(lambda _: key_id(signing_key(tmp_path).public), range(16)))
    assert len(set(keys)) == 1
    assert sorted(p.name for p in (tmp_path / "keys").iterdir()) == ["signing.pem", "signing.pub"]


def test_signing_key_when_secret_is_given_then_no_file_is_written(tmp_path: Path) -> None:
    key = SigningKey.generate()
    from_pem = signing_key(tmp_path, key.private_pem().decode())
    assert key_id(from_pem.public) == key_id(key.public)
    assert list(tmp_path.iterdir()) == []


def test_signing_key_when_secret_is_a_seed_then_used(tmp_path: Path) -> None:
    seed = base64.b64encode(b"\x07" * 32).decode()
    assert key_id(signing_key(tmp_path, seed).public) == key_id(trusted_key(tmp_path, seed))


@pytest.mark.parametrize("secret", ["nonsense!", "c2hvcnQ=", "-----BEGIN PRIVATE KEY-----\nx"])
def test_signing_key_when_secret_is_malformed_then_input_error(tmp_path: Path, secret: str) -> None:
    with pytest.raises(InputError) as refused:
        signing_key(tmp_path, secret)
    assert secret not in refused.value.message


def test_trusted_key_when_nothing_exists_then_says_how_to_give_one(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="--key FILE"):
        trusted_key(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_trusted_key_when_own_key_exists_then_that(tmp_path: Path) -> None:
    own = signing_key(tmp_path)
    assert key_id(trusted_key(tmp_path)) == key_id(own.public)


def test_trusted_key_when_file_is_given_then_that(tmp_path: Path) -> None:
    signing_key(tmp_path)
    other = SigningKey.generate()
    (tmp_path / "other.pub").write_bytes(public_pem(other.public))
    key = trusted_key(tmp_path, key_file=tmp_path / "other.pub")
    assert key_id(key) == key_id(other.public)


def test_public_key_when_file_holds_a_private_key_then_refused(tmp_path: Path) -> None:
    (tmp_path / "key.pem").write_bytes(SigningKey.generate().private_pem())
    with pytest.raises(InputError, match="no public key"):
        read_public_key(tmp_path / "key.pem")


def test_review_hash_when_computed_offline_then_equals_the_recorded_one() -> None:
    roles = ("redacted_transcript", "summary", "quality_report", "rendered/index.html")
    refs = {
        role: ArtifactRef("b", f"k/{role}", str(i) * 64, f"v{i}", 1, "text/plain")
        for i, role in enumerate(roles)
    }
    named = {role: {"sha256": r.sha256, "version_id": r.version_id} for role, r in refs.items()}
    assert review_sha256("run_1", 3, named) == review_hash("run_1", 3, refs)[0]


def test_commitments_when_kinds_are_raw_then_cover_all_but_the_source() -> None:
    assert STORED_RAW_KINDS - {"source"} == RAW_KINDS
