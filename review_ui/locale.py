"""The texts of the pages in several languages, from `locales/*.toml`.

A text is named by a dotted key (`run.title`). Where a number decides the form, the entry is a table
with `one` and `other`. A missing key is an error: a page never shows a key or an empty place.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

LOCALES: Mapping[str, str] = {"en": "English", "ja": "日本語", "zh-Hant": "繁體中文"}
DEFAULT_LOCALE = "en"
_FOLDER = Path(__file__).parent / "locales"


class MissingTextError(KeyError):
    """A page asked for a text that the locale file does not have."""


@dataclass(frozen=True)
class Locale:
    """One language of the pages; calling it gives a text."""

    tag: str
    texts: Mapping[str, str]

    def __call__(self, key: str, /, **values: object) -> str:
        """Return the text `key` with `{name}` places filled; `n` chooses singular or plural."""
        text = self.texts.get(key)
        if text is None and "n" in values:
            text = self.texts.get(f"{key}.{'one' if values['n'] == 1 else 'other'}")
        if text is None:
            raise MissingTextError(f"{key} in {self.tag}")
        return text.format(**values) if values else text

    def maybe(self, key: str, default: str, /, **values: object) -> str:
        """Return the text `key`, or `default` for what this version has no words for.

        A text whose `{name}` is not among the values gives way to the default too.
        """
        try:
            return self.texts[key].format(**values)
        except KeyError:
            return default


@cache
def load_locale(tag: str) -> Locale:
    """Read one locale file.

    Raises:
        FileNotFoundError: there is no such locale (not retryable).
    """
    data = tomllib.loads((_FOLDER / f"{tag}.toml").read_text(encoding="utf-8"))
    return Locale(tag, dict(_flatten("", data)))


def choose_locale(cookie: str | None, accept_language: str | None) -> Locale:
    """Return the locale a person chose, else the first one their browser prefers, else English."""
    if cookie in LOCALES:
        return load_locale(str(cookie))
    for part in (accept_language or "").split(","):
        tag = _known(part.split(";")[0].strip().lower())
        if tag:
            return load_locale(tag)
    return load_locale(DEFAULT_LOCALE)


def _known(tag: str) -> str | None:
    if tag.startswith("zh"):
        return "zh-Hant"
    primary = tag.split("-", maxsplit=1)[0]
    return primary if primary in LOCALES else None


def _flatten(prefix: str, node: Mapping[str, object]) -> list[tuple[str, str]]:
    flat: list[tuple[str, str]] = []
    for name, value in node.items():
        key = f"{prefix}{name}"
        if isinstance(value, Mapping):
            flat.extend(_flatten(f"{key}.", value))
        else:
            flat.append((key, str(value)))
    return flat
