"""A real object store for tests: the embedded SeaweedFS on free ports, one a session."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from configs.clock import new_id
from storage.artifacts import ArtifactStore
from storage.embedded_s3 import EmbeddedS3
from storage.s3 import StoreConfig


@pytest.fixture(scope="session")
def s3_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedS3]:
    with EmbeddedS3(tmp_path_factory.mktemp("s3-server")) as server:
        yield server


@pytest.fixture
def store_config(s3_server: EmbeddedS3) -> StoreConfig:
    """The server with buckets of the test's own."""
    return replace(s3_server.config, bucket_prefix=new_id("t").replace("_", "-"))


@pytest.fixture
def store(store_config: StoreConfig) -> ArtifactStore:
    made = ArtifactStore(store_config)
    made.ensure_buckets()
    return made
