"""Stored bytes as answers: whole or in part, with names that cannot break a header."""

import re
from collections.abc import Callable, Iterator
from urllib.parse import quote

from fastapi import Request
from fastapi.responses import Response, StreamingResponse

from storage.artifacts import ArtifactStore
from storage.refs import ArtifactRef

_RANGE = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})")
_JOINERS = "\u200d\ufe0f"  # parts of emoji
_WHOLE_BYTES = 8 * 1024 * 1024


def stored_file(
    request: Request,
    store: ArtifactStore,
    ref: ArtifactRef,
    *,
    media_type: str,
    download_name: str | None = None,
    headers: dict[str, str] | None = None,
) -> Response:
    """Answer with an artifact, or the part of it that the request asks for.

    Args:
        request: its `Range`, `If-Range` and `If-None-Match` are honoured.
        store: where the artifact is.
        ref: which bytes.
        media_type: what they are.
        download_name: the name to save it under; None shows it in the browser.
        headers: more headers.

    Raises:
        IntegrityError: other bytes than recorded, or none (not retryable).
        StoreUnavailableError: the store did not answer (retryable).
    """
    tag = f'"{ref.sha256}"'
    known = {"ETag": tag, "Accept-Ranges": "bytes", "Cache-Control": "private, no-cache"}
    if download_name is not None:
        known["Content-Disposition"] = content_disposition(download_name)
    known |= headers or {}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=known)
    part = requested_range(request, ref.bytes, tag)
    if part == (0, 0):
        return Response(status_code=416, headers={**known, "Content-Range": f"bytes */{ref.bytes}"})
    if part is not None:
        return _partial(request, store, ref, part, media_type, known)
    return _whole(request, store, ref, media_type, known)


def requested_range(request: Request, size: int, tag: str) -> tuple[int, int] | None:
    """Return `[start, end)`, None for the whole, or `(0, 0)` where it cannot be satisfied.

    Several ranges, other units and malformed ones are answered with the whole, as RFC 9110 allows.
    """
    match = _RANGE.fullmatch(request.headers.get("range", "").strip())
    if match is None or match.groups() == ("", ""):
        return None
    if request.headers.get("if-range", tag) != tag:
        return None
    first, last = match.groups()
    if not first:
        start, end = max(0, size - int(last)), size
        return (start, end) if int(last) and size else (0, 0)
    start, end = int(first), min(int(last) + 1, size) if last else size
    if last and int(last) < start:
        return None
    return (start, end) if start < size else (0, 0)


def content_disposition(name: str, kind: str = "attachment") -> str:
    """Return the header for a file name that may hold anything (RFC 6266).

    Old readers get ASCII without quotes and separators, the others the whole name as `filename*`;
    nobody gets a control character.
    """
    name = "".join(c if c.isprintable() or c in _JOINERS else "_" for c in name)
    plain = "".join(c if c.isascii() and (c.isalnum() or c in "._- ()") else "_" for c in name)
    encoded = quote(name, safe="")
    return f"{kind}; filename=\"{plain.strip() or 'file'}\"; filename*=UTF-8''{encoded}"


def _partial(
    request: Request,
    store: ArtifactStore,
    ref: ArtifactRef,
    part: tuple[int, int],
    media_type: str,
    headers: dict[str, str],
) -> Response:
    start, end = part
    headers = {
        **headers,
        "Content-Range": f"bytes {start}-{end - 1}/{ref.bytes}",
        "Content-Length": str(end - start),
    }
    blocks = _blocks(request, lambda: store.open_range(ref, start, end))
    return StreamingResponse(blocks, 206, headers, media_type)


def _whole(
    request: Request,
    store: ArtifactStore,
    ref: ArtifactRef,
    media_type: str,
    headers: dict[str, str],
) -> Response:
    """Small files are verified before the first byte is sent, larger ones while they are sent."""
    headers = {**headers, "Content-Length": str(ref.bytes)}
    if ref.bytes <= _WHOLE_BYTES and request.method != "HEAD":
        return Response(store.read_bytes(ref), 200, headers, media_type)
    return StreamingResponse(
        _blocks(request, lambda: store.read_blocks(ref)), 200, headers, media_type
    )


def _blocks(request: Request, read: Callable[[], Iterator[bytes]]) -> Iterator[bytes]:
    return iter(()) if request.method == "HEAD" else read()
