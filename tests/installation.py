"""A whole installation for tests: its own home folder, a worker process, and the command line.

The speech and redaction models follow a script (`tests.scripted`); everything else is real.
"""

import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path

from configs.settings import load_settings
from pipeline.cli import main
from pipeline.worker import run_worker
from tests.scripted import CHILD_SETUP

_STOP_S = 20


@dataclass(frozen=True)
class Finished:
    """How a command ended."""

    code: int
    stdout: str
    stderr: str

    @property
    def json(self) -> dict[str, object]:
        """The one JSON document on stdout."""
        document = json.loads(self.stdout)
        assert isinstance(document, dict)
        return document

    @property
    def error_code(self) -> str:
        """The code of the error body on stdout."""
        error = self.json["error"]
        assert isinstance(error, dict)
        return str(error["code"])


@dataclass
class Installation:
    """An installation that commands are run against."""

    home: Path
    environ: dict[str, str] = field(default_factory=dict)

    def run(self, *arguments: str, stdin: str = "") -> Finished:
        """Run a command in this process, as a shell would."""
        out, err = io.StringIO(), io.StringIO()
        given = io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8")
        before, stdin_before = dict(os.environ), sys.stdin
        os.environ.update(self.environ, KIKIGAKI_HOME=str(self.home))
        sys.stdin = given
        try:
            with redirect_stdout(out), redirect_stderr(err):
                code = main(arguments)
        finally:
            sys.stdin = stdin_before
            os.environ.clear()
            os.environ.update(before)
        return Finished(int(code), out.getvalue(), err.getvalue())

    @contextmanager
    def worker(self, environ: Mapping[str, str] | None = None) -> Iterator[None]:
        """Run a worker with scripted models while the block runs."""
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.installation"],
            env={
                **os.environ,
                **self.environ,
                **(environ or {}),
                "KIKIGAKI_HOME": str(self.home),
            },
            cwd=Path(__file__).parent.parent,
        )
        try:
            yield
        finally:
            process.terminate()
            try:
                process.wait(_STOP_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


if __name__ == "__main__":
    run_worker(load_settings(), child_setup=CHILD_SETUP)
