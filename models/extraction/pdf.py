"""PDF by PDFium: the text of its pages; text recognition for those that are pictures."""

import math
from collections.abc import Iterator
from pathlib import Path
from subprocess import TimeoutExpired

import pypdfium2
from PIL import Image

from configs.clock import monotonic_s
from configs.errors import (
    CorruptInputError,
    EncryptedInputError,
    NoTextLayerError,
    TooLargeError,
)
from models.extraction.content import Block, Content, Paragraph, Warned, numbered
from models.extraction.ocr import Recognizer
from models.extraction.pdf_headings import body_type, page_blocks
from models.extraction.pdf_margins import Margins, margins_of
from models.extraction.pdf_page import PageText, read_page
from models.extraction.reflow import recognized_paragraphs

_MAX_PAGES = 2000
_MAX_RECOGNITION_S = 15 * 60.0
"""Less than the step may take."""
_WRONG_PASSWORD = 4
_POINTS_PER_INCH = 72
_DOTS_PER_INCH = 300
_MAX_PIXELS = 25_000_000
_SCAN = (
    "The PDF holds pictures only (a scan without text layer), and this installation has no text "
    "recognition. Run text recognition on it first, or ask the operator to install Tesseract."
)
_NOTHING_RECOGNIZED = "The PDF holds pictures only, and no text was recognized in them."
_TOO_LONG = "The scan takes longer than 15 minutes to recognize. Split it."


def read_pdf(path: Path, language: str | None = None) -> Content:
    """Read a PDF.

    Args:
        path: the file; an empty password is tried.
        language: its language, if known; it steers text recognition.

    Raises:
        EncryptedInputError: a password is needed (not retryable).
        CorruptInputError: damaged (not retryable).
        TooLargeError: more than 2000 pages, or 15 minutes of text recognition (not retryable).
        NoTextLayerError: pictures only, and no text recognition or nothing recognized (not
            retryable).
    """
    try:
        with pypdfium2.PdfDocument(path) as document:
            if len(document) > _MAX_PAGES:
                raise TooLargeError(f"The PDF has more than {_MAX_PAGES} pages.")
            pages = [read_page(document, number) for number in range(len(document))]
            scans = {number for number, page in enumerate(pages) if page.is_picture}
            recognized = _recognized(document, scans, language) if scans else {}
    except pypdfium2.PdfiumError as error:
        if getattr(error, "err_code", None) == _WRONG_PASSWORD:
            raise EncryptedInputError from error
        raise CorruptInputError from error
    margins = margins_of([page.lines for page in pages])
    paragraphs = tuple(_located(pages, recognized, margins))
    if scans and not paragraphs:
        raise NoTextLayerError(_NOTHING_RECOGNIZED if recognized else _SCAN)
    return Content(paragraphs, tuple(_warnings(pages, recognized, margins)))


def _located(
    pages: list[PageText], recognized: dict[int, str], margins: Margins
) -> Iterator[Paragraph]:
    yield from (Paragraph(text, "header") for text in margins.headers)
    bodies = [margins.without(number, page.lines) for number, page in enumerate(pages)]
    body = body_type(line for lines in bodies for line in lines)
    for number, lines in enumerate(bodies):
        blocks = page_blocks(lines, body)
        if number in recognized:
            blocks = map(Block, recognized_paragraphs(recognized[number]))
        yield from numbered(blocks, f"page {number + 1}")
    yield from (Paragraph(text, "footer") for text in margins.footers)


def _warnings(
    pages: list[PageText], recognized: dict[int, str], margins: Margins
) -> Iterator[Warned]:
    texts = [recognized.get(number, page.text) for number, page in enumerate(pages)]
    if any(page.has_hidden for page in pages):
        yield Warned.HIDDEN_TEXT
    if margins.places:
        yield Warned.REPEATED
    if any(not text.strip() for text in texts) or any(
        page.is_picture and number not in recognized for number, page in enumerate(pages)
    ):
        yield Warned.PAGES_WITHOUT_TEXT
    if recognized:
        yield Warned.TEXT_RECOGNIZED
    if any(page.has_unreadable for page in pages):
        yield Warned.UNREADABLE_CHARACTERS


def _recognized(
    document: pypdfium2.PdfDocument, scans: set[int], language: str | None
) -> dict[int, str]:
    """Recognize the pages that are pictures; none where this installation cannot."""
    recognizer = Recognizer()
    if not recognizer.is_available:
        return {}
    ends = monotonic_s() + _MAX_RECOGNITION_S
    found = {}
    for number in sorted(scans):
        try:
            picture, left_s = _picture(document, number), ends - monotonic_s()
            found[number] = recognizer.recognize(picture, language, left_s)
        except TimeoutExpired as error:
            raise TooLargeError(_TOO_LONG) from error
    return found


def _picture(document: pypdfium2.PdfDocument, number: int) -> Image.Image:
    page = document[number]
    try:
        width, height = page.get_size()
        most = math.sqrt(_MAX_PIXELS / max(width * height, 1.0))
        scale = min(_DOTS_PER_INCH / _POINTS_PER_INCH, most)
        picture: Image.Image = page.render(scale=scale, grayscale=True).to_pil()
        return picture
    finally:
        page.close()
