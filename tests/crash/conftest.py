from collections.abc import Iterator
from pathlib import Path

import pytest

from storage.s3 import StoreConfig
from tests.deployment import Deployment, deployed, environment
from tests.receivers import Receiver, receiving


@pytest.fixture
def deployment(
    tmp_path: Path, database_url: str, store_config: StoreConfig
) -> Iterator[Deployment]:
    """An deployment with scripted models, on SQLite and on PostgreSQL."""
    with (
        receiving(Receiver()) as receiver,
        deployed(
            environment(tmp_path / "home", database_url, store_config, receiver), receiver
        ) as made,
    ):
        yield made
