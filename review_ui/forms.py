"""Ordinary forms: read once, with limits, and paths one may be sent back to."""

from typing import Annotated

from fastapi import Depends, Request
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MAX_FORM_BYTES = 8 * 1024 * 1024
_MAX_FIELDS = 5000
_MOST_DIGITS = 10
_UPLOADS = frozenset({"/upload", "/api/v1/runs"})


async def read_form(request: Request) -> FormData:
    """Return the fields of a form; files are refused."""
    return await request.form(max_files=0, max_fields=_MAX_FIELDS)


FormDep = Annotated[FormData, Depends(read_form)]


def text(data: FormData, name: str, limit: int = 10_000) -> str:
    """Return a field of a form, empty where it is missing."""
    return str(data.get(name, ""))[:limit]


def whole_number(value: str) -> int | None:
    """Return a number as forms and addresses write it, None for anything else."""
    return int(value) if value.isdecimal() and len(value) < _MOST_DIGITS else None


def local_path(value: str | None) -> str:
    """Return a path on this site, `/` for anything that would lead elsewhere."""
    path = value or "/"
    is_local = path.startswith("/") and not path.startswith(("//", "/\\")) and path.isprintable()
    return path if is_local else "/"


class BodyLimit:
    """Refuses bodies that are larger than a form can be; uploads have their own limit."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, counting what arrives."""
        if scope["type"] != "http" or scope["path"] in _UPLOADS:
            return await self._app(scope, receive, send)
        received = 0

        async def counted() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > MAX_FORM_BYTES:
                raise HTTPException(413)
            return message

        return await self._app(scope, counted, send)
