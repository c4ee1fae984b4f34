"""Lines of a page to paragraphs."""

import re
from collections.abc import Iterator
from functools import reduce

from models.extraction.encodings import EAST_ASIAN, clean

_SHORT_LINE_RATIO = 0.75
_HEADING_RATIO = 0.6
_FULL_RATIO = 0.85
BLANK_LINES = re.compile(r"\n\s*\n")
SENTENCE_END = re.compile(r"[.?!:。？！：][\"'”’」』)）]*$")
NEW_ITEM = re.compile(
    r"(?:[-*•・●◦‣▪]|\d{1,3}[.)．、]|[（(][\d一二三四五六七八九十]{1,3}[)）]|第[\d一二三四五六七八九十]+[条章節节]|[一二三四五六七八九十]{1,3}[、．])"
)
_LONG_WORD = re.compile(r"[\x21-\x7e]{12,}")
_EAST_ASIAN = re.compile(EAST_ASIAN)
_HYPHENS = ("\x02", "\ufffe")


def page_lines(text: str) -> list[str]:
    """Return the lines of a page, cleaned; words that a line end divides are whole."""
    for hyphen in _HYPHENS:
        # PDFium marks a word that a line end divides.
        text = text.replace(f"{hyphen}\r\n", "").replace(f"{hyphen}\n", "").replace(hyphen, "")
    return [line.strip() for line in clean(text).split("\n")]


def joined_paragraphs(text: str, width: int = 0) -> Iterator[str]:
    """Join the lines of a page to paragraphs.

    Args:
        text: the lines.
        width: of a full line in characters, where these lines may all be short.
    """
    lines = page_lines(text)
    width = max(width, *map(len, lines))
    paragraph = ""
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        if not line:
            continue
        paragraph = joined_line(paragraph, line)
        if _ends(line, following, width):
            yield paragraph
            paragraph = ""
    if paragraph:
        yield paragraph


def recognized_paragraphs(text: str) -> Iterator[str]:
    """Join recognized lines to paragraphs.

    An empty line divides paragraphs, or only lines that stand far apart. A full line that ends no
    sentence goes on over an empty one, and a short line at the beginning of a block is a heading.
    """
    blocks = [_lines(block) for block in BLANK_LINES.split(clean(text)) if block.strip()]
    widest = max((len(line) for block in blocks for line in block), default=0)
    paragraph = ""
    for block in blocks:
        while not paragraph and len(block) > 1 and len(block[0]) < _HEADING_RATIO * widest:
            yield block.pop(0)
        paragraph = reduce(joined_line, block, paragraph)
        if len(block[-1]) < _FULL_RATIO * widest or SENTENCE_END.search(paragraph):
            yield paragraph
            paragraph = ""
    if paragraph:
        yield paragraph


def _ends(line: str, following: str, width: int) -> bool:
    """A paragraph ends at a short line, and before an item of a list.

    A line is not short where it goes on with a small letter, or the next word did not fit.
    """
    if not following or NEW_ITEM.match(following):
        return True
    if line[-1].isalpha() and following[0].islower():
        return False
    long_word = _LONG_WORD.match(following)
    room = len(line) + (len(long_word.group()) + 1 if long_word else 0)
    short = room < _SHORT_LINE_RATIO * width
    return short or (bool(SENTENCE_END.search(line)) and len(line) < 0.9 * width)


def joined_line(paragraph: str, line: str) -> str:
    """Return a paragraph with its next line; Chinese and Japanese lines meet without a space."""
    if not paragraph:
        return line
    if paragraph.endswith("-") and line[:1].islower():
        return paragraph[:-1] + line
    if paragraph.endswith("-") and line[:1].isdigit():  # a number that a line end divides
        return paragraph + line
    return paragraph + ("" if meet_without_space(paragraph, line) else " ") + line


def meet_without_space(before: str, after: str) -> bool:
    """True where Chinese or Japanese goes on in the next line; neither may be empty."""
    return bool(_EAST_ASIAN.match(before[-1]) and _EAST_ASIAN.match(after[0]))


def _lines(block: str) -> list[str]:
    return [line.strip() for line in block.split("\n") if line.strip()]
