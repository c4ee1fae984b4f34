"""Plain text to paragraphs."""

import re
from collections.abc import Iterator

from models.extraction.content import Block
from models.extraction.encodings import clean

_BLANK_LINES = re.compile(r"\n\s*\n")


def text_blocks(text: str) -> Iterator[Block]:
    """Cut at blank lines, or at every line where there are none."""
    cleaned = clean(text).strip("\n")
    parts = _BLANK_LINES.split(cleaned)
    if len(parts) == 1:
        parts = cleaned.split("\n")
    return (Block(part) for part in parts)
