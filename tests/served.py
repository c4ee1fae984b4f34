"""An application behind a real socket, in this process so that tests can look at its rows."""

import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager

import uvicorn
from starlette.types import ASGIApp


@contextmanager
def served(app: ASGIApp) -> Iterator[str]:
    """Serve on a free port of the loopback and yield the address."""
    with closing(socket.socket()) as listener:
        listener.bind(("127.0.0.1", 0))
        settings = uvicorn.Config(
            app, log_level="warning", timeout_graceful_shutdown=1, lifespan="off"
        )
        server = uvicorn.Server(settings)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()
