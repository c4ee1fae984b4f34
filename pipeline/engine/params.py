"""Parameters as plain JSON, as command line and API are given them: read, or told what is wrong."""

import json
from collections.abc import Mapping
from typing import Any

from pydantic import TypeAdapter, ValidationError

from configs.errors import InputError
from pipeline.engine import codec
from pipeline.engine.definitions import Workflow, params_type

_MOST = 20


def read_params(params: object, workflow: Workflow[Any]) -> object:
    """Return the parameters of a workflow as its own type.

    Raises:
        InputError: they do not fit; the message names the first field and the details all of them,
            without the values (not retryable).
    """
    annotation = params_type(workflow)
    try:
        typed: object = TypeAdapter(annotation).validate_json(json.dumps(params))
    except ValidationError as error:
        problems = error.errors(include_input=False, include_url=False)
        raise _misfit(workflow, {_path(p["loc"]): p["msg"] for p in problems}) from None
    unknown = _unknown(params, json.loads(codec.encode(typed, annotation)), ())
    if unknown:
        raise _misfit(workflow, dict.fromkeys(unknown, "There is no such field"))
    return typed


def _misfit(workflow: Workflow[Any], fields: Mapping[str, str]) -> InputError:
    name, problem = next(iter(fields.items()))
    return InputError(
        f"The parameters do not fit the workflow {workflow.name}: {name}: {problem}.",
        {"fields": dict(list(fields.items())[:_MOST])},
    )


def _path(place: tuple[int | str, ...]) -> str:
    return ".".join(map(str, place))[:200] or "params"


def _unknown(given: object, read: object, place: tuple[int | str, ...]) -> list[str]:
    """Return the fields that were given and not read: a misspelled optional one is an error too."""
    if isinstance(given, Mapping) and isinstance(read, Mapping):
        found = [_path((*place, key)) for key in given if key not in read]
        for key in given.keys() & read.keys():
            found += _unknown(given[key], read[key], (*place, key))
        return sorted(found)
    if isinstance(given, list) and isinstance(read, list):
        parts = (
            _unknown(g, r, (*place, n)) for n, (g, r) in enumerate(zip(given, read, strict=False))
        )
        return [path for part in parts for path in part]
    return []
