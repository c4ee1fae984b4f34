"""A TCP proxy of ours between a process and its servers: it can cut, and refuse, connections."""

import asyncio
import contextlib
import socket
import struct
import threading
from collections.abc import Coroutine
from contextlib import closing
from typing import Self

from tests.chaos.chance import Chance

_HOST = "127.0.0.1"
_PORTS = range(20_000, 32_000)  # below the ports that the system gives to those who connect
_TRIES = 100


class _Pipe(asyncio.Protocol):
    """One end of a connection; what arrives goes to the other end."""

    def __init__(self, opened: "set[asyncio.BaseTransport]") -> None:
        self._opened = opened
        self.other: asyncio.Transport | None = None
        self.transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self._opened.add(transport)

    def data_received(self, data: bytes) -> None:
        if self.other is not None:
            self.other.write(data)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - the base's name
        if self.transport is not None:
            self._opened.discard(self.transport)
        if self.other is not None:
            self.other.close()


class _Entrance(_Pipe):
    """The end that faces whoever connects; it opens the other end, and reads when that is open."""

    def __init__(self, opened: "set[asyncio.BaseTransport]", target: int) -> None:
        super().__init__(opened)
        self._target = target
        self._opening: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        if self.transport is not None:
            self.transport.pause_reading()
        self._opening = asyncio.get_running_loop().create_task(self._open())

    async def _open(self) -> None:
        transport = self.transport
        if transport is None:
            return
        exit_ = _Pipe(self._opened)
        try:
            loop = asyncio.get_running_loop()
            await loop.create_connection(lambda: exit_, _HOST, self._target)
        except OSError:  # the server is away: so are we
            _reset(transport)
            return
        if transport.is_closing():
            if exit_.transport is not None:
                exit_.transport.abort()
            return
        exit_.other, self.other = transport, exit_.transport
        transport.resume_reading()


class Proxy:
    """One port of ours that leads to one port of a server."""

    def __init__(self, target: int, port: int) -> None:
        self.target, self.port = target, port
        self._server: asyncio.Server | None = None
        self._opened: set[asyncio.BaseTransport] = set()

    async def accept(self) -> None:
        """Listen; whoever connects is led on."""
        if self._server is None:
            loop = asyncio.get_running_loop()
            self._server = await loop.create_server(
                lambda: _Entrance(self._opened, self.target), _HOST, self.port
            )

    async def cut(self) -> None:
        """Reset all connections; new ones are accepted."""
        for transport in list(self._opened):
            _reset(transport)

    async def refuse(self) -> None:
        """Reset all connections and refuse new ones until `accept`."""
        server, self._server = self._server, None
        if server is not None:
            server.close()
        await self.cut()


class Proxies:
    """All proxies of a run, in a thread with an event loop of its own."""

    def __init__(self, chance: Chance) -> None:
        self._chance = chance
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="chaos-proxies")
        self._proxies: dict[str, Proxy] = {}

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        for name in self._proxies:
            self.refuse(name)
        self._run(asyncio.sleep(0.1))  # what was aborted is closed in the next rounds
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def add(self, name: str, target: int) -> int:
        """Make a proxy to a server's port; return its own."""
        proxy = self._proxies[name] = Proxy(target, _free_port(self._chance))
        self._run(proxy.accept())
        return proxy.port

    def accept(self, name: str) -> None:
        """Let connections through again."""
        self._run(self._proxies[name].accept())

    def cut(self, name: str) -> None:
        """Reset what is connected."""
        self._run(self._proxies[name].cut())

    def refuse(self, name: str) -> None:
        """Reset what is connected and refuse all new connections."""
        self._run(self._proxies[name].refuse())

    def _run(self, work: Coroutine[object, object, None]) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(timeout=30)


def _reset(transport: asyncio.BaseTransport) -> None:
    """Close a connection by a reset, as of a process that is gone: nothing is sent on."""
    at_once = struct.pack("ii", 1, 0)
    with contextlib.suppress(OSError):  # it is being closed
        transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, at_once)
    assert isinstance(transport, asyncio.Transport)
    transport.abort()


def _free_port(chance: Chance) -> int:
    for _ in range(_TRIES):
        port = chance.choice(_PORTS)
        with closing(socket.socket()) as probe, contextlib.suppress(OSError):
            probe.bind((_HOST, port))
            return port
    raise AssertionError("there is no free port")
