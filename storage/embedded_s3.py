"""A real S3 server without any set-up: SeaweedFS, run as a child under the home folder.

Several processes of one installation share it. The one that holds the folder's lock runs the
server; the others wait for it and take over when that process dies. The server inherits the lock,
so that there are never two on one folder, and it ends with its parent.
"""

import fcntl
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Self

import structlog
from botocore.exceptions import BotoCoreError, ClientError

from configs.errors import AppError, StoreUnavailableError
from storage import weed, weed_child
from storage.compaction import reclaim
from storage.s3 import StoreConfig, create_client

_log = structlog.get_logger(__name__)

_START_TIMEOUT_S = 60.0
_STOP_TIMEOUT_S = 1.0
_LOOK_S = 0.2
_SLOWEST_RESTART_S = 5.0
_MAX_LOG_BYTES = 16 * 1024 * 1024


class EmbeddedS3:
    """The embedded store of an installation; start and stop it with the application."""

    def __init__(
        self, home: Path, *, bucket_prefix: str = "kikigaki", reclaim_every_s: float = 60.0
    ) -> None:
        """Keep the places; nothing is started yet.

        Args:
            home: the installation's home folder.
            bucket_prefix: what the buckets' names begin with.
            reclaim_every_s: how often the server is made to give back the bytes of what was
                deleted; until then they are unreachable and on the disk.
        """
        self._folder = home.resolve() / "s3"
        self._bucket_prefix = bucket_prefix
        self._reclaim_every_s = reclaim_every_s
        self._stopping = threading.Event()
        self._settled = threading.Event()  # ready, or failed for good
        self._failure: AppError | None = None
        self._installation: weed.Installation | None = None
        self._child: subprocess.Popen[bytes] | None = None
        self._threads: list[threading.Thread] = []

    def start(self) -> StoreConfig:
        """Start the server, or join the one that another process runs, and wait until it answers.

        Raises:
            StoreRefusedError: the program is not installed (not retryable).
            StoreUnavailableError: it does not answer in time; its log says why (retryable).
        """
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        # the kernel ties the server to the *thread* that starts it: always the first of these
        for work in (self._supervise, self._reclaim):
            thread = threading.Thread(target=work, name="embedded-s3", daemon=True)
            self._threads.append(thread)
            thread.start()
        is_settled = self._settled.wait(_START_TIMEOUT_S)
        if not is_settled or self._failure is not None:
            self.stop()
            raise self._failure or StoreUnavailableError(
                "The embedded object store did not start.", {"log": str(self._log_path)}
            )
        return self.config

    def stop(self) -> None:
        """Stop the server if this process runs it; stopping again changes nothing."""
        self._stopping.set()
        while self._threads:
            self._threads.pop().join(_STOP_TIMEOUT_S + 5)

    def __enter__(self) -> Self:
        """Start it."""
        self.start()
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        """Stop it."""
        self.stop()

    @property
    def config(self) -> StoreConfig:
        """How to reach it.

        Raises:
            StoreUnavailableError: it was not started (retryable).
        """
        if self._installation is None:
            raise StoreUnavailableError("The embedded object store is not started.")
        return _config_of(self._installation, self._bucket_prefix)

    @property
    def ports(self) -> weed.Ports:
        """All ports of the server.

        Raises:
            StoreUnavailableError: it was not started (retryable).
        """
        if self._installation is None:
            raise StoreUnavailableError("The embedded object store is not started.")
        return self._installation.ports

    @property
    def pid(self) -> int | None:
        """The server's process id, where this process runs it."""
        return None if self._child is None else self._child.pid

    @property
    def _log_path(self) -> Path:
        return self._folder / "weed.log"

    def _supervise(self) -> None:
        try:
            while not self._stopping.is_set():
                with _folder_lock(self._folder / "lock") as lock:
                    if lock is None:
                        self._join_other()
                    else:
                        self._run_until_stopped(lock)
        except AppError as error:
            self._failure = error
        except OSError as error:
            self._failure = StoreUnavailableError(
                "The embedded object store cannot use its folder.", {"reason": str(error.strerror)}
            )
        finally:
            self._settled.set()

    def _reclaim(self) -> None:
        """Keep what was deleted from staying on the disk, where this process runs the server."""
        while not self._stopping.wait(self._reclaim_every_s):
            if self._child is None:
                continue
            try:
                reclaim(self._folder)
            except AppError as error:  # it is starting again: the next time will do
                _log.info("embedded_store.not_reclaimed", code=error.code)

    def _join_other(self) -> None:
        """Use the server that another process runs, and look now and then whether it still does."""
        installation = weed.load(self._folder)
        if installation is not None and not self._settled.is_set() and _answers(installation):
            self._installation = installation
            self._settled.set()
        self._stopping.wait(_LOOK_S)

    def _run_until_stopped(self, lock: int) -> None:
        pause_s = 0.0
        while not self._stopping.wait(pause_s):
            was_ready = self._run_once(lock)
            pause_s = 0.0 if was_ready else min(pause_s * 2 + _LOOK_S, _SLOWEST_RESTART_S)

    def _run_once(self, lock: int) -> bool:
        """Run the server until it ends or is to stop; return whether it was ready meanwhile."""
        installation = weed.prepare(self._folder)
        self._child = self._spawn(installation, lock)
        is_ready = False
        try:
            while not self._stopping.is_set() and self._child.poll() is None:
                if not is_ready and _answers(installation):
                    is_ready = True
                    self._installation = installation
                    self._settled.set()
                self._stopping.wait(_LOOK_S)
        finally:
            _end(self._child)
        if not self._stopping.is_set():
            _log.warning("embedded_store.died", status=self._child.returncode, was_ready=is_ready)
        return is_ready

    def _spawn(self, installation: weed.Installation, lock: int) -> subprocess.Popen[bytes]:
        arguments = [
            sys.executable,
            "-IS",
            weed_child.__file__,
            str(os.getpid()),
            *weed.command(installation),
        ]
        is_long = self._log_path.exists() and self._log_path.stat().st_size > _MAX_LOG_BYTES
        with open(self._log_path, "wb" if is_long else "ab", opener=_private) as log:
            return subprocess.Popen(  # noqa: S603 - our own arguments
                arguments,
                cwd=self._folder,
                env=weed.environment(installation),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=(lock,),
                start_new_session=True,  # Ctrl-C is for us: we stop it in order
            )


def known_config(home: Path, *, bucket_prefix: str = "kikigaki") -> StoreConfig:
    """Return how to reach the store that another process of the installation runs.

    Raises:
        StoreUnavailableError: none has ever run (retryable).
    """
    installation = weed.load(home.resolve() / "s3")
    if installation is None:
        raise StoreUnavailableError("The embedded object store has not been started.")
    return _config_of(installation, bucket_prefix)


def _answers(installation: weed.Installation) -> bool:
    """Tell whether it serves these credentials: another server on the port would not."""
    try:
        socket.create_connection((weed.HOST, installation.ports.s3), timeout=1).close()
    except OSError:
        return False
    client = create_client(_config_of(installation, ""), tries=1)
    try:
        client.list_buckets()
    except (BotoCoreError, ClientError):
        return False
    finally:
        client.close()
    return True


def _config_of(installation: weed.Installation, bucket_prefix: str) -> StoreConfig:
    return StoreConfig(
        installation.endpoint_url,
        installation.access_key,
        installation.secret_key,
        bucket_prefix,
    )


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


@contextmanager
def _folder_lock(path: Path) -> Iterator[int | None]:
    """Yield the locked file's descriptor, or None where another process has it."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield None
        else:
            yield descriptor
    finally:
        os.close(descriptor)


def _end(child: subprocess.Popen[bytes]) -> None:
    """Ask the server to end, then make it end.

    Its volumes close at once, but its filer waits forever for a stream of its own. Killing it loses
    nothing that was acknowledged.
    """
    with suppress(ProcessLookupError):
        child.terminate()
    try:
        child.wait(_STOP_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
