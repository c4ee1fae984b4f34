"""Which words and characters sound or look alike, as recognizers take one for another."""

import re
import unicodedata
from functools import cache, lru_cache
from importlib import resources

from models import kana, pinyin

_ENGLISH = tuple(
    (re.compile(old), new)
    for old, new in (
        ("^(?:kn|gn)", "n"), ("^wr", "r"), ("ph", "f"), ("th", "t"), ("sch|sh", "S"),
        ("tch|ch", "C"), ("ck|q", "k"), ("dge?", "d"), ("gh(?=[^aeiou]|$)", ""), ("x", "ks"),
        ("c(?=[eiy])", "s"), ("c", "k"), ("z", "s"), ("y", "i"), ("ei|ea|ie|ee", "i"),
        ("ou|ow", "au"), ("oo", "u"), ("(?<=[aeiou])h(?![aeiou])", ""), (r"(.)\1+", r"\1"),
        ("(?<=...)e$", ""),
    )
)  # fmt: skip


@lru_cache(maxsize=50_000)
def english_sound(word: str) -> str:
    """Return roughly how an English word sounds, equal for Catherine and Kathryne, Boyle and Boil.

    Args:
        word: any word; marks on letters are dropped.
    """
    bare = unicodedata.normalize("NFD", word.casefold())
    sound = "".join(char for char in bare if "a" <= char <= "z")
    for old, new in _ENGLISH:
        sound = old.sub(new, sound)
    return sound


@lru_cache(maxsize=50_000)
def consonants(word: str) -> str:
    """Return the consonants of how an English word sounds, and its first sound."""
    sound = english_sound(word)
    first = "a" if sound[:1] in set("aeiou") else sound[:1]
    return first + re.sub("[aeiouhw]", "", sound[1:])


def is_one_apart(one: str, other: str) -> bool:
    """Tell whether two strings are equal but for one character added, dropped or exchanged."""
    shorter, longer = sorted((one, other), key=len)
    if len(longer) - len(shorter) > 1:
        return False
    same = next((i for i, (a, b) in enumerate(zip(shorter, longer)) if a != b), len(shorter))  # noqa: B905 - one may be longer
    rest = shorter[same:] if len(longer) > len(shorter) else shorter[same + 1 :]
    return longer[same + 1 :] == rest


@lru_cache(maxsize=20_000)
def syllables(char: str) -> frozenset[str]:
    """Return how a Chinese character may be read, without tones."""
    return frozenset(first for first, *_ in pinyin.syllables(char))


@lru_cache(maxsize=20_000)
def readings(part: str) -> frozenset[str]:
    """Return how a Japanese family or given name may be read, in katakana; empty if unknown."""
    return frozenset("".join(reading) for reading in kana.joined(kana.name_readings(part)))


def are_alike(one: str, other: str, language: str) -> bool:
    """Tell whether two different characters look alike or, in Chinese, sound alike."""
    if one in _look_alikes().get(other, ""):
        return True
    return language == "zh" and bool(syllables(one) & syllables(other))


@cache
def _look_alikes() -> dict[str, str]:
    file = resources.files("configs") / "pii" / "look_alikes.txt"
    alike: dict[str, str] = {}
    for line in file.read_text(encoding="utf-8").splitlines():
        for char in line.split():
            alike[char] = alike.get(char, "") + line
    return alike
