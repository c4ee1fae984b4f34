"""Values, calls and errors as JSON, and back with their types."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from functools import partial
from pathlib import Path

import pytest
from pydantic import BaseModel

from configs.errors import AppError, CorruptInputError, TransientError
from pipeline.engine import codec
from pipeline.engine.definitions import journal_type
from pipeline.engine.errors import (
    NotSerializableError,
    StepFailedError,
    TooLargeForJournalError,
)


class Colour(StrEnum):
    RED = "red"


@dataclass(frozen=True)
class Inner:
    at: datetime
    colours: tuple[Colour, ...]


class Outer(BaseModel):
    inner: Inner
    path: Path | None = None


INNER = Inner(datetime(2026, 1, 2, tzinfo=UTC), (Colour.RED,))


def call(first: Inner, *, second: Outer, third: int = 0) -> dict[str, Inner]:
    return {"a": first, "b": second.inner, "c" * third: first}


@pytest.mark.parametrize(
    ("value", "annotation"),
    [
        (INNER, Inner),
        (Outer(inner=INNER, path=Path("x")), Outer),
        ({"a": INNER}, dict[str, Inner]),
        (None, type(None)),
        (None, Inner | None),
        ([1, "zwei", None, True, 1.5], list[object]),
        ("日本語 😀", str),
    ],
)
def test_value_when_written_and_read_by_its_annotation_then_is_the_same(
    value: object, annotation: object
) -> None:
    assert codec.decode(codec.encode(value, annotation), annotation) == value


def test_value_when_it_does_not_fit_its_annotation_then_is_an_error() -> None:
    with pytest.raises(NotSerializableError):
        codec.encode("text", int)


def test_value_when_read_by_another_annotation_then_the_error_quotes_nothing() -> None:
    with pytest.raises(NotSerializableError) as caught:
        codec.decode('"Jane Fictional"', int)
    assert "Jane" not in f"{caught.value.message} {caught.value.details} {caught.value.__cause__}"


def test_value_when_larger_than_the_limit_in_bytes_then_is_an_error() -> None:
    assert codec.encode("語" * 10, limit=32)
    with pytest.raises(TooLargeForJournalError):
        codec.encode("語" * 10, limit=31)


def test_call_when_written_and_read_then_has_typed_arguments() -> None:
    written = codec.encode_call(partial(call, INNER, second=Outer(inner=INNER)))
    read = codec.decode_call(json.loads(json.dumps(written)))
    assert read() == call(INNER, second=Outer(inner=INNER))


def test_call_of_a_local_function_when_written_then_is_an_error() -> None:
    def local() -> None: ...

    with pytest.raises(TypeError, match="module-level"):
        codec.encode_call(local)


@pytest.mark.parametrize(
    "error",
    [
        CorruptInputError("damaged", {"at_s": 1}),
        TransientError(details={"retry_after_s": 3}),
        ValueError("plain"),
        ValueError(),
        KeyError("key"),
        OSError(2, "No such file"),
        AppError("日本語"),
    ],
)
def test_error_when_recorded_and_restored_then_is_the_same(error: Exception) -> None:
    restored = codec.restore_error(codec.decode_error(codec.encode_error(error)))
    assert type(restored) is type(error)
    assert (str(restored), restored.args) == (str(error), error.args)
    assert getattr(restored, "details", None) == getattr(error, "details", None)


def test_error_of_an_unknown_type_when_restored_then_says_which_it_was() -> None:
    class LocalError(Exception):
        pass

    restored = codec.restore_error(codec.record_error(LocalError("message")))
    assert isinstance(restored, StepFailedError)
    assert restored.message == "message"
    assert str(restored.details["type"]).endswith("LocalError")


def test_error_when_its_text_is_endless_then_is_cut() -> None:
    assert len(codec.encode_error(ValueError("x" * 10**6))) < 40_000


def test_error_with_details_that_are_no_json_when_recorded_then_goes_without() -> None:
    error = AppError("message", {"object": object()})
    assert codec.record_error(error).details == {}


def _nothing() -> None: ...
def _number() -> int: ...  # type: ignore[empty-body]  # only its annotation is read
def _replace(_: object, __: object) -> str: ...  # type: ignore[empty-body]  # as above
def _perhaps(_: object, __: object) -> str | None: ...
def _keep(_: object, __: object) -> None: ...


@pytest.mark.parametrize(
    ("fn", "commit", "expected"),
    [
        (_number, None, int),
        (_number, _keep, int),
        (_nothing, _replace, str),
        (_number, _perhaps, str),
        (_nothing, None, type(None)),
    ],
)
def test_type_of_a_step_when_it_has_a_commit_then_is_what_the_commit_returns(
    fn: codec.Function, commit: codec.Function | None, expected: object
) -> None:
    assert journal_type(fn, commit) is expected
