"""Scan of text that is about to be published for what was redacted. Pure Python, no model."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from models.documents import Pseudonym, PseudonymMap
from models.redactor.lexicon import english_words, words
from models.redactor.spoken_cjk import spoken_ja, spoken_zh
from models.redactor.spoken_en import spoken_en
from models.redactor.views import Edit, View, normalized

_SEPARATORS = re.compile(r"[\s\-.,、・·•‧∙|~*…()/_'\"“”「」]+")
_PSEUDONYM = re.compile(r"\[[A-Z][A-Z_]*_\d+\]")
_LATIN = re.compile(r"[a-zà-ɏ0-9]")
_KATAKANA = re.compile(r"[ァ-ヺー]")
_HAN = re.compile(r"[㐀-鿿]")
_WORDLIKE = frozenset({"PERSON", "ADDRESS", "ORGANIZATION", "LOCATION", "NRP", "DATE_TIME"})


@dataclass(frozen=True)
class Leak:
    """A redacted surface that stands in a text, `[start, end)` in its code points."""

    entity_type: str
    replacement: str
    start: int
    end: int


def find_leaks(text: str, pseudonyms: PseudonymMap) -> Sequence[Leak]:
    """Find surfaces of the pseudonym map in a text.

    Surfaces and text are compared without regard to case, width, spaces, hyphens and points, and
    spoken numbers as digits. Latin and katakana surfaces must be whole words. Surfaces that would
    raise false alarms are not looked for: a single character, fewer than four digits, two kana, an
    everyday English word such as `will` (a longer name with it is).

    Args:
        text: what is about to be published, shown or logged.
        pseudonyms: the raw map of the revision.

    Returns:
        The leaks by position, at most one for each place; empty when there are none.
    """
    masked = _PSEUDONYM.sub(lambda m: " " * len(m[0]), text)
    base = normalized(masked)
    spoken = spoken_zh(spoken_ja(spoken_en(base)))
    keys = [(key, entry) for entry in pseudonyms.entries for key in _keys(entry)]
    leaks = {
        (leak.start, leak.end): leak
        for view in (_compact(base), _compact(spoken))
        for key, entry in keys
        for leak in _search(view, key, entry, masked)
    }
    return _outermost(sorted(leaks.values(), key=lambda leak: (leak.start, -leak.end)))


def _keys(entry: Pseudonym) -> Iterator[str]:
    """Yield the forms in which a pseudonym's surfaces are looked for."""
    keys: set[str] = set()
    for surface in entry.surfaces:
        view = normalized(surface)
        keys.add(_compact(view).text)
        if entry.entity_type not in _WORDLIKE:
            keys.add(_compact(spoken_zh(spoken_ja(spoken_en(view)))).text)
        if entry.entity_type == "PERSON" and len(parts := view.text.split()) > 1:
            keys.update(_compact(View.of(part)).text for part in parts)
    return (key for key in sorted(keys) if key and _is_telling(key, entry.entity_type))


def _is_telling(key: str, entity_type: str) -> bool:
    """Tell whether a surface is long and rare enough to be looked for."""
    digits = sum(c.isdigit() for c in key)
    letters = len(key) - digits
    if not letters:
        return digits >= 4
    if _HAN.search(key):
        return len(key) >= 2 and key not in words("ja_not_names")
    if _LATIN.match(key):
        lists = english_words()
        everyday = entity_type == "PERSON" and (key in lists.common or key in lists.ambiguous)
        return len(key) >= 3 and not everyday
    return len(key) >= 3


def _compact(view: View) -> View:
    """Return the view case-folded and without separators."""
    folded = view.rewrite(
        Edit(i, i + 1, c.casefold()) for i, c in enumerate(view.text) if c != c.casefold()
    )
    return folded.rewrite(Edit(m.start(), m.end(), "") for m in _SEPARATORS.finditer(folded.text))


def _search(view: View, key: str, entry: Pseudonym, text: str) -> Iterator[Leak]:
    start = view.text.find(key)
    while start >= 0:
        place = view.base_span(start, start + len(key))
        if _is_whole(text, key, *place):
            yield Leak(entry.entity_type, entry.replacement, *place)
        start = view.text.find(key, start + 1)


def _is_whole(text: str, key: str, start: int, end: int) -> bool:
    """Tell whether the place is no part of a longer Latin or katakana word or number."""
    before = normalized(text[max(0, start - 1) : start]).text.casefold()[-1:]
    after = normalized(text[end : end + 1]).text.casefold()[:1]
    for kind in (_LATIN, _KATAKANA):
        if before and kind.match(before) and kind.match(key[0]):
            return False
        if after and kind.match(after) and kind.match(key[-1]):
            return False
    return True


def _outermost(leaks: Sequence[Leak]) -> list[Leak]:
    kept: list[Leak] = []
    for leak in leaks:
        if not kept or leak.end > kept[-1].end:
            kept.append(leak)
    return kept
