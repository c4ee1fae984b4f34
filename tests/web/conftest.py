"""The world of the web tests: each test has its own database and buckets."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from pipeline.commands import App
from pipeline.engine import Engine
from pipeline.workflow import ProcessSource
from review_ui.app import create_app
from review_ui.web import WebConfig
from storage import migrate
from storage.artifacts import ArtifactStore
from storage.database import create_database
from storage.tables import Role
from tests.web.world import World, review_policy

MAX_UPLOAD_BYTES = 3_000_000


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An SQLite file with the tables of application and engine, to be copied."""
    path = tmp_path_factory.mktemp("web") / "empty.sqlite"
    database = create_database(f"sqlite:///{path}")
    migrate.upgrade(database)
    engine = Engine(database, f"sqlite:///{path}", workflows=[ProcessSource()])
    engine.create_schema()
    database.dispose()
    return path


@pytest.fixture
def app(tmp_path: Path, empty_database: Path, store: ArtifactStore) -> Iterator[App]:
    path = shutil.copy(empty_database, tmp_path / "kikigaki.sqlite")
    database = create_database(f"sqlite:///{path}")
    engine = Engine(database, f"sqlite:///{path}", workflows=[ProcessSource()])
    engine.connect()
    yield App(database, store, engine, review_policy, MAX_UPLOAD_BYTES)
    engine.stop()
    database.dispose()


@pytest.fixture
def config(tmp_path: Path) -> WebConfig:
    return WebConfig(home=tmp_path / "home")


@pytest.fixture
def world(app: App, config: WebConfig) -> World:
    client = TestClient(create_app(app, config), follow_redirects=False)
    made = World(app, client)
    made.add_person("admin", Role.ADMIN)
    made.add_person("editor", Role.EDITOR)
    made.add_person("other", Role.EDITOR)
    made.add_person("uploader", Role.UPLOADER)
    return made
