"""Fixtures for all tests."""

from hypothesis import settings

pytest_plugins = ["tests.application", "tests.databases", "tests.engines", "tests.rows", "tests.s3"]

settings.register_profile("any machine", deadline=None)
settings.load_profile("any machine")
