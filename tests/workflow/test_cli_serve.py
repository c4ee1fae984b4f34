"""The application as processes: it starts by one command and leaves nothing behind."""

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.request import urlopen

import pytest

from pipeline.cli import main
from tests.waiting import wait_until


def processes_of(home: Path) -> list[int]:
    """Return the processes that were told of this home folder, or work in it as the store does."""
    wanted = f"KIKIGAKI_HOME={home}".encode()
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                environment = (folder / "environ").read_bytes().split(b"\0")
                works_in_it = (folder / "cwd").readlink().is_relative_to(home)
            except OSError:
                continue  # gone, or not ours
            if (wanted in environment or works_in_it) and not is_dead(folder):
                found.append(int(folder.name))
    return found


def is_dead(folder: Path) -> bool:
    try:
        return "\nState:\tZ" in (folder / "status").read_text()
    except OSError:
        return True


@contextmanager
def serving(home: Path) -> Iterator[tuple["subprocess.Popen[str]", str]]:
    """Run `serve` on a free port; give the process and its address."""
    process = subprocess.Popen(
        [sys.executable, "-m", "pipeline", "serve", "--port", "0"],
        env={**os.environ, "KIKIGAKI_HOME": str(home)},
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    try:
        address = ""
        for line in process.stderr:
            if ready := re.search(r"is ready: (http://\S+)", line):
                address = ready[1]
                break
        assert address, "the application did not start"
        yield process, address
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        process.stderr.close()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_serve_when_it_is_stopped_or_killed_then_nothing_is_left_running(
    tmp_path: Path, number: signal.Signals
) -> None:
    with serving(tmp_path) as (process, address):
        with urlopen(f"{address}/healthz", timeout=10) as answer:  # noqa: S310 - our own address
            assert answer.status == 200
        assert len(processes_of(tmp_path)) >= 4, "serve, web, worker and the store"
        process.send_signal(number)
        process.wait(60)
        assert process.returncode == (-signal.SIGKILL if number == signal.SIGKILL else 0)
        wait_until(lambda: processes_of(tmp_path) == [])


def test_demo_when_approved_then_published_files_verify(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The real models, from the bundled recording to the publication."""
    finished = subprocess.run(
        [sys.executable, "-m", "pipeline", "demo", "--approve", "--json", "--port", "0"],
        env={**os.environ, "KIKIGAKI_HOME": str(tmp_path)},
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert finished.returncode == 0
    document = json.loads(finished.stdout)
    assert document["status"] == "published"
    monkeypatch.setenv("KIKIGAKI_HOME", str(tmp_path))
    assert main(["verify", document["folder"]]) == 0
    summary = Path(document["folder"]) / "summary.md"
    assert "David" not in summary.read_text(encoding="utf-8")
    summary.write_bytes(summary.read_bytes() + b"\n")
    assert main(["verify", document["folder"]]) == 1
    assert "summary.md was changed" in capsys.readouterr().out
    wait_until(lambda: processes_of(tmp_path) == [])


def test_worker_when_told_to_stop_then_ends_well(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "pipeline", "worker", "--resources", "asr", "--concurrency", "2"],
        env={**os.environ, "KIKIGAKI_HOME": str(tmp_path)},
    )
    try:
        wait_until(lambda: leases(tmp_path) == 1 or process.poll() is not None)
        process.terminate()
        assert process.wait(60) == 0
    finally:
        process.kill()
        process.wait()
    assert leases(tmp_path) == 0, "it gave its lease back"


def leases(home: Path) -> int:
    """Return how many workers hold a lease."""
    path = home / "kikigaki.sqlite"
    if not path.exists():
        return 0
    with closing(sqlite3.connect(path)) as database:
        try:
            return int(database.execute("SELECT count(*) FROM engine_lease").fetchone()[0])
        except sqlite3.OperationalError:
            return 0  # the table is not there yet
