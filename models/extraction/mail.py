"""E-mail to paragraphs: what a mail program shows when a message is opened.

Subject, sender, recipients and date, then the body. Attachments, forwarded messages among them, are
named and not read; nothing that a message links to is fetched.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from email import message_from_bytes
from email.errors import HeaderParseError
from email.header import decode_header
from email.message import Message
from email.policy import Compat32

from configs.errors import CorruptInputError, EncryptedInputError, TooLargeError
from models.extraction.content import Block, Content, Kind, Warned, numbered
from models.extraction.encodings import clean, decode_as, decode_text
from models.extraction.mail_body import body_blocks
from models.extraction.web_page import page_blocks

_SHOWN_HEADERS = ("From", "To", "Cc", "Date")
_MAX_HEADER_CHARS = 8000
_MAX_MULTIPARTS = 100
_MAX_PARTS = 2000
_HEADER_LINE = re.compile(rb"[!-9;-~]{1,76}:[ \t]?[^\r\n]*\r?\n(?:[ \t][^\r\n]*\r?\n)*")
_ROUTE_LINE = re.compile(rb"(?im)^(?:mime-version|message-id|received|return-path):")
_SENDER_LINE = re.compile(rb"(?im)^from:")
_BOUNDARY = re.compile(rb"(?i)boundary[\s*\d]{0,20}=")  # also in pieces, as RFC 2231 allows
_ENCRYPTED = frozenset({"multipart/encrypted", "application/pkcs7-mime"})
_SIGNED_ONLY = "signed-data"


def looks_like_mail(sample: bytes) -> bool:
    """True where a file begins with the header lines that only mail programs write."""
    position = 0
    while line := _HEADER_LINE.match(sample, position):
        position = line.end()
    head = sample[:position]
    return bool(_SENDER_LINE.search(head) and _ROUTE_LINE.search(head))


def read_mail(data: bytes, language: str | None = None) -> Content:
    """Read a message.

    Args:
        data: the whole file.
        language: `ja` or `zh` if known; it helps where no encoding is declared.

    Raises:
        EncryptedInputError: the body is encrypted. CorruptInputError: it cannot be taken apart.
        TooLargeError: more parts than any mail has. None is retryable.
        UnicodeDecodeError: no encoding fits.
    """
    if len(_BOUNDARY.findall(data)) > _MAX_MULTIPARTS:
        raise TooLargeError(f"The message has more than {_MAX_MULTIPARTS} parts within parts.")
    try:
        message = message_from_bytes(data, policy=_RawHeaders())
        mail = _Mail(language)
        mail.read(message)
    except (RecursionError, LookupError, ValueError, TypeError) as error:
        if isinstance(error, UnicodeDecodeError):
            raise
        raise CorruptInputError from error
    return Content(tuple(numbered(mail.blocks(message))), tuple(sorted(mail.warnings)))


class _RawHeaders(Compat32):
    """Headers as they were parsed: the usual policy puts U+FFFD for raw bytes in them."""

    def header_fetch_parse(self, name: str, value: str) -> str:  # noqa: ARG002 - the base's
        return value


@dataclass
class _Mail:
    """What has been found in a message so far."""

    language: str | None
    body: list[Block] = field(default_factory=list)
    attachments: list[str] = field(default_factory=list)
    warnings: set[Warned] = field(default_factory=set)
    parts: int = 0

    def read(self, part: Message) -> None:
        """Take a part, and the parts in it, into the body or among the attachments."""
        self.parts += 1
        if self.parts > _MAX_PARTS:
            raise TooLargeError(f"The message has more than {_MAX_PARTS} parts.")
        kind = part.get_content_type()
        if kind in _ENCRYPTED and part.get_param("smime-type") != _SIGNED_ONLY:
            raise EncryptedInputError(
                "The message is encrypted. Save it decrypted and upload that."
            )
        if kind == "multipart/alternative":
            self._read_best(_children(part))
        elif part.is_multipart() and part.get_content_maintype() == "multipart":
            for child in _children(part):
                self.read(child)
        elif kind in {"text/plain", "text/html"} and not _is_attached(part):
            self._read_text(part, kind)
        else:
            self._attach(part)

    def blocks(self, message: Message) -> Iterator[Block]:
        """Yield what a mail program shows above the body, the body, and names of attachments."""
        yield Block(_header(message.get("Subject")), Kind.HEADING)
        for name in _SHOWN_HEADERS:
            values = [_header(value) for value in message.get_all(name, [])]
            if any(values):
                yield Block(f"{name}: {', '.join(values)}", Kind.ENVELOPE)
        yield from self.body
        for attachment in self.attachments:
            yield Block(f"Attachment: {attachment}")

    def _read_best(self, forms: list[Message]) -> None:
        """Of several forms of one text show the last that has any, as mail programs do."""
        before = self.body
        best: list[Block] = []
        for form in forms:
            self.body = []
            self.read(form)
            best = self.body if any(block.text.strip() for block in self.body) else best
        self.body = [*before, *best]

    def _read_text(self, part: Message, kind: str) -> None:
        data = part.get_payload(decode=True)
        text = decode_as(data if isinstance(data, bytes) else b"", _charset(part), self.language)
        if kind == "text/plain":
            self.body += body_blocks(text)
            return
        blocks, warnings = page_blocks(text)
        self.body += blocks
        self.warnings.update(warnings)

    def _attach(self, part: Message) -> None:
        name = _header(part.get_filename())
        if part.get_content_maintype() == "message" and not name:
            name = part.get_content_type()
        if name:  # a picture within the text has none
            self.attachments.append(name)
            self.warnings.add(Warned.ATTACHMENTS)


def _children(part: Message) -> list[Message]:
    payload = part.get_payload()
    return (
        [child for child in payload if isinstance(child, Message)]
        if isinstance(payload, list)
        else []
    )


def _is_attached(part: Message) -> bool:
    return part.get_content_disposition() == "attachment" or part.get_filename() is not None


def _charset(part: Message) -> str | None:
    value = part.get_content_charset()
    return str(value) if value else None


def _header(value: object) -> str:
    """Decode a header's words; raw bytes in it are decoded as a text of unknown encoding."""
    text = str(value or "")[:_MAX_HEADER_CHARS]
    raw = text.encode("utf-8", "surrogateescape")
    try:
        if "\udc80" <= max(text, default="") <= "\udcff":
            return _one_line(decode_text(raw))
        words = decode_header(text)
        return _one_line(
            "".join(w if isinstance(w, str) else decode_as(w, charset) for w, charset in words)
        )
    except (HeaderParseError, ValueError):
        return _one_line(raw.decode("utf-8", "replace"))


def _one_line(text: str) -> str:
    return " ".join(clean(text).split())
