"""The proxy leads through, cuts and refuses."""

import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress

import pytest

from tests.chaos.chance import drawn
from tests.chaos.proxy import Proxies


@contextmanager
def echoing() -> Iterator[int]:
    """Run a server that sends back what it gets; its port."""
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        threading.Thread(target=_serve, args=(server,), daemon=True).start()
        yield server.getsockname()[1]


def _serve(server: socket.socket) -> None:
    while True:
        try:
            connection, _ = server.accept()
        except OSError:  # closed: the test is over
            return
        threading.Thread(target=_echo, args=(connection,), daemon=True).start()


def _echo(connection: socket.socket) -> None:
    with closing(connection), suppress(ConnectionResetError):
        while data := connection.recv(1024):
            connection.sendall(data)


@pytest.fixture
def way() -> Iterator[tuple[Proxies, int]]:
    with echoing() as target, Proxies(drawn(1, "ports")) as proxies:
        yield proxies, proxies.add("way", target)


def said_back(connection: socket.socket) -> bytes:
    connection.sendall(b"hello")
    return connection.recv(1024)


def connected(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=10)


def received_from(port: int) -> bytes:
    with closing(connected(port)) as connection:
        return connection.recv(1024)


def test_proxy_when_it_accepts_then_leads_through(way: tuple[Proxies, int]) -> None:
    with closing(connected(way[1])) as connection:
        assert said_back(connection) == b"hello"


def test_proxy_when_cut_then_resets_what_is_open_and_accepts_anew(way: tuple[Proxies, int]) -> None:
    proxies, port = way
    with closing(connected(port)) as connection:
        assert said_back(connection) == b"hello"
        proxies.cut("way")
        with pytest.raises(ConnectionResetError):
            connection.recv(1024)
    with closing(connected(port)) as connection:
        assert said_back(connection) == b"hello"


def test_proxy_when_refusing_then_nobody_gets_in_until_it_accepts(
    way: tuple[Proxies, int],
) -> None:
    proxies, port = way
    proxies.refuse("way")
    with pytest.raises(ConnectionRefusedError):
        connected(port)
    proxies.accept("way")
    with closing(connected(port)) as connection:
        assert said_back(connection) == b"hello"


def test_proxy_when_the_server_is_away_then_resets(way: tuple[Proxies, int]) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        port = server.getsockname()[1]
    nowhere = way[0].add("nowhere", port)
    with pytest.raises(ConnectionResetError):  # when connecting, or with the first byte
        received_from(nowhere)
