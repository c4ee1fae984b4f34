"""Fixtures for all tests."""

pytest_plugins = ["tests.databases", "tests.rows", "tests.s3"]
