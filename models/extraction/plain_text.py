"""Plain text to paragraphs."""

from collections.abc import Iterator

from models.extraction.content import Block, Kind
from models.extraction.encodings import clean
from models.extraction.reflow import BLANK_LINES
from models.extraction.wrapping import unwrapped, wrapping_of


def text_blocks(text: str, kind: Kind = Kind.PARAGRAPH) -> Iterator[Block]:
    """Join lines that were wrapped and cut at blank lines.

    Paragraphs without any blank line are cut at every line that is left; a quote stays whole.
    """
    cleaned = clean(text).strip("\n")
    wrapping = wrapping_of(cleaned)
    parts = [unwrapped(part, wrapping) for part in BLANK_LINES.split(cleaned)]
    if len(parts) == 1 and kind is Kind.PARAGRAPH:
        parts = parts[0].split("\n")
    return (Block(part, kind) for part in parts)
