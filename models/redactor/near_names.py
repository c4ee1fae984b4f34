"""Where a name that is known elsewhere in the document stands misread or misheard.

A name counts as known in two parts; one of them, or all but one character, must be right.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice, pairwise

from models import kana
from models.redactor.lexicon import alternatives, english_words, words
from models.redactor.names_zh import split_name
from models.redactor.sounds import are_alike, consonants, english_sound, is_one_apart, readings

_HAN_NAME = re.compile(r"[一-龥々]{3,6}")
_HAN = re.compile(r"[一-龥々]+")
_LATIN_NAME = re.compile(r"[A-Za-zÀ-ɏ][A-Za-zÀ-ɏ'-]+(?:\s+[A-Za-zÀ-ɏ.'-]+)?\s+[A-Za-zÀ-ɏ'-]{2,}")
_WORD = re.compile(r"[A-Za-zÀ-ɏ]+(?:'[A-Za-z]+)?")
_AFTER_KANA = "はがをにのともさで、。"
_LEAST_KANA = 5


@dataclass(frozen=True)
class FullName:
    """A name as it stands in the document, and the family and given name in it."""

    surface: str
    family: str
    given: str


@dataclass(frozen=True)
class Near:
    """A stretch that is taken for a known name; certain where it looks or sounds like it."""

    start: int
    end: int
    name: str
    certain: bool = True


def full_name(surface: str, language: str) -> FullName | None:
    """Return the parts of a name that has both; None for any other.

    Args:
        surface: a person's name.
        language: of the document.
    """
    if _LATIN_NAME.fullmatch(surface):
        pieces = surface.split()
        return FullName(surface, pieces[-1], pieces[0])
    bare = re.sub(r"\s+", "", surface)
    if not _HAN_NAME.fullmatch(bare):
        return None
    if language == "zh":
        split = split_name(bare)
        return FullName(surface, *split) if split else None
    family = kana.family_name(bare) or (bare[:2] if len(bare) == 4 else None)
    return FullName(surface, family, bare[len(family) :]) if family else None


def near_names(text: str, names: Iterable[FullName], language: str) -> Iterator[Near]:
    """Yield where a name may stand that was misread or misheard.

    Args:
        text: the normalized text of the document.
        names: who is known in it.
        language: of the document.

    Returns:
        In any order; they may overlap each other, and what else was found.
    """
    latin = [name for name in names if _WORD.match(name.surface)]
    yield from _in_latin(text, latin)
    for name in names:
        if name not in latin:
            yield from _in_han(text, name, language)
            if language == "ja":
                yield from _in_kana(text, name)


def _in_latin(text: str, names: Sequence[FullName]) -> Iterator[Near]:
    known: Mapping[tuple[str, str], list[FullName]] = defaultdict(list)
    for name in names:
        known[consonants(name.given), consonants(name.family)].append(name)
    for first, second in pairwise(_WORD.finditer(text)) if known else ():
        if second.start() - first.end() > 1:
            continue
        for name in known.get((consonants(first[0]), consonants(second[0])), ()):
            if _is_misheard(name, first[0], second[0]):
                yield Near(first.start(), second.end(), name.surface)


def _is_misheard(name: FullName, given: str, family: str) -> bool:
    """Tell whether two words sound like a name and are not it, nor another name or everyday."""
    lists, small = english_words(), (given.lower(), family.lower())
    same = (name.given.lower(), name.family.lower()) == small
    everyday = all(word in lists.common for word in small)
    if same or (everyday and not (given[0].isupper() and family[0].isupper())):
        return False
    sounds = [(english_sound(given), english_sound(name.given))]
    if lists.is_name(small[0]) and sounds[0][0] != sounds[0][1]:
        return False
    sounds.append((english_sound(family), english_sound(name.family)))
    differing = [pair for pair in sounds if pair[0] != pair[1]]
    return not differing or (len(differing) == 1 and is_one_apart(*differing[0]))


def _in_han(text: str, name: FullName, language: str) -> Iterator[Near]:
    whole = name.family + name.given
    for start in _finds(text, name.family):
        end = start + len(name.family)
        if text.startswith(whole, start):
            continue
        for length, given in _windows(text, end, name.given, language, after=True):
            if _are_near(name.given, given, language):
                yield Near(start, end + length, name.surface)
    for end in _finds(text, name.given) if len(name.given) > 1 else ():
        if text.endswith(name.family, 0, end):
            continue
        for length, family in _windows(text, end, name.family, language, after=False):
            start, stop = end - length, end + len(name.given)
            if _is_near_family(name.family, family, language):
                yield Near(start, stop, name.surface)
            elif _is_half_right(name.family, family) and not _HAN.match(text[start - 1 : start]):
                yield Near(start, stop, name.surface, certain=False)


def _windows(
    text: str, border: int, part: str, language: str, *, after: bool
) -> Iterator[tuple[int, str]]:
    """Yield the stretches beside a border that may be a part of a name, with their lengths."""
    lengths = {len(part)} if language == "zh" else {1, 2, 3, len(part)}
    for length in sorted(lengths, reverse=True):
        start, end = (border, border + length) if after else (max(0, border - length), border)
        whole = language == "zh" or not _goes_on(text, start, end, after=after)
        if end - start == length and whole and _HAN.fullmatch(text[start:end]):
            yield length, text[start:end]
    for reading in sorted(readings(part)) if language == "ja" else ():
        length = len(reading)
        start, end = (border, border + length) if after else (max(0, border - length), border)
        rest = text[end : end + 1] if after else ""
        free = not rest or not _is_kana(rest) or rest in _AFTER_KANA
        if free and length > 1 and text[start:end] in {reading, kana.hiragana(reading)}:
            yield length, reading


def _goes_on(text: str, start: int, end: int, *, after: bool) -> bool:
    """Tell whether more characters follow a given name, or stand before a family name."""
    if not after:
        return bool(_HAN.match(text[max(0, start - 1) : start]))
    return bool(_HAN.match(text, end)) and not _honorific().match(text, end)


@cache
def _honorific() -> re.Pattern[str]:
    return re.compile(alternatives("ja_honorifics"))


def _are_near(known: str, other: str, language: str) -> bool:
    """Tell whether a part is another one misread, or in Japanese written as it sounds."""
    if len(known) == len(other):
        differing = [(a, b) for a, b in zip(known, other, strict=True) if a != b]
        if len(differing) == 1 and are_alike(*differing[0], language):
            return True
    if other in words("ja_places"):
        return False
    return language == "ja" and bool(readings(known) & (readings(other) | {other}))


def _is_near_family(known: str, other: str, language: str) -> bool:
    if language == "zh" and other not in words("zh_surnames") | words("zh_compound_surnames"):
        return False
    return _are_near(known, other, language)


def _is_half_right(known: str, other: str) -> bool:
    same = sum(a == b for a, b in zip(known, other)) if len(known) == len(other) else 0  # noqa: B905
    return len(known) > 1 and same == len(known) - 1


def _in_kana(text: str, name: FullName) -> Iterator[Near]:
    """Yield where the whole name stands as it sounds."""
    combined = ((f, g) for f in readings(name.family) for g in readings(name.given))
    for family, given in islice(combined, 4):
        if len(family + given) < _LEAST_KANA:
            continue
        for written in (str, kana.hiragana):
            for gap in ("", " ", "・"):
                form = written(family) + gap + written(given)
                for start in _finds(text, form):
                    yield Near(start, start + len(form), name.surface)


def _finds(text: str, part: str) -> Iterator[int]:
    start = text.find(part)
    while start >= 0:
        yield start
        start = text.find(part, start + 1)


def _is_kana(char: str) -> bool:
    return "ぁ" <= char <= "ヺ" or char == "ー"
