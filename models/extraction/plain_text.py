"""Plain text to paragraphs."""

from collections.abc import Iterator

from models.extraction.content import Block, Kind
from models.extraction.encodings import clean
from models.extraction.reflow import BLANK_LINES
from models.extraction.wrapping import unwrapped, wrapping_of


def text_blocks(text: str, kind: Kind = Kind.PARAGRAPH) -> Iterator[Block]:
    """Cut at blank lines and join lines that were wrapped.

    Paragraphs without any blank line are cut at every line; a quote stays whole.
    """
    cleaned = clean(text).strip("\n")
    parts = BLANK_LINES.split(cleaned)
    if len(parts) == 1 and kind is Kind.PARAGRAPH:
        parts = cleaned.split("\n")
    wrapping = wrapping_of(cleaned)
    return (Block(unwrapped(part, wrapping), kind) for part in parts)
