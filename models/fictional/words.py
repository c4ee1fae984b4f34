"""The lists and sentences of a language, read from the tables beside this module."""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import resources
from random import Random

Maker = Callable[[Random, bool], str]
"""Makes a value from a generator; the second argument tells whether it is spoken."""

PLAIN: dict[str, Maker] = {
    "COUNT": lambda rng, _: f"{rng.randrange(110, 98000)}",
    "SMALL": lambda rng, _: f"{rng.randrange(2, 60)}",
    "VERSION": lambda rng, _: f"{rng.randrange(1, 20)}.{rng.randrange(20)}.{rng.randrange(9)}",
}
"""Numbers that are no personal data."""


@cache
def table(language: str) -> Mapping[str, Mapping[str, Sequence[str] | str]]:
    """Return the tables of a language: lists, written sentences, spoken sentences."""
    path = resources.files("models.fictional") / f"{language}.toml"
    read: dict[str, dict[str, list[str] | str]] = tomllib.loads(path.read_text(encoding="utf-8"))
    return read


def pick(language: str, name: str, rng: Random) -> str:
    """Return one of a list's words."""
    words = table(language)["lists"][name]
    assert isinstance(words, str)  # noqa: S101 - a list is one string of words
    return rng.choice(words.split())
