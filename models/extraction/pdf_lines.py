"""The lines of a PDF page with their type: how large, how bold, how high on the page."""

import ctypes
import math
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import pypdfium2
import pypdfium2.raw as pdfium

_BOLD = re.compile(r"bold|heavy|black|demi", re.IGNORECASE)
_SIGNS = re.compile(r"\W+")
_NAME_BYTES = 100
_CELL_GAP = 0.7
"""Wider than any space between words, in sizes of the type."""


@dataclass(frozen=True)
class Type:
    """How a line is set: its size in points, and whether all of it is bold.

    `baseline` is where it stands in points, `height` the same with 0 at the foot of the page and 1
    at its head; `is_row` says that wide gaps divide it, as cells of a table are.
    """

    size: float
    is_bold: bool
    baseline: float
    height: float
    is_row: bool = False


@dataclass(frozen=True)
class Line:
    """A line of a page; its type is not known where the page was put into another order."""

    text: str
    type: Type | None = None


def typed_lines(text: str, page: pypdfium2.PdfPage, text_page: pypdfium2.PdfTextPage) -> list[Line]:
    """Find the type of each line of a page.

    Args:
        text: the page's text in the order of reading.
        page: the page; on a turned one heights would mean nothing, so no types are given.
        text_page: its text, in the order of drawing.
    """
    lines = text.replace("\r\n", "\n").split("\n")
    if page.get_rotation():
        return [Line(line) for line in lines]
    types: dict[str, list[Type]] = defaultdict(list)
    for line, found in _types(page, text_page):
        types[_key(line)].append(found)
    return [
        Line(line, types[_key(line)].pop(0) if types.get(_key(line)) else None) for line in lines
    ]


def _key(line: str) -> str:
    """Return its letters and digits: signs for bullets and divided words differ."""
    return _SIGNS.sub("", line)


def _types(page: pypdfium2.PdfPage, text_page: pypdfium2.PdfTextPage) -> Iterator[tuple[str, Type]]:
    drawn = str(text_page.get_text_range())
    if len(drawn) != text_page.count_chars():
        return
    _, foot, _, head = page.get_bbox()
    for match in re.finditer(r"[^\r\n]+", drawn):
        text = match.group().rstrip()
        first, last = match.end() - len(match.group().lstrip()), match.start() + len(text) - 1
        if first > last:
            continue
        size = min(_size(text_page, first), _size(text_page, last))
        is_bold = _is_bold(text_page, first) and _is_bold(text_page, last)
        baseline = _baseline(text_page, first)
        height = (baseline - foot) / max(head - foot, 1.0)
        is_row = is_bold and _has_gap(text_page, drawn, first, last, size)
        yield text, Type(size, is_bold, baseline, height, is_row)


def _size(text_page: pypdfium2.PdfTextPage, index: int) -> float:
    matrix = pdfium.FS_MATRIX()
    pdfium.FPDFText_GetMatrix(text_page, index, matrix)
    return float(pdfium.FPDFText_GetFontSize(text_page, index)) * math.hypot(matrix.c, matrix.d)


def _is_bold(text_page: pypdfium2.PdfTextPage, index: int) -> bool:
    name = ctypes.create_string_buffer(_NAME_BYTES)
    pdfium.FPDFText_GetFontInfo(text_page, index, name, _NAME_BYTES, None)
    return bool(_BOLD.search(name.value.decode("utf-8", "replace")))


def _baseline(text_page: pypdfium2.PdfTextPage, index: int) -> float:
    x, y = ctypes.c_double(), ctypes.c_double()
    pdfium.FPDFText_GetCharOrigin(text_page, index, x, y)
    return y.value


def _has_gap(
    text_page: pypdfium2.PdfTextPage, drawn: str, first: int, last: int, size: float
) -> bool:
    for space in re.finditer(r" +", drawn[first:last]):
        before = text_page.get_charbox(first + space.start() - 1)
        after = text_page.get_charbox(first + space.end())
        if after[0] - before[2] > _CELL_GAP * size:
            return True
    return False
