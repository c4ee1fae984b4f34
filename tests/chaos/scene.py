"""Where a run takes place: a PostgreSQL, an S3 server, and the proxies that lead to them."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import sqlalchemy as sa

from pipeline.engine import journal
from storage import migrate
from storage.database import create_database
from storage.embedded_s3 import EmbeddedS3
from tests import deployment, scripted
from tests.chaos import effects
from tests.chaos.chance import drawn
from tests.chaos.proxy import Proxies
from tests.databases import SETTINGS, PostgresServer, run_postgres
from tests.receivers import Receiver, receiving

# What has been committed survives the server's death: otherwise the server loses it, not we.
_DURABLE = (*SETTINGS, "synchronous_commit=on")


@dataclass(frozen=True)
class Scene:
    """The servers of a run and the folders that it writes to."""

    seed: int
    home: Path
    postgres: PostgresServer
    url: str
    database: sa.Engine
    s3: EmbeddedS3
    proxies: Proxies
    receiver: Receiver

    @property
    def ledger(self) -> Path:
        """The folder in which effects on the outside world are written down."""
        return self.home / "ledger"

    @property
    def logs(self) -> Path:
        """The folder of the processes' logs."""
        return self.home / "logs"

    def environ(self, process: str) -> dict[str, str]:
        """Make the ways of a process to the servers, through proxies of its own."""
        database = sa.make_url(self.url)
        port = self.proxies.add(f"{process}:postgres", database.port or 0)
        way = database.set(port=port).render_as_string(hide_password=False)
        config = self.s3.config
        s3_port = self.proxies.add(f"{process}:s3", self.s3.ports.s3)
        store = replace(config, endpoint_url=f"http://127.0.0.1:{s3_port}")
        return deployment.environment(self.home / "installation", way, store, self.receiver)


@contextmanager
def opened(seed: int) -> Iterator[Scene]:
    """Set the scene; at the end everything of it is gone."""
    home = Path(tempfile.mkdtemp(prefix="kikigaki-chaos-"))
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, home, ignore_errors=True)
        postgres = stack.enter_context(run_postgres(_DURABLE))
        url = stack.enter_context(postgres.database())
        s3 = stack.enter_context(EmbeddedS3(home))
        database = create_database(url)
        stack.callback(database.dispose)
        receiver = stack.enter_context(receiving(Receiver()))
        proxies = stack.enter_context(Proxies(drawn(seed, "ports")))
        scene = Scene(seed, home, postgres, url, database, s3, proxies, receiver)
        _prepare(scene)
        yield scene


def _prepare(scene: Scene) -> None:
    for folder in (scene.ledger, scene.logs):
        folder.mkdir()
    migrate.upgrade(scene.database)
    journal.create_schema(scene.database)
    effects.metadata.create_all(scene.database)
    shutil.copy(deployment.RECORDING, scene.home / "recording.wav")
    for language, sentences in scripted.SENTENCES.items():
        (scene.home / f"{language}.txt").write_text("\n".join(sentences), encoding="utf-8")
