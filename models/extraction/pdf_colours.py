"""Text of a PDF page in the colour of what is behind it, or before it: nobody sees it."""

import ctypes
import math
from collections.abc import Sequence

import numpy as np
import pypdfium2
import pypdfium2.raw as pdfium
from numpy.typing import NDArray

_LIGHT = 200
_ALIKE = 10
"""Shades, of 255, that no eye tells apart."""
_LEAST_SIDE = 8.0
"""Of a shape as high as a word, in points."""
_FILLS = frozenset({0, 2, 4, 6})
"""The modes of drawing text in which its inside is painted."""


def drowned_texts(
    page: pypdfium2.PdfPage, known: Sequence[pypdfium2.PdfObject]
) -> list[pypdfium2.PdfObject]:
    """Return texts of which nothing stands out where they are drawn.

    The page is looked at as it is seen, so light letters on a dark shape stay, and dark ones under
    one do not. Only pages with light letters or with shapes cost that look. Texts within forms and
    on turned pages are not judged.

    Args:
        page: the page.
        known: texts that are hidden anyway.
    """
    texts = [
        text
        for text in page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_TEXT], max_depth=1)
        if text not in known and pdfium.FPDFTextObj_GetTextRenderMode(text) in _FILLS
    ]
    colours = [_colour(text) for text in texts]
    is_plain = all(max(colour) < _LIGHT for colour in colours) and not _has_shapes(page)
    if is_plain or page.get_rotation():
        return []
    seen = page.render(scale=1, may_draw_forms=False, rev_byteorder=True).to_numpy()
    left, _, _, top = page.get_bbox()
    return [
        text
        for text, colour in zip(texts, colours, strict=True)
        if _is_drowned(seen, _box(text, left, top), colour)
    ]


def _has_shapes(page: pypdfium2.PdfPage) -> bool:
    """True where something on the page could lie behind a word, or before it."""
    for shape in page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_PATH, pdfium.FPDF_PAGEOBJ_IMAGE]):
        left, bottom, right, top = shape.get_bounds()
        if min(right - left, top - bottom) >= _LEAST_SIDE:
            return True
    return False


def _colour(text: pypdfium2.PdfObject) -> tuple[int, int, int]:
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    pdfium.FPDFPageObj_GetFillColor(text, red, green, blue, alpha)
    return red.value, green.value, blue.value


def _box(text: pypdfium2.PdfObject, left: float, top: float) -> tuple[int, int, int, int]:
    """Return the pixels that it is on: from and to row, from and to column."""
    box = text.get_bounds()
    rows = math.floor(top - box[3]), math.ceil(top - box[1])
    return *rows, math.floor(box[0] - left), math.ceil(box[2] - left)


def _is_drowned(
    seen: NDArray[np.uint8], box: tuple[int, int, int, int], colour: tuple[int, int, int]
) -> bool:
    """True where all that is seen there has the text's own colour.

    Letters that this machine has no font for leave their place empty, but in another colour.
    """
    place = seen[max(box[0], 0) : max(box[1], 0), max(box[2], 0) : max(box[3], 0), :3]
    if not place.size:
        return False
    return bool(np.all(np.abs(place.astype(np.int16) - np.array(colour)) <= _ALIKE))
