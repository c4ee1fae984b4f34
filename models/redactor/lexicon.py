"""Word lists of configs/pii, read once."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable

_ENDINGS = (
    "",
    "'s",
    "s",
    "es",
    "ed",
    "d",
    "ing",
    "ly",
    "er",
    "r",
    "ers",
    "rs",
    "able",
    "ment",
    "ness",
)
_PREFIXES = ("re", "un", "non", "pre", "mis", "over", "sub", "inter", "multi", "co")


@dataclass(frozen=True)
class EnglishWords:
    """What an English word without capitals can be."""

    given: frozenset[str]
    ambiguous: frozenset[str]
    surnames: frozenset[str]
    common: frozenset[str]

    def is_name(self, word: str) -> bool:
        """Tell whether the word is a given name and nothing else."""
        return word in self.given

    def is_unknown(self, word: str) -> bool:
        """Tell whether the word is in no form a common word or a given name."""
        stems = {word.removesuffix(ending) for ending in _ENDINGS}
        stems |= {stem.removeprefix(prefix) for stem in set(stems) for prefix in _PREFIXES}
        known = any(s in self.common or s in self.given or s in self.ambiguous for s in stems)
        return len(word) > 2 and not known


@cache
def english_words() -> EnglishWords:
    """Return the English word lists."""
    return EnglishWords(
        given=_lines("en_given_names.txt"),
        ambiguous=_lines("en_ambiguous_names.txt"),
        surnames=_lines("en_surnames.txt"),
        common=_lines("en_words.txt"),
    )


@cache
def words(name: str) -> frozenset[str]:
    """Return a list of names.toml."""
    tables = tomllib.loads((_folder() / "names.toml").read_text(encoding="utf-8"))
    return frozenset(tables["words"][name].split())


@cache
def filler_words(language: str) -> tuple[str, ...]:
    """Return what dictation.toml lists for a language; empty outside of `en`, `ja`, `zh`."""
    tables = tomllib.loads((_folder() / "dictation.toml").read_text(encoding="utf-8"))
    return tuple(tables["fillers"].get(language, ()))


@cache
def classes_by_label(model: str) -> dict[str, str]:
    """Return which class of ours a label of a model is, by labels.toml.

    Args:
        model: `en`, `ja`, `zh` for the packaged ones, `transformer` for a further one.
    """
    tables = tomllib.loads((_folder() / "labels.toml").read_text(encoding="utf-8"))
    classes: dict[str, str] = tables["labels"][model]
    return classes


def alternatives(name: str) -> str:
    """Return a list of names.toml as a regular expression, longest word first."""
    return "|".join(sorted(words(name), key=lambda word: (-len(word), word)))


def _lines(name: str) -> frozenset[str]:
    return frozenset((_folder() / name).read_text(encoding="utf-8").split())


def _folder() -> Traversable:
    return resources.files("configs") / "pii"
