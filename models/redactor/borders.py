"""Names that a line's or segment's end tears in two: `I spoke with Adwoa` / `Mensah yesterday`.

Models read each line by itself, and lines mostly end between sentences. Where they do not, and
what stands at the end looks like a part of a name, they read what is around the end once more,
drawn together. Only few ends are like that, so that this costs little.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from models.redactor.lexicon import english_words, words
from models.redactor.types import Found
from models.redactor.views import Edit, View

_BORDER = re.compile(r"(?<=\w)[^\S\n]*\n[^\S\n]*(?=\w)")
"""An end that ends no sentence and no part of one."""

_REACH = 40
_CAPITAL_LAST = re.compile(r"[A-ZÀ-Þ][a-zà-ɏ'-]+$")
_CAPITAL_FIRST = re.compile(r"[A-ZÀ-Þ][a-zà-ɏ'-]+")
_SAME_SCRIPT = re.compile(r"[一-龥々]{2}|[ァ-ヺー]{2}")

_WHOLE = {"ja": 4, "zh": 3}
"""Characters of a name that is hardly a half."""

NameFinder = Callable[[str], Iterable[Found]]


def torn_names(
    text: str, persons: Sequence[Found], language: str, find: NameFinder
) -> Iterator[Found]:
    """Yield the names that run over a line's end.

    A name of two words is whole, and not half of another on the line before or after it.

    Args:
        text: the normalized text, English with capitals restored.
        persons: what was found line by line.
        language: `en`, `ja` or `zh`.
        find: finds persons in a text of that language.
    """
    by_end, by_start = {f.end: f for f in persons}, {f.start: f for f in persons}
    torn = [
        border
        for border in _BORDER.finditer(text)
        if _may_tear(text, border, language, by_end.get(border.start()), by_start.get(border.end()))
    ]
    if torn:
        yield from _extended(text, by_end, by_start, torn)
        yield from _read_again(text, torn, language, find)


def _may_tear(
    text: str,
    border: re.Match[str],
    language: str,
    name_before: Found | None,
    name_after: Found | None,
) -> bool:
    """Tell whether a name may go on: both sides look like parts of one, or one is known for one."""
    if name_before and name_after:
        return False
    half = name_before or name_after
    if half and " " in text[half.start : half.end]:
        return False
    if language == "en":
        first = name_before is not None or _is_part(_last_word(text, border))
        return first and (
            name_after is not None or _is_part(_CAPITAL_FIRST.match(text, border.end()))
        )
    if half:
        return half.end - half.start < _WHOLE[language]
    before, after = text[border.start() - 2 : border.start()], text[border.end()]
    if not _SAME_SCRIPT.fullmatch(before[-1:] + after):
        return False
    return language == "ja" or bool(words("zh_surnames") & set(before))


def _extended(
    text: str,
    by_end: Mapping[int, Found],
    by_start: Mapping[int, Found],
    torn: Sequence[re.Match[str]],
) -> Iterator[Found]:
    """Yield found halves with the Latin word on the other side that can only be the other half."""
    for border in torn:
        before, after = _last_word(text, border), _CAPITAL_FIRST.match(text, border.end())
        if (half := by_end.get(border.start())) and after and _is_part(after):
            yield replace(half, end=after.end(), recognizer="name_torn")
        if (half := by_start.get(border.end())) and before and _is_part(before):
            yield replace(half, start=before.start(), recognizer="name_torn")


def _last_word(text: str, border: re.Match[str]) -> re.Match[str] | None:
    """Return the word with a capital before an end."""
    return _CAPITAL_LAST.search(text, max(0, border.start() - 30), border.start())


def _is_part(word: re.Match[str] | None) -> bool:
    """Tell whether a word with a capital is a name or in no list of words."""
    lists = english_words()
    stem = word[0].lower().removesuffix("'s") if word else ""
    known = stem in lists.surnames and stem not in lists.common
    return bool(stem) and (known or lists.is_name(stem) or lists.is_unknown(stem))


def _read_again(
    text: str, torn: Sequence[re.Match[str]], language: str, find: NameFinder
) -> Iterator[Found]:
    """Yield what the models find across the ends once the lines are drawn together."""
    views = [_around(text, border, language) for border in torn]
    offsets, position = [], 0
    for view in views:
        offsets.append(position)
        position += len(view.text) + 1
    for found in find("\n".join(view.text for view in views)):
        index = bisect_right(offsets, found.start) - 1
        view, offset, border = views[index], offsets[index], torn[index]
        if found.end - offset > len(view.text):
            continue
        start, end = view.base_span(found.start - offset, found.end - offset)
        if start < border.start() and border.end() < end:
            yield replace(found, start=start, end=end, recognizer="name_torn")


def _around(text: str, border: re.Match[str], language: str) -> View:
    """Return what stands around an end without the ends."""
    start = max(0, border.start() - _REACH)
    part = text[start : border.end() + _REACH]
    places = range(start, start + len(part))
    view = View(part, tuple(places), tuple(i + 1 for i in places))
    joint = " " if language == "en" else ""
    glued = view.rewrite(Edit(*m.span(), joint) for m in _BORDER.finditer(part))
    return glued.rewrite(Edit(m.start(), m.end(), " ") for m in re.finditer("\n", glued.text))
