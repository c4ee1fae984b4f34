"""What a reader of one kind of document returns: paragraphs with their places, and warnings."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from configs.errors import TooLargeError
from models.documents import BETWEEN_CELLS

MAX_PARAGRAPH_CHARS = 1200
_MAX_CHARS = 10_000_000
_MAX_PARAGRAPHS = 200_000
_TOO_LONG = "The document holds more than ten million characters, or 200,000 paragraphs. Split it."
_PAUSES = "、，,；; \n"
_SENTENCE = re.compile(r"[^.?!。？！]*(?:[.?!](?=\s|$)|[。？！]|$|[.?!])[”’」』)）]*\s*")


class Warned(StrEnum):
    """What was left out of a document, or may be wrong in it, by code."""

    PAGES_WITHOUT_TEXT = "pages_without_text"
    TEXT_RECOGNIZED = "text_recognized"
    UNREADABLE_CHARACTERS = "unreadable_characters"
    HIDDEN_TEXT = "hidden_text_left_out"
    STRUCK_TEXT = "struck_out_text_left_out"
    SPEAKER_NOTES = "speaker_notes_left_out"
    ATTACHMENTS = "attachments_not_read"
    EMBEDDED = "embedded_objects_not_read"
    REPEATED = "repeated_lines_read_once"


class Kind(StrEnum):
    """What a block is; its place says so.

    List items are paragraphs; the envelope of a mail is who wrote it, to whom and when.
    """

    PARAGRAPH = "paragraph"
    HEADING = "heading"
    ROW = "row"
    ENVELOPE = "envelope"
    QUOTE = "quote"
    SIGNATURE = "signature"


@dataclass(frozen=True)
class Block:
    """A piece of a document before it has a place."""

    text: str
    kind: Kind = Kind.PARAGRAPH


@dataclass(frozen=True)
class Paragraph:
    """A paragraph and its place, as `page 2, paragraph 3`; never words of the document."""

    text: str
    location: str


@dataclass(frozen=True)
class Content:
    """The paragraphs of a document in reading order, and what to know about them."""

    paragraphs: tuple[Paragraph, ...]
    warnings: tuple[Warned, ...] = ()


def heading_if(is_heading: bool) -> Kind:
    """Return the kind of a heading, or of a paragraph."""
    return Kind.HEADING if is_heading else Kind.PARAGRAPH


def raised(before: str, text: str) -> str:
    """Return raised text as it is written in a line: the 6 of 10^6, which is no 106.

    Args:
        before: what stands before it.
        text: what is raised.
    """
    return f"^{text}" if before[-1:].isalnum() and text[:1].isdigit() else text


def numbered(blocks: Iterable[Block], within: str = "") -> Iterator[Paragraph]:
    """Give blocks their places: each kind is counted apart, empty ones are dropped.

    Args:
        blocks: in the order of reading.
        within: the page or slide that they are on, as `page 2`.

    Raises:
        TooLargeError: as soon as they are beyond the limits (not retryable).
    """
    return within_limits(_numbered(blocks, within))


def within_limits(paragraphs: Iterable[Paragraph]) -> Iterator[Paragraph]:
    """Yield paragraphs while they are not more than a document may hold.

    Raises:
        TooLargeError: they are (not retryable).
    """
    chars = 0
    for count, paragraph in enumerate(paragraphs, start=1):
        chars += len(paragraph.text)
        if chars > _MAX_CHARS or count > _MAX_PARAGRAPHS:
            raise TooLargeError(_TOO_LONG)
        yield paragraph


def refuse_too_long(text: str) -> None:
    """Look at a text whose parser would take gigabytes for more than a document may hold.

    Raises:
        TooLargeError: it is longer, or of more lines with an empty one after each (not retryable).
    """
    if len(text) > _MAX_CHARS or text.count("\n") > 2 * _MAX_PARAGRAPHS:
        raise TooLargeError(_TOO_LONG)


def _numbered(blocks: Iterable[Block], within: str) -> Iterator[Paragraph]:
    counts: Counter[Kind] = Counter()
    for count, block in enumerate(blocks, start=1):
        if count > _MAX_PARAGRAPHS:  # empty ones cost time too
            raise TooLargeError(_TOO_LONG)
        text = block.text.strip()
        if text:
            counts[block.kind] += 1
            place = f"{block.kind} {counts[block.kind]}"
            yield from placed(text, f"{within}, {place}" if within else place)


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


def row(cells: Iterable[str]) -> Block:
    """Write a row of a table as one line."""
    written = (" ".join(cell.split()) for cell in cells)
    return Block(BETWEEN_CELLS.join(filter(None, written)), Kind.ROW)
