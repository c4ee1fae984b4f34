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
