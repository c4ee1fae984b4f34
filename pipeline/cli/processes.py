"""Web and worker as child processes of one parent, and the web process itself."""

import ctypes
import os
import signal
import socket
import subprocess
import sys
import threading
from contextlib import ExitStack
from functools import partial
from types import FrameType, TracebackType
from typing import Self
from urllib.error import URLError
from urllib.request import urlopen

from configs.errors import AppError
from configs.settings import Settings, load_settings
from pipeline.cli.console import say
from pipeline.runtime import Runtime, open_runtime

WEB_APPLICATION = "review_ui.server:create"
_READY_S = 60.0
_STOP_S = 15.0
_POLL_S = 0.2
_RESTARTS = 5


class ServiceError(AppError):
    """A process of the application does not start."""

    code = "service.failed"


class Service:
    """The whole application while the block runs: stores in this process, web and worker beside it.

    A child that dies is started again; after several times in a row the service gives up. All of
    them end with this process, however it ends.
    """

    def __init__(
        self, host: str | None = None, port: int | None = None, *, any_port: bool = False
    ) -> None:
        """Decide where to listen; `any_port`: elsewhere, if the configured port is taken."""
        settings = load_settings()
        self.host = host or settings.web.host
        wanted = settings.web.port if port is None else port
        free = _bindable(self.host, wanted) or (_bindable(self.host, 0) if any_port else None)
        if free is None:
            raise ServiceError(f"Port {wanted} is taken; choose another with --port.")
        self.port = free
        self.settings = settings
        self._stop = threading.Event()
        self._stack = ExitStack()
        self._children: dict[str, subprocess.Popen[bytes]] = {}
        self._losses: dict[str, int] = {}

    @property
    def url(self) -> str:
        """Where the web listens."""
        return f"http://{_url_host(self.host)}:{self.port}"

    def __enter__(self) -> Self:
        """Start everything and wait until the web answers.

        Raises:
            ServiceError: a process does not start (not retryable).
        """
        signal.signal(signal.SIGTERM, _leave)
        try:
            self.runtime: Runtime = self._stack.enter_context(open_runtime(self.settings))
            self._stack.callback(self._stop_children)
            for name in ("web", "worker"):
                self._start(name)
            self._await_ready()
        except BaseException:
            self._stack.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop all that was started."""
        self._stack.close()

    def wait(self) -> None:
        """Look after the children until SIGINT or SIGTERM."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._on_signal)
        while not self._stop.wait(_POLL_S):
            self.look_after()

    def look_after(self) -> None:
        """Start again what has died.

        Raises:
            ServiceError: it died several times in a row (not retryable).
        """
        for name, child in list(self._children.items()):
            if child.poll() is None:
                continue
            self._losses[name] = self._losses.get(name, 0) + 1
            if self._losses[name] > _RESTARTS:
                raise ServiceError(
                    f"The {name} process ended {self._losses[name]} times; see above."
                )
            say(f"The {name} process ended ({child.returncode}); it is started again.")
            self._start(name)

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        self._stop.set()

    def _start(self, name: str) -> None:
        command = [sys.executable, "-m", "pipeline", name]
        if name == "web":
            command += ["--host", self.host, "--port", str(self.port)]
        self._children[name] = subprocess.Popen(  # noqa: S603 - our own command
            command,
            stdin=subprocess.DEVNULL,
            stdout=sys.stderr.fileno(),
            preexec_fn=partial(die_with_parent, os.getpid()),  # noqa: PLW1509 - one system call, nothing that locks
        )

    def _await_ready(self) -> None:
        for _ in range(int(_READY_S / _POLL_S)):
            if _answers(f"{self.url}/healthz"):
                return
            if self._children["web"].poll() is not None:
                break
            self._stop.wait(_POLL_S)
        raise ServiceError(f"The web process does not answer at {self.url}.")

    def _stop_children(self) -> None:
        for child in self._children.values():
            if child.poll() is None:
                child.send_signal(signal.SIGTERM)
        for child in self._children.values():
            try:
                child.wait(_STOP_S)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()


def _leave(number: int, _frame: FrameType | None) -> None:
    """End as after Ctrl-C: what was started is stopped first."""
    raise SystemExit(128 + number)


def run_web(host: str | None, port: int | None) -> None:
    """Serve the review UI and the API in this process until it is stopped."""
    import uvicorn

    settings: Settings = load_settings()
    uvicorn.run(
        WEB_APPLICATION,
        factory=True,
        host=host or settings.web.host,
        port=settings.web.port if port is None else port,
        log_config=None,  # its records go through ours
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=3,
    )


def die_with_parent(parent: int) -> None:
    """Ask the kernel to end this process when `parent` has gone, `kill -9` included (Linux).

    Source: prctl(2), PR_SET_PDEATHSIG = 1.
    """
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGTERM)


def _answers(url: str) -> bool:
    try:
        with urlopen(url, timeout=2) as answer:  # noqa: S310 - our own http address
            return bool(answer.status == 200)
    except (URLError, OSError):
        return False


def _bindable(host: str, port: int) -> int | None:
    """Return the port (0: a free one) if it can be listened on."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return None
        return int(probe.getsockname()[1])


def _url_host(host: str) -> str:
    shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, host)  # noqa: S104 - not bound here
    return f"[{shown}]" if ":" in shown and not shown.startswith("[") else shown
