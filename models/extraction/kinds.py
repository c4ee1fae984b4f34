"""Which kind of document a file is: its content decides, its name only tells texts apart."""

import re
from enum import StrEnum
from pathlib import Path

from models.extraction.encodings import looks_like_text
from models.extraction.mail import looks_like_mail
from models.extraction.office import OLE_SIGNATURE, ZIP_SIGNATURE, office_kind, refuse_ole
from models.media import has_signature

_HEAD_BYTES = 1024
_SAMPLE_BYTES = 1 << 16


class DocumentKind(StrEnum):
    """Kinds of documents that can be read."""

    PDF = "pdf"
    DOCX = "docx"
    PPTX = "pptx"
    HTML = "html"
    MAIL = "mail"
    MARKDOWN = "markdown"
    TEXT = "text"


_TEXT_SUFFIXES = {
    "": DocumentKind.TEXT,
    ".txt": DocumentKind.TEXT,
    ".text": DocumentKind.TEXT,
    ".md": DocumentKind.MARKDOWN,
    ".markdown": DocumentKind.MARKDOWN,
    ".mkd": DocumentKind.MARKDOWN,
    ".html": DocumentKind.HTML,
    ".htm": DocumentKind.HTML,
    ".xhtml": DocumentKind.HTML,
    ".eml": DocumentKind.MAIL,
}
_PAGE_START = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]{0,200}\?>\s*)?"
    rb"(?><!--.{0,500}?-->\s*)*"  # atomic: n comments would be read in 2 ** n ways
    rb"(?:<!doctype\s+html|<html[\s>])",
    re.IGNORECASE | re.DOTALL,
)
_WIDE = re.compile(rb"\A(?:\xff\xfe|\xfe\xff)")


def sniff(path: Path, name: str = "") -> DocumentKind | None:
    """Say which kind of document a file is, by its content.

    A page and an e-mail show what they are; of other texts the name tells Markdown from plain
    text, and text that calls itself something else (`.mp3`, `.csv`) is not taken for a document.

    Args:
        path: the file.
        name: the name it was uploaded under, if known.

    Returns:
        The kind; None for what is no document (a recording, an empty file, anything else).

    Raises:
        InputError: it is a document, but one that is not read: with a password, with macros, of an
            old or other format, damaged (not retryable).
    """
    with path.open("rb") as file:
        sample = file.read(_SAMPLE_BYTES)
    if b"%PDF-" in sample[:_HEAD_BYTES]:
        return DocumentKind.PDF
    if sample.startswith(ZIP_SIGNATURE):
        kind = office_kind(path)
        return None if kind is None else DocumentKind(kind)
    if sample.startswith(OLE_SIGNATURE):
        refuse_ole(path)
    if not sample or has_signature(sample) or not looks_like_text(sample):
        return None
    if _PAGE_START.match(_narrow(sample[:_HEAD_BYTES])):
        return DocumentKind.HTML
    if looks_like_mail(sample):
        return DocumentKind.MAIL
    return _TEXT_SUFFIXES.get(Path(name).suffix.lower())


def _narrow(head: bytes) -> bytes:
    """Make UTF-16 with a byte order mark comparable with ASCII."""
    return head[2:].replace(b"\0", b"") if _WIDE.match(head) else head
