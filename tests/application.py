"""A running application for tests: real database, real store, real engine, scripted models."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from configs.clock import new_id
from configs.settings import load_settings
from pipeline.engine import EngineSettings
from pipeline.engine.testing import quick, without_waits
from pipeline.runtime import CHILD_SETUP, open_runtime
from pipeline.steps import services as step_services
from storage.embedded_s3 import EmbeddedS3
from storage.s3 import StoreConfig
from tests import scripted
from tests.deployment import Deployment, environment
from tests.receivers import Receiver, receiving


@contextmanager
def running(
    home: Path,
    database_url: str,
    store: StoreConfig,
    *,
    child_setup: str = scripted.CHILD_SETUP,
    engine_settings: EngineSettings | None = None,
    **more: str,
) -> Iterator[Deployment]:
    """Run the engine in this process; its child processes read the same environment."""
    with receiving(Receiver()) as receiver, pytest.MonkeyPatch.context() as patch:
        environ = environment(home, database_url, store, receiver, **more)
        for name, value in environ.items():
            patch.setenv(name, value)
        settings = load_settings()
        with open_runtime(
            settings, child_setup=child_setup, engine_settings=engine_settings or quick()
        ) as runtime:
            if child_setup != CHILD_SETUP:
                step_services.install(scripted.scripted_services(step_services.services()))
            runtime.engine.start()
            yield Deployment(environ, receiver, runtime)


@pytest.fixture(scope="module")
def application(
    tmp_path_factory: pytest.TempPathFactory, module_database_url: str, s3_server: EmbeddedS3
) -> Iterator[Deployment]:
    """An application with scripted models, shared by a module, on SQLite and on PostgreSQL."""
    config = replace(s3_server.config, bucket_prefix=new_id("t").replace("_", "-"))
    home = tmp_path_factory.mktemp("home")
    with running(home, module_database_url, config, engine_settings=without_waits()) as made:
        yield made
