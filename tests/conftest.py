"""Fixtures for all tests."""

pytest_plugins = ["tests.databases", "tests.engines", "tests.rows", "tests.s3"]
