"""Documents: take the text out of a file, paragraph by paragraph, each with its place."""

from pathlib import Path

from configs.errors import CorruptInputError, EmptyInputError, NotMediaError, TooLargeError
from models.documents import Segment, Transcript
from models.extraction.content import Content, numbered, within_limits
from models.extraction.encodings import decode_text
from models.extraction.kinds import DocumentKind, sniff
from models.extraction.mail import read_mail
from models.extraction.markdown import read_markdown
from models.extraction.pdf import read_pdf
from models.extraction.plain_text import text_blocks
from models.extraction.slides import read_slides
from models.extraction.web_page import read_web_page
from models.extraction.word import read_word
from models.languages import language_of_document

__all__ = ["DocumentKind", "extract", "sniff"]

_MAX_TEXT_BYTES = 50 * 1024 * 1024


def extract(path: Path, language: str | None = None, *, name: str = "") -> Transcript:
    """Take the text out of a document.

    Args:
        path: the file.
        language: its language, if known; it also helps to tell encodings apart.
        name: the name it was uploaded under, if known.

    Returns:
        A transcript of kind `document`: one segment a paragraph, with its place; `warnings` are
        those of `Warned`.

    Raises:
        EmptyInputError: no bytes, or no text in them. EncryptedInputError: a password is needed.
        CorruptInputError: damaged. UnsupportedTypeError: a scan and no text recognition, macros,
        an old format. NotMediaError: no document. TooLargeError: beyond the limits. None is
        retryable.
    """
    if path.stat().st_size == 0:
        raise EmptyInputError
    kind = sniff(path, name)
    if kind is None:
        raise NotMediaError
    content = _read(path, kind, language)
    if not content.paragraphs:
        raise EmptyInputError("The document holds no text.")
    paragraphs = tuple(within_limits(content.paragraphs))
    spoken = language or language_of_document(p.text for p in paragraphs)
    return Transcript(
        kind="document",
        language=spoken,
        duration_s=0.0,
        segments=tuple(
            Segment(id=i, start=0.0, end=0.0, text=p.text, language=spoken, location=p.location)
            for i, p in enumerate(paragraphs, start=1)
        ),
        warnings=content.warnings,
    )


def _read(path: Path, kind: DocumentKind, language: str | None) -> Content:
    if kind is DocumentKind.PDF:
        return read_pdf(path, language)
    if kind is DocumentKind.DOCX:
        return read_word(path)
    if kind is DocumentKind.PPTX:
        return read_slides(path)
    if path.stat().st_size > _MAX_TEXT_BYTES:
        raise TooLargeError("The text is larger than 50 MiB.")
    try:
        return _read_text(path.read_bytes(), kind, language)
    except UnicodeDecodeError as error:
        raise CorruptInputError("The text's encoding cannot be read.") from error


def _read_text(data: bytes, kind: DocumentKind, language: str | None) -> Content:
    if kind is DocumentKind.HTML:
        return read_web_page(data, language)
    if kind is DocumentKind.MAIL:
        return read_mail(data, language)
    text = decode_text(data, language)
    if kind is DocumentKind.MARKDOWN:
        return read_markdown(text)
    return Content(tuple(numbered(text_blocks(text))))
