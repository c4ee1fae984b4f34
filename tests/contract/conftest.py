"""What several suites of the ports share."""

import pytest

from models.redactor import Redactor


@pytest.fixture(scope="session")
def redactor() -> Redactor:
    """A redactor with the real models of the three languages."""
    return Redactor(b"a key for tests, thirty-two bytes")
