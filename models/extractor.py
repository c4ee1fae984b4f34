"""Documents: say what a file is by its content and take its text out, paragraph by paragraph."""

from enum import StrEnum
from pathlib import Path

from models.documents import Transcript


class DocumentKind(StrEnum):
    """Kinds of documents that can be read."""

    PDF = "pdf"
    TEXT = "text"
    MARKDOWN = "markdown"


def sniff(path: Path, name: str = "") -> DocumentKind | None:
    """Say which kind of document a file is, or None where it is none."""
    raise NotImplementedError


def extract(path: Path, language: str | None = None, *, name: str = "") -> Transcript:
    """Return a document's text as a transcript of kind `document`."""
    raise NotImplementedError
