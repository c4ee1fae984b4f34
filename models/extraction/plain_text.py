"""Plain text to paragraphs."""

import re
from collections.abc import Iterator

from models.extraction.content import Block, Kind
from models.extraction.encodings import clean
from models.extraction.wrapping import unwrapped, wrapping_of

_BLANK_LINES = re.compile(r"\n\s*\n")


def text_blocks(text: str, kind: Kind = Kind.PARAGRAPH) -> Iterator[Block]:
    """Cut at blank lines, or at every line where there are none; join lines that were wrapped."""
    cleaned = clean(text).strip("\n")
    parts = _BLANK_LINES.split(cleaned)
    if len(parts) == 1 and kind is Kind.PARAGRAPH:
        parts = cleaned.split("\n")
    wrapping = wrapping_of(cleaned)
    return (Block(unwrapped(part, wrapping), kind) for part in parts)
