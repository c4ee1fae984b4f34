"""What a reader of one kind of document returns: paragraphs with their places, and warnings."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

MAX_PARAGRAPH_CHARS = 1200
_PAUSES = "、，,；; \n"
_SENTENCE = re.compile(r"[^.?!。？！]*(?:[.?!](?=\s|$)|[。？！]|$|[.?!])[”’」』)）]*\s*")


class Warned(StrEnum):
    """What was left out of a document, or may be wrong in it, by code."""

    PAGES_WITHOUT_TEXT = "pages_without_text"
    TEXT_RECOGNIZED = "text_recognized"
    UNREADABLE_CHARACTERS = "unreadable_characters"
    HIDDEN_TEXT = "hidden_text_left_out"
    SPEAKER_NOTES = "speaker_notes_left_out"
    ATTACHMENTS = "attachments_not_read"
    EMBEDDED = "embedded_objects_not_read"


@dataclass(frozen=True)
class Block:
    """A paragraph, heading, list item or table row before it has a place."""

    text: str
    is_heading: bool = False


@dataclass(frozen=True)
class Paragraph:
    """A paragraph and its place, as `paragraph 3` or `page 2`; never words of the document."""

    text: str
    location: str


@dataclass(frozen=True)
class Content:
    """The paragraphs of a document in reading order, and what to know about them."""

    paragraphs: tuple[Paragraph, ...]
    warnings: tuple[Warned, ...] = ()


def numbered(blocks: Iterable[Block]) -> Iterator[Paragraph]:
    """Give blocks their places: headings and paragraphs are counted apart, empty ones dropped."""
    counts = {True: 0, False: 0}
    for block in blocks:
        text = block.text.strip()
        if not text:
            continue
        counts[block.is_heading] += 1
        name = "heading" if block.is_heading else "paragraph"
        yield from placed(text, f"{name} {counts[block.is_heading]}")


def placed(text: str, location: str) -> Iterator[Paragraph]:
    """Yield one paragraph, or several with the same place where it is very long."""
    for part in short_parts(text):
        yield Paragraph(part, location)


def short_parts(text: str) -> Iterator[str]:
    """Cut a very long paragraph between sentences, so that a citation points at something."""
    if len(text) <= MAX_PARAGRAPH_CHARS:
        yield text
        return
    part = ""
    for piece in _pieces(text):
        if part and len(part) + len(piece) > MAX_PARAGRAPH_CHARS:
            yield part.strip()
            part = ""
        part += piece
    if part.strip():
        yield part.strip()


def _pieces(text: str) -> Iterator[str]:
    """Yield sentences; one that is too long is cut at a comma or space, or anywhere."""
    for sentence in _SENTENCE.findall(text):
        start = 0
        while len(sentence) - start > MAX_PARAGRAPH_CHARS:
            window = sentence[start : start + MAX_PARAGRAPH_CHARS]
            pauses = [window.rfind(mark) for mark in _PAUSES]
            cut = max(pauses) + 1 if max(pauses) > MAX_PARAGRAPH_CHARS // 2 else len(window)
            yield window[:cut]
            start += cut
        yield sentence[start:]


def row(cells: Iterable[str]) -> str:
    """Write a row of a table as one line."""
    return " | ".join(" ".join(cell.split()) for cell in cells if cell.strip())
