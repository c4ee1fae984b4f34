"""Words that say the contrary of each other, brought to one word and a mark of denial."""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from models.summarizer.variants import fold

DENIED = "‡"
"""Stands before a word whose contrary a text has: "rejected" is `‡accept`."""


@dataclass(frozen=True)
class Straightened:
    """A folded text with one word for each of a pair, marked where it is the contrary.

    Args:
        text: with `DENIED` before what is the contrary.
        paired: the words of pairs that it has, either way.
        opposed: those that it has as the contrary.
    """

    text: str
    paired: frozenset[str]
    opposed: frozenset[str]


def straightened(text: str) -> Straightened:
    """Bring the words of each pair in a folded text to the first of the two."""
    paired, opposed = set[str](), set[str]()
    for word, one, other in _pairs():
        text, denied = other.subn(DENIED + word, text)
        text, said = one.subn(word, text)
        if denied:
            opposed.add(word)
        if said or denied:
            paired.add(word)
    return Straightened(text, frozenset(paired), frozenset(opposed))


@cache
def _pairs() -> tuple[tuple[str, re.Pattern[str], re.Pattern[str]], ...]:
    source = files("models.quality").joinpath("opposites.toml").read_text(encoding="utf-8")
    return tuple(
        (
            fold(pair["word"]),
            re.compile(fold(pair["one"]), re.IGNORECASE),
            re.compile(fold(pair["other"]), re.IGNORECASE),
        )
        for pair in tomllib.loads(source)["pairs"]
    )
