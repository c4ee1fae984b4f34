"""Documents: say what a file is by its content and take its text out, paragraph by paragraph.

Plain text in any usual encoding, Markdown and PDF with a text layer.
"""

from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path

from configs.errors import (
    CorruptInputError,
    EmptyInputError,
    NotMediaError,
    TooLargeError,
    UnsupportedTypeError,
)
from models.documents import Segment, Transcript
from models.languages import language_of_document
from models.markdown import markdown_paragraphs
from models.media import has_signature
from models.pdf import pdf_paragraphs
from models.plain_text import Paragraph, decode_text, looks_like_text, text_paragraphs

_HEAD_BYTES = 1024
_SAMPLE_BYTES = 1 << 16
_MAX_TEXT_BYTES = 50 * 1024 * 1024
_MARKDOWN_SUFFIXES = frozenset({".md", ".markdown", ".mkd"})
_TEXT_SUFFIXES = frozenset({"", ".txt", ".text"}) | _MARKDOWN_SUFFIXES


class DocumentKind(StrEnum):
    """Kinds of documents that can be read."""

    PDF = "pdf"
    TEXT = "text"
    MARKDOWN = "markdown"


def sniff(path: Path, name: str = "") -> DocumentKind | None:
    """Say which kind of document a file is, by its content.

    Text has no signature, so for text alone the name has a say: it tells Markdown from plain text,
    and text that calls itself something else (`.mp3`, `.html`) is not taken for a document.

    Args:
        path: the file.
        name: the name it was uploaded under, if known.

    Returns:
        The kind; None for what is no document (a recording, an empty file, anything else).
    """
    with path.open("rb") as file:
        sample = file.read(_SAMPLE_BYTES)
    if b"%PDF-" in sample[:_HEAD_BYTES]:
        return DocumentKind.PDF
    suffix = Path(name).suffix.lower()
    if not sample or has_signature(sample) or suffix not in _TEXT_SUFFIXES:
        return None
    if not looks_like_text(sample):
        return None
    return DocumentKind.MARKDOWN if suffix in _MARKDOWN_SUFFIXES else DocumentKind.TEXT


def extract(path: Path, language: str | None = None, *, name: str = "") -> Transcript:
    """Take the text out of a document.

    Args:
        path: the file.
        language: its language, if known; it also helps to tell encodings apart.
        name: the name it was uploaded under, if known.

    Returns:
        A transcript of kind `document`: one segment a paragraph, with its place.

    Raises:
        EmptyInputError: no bytes, or no text in them. EncryptedInputError: a password is needed.
        CorruptInputError: damaged. UnsupportedTypeError: a PDF without text layer (a scan).
        NotMediaError: no document. TooLargeError: beyond the limits. None is retryable.
    """
    if path.stat().st_size == 0:
        raise EmptyInputError
    kind = sniff(path, name)
    if kind is None:
        raise NotMediaError
    paragraphs, warnings = _paragraphs(path, kind, language)
    segments = tuple(
        Segment(id=i, start=0.0, end=0.0, text=p.text, location=p.location)
        for i, p in enumerate(paragraphs, start=1)
    )
    if not segments:
        raise EmptyInputError("The document holds no text.")
    spoken = language or language_of_document(segment.text for segment in segments)
    return Transcript(
        kind="document",
        language=spoken,
        duration_s=0.0,
        segments=tuple(s.model_copy(update={"language": spoken}) for s in segments),
        warnings=warnings,
    )


def _paragraphs(
    path: Path, kind: DocumentKind, language: str | None
) -> tuple[list[Paragraph], tuple[str, ...]]:
    if kind is DocumentKind.PDF:
        paragraphs, blank_pages = pdf_paragraphs(path)
        if not paragraphs:
            raise UnsupportedTypeError(
                "The PDF holds pictures only (a scan without text layer). Run text recognition "
                "on it first."
            )
        return paragraphs, ("pages_without_text",) if blank_pages else ()
    if path.stat().st_size > _MAX_TEXT_BYTES:
        raise TooLargeError("The text is larger than 50 MiB.")
    try:
        text = decode_text(path.read_bytes(), language)
    except UnicodeDecodeError as error:
        raise CorruptInputError("The text's encoding cannot be read.") from error
    split = markdown_paragraphs if kind is DocumentKind.MARKDOWN else text_paragraphs
    return list(_not_empty(split(text))), ()


def _not_empty(paragraphs: Iterator[Paragraph]) -> Iterator[Paragraph]:
    return (paragraph for paragraph in paragraphs if paragraph.text)
