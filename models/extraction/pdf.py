"""Text of PDF files by PDFium: pages to lines, lines to paragraphs."""

import re
from collections.abc import Iterator
from pathlib import Path

import pypdfium2

from configs.errors import (
    CorruptInputError,
    EncryptedInputError,
    TooLargeError,
    UnsupportedTypeError,
)
from models.extraction.content import Content, Warned, placed
from models.extraction.encodings import clean

_MAX_PAGES = 2000
_WRONG_PASSWORD = 4
_SHORT_LINE_RATIO = 0.75
_SENTENCE_END = re.compile(r"[.?!:。？！：][\"'”’」』)）]*$")
_NEW_ITEM = re.compile(
    r"(?:[-*•・●◦‣▪]|\d{1,3}[.)．、]|[（(][\d一二三四五六七八九十]{1,3}[)）]|第[\d一二三四五六七八九十]+[条章節节]|[一二三四五六七八九十]{1,3}[、．])"
)
_EAST_ASIAN = re.compile(r"[\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]")
_SCAN = "The PDF holds pictures only (a scan without text layer). Run text recognition on it first."
_HYPHENS = ("\x02", "\ufffe")


def read_pdf(path: Path) -> Content:
    """Read a PDF.

    Args:
        path: the file; an empty password is tried.

    Raises:
        EncryptedInputError: a password is needed (not retryable).
        CorruptInputError: damaged (not retryable).
        TooLargeError: more than 2000 pages (not retryable).
        UnsupportedTypeError: no page has text (not retryable).
    """
    try:
        with pypdfium2.PdfDocument(path) as document:
            if len(document) > _MAX_PAGES:
                raise TooLargeError(f"The PDF has more than {_MAX_PAGES} pages.")
            pages = [_page_text(document, number) for number in range(len(document))]
    except pypdfium2.PdfiumError as error:
        if getattr(error, "err_code", None) == _WRONG_PASSWORD:
            raise EncryptedInputError from error
        raise CorruptInputError from error
    paragraphs = tuple(
        part
        for number, text in enumerate(pages, start=1)
        for paragraph in _paragraphs(text)
        for part in placed(paragraph, f"page {number}")
    )
    if not paragraphs:
        raise UnsupportedTypeError(_SCAN)
    blank = any(not text.strip() for text in pages)
    return Content(paragraphs, (Warned.PAGES_WITHOUT_TEXT,) if blank else ())


def _page_text(document: pypdfium2.PdfDocument, number: int) -> str:
    page = document[number]
    try:
        text_page = page.get_textpage()
        try:
            return str(text_page.get_text_bounded())
        finally:
            text_page.close()
    finally:
        page.close()


def _paragraphs(text: str) -> Iterator[str]:
    for hyphen in _HYPHENS:
        # PDFium marks a word that a line end divides.
        text = text.replace(f"{hyphen}\r\n", "").replace(f"{hyphen}\n", "").replace(hyphen, "")
    lines = [line.strip() for line in clean(text).split("\n")]
    width = max((len(line) for line in lines), default=0)
    paragraph = ""
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        if not line:
            continue
        paragraph = _joined(paragraph, line)
        if _ends(line, following, width):
            yield paragraph
            paragraph = ""
    if paragraph:
        yield paragraph


def _ends(line: str, following: str, width: int) -> bool:
    """A paragraph ends at a short line, and before an item of a list."""
    if not following or _NEW_ITEM.match(following):
        return True
    short = len(line) < _SHORT_LINE_RATIO * width
    return short or (bool(_SENTENCE_END.search(line)) and len(line) < 0.9 * width)


def _joined(paragraph: str, line: str) -> str:
    if not paragraph:
        return line
    if paragraph.endswith("-") and line[:1].islower():
        return paragraph[:-1] + line
    east_asian = _EAST_ASIAN.match(paragraph[-1]) and _EAST_ASIAN.match(line[0])
    return paragraph + ("" if east_asian else " ") + line
