"""Real databases for tests: SQLite files, and a PostgreSQL server of our own on a free port."""

import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest
import sqlalchemy as sa
from psycopg import sql

from storage.database import create_database

NewDatabase = Callable[[str], AbstractContextManager[str]]

KINDS = ("sqlite", "postgresql")
SETTINGS = (
    "listen_addresses=127.0.0.1",
    "fsync=off",
    "synchronous_commit=off",
    "full_page_writes=off",
    "max_connections=200",
    "shared_buffers=32MB",
    "autovacuum=off",
)
INSTALLED = ("listen_addresses=127.0.0.1", "max_connections=200")  # all else as PostgreSQL comes
_START_S = 60


@dataclass
class PostgresServer:
    """A server of our own; `database()` makes a new database and drops it afterwards."""

    port: int
    home: Path
    settings: Sequence[str] = SETTINGS
    _process: "subprocess.Popen[bytes] | None" = None

    def url(self, name: str) -> str:
        return f"postgresql://kikigaki:kikigaki@127.0.0.1:{self.port}/{name}"

    def start(self) -> None:
        """Start the server and wait until it answers."""
        options = [part for setting in self.settings for part in ("-c", setting)]
        data, port, home = str(self.home / "data"), str(self.port), str(self.home)
        command = [str(postgres_binaries() / "postgres"), "-D", data, "-p", port, "-k", home]
        with (self.home / "log").open("ab") as log:
            process = subprocess.Popen([*_as_user(), *command, *options], stdout=log, stderr=log)
        self._process = process
        while process.poll() is None:
            with suppress(psycopg.OperationalError):
                psycopg.connect(self.url("postgres"), connect_timeout=_START_S).close()
                return
        raise AssertionError((self.home / "log").read_text())

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """Stop the server: SIGINT ends open sessions ("fast"), SIGQUIT everything ("immediate")."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(timeout=_START_S)

    @contextmanager
    def database(self) -> Iterator[str]:
        name = f"t_{secrets.token_hex(6)}"
        self._administer(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        try:
            yield self.url(name)
        finally:
            self._administer(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))

    def _administer(self, statement: sql.Composed) -> None:
        with closing(psycopg.connect(self.url("postgres"), autocommit=True)) as connection:
            connection.execute(statement)


def postgres_binaries() -> Path:
    """Return where `initdb` and `postgres` are; a missing PostgreSQL is a failure."""
    packaged = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))
    if packaged:
        return packaged[-1].parent
    found = shutil.which("postgres")
    assert found, "PostgreSQL is not installed (apt-get install postgresql)"
    return Path(found).resolve().parent


@contextmanager
def run_postgres(settings: Sequence[str] = SETTINGS) -> Iterator[PostgresServer]:
    """Start a server as an ordinary user; it ends with this process, whatever way that ends."""
    home = Path(tempfile.mkdtemp(prefix="kikigaki-pg-"))
    try:
        _own(home)
        password = home / "password"
        password.write_text("kikigaki")
        _own(password)
        _initialize(postgres_binaries(), home / "data", password)
        server = PostgresServer(_free_port(), home, settings)
        server.start()
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _initialize(binaries: Path, data: Path, password: Path) -> None:
    command = [str(binaries / "initdb"), "-D", str(data), "-U", "kikigaki", "-A", "scram-sha-256"]
    command += ["--pwfile", str(password), "--no-sync", "-E", "UTF8", "--locale", "C"]
    done = subprocess.run([*_as_user(), *command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def _as_user() -> list[str]:
    """PostgreSQL refuses to run as root; the server dies with us."""
    command = ["setpriv", "--pdeathsig", "INT"]
    if os.getuid() == 0:
        user = pwd.getpwnam("postgres")
        command += [f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]
    return command


def _own(path: Path) -> None:
    if os.getuid() == 0:
        user = pwd.getpwnam("postgres")
        os.chown(path, user.pw_uid, user.pw_gid)


def _free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    with run_postgres() as server:
        yield server


@pytest.fixture(scope="session")
def new_database(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> NewDatabase:
    """A function of a kind (`sqlite` or `postgresql`) whose context is a fresh database's url."""

    @contextmanager
    def make(kind: str) -> Iterator[str]:
        if kind == "sqlite":
            yield f"sqlite:///{tmp_path_factory.mktemp('database')}/kikigaki.sqlite"
        else:
            server: PostgresServer = request.getfixturevalue("postgres_server")
            with server.database() as url:
                yield url

    return make


@pytest.fixture(params=KINDS)
def database_url(request: pytest.FixtureRequest, new_database: NewDatabase) -> Iterator[str]:
    """A fresh, empty database for one test, on SQLite and on PostgreSQL."""
    with new_database(request.param) as url:
        yield url


@pytest.fixture
def database(database_url: str) -> Iterator[sa.Engine]:
    """A connection pool for `database_url`."""
    engine = create_database(database_url)
    yield engine
    engine.dispose()


@pytest.fixture(scope="module", params=KINDS)
def module_database_url(request: pytest.FixtureRequest, new_database: NewDatabase) -> Iterator[str]:
    """As `database_url`, shared by the tests of a module."""
    with new_database(request.param) as url:
        yield url
