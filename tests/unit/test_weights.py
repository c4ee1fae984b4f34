"""Packaged weights are put together once and checked."""

from pathlib import Path

import pytest

from configs.errors import UnknownModelError
from models.weights import file_sha256, whisper_path


def test_whisper_path_when_named_then_assembled_once(tmp_path: Path) -> None:
    first = whisper_path("tiny.en", tmp_path)
    written = (first / "model.bin").stat().st_mtime_ns
    assert whisper_path("tiny.en", tmp_path) == first
    assert (first / "model.bin").stat().st_mtime_ns == written
    assert {p.name for p in first.iterdir()} == {
        "model.bin",
        "config.json",
        "tokenizer.json",
        "vocabulary.txt",
    }


def test_whisper_path_when_parts_are_joined_then_the_hash_is_right(tmp_path: Path) -> None:
    folder = whisper_path("base", tmp_path)
    expected = "d01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9"
    assert file_sha256(folder / "model.bin") == expected
    assert [p.name for p in folder.parent.iterdir()] == [folder.name]


def test_whisper_path_when_a_folder_then_that_folder(tmp_path: Path) -> None:
    (tmp_path / "model.bin").write_bytes(b"weights")
    assert whisper_path(str(tmp_path), tmp_path / "home") == tmp_path


def test_whisper_path_when_unknown_then_refused_with_the_known_names(tmp_path: Path) -> None:
    with pytest.raises(UnknownModelError, match=r"base, tiny\.en") as caught:
        whisper_path("huge", tmp_path)
    assert not caught.value.retryable
