"""Lines of plain text that its program or writer wrapped, joined again.

A break in the middle of a sentence would make two half sentences of it. Line ends that mean
something (addresses, lists, verse) stay. Widths are in columns: Chinese and Japanese characters
take two.
"""

import re
from dataclasses import dataclass
from itertools import pairwise

from models.extraction.encodings import EAST_ASIAN
from models.extraction.reflow import NEW_ITEM, SENTENCE_END, meet_without_space

_NARROWEST, _WIDEST = 50, 100
_NEAR = 0.8
_MANY = 3
_PHRASE_RATIO = 0.6
"""Writers of Chinese and Japanese mail break at phrases, well before the margin."""
_EAST_ASIAN = re.compile(EAST_ASIAN)
_FIRST_WORD = re.compile(rf"{EAST_ASIAN}{{1,2}}|\S+")
_FIELD = re.compile(r"[^：:\s]{1,12}[：:]")


@dataclass(frozen=True)
class Wrapping:
    """How a text was wrapped: at which width, and whether so many lines show that it was."""

    width: int
    is_sure: bool


def wrapping_of(text: str) -> Wrapping | None:
    """Return how a text was wrapped; None where its lines are too short or too long for that."""
    lines = text.split("\n")
    if max(map(len, lines)) > _WIDEST:
        return None
    columns = [_columns(line.rstrip()) for line in lines]
    width = max(columns)
    if not _NARROWEST <= width <= _WIDEST:
        return None
    return Wrapping(width, sum(one >= _NEAR * width for one in columns) >= _MANY)


def unwrapped(paragraph: str, wrapping: Wrapping | None) -> str:
    """Join the lines of a paragraph that go on in the next one."""
    lines = [line.strip() for line in paragraph.split("\n")]
    if wrapping is None or len(lines) == 1:
        return paragraph
    text = lines[0]
    for before, line in pairwise(lines):
        text = flowed(text, line) if _goes_on(before, line, wrapping) else f"{text}\n{line}"
    return text


def flowed(text: str, line: str) -> str:
    """Return a text with its next line; Chinese and Japanese meet without a space."""
    if not text or not line:
        return text + line
    is_close = meet_without_space(text, line)
    is_compound = text.endswith("-") and line[0].islower()
    return text + ("" if is_close or is_compound or text.endswith("\n") else " ") + line


def _goes_on(before: str, line: str, wrapping: Wrapping) -> bool:
    first = _FIRST_WORD.match(line)
    if not before or first is None or NEW_ITEM.match(line) or _FIELD.match(line):
        return False
    if meet_without_space(before, line):
        is_long = _columns(before) >= _PHRASE_RATIO * wrapping.width
        return is_long and not SENTENCE_END.search(before)
    is_full = _columns(before) + 1 + _columns(first.group()) > wrapping.width
    return is_full and (wrapping.is_sure or line[0].islower())


def _columns(text: str) -> int:
    return len(text) + len(_EAST_ASIAN.findall(text))
