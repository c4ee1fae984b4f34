"""Warnings where half of a name may stand beside the pseudonym of the other half."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise

from models.documents import Finding, RedactedTranscript, Severity, Summary
from models.quality.places import placed_texts
from models.redactor.lexicon import alternatives, english_words, words

_PERSON = r"\[PERSON_\d+\]"
_PERSON_LAST = re.compile(rf"{_PERSON}(?=\s*$)")
_PERSON_FIRST = re.compile(rf"\s*{_PERSON}")
_REACH = 24
_LETTER = "A-Za-zÀ-ɏ"
_LATIN = re.compile(
    rf"(?P<before>(?<![{_LETTER}])[{_LETTER}][{_LETTER}']+(?:-[{_LETTER}']+)*)?"
    rf"(?P<gap>[ -]?){_PERSON}(?:[ -](?P<after>[{_LETTER}][{_LETTER}'-]+))?"
)
_DOTTED = re.compile(
    rf"[一-龥ァ-ヺー][·•]{_PERSON}|{_PERSON}[·•][一-龥ァ-ヺー]|{_PERSON}・[ァ-ヺー]"
)
_CHINESE_PARTICLES = frozenset(
    "由和与與跟向对對给給把被从從请請让讓找问問于於在是叫及的有能成时時应應"
)
_PARTICLES = "のとはがもやにをからでへまご"
_TITLES = frozenset({"mr", "mrs", "ms", "miss", "mister", "dr", "doctor", "prof", "professor"})
_TORN_LATIN = re.compile(rf"[{_LETTER}]{_PERSON}|{_PERSON}[{_LETTER}]")


def check_half_names(summary: Summary, redacted: RedactedTranscript) -> Iterator[Finding]:
    """Yield a warning for each text in which a pseudonym stands beside what looks like its rest.

    The leak scan looks for what was removed; half of a name that never was removed is in no list.
    """
    for segment in redacted.segments:
        if has_half_name(segment.text):
            yield _finding(f"segment {segment.id}", (segment.id,))
    for before, after in pairwise(redacted.segments):
        if has_half_name(_over_border(before.text, after.text)):
            yield _finding(f"segments {before.id} and {after.id}", (before.id, after.id))
    for place, text in placed_texts(summary):
        if has_half_name(text):
            yield _finding(place, ())


def _over_border(before: str, after: str) -> str:
    """Return what stands around the border of two segments if a pseudonym touches it."""
    last, first = _PERSON_LAST.search(before), _PERSON_FIRST.match(after)
    if bool(last) == bool(first):
        return ""
    left = last[0] if last else before.rstrip()[-_REACH:]
    right = first[0] if first else after.lstrip()[:_REACH]
    latin = left[-1:].isascii() and right[:1].isascii()
    return left + " " * latin + right


def has_half_name(text: str) -> bool:
    """Tell whether what looks like the rest of a name touches a pseudonym in a redacted text."""
    surnames = (words("zh_surnames") | words("zh_rare_surnames")) - _CHINESE_PARTICLES
    chinese = any(
        (m["surname"] or m["titled"]) in surnames for m in _before_in_chinese().finditer(text)
    )
    torn = _DOTTED.search(text) or _TORN_LATIN.search(text) or _before_title().search(text)
    return chinese or bool(torn) or any(map(_is_latin_half, _LATIN.finditer(text)))


def _is_latin_half(match: re.Match[str]) -> bool:
    before = match["before"] if match["gap"] else None
    return _is_name(before) or _is_name(match["after"])


def _is_name(word: str | None) -> bool:
    """Tell whether a word is a given name, or unknown: everyday words beside a name are usual."""
    if word is None:
        return False
    lists, stem = english_words(), word.lower().removesuffix("'s")
    known = stem in words("en_after_names") | words("en_not_names") | words("en_calendar")
    known = known or stem in _TITLES
    return not known and (lists.is_name(stem) or (lists.is_unknown(stem) and len(stem) > 3))


@cache
def _before_in_chinese() -> re.Pattern[str]:
    """Return a lone character before a pseudonym that a title follows, or at a clause's start."""
    titles = alternatives("zh_titles")
    return re.compile(
        rf"(?:^|(?<=[，。、；：\s,.:]))(?P<surname>[一-龥]){_PERSON}"
        rf"|(?P<titled>[一-龥])(?<!谢谢)(?<!感谢){_PERSON}(?={titles})"
    )


@cache
def _before_title() -> re.Pattern[str]:
    """Return one to three characters between a pseudonym and an honorific or a title."""
    honorifics = "さん|さま|様|くん|ちゃん|氏|先生|女士|小姐"
    titles = f"{alternatives('zh_titles')}|{alternatives('ja_honorifics')}"
    return re.compile(
        rf"{_PERSON}(?!{titles})(?![{_PARTICLES}和与及跟的])[一-龥々ぁ-ん]{{1,3}}(?:{honorifics})"
    )


def _finding(place: str, segments: tuple[int, ...]) -> Finding:
    return Finding(
        check="leak.half_name",
        severity=Severity.WARN,
        place=place,
        reason="Beside a pseudonym stands what looks like the rest of the name.",
        segments=segments,
    )
