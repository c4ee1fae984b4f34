"""Faults to plant in right sentences: what a careless or dishonest writer gets wrong."""

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from functools import cache
from importlib import resources
from random import Random
from typing import Any


class Fault(StrEnum):
    """What can be done to one sentence; in a whole summary see `evaluation_planting`."""

    CHANGED_NUMBER = "changed number"
    CHANGED_DATE = "changed date"
    DROPPED_NEGATION = "dropped negation"
    ADDED_NEGATION = "added negation"
    SWAPPED_NAME = "swapped name"
    INVENTED_NAME = "invented name"
    OTHER_LANGUAGE = "sentence in another language"
    CUT_SENTENCE = "sentence cut off"


_HIDDEN = re.compile(r"\[[A-Z_]+_\d+\]|〔\d+〕")
_AMOUNT = re.compile(r"(?<![A-Za-z\d.,])\d[\d,]*(?:\.\d+)?(?![\d]|-?[A-Za-z])")
_OTHERS = {"en": ("ja", "zh"), "ja": ("en", "zh"), "zh": ("en", "ja")}
_BIG = "百千万億亿"


def plant(
    fault: Fault, text: str, language: str, rng: Random, names: Sequence[str] = ()
) -> str | None:
    """Return a sentence with a fault, None where it has nothing that the fault could change.

    Args:
        fault: what to do.
        text: a right sentence.
        language: `en`, `ja` or `zh`.
        rng: decides between the possibilities.
        names: of those who took part (swapped) or did not (invented).
    """
    makers: Mapping[Fault, Callable[[], str | None]] = {
        Fault.CHANGED_NUMBER: lambda: _number(text, language, rng),
        Fault.CHANGED_DATE: lambda: _date(text, language, rng),
        Fault.DROPPED_NEGATION: lambda: _exchanged(text, words(language)["drop"]),
        Fault.ADDED_NEGATION: lambda: _exchanged(text, words(language)["add"]),
        Fault.SWAPPED_NAME: lambda: _swapped(text, names, rng),
        Fault.INVENTED_NAME: lambda: attributed(text, language, rng.choice(names)),
        Fault.OTHER_LANGUAGE: lambda: str(words(rng.choice(_OTHERS[language]))["sentence"]),
        Fault.CUT_SENTENCE: lambda: text[: len(text) // 2].rstrip() if len(text) > 24 else None,
    }
    made = makers[fault]()
    return None if made == text else made


def attributed(text: str, language: str, name: str) -> str:
    """Return a sentence that is said to come from somebody."""
    return str(words(language)["attributed"]).format(name, text)


def decision(language: str, rng: Random) -> str:
    """Return a decision that nobody took."""
    return str(rng.choice(words(language)["decisions"]))


@cache
def words(language: str) -> Mapping[str, Any]:
    """Return what sentences of a language are changed with."""
    path = resources.files("models.fictional") / "faults.toml"
    table: dict[str, Mapping[str, Any]] = tomllib.loads(path.read_text(encoding="utf-8"))
    return table[language]


def _number(text: str, language: str, rng: Random) -> str | None:
    """Change one amount: a digit of it, or a numeral for another one."""
    hidden = [match.span() for match in _HIDDEN.finditer(text)]
    dated = [m.span() for m in re.finditer(r"\d+(?=月)", text)]
    found = [
        m for m in _AMOUNT.finditer(text) if not any(a <= m.start() < b for a, b in hidden + dated)
    ]
    if found:
        match = rng.choice(found)
        return text[: match.start()] + _other_amount(match.group(), rng) + text[match.end() :]
    spelled = [m for m in _numeral(language).finditer(text) if not _is_part(text, m, language)]
    if not spelled:
        return None
    match = rng.choice(spelled)
    same = match.group().lower()
    other = rng.choice([word for word in words(language)["numerals"] if word != same])
    return text[: match.start()] + str(other) + text[match.end() :]


def _other_amount(amount: str, rng: Random) -> str:
    places = [i for i, char in enumerate(amount) if char.isdigit()]
    place = rng.choice(places[: max(1, len(places) - 1)])
    lowest = 1 if place == places[0] else 0
    digits = [d for d in "0123456789"[lowest:] if d != amount[place]]
    return amount[:place] + rng.choice(digits) + amount[place + 1 :]


@cache
def _numeral(language: str) -> re.Pattern[str]:
    numerals = "|".join(sorted(words(language)["numerals"], key=len, reverse=True))
    if language == "en":
        return re.compile(rf"\b(?:{numerals})\b(?!-)", re.IGNORECASE)
    return re.compile(rf"(?:{numerals})(?=[人年回件台社個个名次天周家张位元円点])")


def _is_part(text: str, match: re.Match[str], language: str) -> bool:
    """Tell whether a numeral is a part of a larger one."""
    before = text[: match.start()]
    if language == "en":
        return re.search(r"-$|\b(?:hundred|thousand|twenty|thirty)[ -]$", before) is not None
    return before[-1:] in {*_BIG, *"一二三四五六七八九十第"}


def _date(text: str, language: str, rng: Random) -> str | None:
    found = [
        (match, names)
        for names in words(language)["dates"]
        for name in names
        for match in re.finditer(rf"(?<!\d){name}(?![a-z])", text)
    ]
    if not found:
        return None
    match, names = rng.choice(found)
    other = rng.choice([name for name in names if name != match.group()])
    return text[: match.start()] + str(other) + text[match.end() :]


def _exchanged(text: str, pairs: Sequence[Sequence[str]]) -> str | None:
    for old, new in pairs:
        if old in text:
            return text.replace(old, new, 1)
    return None


def _swapped(text: str, names: Sequence[str], rng: Random) -> str | None:
    """Give to one who took part what another one said or does."""
    present = [name for name in names if name in text]
    others = [name for name in names if name not in text]
    if not present or not others:
        return None
    return text.replace(rng.choice(present), rng.choice(others), 1)
