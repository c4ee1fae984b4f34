"""Fixtures for all tests."""

pytest_plugins = ["tests.application", "tests.databases", "tests.engines", "tests.rows", "tests.s3"]
