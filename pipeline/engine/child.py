"""The child process of a resource slot: prepared once, then one call after the other.

It dies with its parent, whatever way the parent dies, and it knows no database: it returns bytes.
"""

import asyncio
import contextlib
import ctypes
import inspect
import json
import os
import signal
import sys
from collections.abc import Awaitable
from multiprocessing.connection import Connection
from typing import Any

from pipeline.engine import codec

READY, FAILED, RESULT, ERROR = b"ready", b"failed", b"result", b"error"
_PR_SET_PDEATHSIG = 1


def serve(connection: Connection, parent: int, resource: str, setup: str | None) -> None:
    """Prepare this process, then answer calls until the parent closes the connection."""
    _die_with(parent)
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what a library prints is no result
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the group; the parent decides
    try:
        if setup is not None:
            codec.resolve(setup)(resource)
    except BaseException as error:  # noqa: BLE001 - the parent is told, whatever it was
        _send(connection, FAILED, codec.encode_error(error))
        return
    _send(connection, READY, "")
    with contextlib.suppress(EOFError, OSError):
        while True:
            call = json.loads(connection.recv_bytes())
            kind, text = _answer(call)
            _send(connection, kind, text)


def _die_with(parent: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # it died before the line above
        os._exit(1)


def _answer(call: dict[str, Any]) -> tuple[bytes, str]:
    try:
        function = codec.decode_call(call)
        value = function()
        if inspect.isawaitable(value):
            value = asyncio.run(_awaited(value))
        return RESULT, codec.encode(value, codec.result_type(function))
    except Exception as error:  # noqa: BLE001 - a step may raise anything
        return ERROR, codec.encode_error(error)


async def _awaited(value: Awaitable[object]) -> object:
    return await value


def _send(connection: Connection, kind: bytes, text: str) -> None:
    connection.send_bytes(kind + b"\n" + text.encode())
