"""A real HTTP receiver on the loopback address, for webhooks."""

import ssl
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(frozen=True)
class Received:
    """One request as the receiver saw it."""

    path: str
    headers: Mapping[str, str]
    body: bytes


@dataclass
class Receiver:
    """What the receiver answers, and what it received. `silent` keeps every caller waiting."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b"ok"
    silent: bool = False
    received: list[Received] = field(default_factory=list)
    port: int = 0
    released: threading.Event = field(default_factory=threading.Event)

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.port}/hook"


@contextmanager
def receiving(receiver: Receiver, tls: ssl.SSLContext | None = None) -> Iterator[Receiver]:
    """Run the receiver until the block ends."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(receiver))
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    receiver.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield receiver
    finally:
        receiver.released.set()
        server.shutdown()
        thread.join()
        server.server_close()


def _handler(receiver: Receiver) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        headers: Message

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", "0")))
            lowered = {name.lower(): value for name, value in self.headers.items()}
            receiver.received.append(Received(self.path, lowered, body))
            if receiver.silent:
                receiver.released.wait()
                return
            self.send_response(receiver.status)
            for name, value in receiver.headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(receiver.body)))
            self.end_headers()
            self._write(receiver.body)

        def _write(self, body: bytes) -> None:
            try:
                self.wfile.write(body)
            except (BrokenPipeError, ConnectionResetError):
                return  # the caller had read enough

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's name
            """Keep the test's output clean."""

    return Handler
