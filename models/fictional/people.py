"""Invented people, and the ways in which their names may stand where they must not."""

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import resources
from random import Random

_MIDDLE = {"en": ("-", ". ", ", "), "ja": ("・", "-"), "zh": ("·", "-")}
_SPACES = (" ", "  ", "\u3000", "\u200b ")
_POLITE = {
    "en": ("Ms {}", "Mr. {}", "{}'s team"),
    "ja": ("{}さん", "{}氏", "{}部長"),
    "zh": ("{}经理", "{}先生", "{}女士"),
}
_EXAMPLES = (
    "apple bottle candle dinner engine flower garden hammer island jacket kitchen lemon mirror"
)
_EXAMPLES += (
    " needle orange pepper quarter river spoon table umbrella violin window xylophone yellow"
)


class Writing(StrEnum):
    """A way to write a name."""

    PLAIN = "plain"
    SURNAME = "surname"
    SPACED = "spaced"
    SPELLED = "spelled"
    ROMANIZED = "romanized"
    VARIANT = "variant"


@dataclass(frozen=True)
class Person:
    """Somebody invented.

    Args:
        surname: family name.
        given: given name.
        language: in whose order and writing the name is.
        variant: the name in kana or in traditional characters, "" in English.
        latin: the name in Latin letters, in several ways; none in English.
    """

    surname: str
    given: str
    language: str
    variant: str = ""
    latin: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The whole name as it is usually written."""
        if self.language == "en":
            return f"{self.given} {self.surname}"
        return self.surname + self.given

    def written(self, writing: Writing, rng: Random) -> str | None:
        """Return the name in one of the forms of a way of writing, None where there are none."""
        made: Mapping[Writing, Callable[[], str | None]] = {
            Writing.PLAIN: lambda: self.name,
            Writing.SURNAME: lambda: rng.choice(_POLITE[self.language]).format(self.surname),
            Writing.SPACED: lambda: rng.choice(_SPACES).join(self.name.replace(" ", "")),
            Writing.SPELLED: lambda: self._spelled(rng),
            Writing.ROMANIZED: lambda: self._romanized(rng),
            Writing.VARIANT: lambda: self._variant(rng),
        }
        return made[writing]()

    def _spelled(self, rng: Random) -> str:
        letters = self.variant if self.language == "ja" else self.surname
        if self.language == "zh":
            letters = rng.choice(self.latin)
        letters = letters.replace(" ", "").replace("-", "").replace("'", "")
        if self.language == "en" and rng.random() < 0.3:
            return ", ".join(f"{c.upper()} {_example(c)}" for c in letters.lower())
        return rng.choice(_MIDDLE[self.language]).join(letters.upper())

    def _romanized(self, rng: Random) -> str | None:
        if not self.latin:
            return None
        surname, given = rng.choice(self.latin).split(" ")
        return rng.choice(
            (f"{surname} {given}", f"{given} {surname}", f"{surname.upper()} {given}")
            + ((f"{surname}-san",) if self.language == "ja" else (f"{surname}{given.lower()}",))
        )

    def _variant(self, rng: Random) -> str | None:
        if not self.variant:
            return None
        whole = rng.choice((self.variant, self.variant.replace(" ", "")))
        if self.language == "ja" and rng.random() < 0.5:
            return "".join(chr(ord(c) + 96) if "ぁ" <= c <= "ゖ" else c for c in whole)
        return whole


def _example(letter: str) -> str:
    """Return what is said of a letter so that it is not misheard."""
    return "".join(f"as in {word}" for word in _EXAMPLES.split() if word.startswith(letter))


@cache
def people(language: str) -> tuple[Person, ...]:
    """Return the invented people of a language."""
    path = resources.files("models.fictional") / "people.toml"
    lines: list[str] = tomllib.loads(path.read_text(encoding="utf-8"))[language]
    return tuple(_person(line, language) for line in lines)


def _person(line: str, language: str) -> Person:
    name, _, rest = line.partition(" | ")
    if language == "en":
        given, surname = name.split(" ")
        return Person(surname, given, language)
    surname, given = name.split(" ")
    variant, _, latin = rest.partition(" | ")
    return Person(surname, given, language, variant, tuple(latin.split(", ")))
