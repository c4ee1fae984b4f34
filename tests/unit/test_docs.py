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


PAGES = ("docs/failures.md", "docs/conformance.md")


def _named_tests(page: str) -> list[str]:
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(r"`(tests/[\w/]+\.py::test_\w+)`", text)


@pytest.mark.parametrize("page", PAGES)
def test_page_of_promises_names_tests(page: str) -> None:
    assert len(_named_tests(page)) > 20


def test_page_of_failures_has_every_number_once_with_a_test() -> None:
    rows = re.findall(r"^\| (\d+) \|.*`tests/[^`]+`", (ROOT / PAGES[0]).read_text(), re.MULTILINE)
    assert rows == [str(number) for number in range(1, len(rows) + 1)]
    assert len(rows) > 38


@pytest.mark.parametrize("name", sorted({name for page in PAGES for name in _named_tests(page)}))
def test_page_of_promises_names_only_tests_that_exist(name: str) -> None:
    path, _, test = name.partition("::")
    assert f"def {test}(" in (ROOT / path).read_text(encoding="utf-8")
