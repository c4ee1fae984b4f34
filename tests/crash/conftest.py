from collections.abc import Iterator
from pathlib import Path

import pytest

from storage.s3 import StoreConfig
from tests.crash.installation import Installation, installed
from tests.receivers import Receiver, receiving


@pytest.fixture
def installation(
    tmp_path: Path, database_url: str, store_config: StoreConfig
) -> Iterator[Installation]:
    """An installation with scripted models, on SQLite and on PostgreSQL."""
    with (
        receiving(Receiver()) as receiver,
        installed(tmp_path / "home", database_url, store_config, receiver) as made,
    ):
        yield made
