"""Cutting long text for models that bear only so much at once."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

MAX_BYTES = 40_000
"""UTF-8 bytes per call; GiNZA's tokenizer refuses text of more than 49,149."""

_SENTENCE = re.compile(r"[。！？!?\n]+|\.\s")
_PAUSE = re.compile(r"[、,，\s]")


@dataclass(frozen=True)
class Chunk:
    """A stretch of a longer text and where it begins there."""

    offset: int
    text: str


def chunks(text: str, max_bytes: int = MAX_BYTES) -> Iterator[Chunk]:
    """Cut a text after sentences, else after commas or spaces, else anywhere.

    Yields:
        The pieces in order; together they are the text, and each has at most `max_bytes` of UTF-8.
    """
    start = 0
    while start < len(text):
        end = _fitting(text, start, max_bytes)
        if end < len(text):
            end = _last_border(text, start, end)
        yield Chunk(start, text[start:end])
        start = end


def _fitting(text: str, start: int, max_bytes: int) -> int:
    """Return the end of the longest stretch from `start` with at most `max_bytes`."""
    end = min(len(text), start + max_bytes)
    size = len(text[start:end].encode())
    while size > max_bytes:
        end -= max(1, (size - max_bytes + 3) // 4)
        size = len(text[start:end].encode())
    return max(end, start + 1)


def _last_border(text: str, start: int, end: int) -> int:
    """Return the best place to cut: after the last sentence, else a comma in the last half."""
    sentences = [m.end() for m in _SENTENCE.finditer(text, start, end)]
    pauses = [m.end() for m in _PAUSE.finditer(text, (start + end) // 2, end)]
    return next((places[-1] for places in (sentences, pauses) if places), end)
