"""Whether a clause says that something is not so; English, Japanese, Chinese."""

import re
import tomllib
import unicodedata
from dataclasses import dataclass
from enum import Enum
from functools import cache, lru_cache
from importlib.resources import files

from models.quality.opposites import DENIED, straightened
from models.summarizer.terms import terms
from models.summarizer.variants import fold

_KANA = re.compile(r"[\u3041-\u30ff]")
_HAN = re.compile(r"[\u3400-\u9fff]")
_NEAR = 10
_NEAR_HAN = 5


class Polarity(Enum):
    """What a clause does with what it speaks of."""

    AFFIRMS = "affirms"
    NEGATES = "negates"
    UNCLEAR = "unclear"


class Agreement(Enum):
    """Whether two clauses about the same say the same."""

    SAME = "same"
    CONTRARY = "contrary"
    UNCLEAR = "unclear"


@dataclass(frozen=True)
class Stance:
    """How a clause, or more than one, stands to what is spoken of.

    Args:
        has_not: it has a "not" that nothing takes back.
        twice: it has two "not" in a row, which affirm: "nobody cannot".
        doubts: words in it that may do the work of a "not": "postponed", "unless".
        paired: words that it has, or whose contrary it has: "accept" of "rejected".
        opposed: those whose contrary it has.
        bare: its words without those that negate.
        denied: the content words next to each "not", which it denies above all.
    """

    has_not: bool = False
    twice: bool = False
    doubts: frozenset[str] = frozenset()
    paired: frozenset[str] = frozenset()
    opposed: frozenset[str] = frozenset()
    bare: str = ""
    denied: frozenset[str] = frozenset()

    @property
    def negates(self) -> bool:
        """Tell whether it says of anything that it is not so."""
        return self.has_not or bool(self.opposed)

    @property
    def polarity(self) -> Polarity:
        """Return what it does, as far as it alone tells."""
        if self.doubts:
            return Polarity.UNCLEAR
        return Polarity.NEGATES if self.negates else Polarity.AFFIRMS

    def agreement(self, other: "Stance") -> Agreement:
        """Tell whether two say the same of the same; a word that both have makes no difference.

        "They postponed it" can be a right summary of "they will not do it", so that words of that
        kind in one of them give no answer rather than a wrong one.
        """
        alone = (self.opposed - other.paired) | (other.opposed - self.paired)
        if alone or self.doubts != other.doubts:
            return Agreement.UNCLEAR
        return Agreement.SAME if self.negates == other.negates else Agreement.CONTRARY

    def __or__(self, other: "Stance") -> "Stance":
        return Stance(
            has_not=self.has_not or other.has_not,
            twice=self.twice or other.twice,
            doubts=self.doubts | other.doubts,
            paired=self.paired | other.paired,
            opposed=self.opposed | other.opposed,
            bare=f"{self.bare} {other.bare}",
            denied=self.denied | other.denied,
        )


@lru_cache(maxsize=8192)
def stance(clause: str) -> Stance:
    """Return how a clause stands to what it speaks of."""
    plain = straightened(fold(unicodedata.normalize("NFKC", clause)))
    negation = _negation(plain.text)
    kept = _pattern("idioms").sub(" ", plain.text)
    doubles = [match.group() for match in _pattern("doubles").finditer(kept)]
    single = _pattern("doubles").sub(" ", kept)
    cleared = not plain.opposed or DENIED in single
    return Stance(
        has_not=negation.search(single) is not None,
        twice=any(DENIED not in double for double in doubles),
        doubts=frozenset(match.group().lower() for match in _pattern("unclear").finditer(kept)),
        paired=plain.paired,
        opposed=plain.opposed if cleared else frozenset(),
        bare=negation.sub("", plain.text).replace(DENIED, ""),
        denied=frozenset().union(*(_beside(single, m) for m in negation.finditer(single))),
    )


def _negation(text: str) -> re.Pattern[str]:
    return _pattern("negations") if _KANA.search(text) else _pattern("all_negations")


def _beside(text: str, match: re.Match[str]) -> frozenset[str]:
    """Return the content words beside a "not": before it in Japanese, after it elsewhere."""
    if _KANA.search(text):
        return frozenset(list(terms(text[max(0, match.start() - _NEAR) : match.start()]))[-2:])
    after = text[match.end() :]
    if _HAN.match(after):
        return frozenset(terms(text[max(0, match.start() - 1) : match.start()] + after[:_NEAR_HAN]))
    return frozenset(list(terms(" ".join(after.split()[:_NEAR])))[:1])


def polarity(clause: str) -> Polarity:
    """Tell whether a clause affirms or negates; `UNCLEAR` where other words may do either."""
    return stance(clause).polarity


def clauses(sentence: str) -> tuple[str, ...]:
    """Return the clauses of a sentence, without the words that join them."""
    found = (part.strip() for part in _pattern("joints").split(fold(sentence)))
    return tuple(part for part in found if part)


def is_answer(sentence: str) -> bool:
    """Tell whether a sentence begins as the answer to a question does."""
    return _pattern("answers").match(fold(sentence)) is not None


def without_stutter(text: str) -> str:
    """Return spoken words without what is said twice in a row, so that "not not" is one "not"."""
    return _pattern("stutter").sub(lambda match: match.group(match.lastindex or 0), text)


@cache
def _pattern(kind: str) -> re.Pattern[str]:
    source = files("models.quality").joinpath("negation.toml").read_text(encoding="utf-8")
    table = tomllib.loads(source)
    table["all_negations"] = table["negations"] + table["chinese_negations"]
    return re.compile(fold("|".join(table[kind])), re.IGNORECASE | re.MULTILINE)
