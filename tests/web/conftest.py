"""The world of the web tests: each test has its own database and runs."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from models.summarizer.templates import template_names
from pipeline.commands import App
from pipeline.engine import Engine
from pipeline.workflow import ProcessSource
from review_ui.app import create_app
from review_ui.web import WebConfig
from storage import migrate, users
from storage.artifacts import ArtifactStore
from storage.database import create_database, reading, transaction
from storage.embedded_s3 import EmbeddedS3
from storage.s3 import StoreConfig
from storage.statuses import Role
from tests.web.world import PASSWORD, World, review_policy

MAX_UPLOAD_BYTES = 3_000_000
PEOPLE = {
    "admin": Role.ADMIN,
    "editor": Role.EDITOR,
    "other": Role.EDITOR,
    "uploader": Role.UPLOADER,
}


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An SQLite file with the tables of application and engine, to be copied."""
    path = tmp_path_factory.mktemp("web") / "empty.sqlite"
    database = create_database(f"sqlite:///{path}")
    migrate.upgrade(database)
    engine = Engine(database, f"sqlite:///{path}", workflows=[ProcessSource()])
    engine.create_schema()
    with transaction(database) as session:
        for name, role in PEOPLE.items():  # here, because hashing a password takes its time
            users.create_user(session, name, role, password=PASSWORD)
    database.dispose()
    return path


@pytest.fixture(scope="session")
def web_store(s3_server: EmbeddedS3) -> ArtifactStore:
    """Buckets that the web tests share: each test has runs of its own."""
    config = s3_server.config
    made = ArtifactStore(
        StoreConfig(config.endpoint_url, config.access_key, config.secret_key, "web-tests")
    )
    made.ensure_buckets()
    return made


@pytest.fixture
def app(tmp_path: Path, empty_database: Path, web_store: ArtifactStore) -> Iterator[App]:
    path = shutil.copy(empty_database, tmp_path / "kikigaki.sqlite")
    database = create_database(f"sqlite:///{path}")
    engine = Engine(database, f"sqlite:///{path}", workflows=[ProcessSource()])
    engine.connect()
    yield App(
        database,
        web_store,
        engine,
        review_policy,
        MAX_UPLOAD_BYTES,
        templates=lambda _: template_names(),
        has_tenant=lambda _: True,
    )
    engine.stop()
    database.dispose()


@pytest.fixture
def config(tmp_path: Path) -> WebConfig:
    return WebConfig(home=tmp_path / "home")


@pytest.fixture
def world(app: App, config: WebConfig) -> World:
    client = TestClient(create_app(app, config), follow_redirects=False)
    with reading(app.database) as session:
        people = {user.name: user for user in users.list_users(session)}
    return World(app, client, people)
