"""Texts to redact as JSON lines."""

import json
from dataclasses import dataclass

from configs.errors import InputError
from models.documents import LANGUAGES


@dataclass(frozen=True)
class TextLine:
    """One text of many: its id comes back with the answer."""

    id: str | int
    text: str
    language: str


def read_line(number: int, line: str) -> TextLine:
    """Read `{"id", "text", "lang"}`.

    Args:
        number: the line's number from 1, which is all that an error tells of it.
        line: the line.

    Raises:
        InputError: it is not such an object (not retryable).
    """
    try:
        row = json.loads(line)
    except ValueError:
        raise InputError(f"Line {number} is no JSON.") from None
    fields = row if isinstance(row, dict) else {}
    found_id, text, language = (fields.get(name) for name in ("id", "text", "lang"))
    if not isinstance(found_id, str | int) or not isinstance(text, str):
        raise InputError(f'Line {number} is no object {{"id", "text", "lang"}}.')
    if language not in LANGUAGES:
        raise InputError(f'"lang" in line {number} is none of {", ".join(LANGUAGES)}.')
    return TextLine(found_id, text, language)
