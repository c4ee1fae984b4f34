"""Offline verification: every change, however small, and every hostile folder is refused."""

import base64
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipeline.bundle import MAX_JSON_BYTES
from pipeline.provenance import (
    FileDigest,
    SigningKey,
    build_manifest,
    build_statement,
    encode64,
    key_id,
)
from pipeline.verify import Verification, verify
from tests.publications import FILES, facts_for, signed_files, write_publication

KEY = SigningKey.generate()
NAMES = sorted(signed_files(KEY, FILES))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_publication(tmp_path / "r1", KEY)


def failed(result: Verification) -> set[str]:
    return {check.name for check in result.checks if not check.ok}


def test_verify_when_untouched_then_every_check_passes(folder: Path) -> None:
    result = verify(folder, KEY.public)
    assert result.ok
    assert [check.name for check in result.checks] == [
        "folder", "manifest", "files", "hashes", "statement", "signature", "subjects", "approval",
    ]  # fmt: skip


def test_verification_when_printed_then_has_the_published_form(folder: Path) -> None:
    printed = verify(folder, KEY.public).as_dict()
    assert printed["ok"] is True
    assert isinstance(printed["checks"], list)
    assert set(printed["checks"][0]) == {"name", "ok", "detail"}


@pytest.mark.parametrize("name", NAMES)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_verify_when_one_byte_is_changed_then_fails(
    folder: Path, name: str, data: st.DataObject
) -> None:
    original = (folder / name).read_bytes()
    place = data.draw(st.integers(0, len(original) - 1))
    flip = data.draw(st.integers(1, 255))
    changed = bytearray(original)
    changed[place] ^= flip
    (folder / name).write_bytes(changed)
    try:
        assert not verify(folder, KEY.public).ok
    finally:
        (folder / name).write_bytes(original)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("blank", [b" ", b"\n", b"\t"])
def test_verify_when_whitespace_is_appended_then_fails(
    folder: Path, name: str, blank: bytes
) -> None:
    path = folder / name
    path.write_bytes(path.read_bytes() + blank)
    assert not verify(folder, KEY.public).ok


def test_verify_when_every_byte_of_the_statement_is_changed_in_turn_then_fails_each_time(
    folder: Path,
) -> None:
    path = folder / "statement.json"
    original = path.read_bytes()
    for place in range(len(original)):
        changed = bytearray(original)
        changed[place] ^= 1
        path.write_bytes(changed)
        assert not verify(folder, KEY.public).ok, place


@pytest.mark.parametrize("name", NAMES)
def test_verify_when_a_file_is_missing_then_fails(folder: Path, name: str) -> None:
    (folder / name).unlink()
    assert not verify(folder, KEY.public).ok


@pytest.mark.parametrize("name", ["extra.txt", ".hidden", "index.html~", "日本.txt"])
def test_verify_when_a_file_is_added_then_fails(folder: Path, name: str) -> None:
    (folder / name).write_bytes(b"added")
    assert not verify(folder, KEY.public).ok


def test_verify_when_a_folder_is_added_then_fails(folder: Path) -> None:
    (folder / "sub").mkdir()
    assert failed(verify(folder, KEY.public)) >= {"folder"}


def rewrite(folder: Path, key: SigningKey) -> None:
    changed = {**FILES, "summary.md": b"# Forged\n"}
    for name, data in signed_files(key, changed, facts_for(changed)).items():
        (folder / name).write_bytes(data)


def test_verify_when_rewritten_and_signed_by_another_key_then_fails(folder: Path) -> None:
    rewrite(folder, SigningKey.generate())
    assert failed(verify(folder, KEY.public)) >= {"signature"}


def test_verify_when_other_key_claims_the_trusted_key_id_then_fails(folder: Path) -> None:
    rewrite(folder, SigningKey.generate())
    path = folder / "statement.json"
    envelope = json.loads(path.read_bytes())
    envelope["signatures"][0]["keyid"] = key_id(KEY.public)
    path.write_bytes(json.dumps(envelope, sort_keys=True, separators=(",", ":")).encode())
    assert failed(verify(folder, KEY.public)) >= {"signature"}


def test_verify_when_manifest_is_rewritten_to_fit_a_changed_file_then_fails(folder: Path) -> None:
    (folder / "summary.md").write_bytes(b"# Forged\n")
    digests = {n: FileDigest.of((folder / n).read_bytes()) for n in FILES}
    (folder / "manifest.json").write_bytes(build_manifest(digests))
    result = verify(folder, KEY.public)
    assert failed(result) >= {"subjects"}
    assert next(c for c in result.checks if c.name == "hashes").ok


def test_verify_when_signed_files_are_not_the_approved_ones_then_fails(folder: Path) -> None:
    changed = {**FILES, "summary.md": b"# Not what was approved\n"}
    for name, data in signed_files(KEY, changed, facts_for(FILES)).items():
        (folder / name).write_bytes(data)
    assert failed(verify(folder, KEY.public)) == {"approval"}


def test_verify_when_statement_is_of_another_publication_then_fails(
    folder: Path, tmp_path: Path
) -> None:
    other = write_publication(tmp_path / "other", KEY, {"index.html": b"another"})
    (folder / "statement.json").write_bytes((other / "statement.json").read_bytes())
    assert failed(verify(folder, KEY.public)) >= {"subjects"}


def test_verify_when_signature_is_removed_then_fails(folder: Path) -> None:
    path = folder / "statement.json"
    envelope = json.loads(path.read_bytes())
    envelope["signatures"] = []
    path.write_bytes(json.dumps(envelope, sort_keys=True, separators=(",", ":")).encode())
    assert failed(verify(folder, KEY.public)) >= {"signature"}


def test_verify_when_a_file_is_a_link_to_the_same_bytes_then_refused(
    folder: Path, tmp_path: Path
) -> None:
    (folder / "summary.md").rename(tmp_path / "elsewhere.md")
    (folder / "summary.md").symlink_to(tmp_path / "elsewhere.md")
    assert failed(verify(folder, KEY.public)) >= {"folder"}


def test_verify_when_a_file_is_a_pipe_then_refused_without_waiting(folder: Path) -> None:
    (folder / "summary.md").unlink()
    os.mkfifo(folder / "summary.md")
    assert failed(verify(folder, KEY.public)) >= {"folder"}


def test_verify_when_folder_itself_is_a_link_then_refused(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(folder)
    assert failed(verify(tmp_path / "link", KEY.public)) >= {"folder"}


def test_verify_when_there_is_no_folder_then_refused(tmp_path: Path) -> None:
    assert not verify(tmp_path / "nothing", KEY.public).ok


@pytest.mark.parametrize("name", ["manifest.json", "statement.json"])
def test_verify_when_json_is_huge_then_refused_without_reading_it(folder: Path, name: str) -> None:
    with (folder / name).open("r+b") as file:
        file.truncate(MAX_JSON_BYTES * 1000)  # sparse
    assert not verify(folder, KEY.public).ok


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"files":{},"files":{}}',
        b"1" * 9999,
    ],
    ids=["empty", "open", "array", "null", "binary", "deep", "twice", "digits"],
)
@pytest.mark.parametrize("name", ["manifest.json", "statement.json"])
def test_verify_when_json_is_malformed_then_refused(
    folder: Path, name: str, content: bytes
) -> None:
    (folder / name).write_bytes(content)
    assert not verify(folder, KEY.public).ok


@pytest.mark.parametrize("name", ["../secret", "/etc/passwd", "sub/file", "..", ".", "a\x00b", ""])
def test_verify_when_manifest_names_leave_the_folder_then_refused(folder: Path, name: str) -> None:
    manifest = build_manifest({**{n: FileDigest.of(d) for n, d in FILES.items()}, name: _ANY})
    (folder / "manifest.json").write_bytes(manifest)
    assert failed(verify(folder, KEY.public)) >= {"manifest"}


_ANY = FileDigest.of(b"anything")


def _no_predicate(statement: dict[str, object]) -> None:
    del statement["predicate"]


def _no_decisions(statement: dict[str, object]) -> None:
    predicate = statement["predicate"]
    assert isinstance(predicate, dict)
    predicate["decisions"] = []


def _other_hash(statement: dict[str, object]) -> None:
    predicate = statement["predicate"]
    assert isinstance(predicate, dict)
    predicate["review"]["sha256"] = "0" * 64


def _odd_subject(statement: dict[str, object]) -> None:
    statement["subject"] = ["index.html"]


def _other_type(statement: dict[str, object]) -> None:
    statement["predicateType"] = "https://slsa.dev/provenance/v1"


@pytest.mark.parametrize(
    "change", [_no_predicate, _no_decisions, _other_hash, _odd_subject, _other_type]
)
def test_verify_when_even_the_trusted_key_signed_an_incomplete_statement_then_fails(
    folder: Path, change: Callable[[dict[str, object]], None]
) -> None:
    path = folder / "statement.json"
    envelope = json.loads(path.read_bytes())
    statement = json.loads(base64.b64decode(envelope["payload"]))
    change(statement)
    payload = json.dumps(
        statement, sort_keys=True, separators=(",", ":"), ensure_ascii=False
    ).encode()
    path.write_bytes(_sign_again(payload))
    assert not verify(folder, KEY.public).ok


def _sign_again(payload: bytes) -> bytes:
    kind = b"application/vnd.in-toto+json"
    message = b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)
    envelope = {
        "payload": encode64(payload),
        "payloadType": kind.decode(),
        "signatures": [{"keyid": key_id(KEY.public), "sig": encode64(KEY.sign(message))}],
    }
    return json.dumps(envelope, sort_keys=True, separators=(",", ":")).encode()


def test_statement_when_signed_by_hand_from_the_dsse_specification_then_the_same_bytes() -> None:
    digests = {name: FileDigest.of(data) for name, data in FILES.items()}
    statement = build_statement(facts_for(FILES), digests, KEY)
    assert _sign_again(base64.b64decode(json.loads(statement)["payload"])) == statement
