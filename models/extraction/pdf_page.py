"""One page of a PDF: what is seen on it as text, and whether that can be all."""

import re
from dataclasses import dataclass

import pypdfium2
import pypdfium2.raw as pdfium

from models.extraction.pdf_colours import drowned_texts
from models.extraction.pdf_layout import reordered, with_ligatures_in_order
from models.extraction.pdf_lines import Line, typed_lines

_INVISIBLE = 3
_SCAN_RATIO = 0.5
_FEW_CHARS = 50
_GARBLED_RATIO = 0.1
_SYMBOLS = re.compile("[\uf020-\uf0ff]")
"""Bullets and arrows of symbol fonts."""
_UNREADABLE = re.compile("[\0\ufffd\ue000-\uf8ff]")
"""A ligature or letter of a font that does not tell what it stands for."""


@dataclass(frozen=True)
class PageText:
    """The lines of a page, none where it cannot be read.

    `is_picture` says that the page holds hardly any readable text but something to see: a scan.
    """

    lines: tuple[Line, ...]
    is_picture: bool
    has_hidden: bool
    has_unreadable: bool

    @property
    def text(self) -> str:
        """All of it."""
        return "\n".join(line.text for line in self.lines)


def read_page(document: pypdfium2.PdfDocument, number: int) -> PageText:
    """Read a page, `number` from 0.

    Filled forms and remarks written on the page are read with it, pop-up comments are not.
    Invisible text is read only over a picture of the page, where it is the recognized text.

    Raises:
        pypdfium2.PdfiumError: the page is damaged.
    """
    page = document[number]
    if pdfium.FPDFPage_GetAnnotCount(page) > 0:
        pdfium.FPDFPage_Flatten(page, pdfium.FLAT_NORMALDISPLAY)
        page.close()
        page = document[number]
    try:
        return _read(page)
    finally:
        page.close()


def _read(page: pypdfium2.PdfPage) -> PageText:
    is_scan = _picture_ratio(page) >= _SCAN_RATIO
    has_hidden = not is_scan and _remove_invisible(page)
    text_page = page.get_textpage()
    try:
        drawn = str(text_page.get_text_bounded())
        text = reordered(text_page, page.get_width()) or with_ligatures_in_order(text_page, drawn)
        text = _SYMBOLS.sub("•", text)
        lines = [Line(text)] if is_scan else typed_lines(text, page, text_page)
    finally:
        text_page.close()
    unreadable, length = len(_UNREADABLE.findall(text)), len("".join(text.split()))
    is_garbled = unreadable > _GARBLED_RATIO * length
    has_ink = pdfium.FPDFPage_CountObjects(page) > 0
    return PageText(
        lines=() if is_garbled else tuple(lines),
        is_picture=has_ink and (not length or is_garbled or (is_scan and length < _FEW_CHARS)),
        has_hidden=has_hidden,
        has_unreadable=unreadable > 0,
    )


def _picture_ratio(page: pypdfium2.PdfPage) -> float:
    """Return how much of the page its largest picture covers."""
    width, height = page.get_size()
    areas = [0.0]
    for picture in page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_IMAGE]):
        left, bottom, right, top = picture.get_bounds()
        areas.append((right - left) * (top - bottom))
    return float(max(areas) / max(width * height, 1.0))


def _remove_invisible(page: pypdfium2.PdfPage) -> bool:
    """Take invisible text off the page; return whether there was any."""
    hidden = [
        text
        for text in page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_TEXT])
        if pdfium.FPDFTextObj_GetTextRenderMode(text) == _INVISIBLE
    ]
    hidden += drowned_texts(page, hidden)
    for text in hidden:
        if text.container is None:
            page.remove_obj(text)
        else:
            pdfium.FPDFFormObj_RemoveObject(text.container, text)
    return bool(hidden)
