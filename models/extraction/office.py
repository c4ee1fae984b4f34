"""Office files are zip archives of XML: say what they hold, refuse what is dangerous in them.

The limits hold before anything is unpacked: zipfile never reads more of an entry than the archive
declares.
"""

import mmap
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from zipfile import BadZipFile, ZipFile, ZipInfo

from docx.exceptions import PythonDocxError
from lxml import etree
from pptx.exc import PythonPptxError

from configs.errors import (
    CorruptInputError,
    EncryptedInputError,
    TooLargeError,
    UnsupportedTypeError,
)

OLE_SIGNATURE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
ZIP_SIGNATURE = b"PK\x03\x04"
_TYPES = "[Content_Types].xml"
_WORD = b"wordprocessingml.document.main+xml"
_SLIDES = b"presentationml.presentation.main+xml"
_MACROS = (b"macroEnabled.main+xml", b"macroEnabled.12")
_SAVE_AS = "Save it as DOCX, PPTX or PDF and upload that."
_MAX_ENTRIES = 10_000
_MAX_UNPACKED_BYTES = 300 * 1024 * 1024
_MAX_XML_BYTES = 64 * 1024 * 1024
_HEAD_BYTES = 4096
_BEFORE_XML = b" \t\r\n\0\xef\xbb\xbf\xfe\xff"
_XML_STARTS = (b"<", b"\x4c\x6f\xa7\x94")  # the second is `<?xm` in EBCDIC
_DTD_MARKS = tuple(
    "<!DOCTYPE".encode(encoding)
    for encoding in ("ascii", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")
)
_ENCRYPTED = 1


def office_kind(path: Path) -> str | None:
    """Say whether a zip archive is a DOCX or a PPTX.

    Returns:
        `docx`, `pptx`, or None for an archive that is no Office file at all.

    Raises:
        UnsupportedTypeError: another Office file, or one with macros (not retryable).
        TooLargeError, CorruptInputError: not retryable.
    """
    with _opened(path) as archive:
        if "mimetype" in archive.namelist():  # OpenDocument, EPUB
            raise UnsupportedTypeError(f"This document format is not read. {_SAVE_AS}")
        if _TYPES not in archive.namelist():
            return None
        types = archive.read(_TYPES)
    if any(mark in types for mark in _MACROS):
        raise UnsupportedTypeError(f"The file holds macros, which are never opened. {_SAVE_AS}")
    if _WORD in types:
        return "docx"
    if _SLIDES in types:
        return "pptx"
    raise UnsupportedTypeError(f"This kind of Office file is not read. {_SAVE_AS}")


def refuse_ole(path: Path) -> None:
    """Say what is wrong with a file in Microsoft's old container format; none is ever opened.

    Raises:
        EncryptedInputError: a DOCX or PPTX with a password (not retryable).
        UnsupportedTypeError: DOC, PPT, XLS, MSG (not retryable).
    """
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        if data.find("EncryptedPackage".encode("utf-16-le")) >= 0:
            raise EncryptedInputError
    raise UnsupportedTypeError(f"Old Office files (DOC, PPT, XLS, MSG) are not read. {_SAVE_AS}")


@contextmanager
def readable_office(path: Path) -> Iterator[None]:
    """Check the archive, then turn whatever its parser stumbles over into one error.

    Raises:
        CorruptInputError: damaged, or XML with entities, which no Office program writes.
        EncryptedInputError: an entry has a password.
        TooLargeError: it unpacks to more than the limits. None is retryable.
    """
    with _opened(path) as archive:
        _refuse_entities(archive)
    try:
        yield
    except (
        *(AttributeError, LookupError, TypeError, ValueError, NotImplementedError),
        *(OSError, EOFError, RecursionError, BadZipFile, zlib.error, etree.LxmlError),
        *(PythonDocxError, PythonPptxError),
    ) as error:
        raise CorruptInputError from error


@contextmanager
def _opened(path: Path) -> Iterator[ZipFile]:
    try:
        with ZipFile(path) as archive:
            _refuse_bombs(archive)
            yield archive
    except (
        *(BadZipFile, zlib.error, EOFError, OSError, ValueError, LookupError),
        *(NotImplementedError, RuntimeError),
    ) as error:
        raise CorruptInputError from error


def _refuse_bombs(archive: ZipFile) -> None:
    entries = archive.infolist()
    if any(entry.flag_bits & _ENCRYPTED for entry in entries):
        raise EncryptedInputError
    many = len(entries) > _MAX_ENTRIES
    unpacked = sum(entry.file_size for entry in entries)
    xml = 0 if many else sum(e.file_size for e in entries if _may_be_xml(archive, e))
    if many or unpacked > _MAX_UNPACKED_BYTES or xml > _MAX_XML_BYTES:
        raise TooLargeError(
            "The document unpacks to more than 300 MiB, or 64 MiB of text. Split it, or leave out "
            "pictures and recordings.",
            {"unpacked_bytes": unpacked, "text_bytes": xml, "entries": len(entries)},
        )


def _refuse_entities(archive: ZipFile) -> None:
    for entry in archive.infolist():
        if _may_be_xml(archive, entry):
            data = archive.read(entry)
            if any(mark in data for mark in _DTD_MARKS):
                raise CorruptInputError("The document defines XML entities and was not read.")


def _may_be_xml(archive: ZipFile, entry: ZipInfo) -> bool:
    """Tell what a parser could read as XML: who refers to a part decides that, not its name."""
    with archive.open(entry) as file:
        head = file.read(_HEAD_BYTES).lstrip(_BEFORE_XML)
    return not head or head.startswith(_XML_STARTS)
