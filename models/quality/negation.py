"""Whether a clause says that something is not so; English, Japanese, Chinese."""

import re
import tomllib
import unicodedata
from enum import Enum
from functools import cache
from importlib.resources import files

from models.summarizer.variants import fold


class Polarity(Enum):
    """What a clause does with what it speaks of."""

    AFFIRMS = "affirms"
    NEGATES = "negates"
    UNCLEAR = "unclear"


def polarity(clause: str) -> Polarity:
    """Tell whether a clause affirms or negates; `UNCLEAR` where other words may do either.

    "They postponed it" can be a right summary of "they will not do it", so that words of that
    kind give no answer rather than a wrong one.
    """
    bare = _pattern("idioms").sub(" ", fold(unicodedata.normalize("NFKC", clause)))
    if _pattern("unclear").search(bare):
        return Polarity.UNCLEAR
    return Polarity.NEGATES if _pattern("negations").search(bare) else Polarity.AFFIRMS


def clauses(sentence: str) -> tuple[str, ...]:
    """Return the clauses of a sentence, without the words that join them."""
    found = (part.strip() for part in _pattern("joints").split(fold(sentence)))
    return tuple(part for part in found if part)


@cache
def _pattern(kind: str) -> re.Pattern[str]:
    source = files("models.quality").joinpath("negation.toml").read_text(encoding="utf-8")
    return re.compile(fold("|".join(tomllib.loads(source)[kind])), re.IGNORECASE | re.MULTILINE)
