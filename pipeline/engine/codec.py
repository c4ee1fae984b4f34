"""How values, calls and errors are written into the journal and to the child processes: as JSON.

Values are written and read by their annotations (frozen dataclasses, pydantic models, plain JSON),
so a replay gives the same types as the first run. The first run reads back what it wrote, so both
see the same value.
"""

import importlib
import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any, get_type_hints

from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError

from configs.errors import AppError
from pipeline.engine.errors import (
    NotSerializableError,
    StepFailedError,
    TooLargeForJournalError,
)
from pipeline.engine.retries import retry_after_s

MIB = 1024 * 1024
_LONGEST_MESSAGE = 8_000
_SENSITIVE = "__engine_sensitive__"
Function = Callable[..., Any]
Annotation = Any  # a type as an annotation writes it; Python has no type for that
Decoded = Any  # a value whose type only its annotation names


@lru_cache(maxsize=1024)
def _cached_adapter(annotation: Annotation) -> TypeAdapter[Any]:
    return TypeAdapter(annotation)


def _adapter(annotation: Annotation) -> TypeAdapter[Any]:
    try:
        return _cached_adapter(annotation)
    except TypeError:  # an unhashable annotation
        return TypeAdapter(annotation)


def encode(
    value: object, annotation: Annotation = Any, *, limit: int = MIB, what: str = "result"
) -> str:
    """Return a value as JSON text.

    Raises:
        NotSerializableError: it does not fit the annotation or is no JSON (not retryable).
        TooLargeForJournalError: more than `limit` bytes (not retryable).
    """
    try:
        text = _adapter(annotation).dump_json(value, warnings="error").decode()
    except (PydanticSerializationError, UnicodeError, RecursionError) as error:
        raise NotSerializableError(
            f"The {what} (a {type(value).__name__}) cannot be written as JSON by its annotation."
        ) from error
    check_size(text, limit, what)
    return text


def check_size(text: str, limit: int, what: str) -> None:
    """Refuse what is too large for the journal.

    Raises:
        TooLargeForJournalError: more than `limit` bytes (not retryable).
    """
    size = len(text.encode())
    if size > limit:
        raise TooLargeForJournalError(
            f"The {what} is larger than {limit} bytes. Store it as an artifact and return its"
            " reference.",
            {"bytes": size},
        )


def decode(text: str, annotation: Annotation = Any) -> Decoded:
    """Return the value that `encode` wrote.

    Raises:
        NotSerializableError: the text does not fit the annotation (not retryable).
    """
    try:
        return _adapter(annotation).validate_json(text)
    except ValidationError as error:
        kinds = sorted({item["type"] for item in error.errors(include_input=False)})
        raise NotSerializableError(
            "A journalled value does not fit its annotation.", {"errors": kinds}
        ) from None


def split(function: Function) -> tuple[Function, tuple[Any, ...], dict[str, Any]]:
    """Take a `functools.partial` apart; any other callable has no arguments."""
    if isinstance(function, partial):
        return function.func, function.args, dict(function.keywords)
    return function, (), {}


def result_type(function: Function) -> Annotation:
    """Return the annotation of a function's result, `Any` where there is none."""
    target, _, _ = split(function)
    return _hints(target).get("return", Any)


def _hints(target: Function) -> dict[str, Any]:
    if inspect.isfunction(target) or inspect.ismethod(target):
        return get_type_hints(target)
    call = getattr(type(target), "__call__", None)  # noqa: B004 - the method itself is read
    return get_type_hints(call) if inspect.isfunction(call) else {}


def reference(target: Function) -> str:
    """Return "module:qualname" of a module-level function.

    Raises:
        TypeError: it cannot be found again under that name (not retryable).
    """
    name = f"{target.__module__}:{target.__qualname__}"
    if "<" in name or resolve(name) is not target:
        raise TypeError(f"{name} is no module-level function; a step on a resource needs one")
    return name


def resolve(name: str) -> Decoded:
    """Return what "module:qualname" names."""
    module, _, qualname = name.partition(":")
    found: Any = importlib.import_module(module)
    for part in qualname.split("."):
        found = getattr(found, part)
    return found


def encode_call(function: Function) -> dict[str, Any]:
    """Write a call (a `partial` of a module-level function) as JSON.

    Raises:
        TypeError: the function is not at module level (not retryable).
        NotSerializableError: an argument does not fit its annotation (not retryable).
    """
    target, args, kwargs = split(function)
    positional, named = _argument_types(target, len(args))
    return {
        "fn": reference(target),
        "args": [
            json.loads(encode(value, kind, what="argument"))
            for value, kind in zip(args, positional, strict=True)
        ],
        "kwargs": {
            key: json.loads(encode(value, named.get(key, Any), what="argument"))
            for key, value in kwargs.items()
        },
    }


def decode_call(call: Mapping[str, Any]) -> Function:
    """Return the call that `encode_call` wrote, with arguments of their annotated types."""
    target: Function = resolve(call["fn"])
    positional, named = _argument_types(target, len(call["args"]))
    args = [
        _adapter(kind).validate_python(value) if kind is Any else decode(json.dumps(value), kind)
        for value, kind in zip(call["args"], positional, strict=True)
    ]
    kwargs = {
        key: decode(json.dumps(value), named.get(key, Any)) for key, value in call["kwargs"].items()
    }
    return partial(target, *args, **kwargs)


def _argument_types(target: Function, count: int) -> tuple[Sequence[Any], dict[str, Any]]:
    hints = _hints(target)
    names = list(inspect.signature(target).parameters)
    return [hints.get(name, Any) for name in names[:count]], hints


@dataclass(frozen=True)
class ErrorRecord:
    """An error as the journal keeps it: enough to raise the same type, code and message again."""

    type: str
    code: str
    message: str
    details: dict[str, Any] = field(default_factory=dict)
    args: list[Any] | None = None
    retryable: bool = True
    retry_after_s: float | None = None
    sensitive: bool = False


def record_error(error: BaseException, *, sensitive: bool = False) -> ErrorRecord:
    """Describe an error; what cannot be written as JSON is left out."""
    message = error.message if isinstance(error, AppError) else str(error)
    code = getattr(error, "code", None)
    return ErrorRecord(
        type=f"{type(error).__module__}:{type(error).__qualname__}",
        code=code if isinstance(code, str) else type(error).__name__,
        message=message[:_LONGEST_MESSAGE],
        details=_plain(error.details, {}) if isinstance(error, AppError) else {},
        args=None if isinstance(error, AppError) else _plain(list(error.args), None),
        retryable=bool(getattr(error, "retryable", True)),
        retry_after_s=retry_after_s(error),
        sensitive=sensitive or is_sensitive(error),
    )


def _plain(value: object, otherwise: object) -> Decoded:
    try:
        return json.loads(encode(value, limit=_LONGEST_MESSAGE))
    except (NotSerializableError, TooLargeForJournalError):
        return otherwise


def encode_error(error: BaseException, *, sensitive: bool = False) -> str:
    """Return an error as JSON text (never more than a few kilobytes)."""
    return encode(record_error(error, sensitive=sensitive), ErrorRecord)


def decode_error(text: str) -> ErrorRecord:
    """Return the record that `encode_error` wrote."""
    record: ErrorRecord = decode(text, ErrorRecord)
    return record


def restore_error(record: ErrorRecord) -> Exception:
    """Return an exception of the recorded type, code and message.

    A type that cannot be found or constructed becomes a `StepFailedError` that names it.
    """
    error = _rebuild(record)
    if error is None:
        details = {**record.details, "type": record.type, "code": record.code}
        error = StepFailedError(record.message or record.type, details)
    if record.sensitive:
        setattr(error, _SENSITIVE, True)
    return error


def is_sensitive(error: BaseException) -> bool:
    """Tell whether the error came from a step marked sensitive."""
    return bool(getattr(error, _SENSITIVE, False))


def _rebuild(record: ErrorRecord) -> Exception | None:
    try:
        kind = resolve(record.type)
    except (ImportError, AttributeError, ValueError):
        return None
    if not (isinstance(kind, type) and issubclass(kind, Exception)):
        return None
    try:
        if issubclass(kind, AppError):
            error: Exception = kind(record.message, record.details)
        else:
            error = kind(*(record.args or ()))
    except Exception:  # noqa: BLE001 - a constructor may raise anything
        return None
    return error if str(error) == record.message else None
