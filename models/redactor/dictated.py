"""Numbers as they are dictated: in groups with any sign between, with fillers and corrections.

Two views stack on the others. One is without what people say between two groups of a number
(`uh`, the listener's `はい`, `no, sorry`), the other draws groups together over one or two signs.
Only the places where something changes are looked at, each with what stands around it: there a
context word, a check digit or an exact length decides whether it is a number at all.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate

from models.redactor.checksums import digits_of
from models.redactor.fillers import fillers
from models.redactor.patterns import find_patterns
from models.redactor.spoken import spoken
from models.redactor.types import IDENTIFIER_CLASSES, Found
from models.redactor.views import Edit, View

_REACH = 80
"""Characters around a number that are looked at: more than any pattern's context."""

_LEAST = 7
"""Digits of a number that is looked for in these views."""

_SIGNS = r"[^\S\n]*+(?:[,、・.。;/_·•‧∙|~*\-]{1,3}+[^\S\n]*+)?+(?:\n[^\S\n]*+)?+"
_GROUPS = re.compile(rf"(?<![0-9])[0-9]+(?:{_SIGNS}[0-9]+)+")
_SIGN = re.compile(r"[^0-9]+")
_AMOUNTS = re.compile(r"\d{1,3}(?:,\d{3})+(?:[,、;]?\s+\d{1,3}(?:,\d{3})+)*")
_DATE = re.compile(
    r"(?<!\d)(?:(?:19|20)\d\d([-./])(?:0?[1-9]|1[0-2])\1(?:0?[1-9]|[12]\d|3[01])"
    r"|(?:0?[1-9]|[12]\d|3[01])([-./])(?:0?[1-9]|[12]\d)\2(?:19|20)\d\d)(?!\d)"
)
_POINTS = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}")


def dictated(base: View, said: View, language: str, known: Sequence[Found]) -> Iterator[Found]:
    """Yield dictated identifiers, in the base text.

    Args:
        base: the written view.
        said: the spoken view of it.
        language: whose fillers are known; English ones are known in every language.
        known: what was found in these views, and need not be looked for again.
    """
    yield from _drawn_together(said, known)
    is_known = _covers(known)
    edits = [
        edit
        for edit in fillers(base.text, language)
        if not (is_known(edit.start - 1, edit.start) and is_known(edit.end, edit.end + 1))
    ]
    for start, end in _surroundings(len(base.text), [(e.start, e.end) for e in edits]):
        inside = (e for e in edits if start <= e.start and e.end <= end)
        gaps = [Edit(e.start - start, e.end - start, e.replacement) for e in inside]
        fluent = spoken(base.part(start, end).rewrite(gaps), language)
        yield from _numbers(fluent, "spoken")
        yield from _drawn_together(fluent)


def _drawn_together(view: View, known: Sequence[Found] = ()) -> Iterator[Found]:
    """Yield the numbers whose groups have signs between them."""
    is_known = _covers(known)
    runs = [
        run.span()
        for run in _GROUPS.finditer(view.text)
        if _may_be_number(run[0]) and not is_known(*view.base_span(*run.span()))
    ]
    for start, end in _surroundings(len(view.text), runs):
        part = view.part(start, end)
        gaps = (
            Edit(run.start() + gap.start(), run.start() + gap.end(), "")
            for run in _GROUPS.finditer(part.text)
            if _may_be_number(run[0])
            for gap in _SIGN.finditer(run[0])
        )
        yield from _numbers(part.rewrite(gaps), "dictated")


def _covers(known: Sequence[Found]) -> Callable[[int, int], bool]:
    """Return what tells whether one of the findings covers a place."""
    ordered = sorted(known, key=lambda f: f.start)
    starts = [f.start for f in ordered]
    furthest = [0, *accumulate((f.end for f in ordered), max)]
    return lambda start, end: furthest[bisect_right(starts, start)] >= end


def _may_be_number(run: str) -> bool:
    """Tell whether groups with signs between can be one number: no amounts, date or address."""
    plain = len(digits_of(run)) < _LEAST or _AMOUNTS.fullmatch(run) or _POINTS.fullmatch(run)
    return not plain and not _DATE.search(run)


def _numbers(view: View, kind: str) -> Iterator[Found]:
    for found in find_patterns(view.text, kind):
        long = len(digits_of(view.text[found.start : found.end])) >= _LEAST
        if long and found.entity_type in IDENTIFIER_CLASSES:
            start, end = view.base_span(found.start, found.end)
            yield Found(start, end, found.entity_type, found.score, found.recognizer)


def _surroundings(length: int, places: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the stretches around places, drawn together where they touch."""
    first = last = -1
    for start, end in places:
        if last >= 0 and start - _REACH > last:
            yield first, last
            first = -1
        first = max(0, start - _REACH) if first < 0 else first
        last = min(length, end + _REACH)
    if last >= 0:
        yield first, last
