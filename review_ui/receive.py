"""Takes an upload from the network to a temporary file, block by block.

Written for this because a framework's form parser keeps every file of a form open in the system's
temporary folder and knows no limit before the end: here the file goes straight to the folder that
the operator chose, is counted on the way, and is gone when the request is over.
"""

import tempfile
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from fastapi import Request
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.concurrency import run_in_threadpool

from configs.errors import InputError, TooLargeError

PREFIX = "upload-"
MAX_FIELD_BYTES = 64 * 1024
_MAX_PARTS = 200
_WRITE_BYTES = 1024 * 1024
_ESCAPED = {"%0A": "\n", "%0D": "\r", "%22": '"'}


@dataclass(frozen=True)
class ReceivedFile:
    """A file of a form; `name` is what the browser called it."""

    name: str
    path: Path
    bytes: int


@dataclass
class ReceivedForm:
    """A whole form: its fields (the last of a name counts) and its files, in order."""

    fields: dict[str, str] = field(default_factory=dict)
    files: list[ReceivedFile] = field(default_factory=list)


@dataclass
class _Part:
    name: str = ""
    file_name: str | None = None
    data: bytearray = field(default_factory=bytearray)
    file: IO[bytes] | None = None
    size: int = 0


@asynccontextmanager
async def received_form(
    request: Request, folder: Path, max_file_bytes: int
) -> AsyncIterator[ReceivedForm]:
    """Receive a `multipart/form-data` body; its files exist until the block ends.

    Args:
        request: not read yet.
        folder: where the files are put.
        max_file_bytes: of one file.

    Raises:
        InputError: the body is no such form (not retryable).
        TooLargeError: a file is larger than the limit (not retryable).
    """
    announced = request.headers.get("content-length", "")
    if announced.isdecimal() and int(announced) > max_file_bytes * _MAX_PARTS:
        raise TooLargeError(details={"max_bytes": max_file_bytes})
    with ExitStack() as stack:
        receiver = _Receiver(stack, folder, max_file_bytes)
        try:
            parser = receiver.parser(request.headers.get("content-type", ""))
            async for block in request.stream():
                parser.write(block)
                if receiver.pending_bytes >= _WRITE_BYTES:
                    await run_in_threadpool(receiver.flush)
            parser.finalize()
        except FormParserError:
            raise InputError("The upload broke off or is no form. Upload the file again.") from None
        await run_in_threadpool(receiver.finish)
        yield receiver.form


class _Receiver:
    """Follows the parser; bytes of files wait in `_pending` until they are written."""

    def __init__(self, stack: ExitStack, folder: Path, max_file_bytes: int) -> None:
        self.form = ReceivedForm()
        self.pending_bytes = 0
        self._stack = stack
        self._folder = folder
        self._limit = max_file_bytes
        self._pending: list[tuple[IO[bytes], bytes]] = []
        self._opened: list[IO[bytes]] = []
        self._part = _Part()
        self._header_name = b""
        self._header_value = b""
        self._disposition = b""
        self._parts = 0

    def parser(self, content_type: str) -> MultipartParser:
        kind, options = parse_options_header(content_type)
        boundary = options.get(b"boundary")
        if kind != b"multipart/form-data" or not boundary:
            raise InputError("Send the file as multipart/form-data in the field `file`.")
        return MultipartParser(
            boundary,
            {
                "on_part_begin": self._begin,
                "on_header_field": self._header_field,
                "on_header_value": self._header_text,
                "on_header_end": self._header_end,
                "on_headers_finished": self._headers_finished,
                "on_part_data": self._data,
                "on_part_end": self._end,
            },
        )

    def flush(self) -> None:
        """Write what has arrived."""
        for file, data in self._pending:
            file.write(data)
        self._pending.clear()
        self.pending_bytes = 0

    def finish(self) -> None:
        """Write the rest and let readers of the paths see it."""
        self.flush()
        for file in self._opened:
            file.flush()

    def _begin(self) -> None:
        self._parts += 1
        if self._parts > _MAX_PARTS:
            raise InputError("The form has too many parts; upload fewer files at once.")
        self._part = _Part()
        self._disposition = self._header_name = self._header_value = b""

    def _header_field(self, data: bytes, start: int, end: int) -> None:
        self._header_name += data[start:end]

    def _header_text(self, data: bytes, start: int, end: int) -> None:
        self._header_value += data[start:end]

    def _header_end(self) -> None:
        if self._header_name.lower() == b"content-disposition":
            self._disposition = self._header_value
        self._header_name = self._header_value = b""

    def _headers_finished(self) -> None:
        _, options = parse_options_header(self._disposition)
        self._part.name = _decoded(options.get(b"name", b""))
        if b"filename" in options:
            self._part.file_name = _decoded(options[b"filename"])
            self._part.file = self._stack.enter_context(
                tempfile.NamedTemporaryFile(dir=self._folder, prefix=PREFIX)  # noqa: SIM115 - the stack closes it
            )
            self._opened.append(self._part.file)

    def _data(self, data: bytes, start: int, end: int) -> None:
        part = self._part
        part.size += end - start
        if part.file is None:
            if part.size > MAX_FIELD_BYTES:
                raise InputError(f"The field {part.name[:40]!r} is too long.")
            part.data += data[start:end]
            return
        if part.size > self._limit:
            raise TooLargeError(details={"max_bytes": self._limit})
        self._pending.append((part.file, data[start:end]))
        self.pending_bytes += end - start

    def _end(self) -> None:
        part = self._part
        if part.file is None:
            self.form.fields[part.name] = part.data.decode("utf-8", "replace")
        elif part.file_name or part.size:  # a file field left empty has neither
            path = Path(part.file.name)
            self.form.files.append(ReceivedFile(part.file_name or "unnamed", path, part.size))


def _decoded(name: bytes) -> str:
    """Return a name of a part as it was before the browser wrote it into the header.

    Browsers escape these three characters, and nothing else: not the percent sign either.
    Source: HTML Standard, "Multipart form data", escape a multipart/form-data name.
    """
    text = name.decode("utf-8", "replace")
    for escaped, character in _ESCAPED.items():
        text = text.replace(escaped, character)
    return text
