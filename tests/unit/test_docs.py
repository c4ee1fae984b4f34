import re

import pytest

from tests.docs import README, with_settings

ROOT = README.parent


def test_readme_shows_the_settings_as_they_are() -> None:
    text = README.read_text(encoding="utf-8")
    assert with_settings(text) == text, "run `python -m tests.docs`"


def _named_paths() -> list[str]:
    text = README.read_text(encoding="utf-8")
    found = re.findall(
        r"`((?:tests|configs|models|pipeline|storage|review_ui|docs)/[^`\s{}]+)`", text
    )
    found += re.findall(r"\]\((docs/[^)]+)\)", text)
    return sorted(set(found))


@pytest.mark.parametrize("path", _named_paths())
def test_readme_names_only_what_is_there(path: str) -> None:
    assert list(ROOT.glob(path.rstrip("/"))), path


def test_repository_names_no_machine_path() -> None:
    text = README.read_text(encoding="utf-8")
    assert not re.search(r"/(?:root|work|home/\w+)/", text)


def _named_tests() -> list[str]:
    text = (ROOT / "docs/failures.md").read_text(encoding="utf-8")
    return re.findall(r"`(tests/[\w/]+\.py::test_\w+)`", text)


def test_failures_page_names_tests() -> None:
    assert len(_named_tests()) > 20


@pytest.mark.parametrize("name", _named_tests())
def test_failures_page_names_only_tests_that_exist(name: str) -> None:
    path, _, test = name.partition("::")
    assert f"def {test}(" in (ROOT / path).read_text(encoding="utf-8")
