"""Reading order of PDF pages whose text is not stored in it.

PDFium gives text in the order of drawing. That is the order of reading for almost every file; it is
not where a program draws two columns line by line, or the columns of vertical Japanese from the
left.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import pypdfium2

from models.extraction.encodings import EAST_ASIAN

_LEAST_LINES = 4
_VERTICAL_RATIO = 2.0
_LEAST_COLUMN_CHARS = 15.0
_CENTRE = (0.3, 0.7)
_EAST_ASIAN = re.compile(EAST_ASIAN)
_ALEF_LAM = re.compile("[\u0622\u0623\u0625\u0627]\u0644")
_SAME_LINE_RATIO = 0.5
_MOST_LINES = 3000


@dataclass(frozen=True)
class _Line:
    """A stretch of text that was drawn in one go; y grows upwards."""

    left: float
    bottom: float
    right: float
    top: float
    text: str


def reordered(text_page: pypdfium2.PdfTextPage, page_width: float) -> str | None:
    """Return the page's text in the order of reading where drawing has another, else None."""
    count = text_page.count_rects()
    if not _LEAST_LINES <= count <= _MOST_LINES:
        return None
    boxes = [text_page.get_rect(i) for i in range(count)]
    tall = [top - bottom > _VERTICAL_RATIO * (right - left) for left, bottom, right, top in boxes]
    if sum(tall) > count / 2:
        return _vertical(_read(text_page, boxes))
    gutter = _gutter(boxes, page_width)
    if gutter is None:
        return None
    lines = _read(text_page, boxes)
    return _joined(_by_column(lines, gutter)) if _is_interleaved(lines, gutter) else None


def with_ligatures_in_order(text_page: pypdfium2.PdfTextPage, text: str) -> str:
    """Put the letters of Arabic lam-alef in order: PDFium turns the two of one sign around.

    Args:
        text_page: the page.
        text: its whole text as PDFium gives it; any other is returned as it is.
    """
    pairs = [found.start() for found in _ALEF_LAM.finditer(text)]
    if not pairs or len(text) != text_page.count_chars() or text_page.get_text_range() != text:
        return text
    letters = list(text)
    for i in pairs:
        if text_page.get_charbox(i, loose=True) == text_page.get_charbox(i + 1, loose=True):
            letters[i], letters[i + 1] = letters[i + 1], letters[i]
    return "".join(letters)


def _read(
    text_page: pypdfium2.PdfTextPage, boxes: Sequence[tuple[float, float, float, float]]
) -> list[_Line]:
    lines = (_Line(*box, text=str(text_page.get_text_bounded(*box)).strip()) for box in boxes)
    return [line for line in lines if line.text]


def _vertical(lines: Sequence[_Line]) -> str | None:
    """Read columns from the right, tier by tier; Latin text that is only turned stays as it is."""
    letters = "".join(line.text for line in lines)
    if len(_EAST_ASIAN.findall(letters)) < len(letters) / 2:
        return None
    tiers: list[list[_Line]] = []
    lowest = 0.0
    for line in sorted(lines, key=lambda line: -line.top):
        if not tiers or line.top < lowest:
            tiers.append([])
            lowest = line.bottom
        tiers[-1].append(line)
        lowest = min(lowest, line.bottom)
    columns = (sorted(tier, key=lambda line: (-round(line.right), -line.top)) for tier in tiers)
    return "\n".join(line.text for tier in columns for line in tier)


def _gutter(boxes: Sequence[tuple[float, float, float, float]], page_width: float) -> float | None:
    """Return the middle of the widest empty strip near the page's centre that lines keep clear of.

    Lines wider than half of the page run over both columns and are passed over.
    """
    narrow = sorted((b[0], b[2]) for b in boxes if b[2] - b[0] < page_width / 2)
    reach = 0.0
    widest, middle = 0.0, None
    for left, right in narrow:
        centre = (reach + left) / 2
        if left - reach > widest and _CENTRE[0] < centre / page_width < _CENTRE[1]:
            widest, middle = left - reach, centre
        reach = max(reach, right)
    return middle


def _is_interleaved(lines: Sequence[_Line], gutter: float) -> bool:
    """True where prose on both sides is drawn in turns; rows of a table are short and stay rows."""
    sides = [side for line in lines if (side := _side(line, gutter))]
    for side in (-1, 1):
        own = [line.text for line in lines if _side(line, gutter) == side]
        if len(own) < _LEAST_LINES or sum(map(len, own)) < _LEAST_COLUMN_CHARS * len(own):
            return False
    return sum(a != b for a, b in pairwise(sides)) > len(sides) / 2


def _by_column(lines: Sequence[_Line], gutter: float) -> list[_Line]:
    """Order from the top; between lines over both columns the left one comes first."""
    ordered: list[_Line] = []
    band: list[_Line] = []
    for line in sorted(lines, key=lambda line: -line.top):
        if _side(line, gutter):
            band.append(line)
        else:
            ordered += [*sorted(band, key=lambda one: _side(one, gutter)), line]
            band = []
    return [*ordered, *sorted(band, key=lambda one: _side(one, gutter))]


def _side(line: _Line, gutter: float) -> int:
    """Return -1 left of the gutter, 1 right of it, 0 over it."""
    return (line.left > gutter) - (line.right < gutter)


def _joined(lines: Sequence[_Line]) -> str:
    """Write one line a line; stretches at the same height go on with a space."""
    text = ""
    for before, line in zip([None, *lines], lines, strict=False):
        follows = before is not None and (
            abs(before.bottom - line.bottom) < _SAME_LINE_RATIO * (line.top - line.bottom)
            and line.left >= before.right
        )
        text += (" " if follows else "\n" if before else "") + line.text
    return text
