"""Cutting long text for models that bear only so much at once."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

MAX_BYTES = 40_000
"""UTF-8 bytes per call; GiNZA's tokenizer refuses text of more than 49,149."""

_BORDER = re.compile(r"[。！？!?\n]+|\.\s|[、,，\s]")


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
    """Return the best place to cut in the last half of the stretch."""
    half = (start + end) // 2
    borders = list(_BORDER.finditer(text, half, end))
    sentences = [m for m in borders if m[0][0] in "。！？!?\n." and m.end() <= end]
    best = sentences or borders
    return best[-1].end() if best else end
