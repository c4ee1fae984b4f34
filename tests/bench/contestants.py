"""Contestants: each in a process of its own, with a fresh database, and what it found as JSON."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from tests.bench.processes import family_processor_s
from tests.databases import INSTALLED, run_postgres

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

DATABASES = ("sqlite", "postgresql")
SERVER = (
    "PostgreSQL has its default settings (every commit is on disk); SQLite is the file that "
    "`storage.database` opens."
)
_TIMEOUT_S = 5400


@dataclass(frozen=True)
class Host:
    """Where databases are made.

    Attributes:
        kind: `sqlite` or `postgresql`.
        new: Makes an empty database and returns its url.
        server: The process of the database's server; None: there is none.
    """

    kind: str
    new: Callable[[], str]
    server: int | None


@contextmanager
def host(kind: str) -> Iterator[Host]:
    """Make databases of one kind; they are gone afterwards."""
    with ExitStack() as stack:
        if kind == "postgresql":
            server = stack.enter_context(run_postgres(INSTALLED))
            pid = int((server.home / "data/postmaster.pid").read_text().splitlines()[0])
            yield Host(kind, lambda: stack.enter_context(server.database()), pid)
        else:
            folder = Path(stack.enter_context(TemporaryDirectory(prefix="kikigaki-bench-")))
            numbers = count()
            yield Host(kind, lambda: f"sqlite:///{folder}/{next(numbers)}.sqlite", None)


def measured(module: str, *positional: str, **options: object) -> Mapping[str, Any]:
    """Run a module in a process of its own, which ends with it, and return what it told.

    Args:
        module: In `tests.bench`.
        positional: Its arguments.
        options: As `idle_s=20` for `--idle-s 20`; None: left out.
    """
    given = {name.replace("_", "-"): value for name, value in options.items() if value is not None}
    command = [sys.executable, "-m", f"tests.bench.{module}", *positional]
    command += [part for name, value in given.items() for part in (f"--{name}", str(value))]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_TIMEOUT_S)
    told = [line for line in done.stdout.splitlines() if line.startswith("{")]  # beside a log
    assert told, done.stderr[-4000:]
    found: Mapping[str, Any] = json.loads(told[0])
    return found


def tell(found: "DataclassInstance") -> None:
    """Tell what was found to the process that asked."""
    sys.stdout.write(f"{json.dumps(asdict(found))}\n")
    sys.stdout.flush()


def server_s(server: int | None) -> float:
    """Return the processor time of a database's server, all its processes together."""
    return 0.0 if server is None else family_processor_s(server)
