"""Memory of the web process while a large recording streams in."""

import http.client
import os
import re
import shutil
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.request import urlopen

from pipeline.cli.processes import die_with_parent
from storage import users
from storage.database import create_database, transaction
from storage.statuses import Role
from tests.bench.processes import peak_bytes, reset_peak, resident_bytes
from tests.bench.report import Row, Section
from tests.waiting import wait_until

_MIB = 1024 * 1024
_GOAL_MIB = 150
_DISK_FACTOR = 3  # the upload's file, the store's copy, and room to breathe
_BOUNDARY = "kikigaki-bench"
_TIMEOUT_S = 1800


def measure(upload_bytes: int) -> Section:
    """Send a recording of that size to a web process of its own, by the API's form."""
    with TemporaryDirectory(prefix="kikigaki-bench-") as name:
        home = Path(name)
        free = shutil.disk_usage(home).free
        assert free > _DISK_FACTOR * upload_bytes, f"{free // _MIB} MiB free are too few"
        with _web(home) as (pid, port):
            token, idle = _new_token(home), resident_bytes(pid)
            reset_peak(pid)
            status = _send(port, token, upload_bytes)
            above = peak_bytes(pid) - idle
    row = Row(
        f"web process above idle, {upload_bytes // _MIB} MiB uploaded",
        f"{above / _MIB:.0f} MiB",
        f"{upload_bytes // _MIB} MiB (the body)",
        above / upload_bytes,
        f"under {_GOAL_MIB} MiB",
        above < _GOAL_MIB * _MIB,
    )
    answer = re.sub(r"^2.*", r"\g<0>, accepted: hashed, probed and put into the store", str(status))
    return Section(
        "Memory of an upload",
        [row],
        [
            f"idle: {idle / _MIB:.0f} MiB, read once the server answers; the peak is the kernel's.",
            f"the answer to the upload: {answer}.",
        ],
    )


@contextmanager
def _web(home: Path) -> Iterator[tuple[int, int]]:
    """Run the real web process on a free port of this machine."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    process = subprocess.Popen(
        [sys.executable, "-m", "pipeline", "web", "--port", str(port)],
        env={**os.environ, "KIKIGAKI_HOME": str(home)},
        preexec_fn=partial(die_with_parent, os.getpid()),  # noqa: PLW1509 - one system call
    )
    try:
        wait_until(lambda: _answers(port), "the web process")
        yield process.pid, port
    finally:
        process.terminate()
        process.wait(60)


def _answers(port: int) -> bool:
    try:
        with urlopen(f"http://127.0.0.1:{port}/healthz", timeout=5) as answer:
            return bool(answer.status == http.HTTPStatus.OK)
    except OSError:
        return False


def _new_token(home: Path) -> str:
    database = create_database(f"sqlite:///{home / 'kikigaki.sqlite'}")
    with transaction(database) as session:
        user = users.create_user(session, "uploader", Role.UPLOADER)
        _, secret = users.create_token(session, user.id, "bench")
    database.dispose()
    return secret


def _send(port: int, token: str, size: int) -> int:
    head = (
        f'--{_BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="long.wav"\r\n'
        "Content-Type: audio/wav\r\n\r\n"
    ).encode()
    tail = f"\r\n--{_BOUNDARY}--\r\n".encode()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_TIMEOUT_S)
    headers = {
        "Authorization": f"Bearer {token}",
        "Content-Type": f"multipart/form-data; boundary={_BOUNDARY}",
        "Content-Length": str(len(head) + size + len(tail)),
    }
    connection.request("POST", "/api/v1/runs", _body(head, size, tail), headers)
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status


def _body(head: bytes, size: int, tail: bytes) -> Iterator[bytes]:
    """Yield a form with one file: a WAV header and noise."""
    header = _wav_header(size)
    yield head + header
    noise, left = os.urandom(_MIB), size - len(header)
    while left > 0:
        yield noise[:left]
        left -= len(noise)
    yield tail


def _wav_header(size: int) -> bytes:
    """Return the header of 16-bit stereo at 48 kHz in a file of that size."""
    rate, frame = 48_000, 4
    form = struct.pack("<4sIHHIIHH", b"fmt ", 16, 1, 2, rate, rate * frame, frame, 16)
    header = struct.pack("<4sI4s", b"RIFF", size - 8, b"WAVE") + form
    return header + struct.pack("<4sI", b"data", size - len(header) - 8)
