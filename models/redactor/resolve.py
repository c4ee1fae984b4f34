"""Deciding between overlapping findings, once, before any text is cut."""

from bisect import bisect_right, insort
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice, takewhile

from models.redactor.types import IDENTIFIER_CLASSES, Found

_TIERS = (
    frozenset({*IDENTIFIER_CLASSES, "ADDRESS", "AGE", "DATE_OF_BIRTH", "ZIP_CODE"}),
    frozenset({"PERSON"}),
    frozenset({"LOCATION", "ORGANIZATION", "NRP", "URL"}),
)
_KEEP_REST = (_TIERS[0] | _TIERS[1]) - {"USERNAME"}
_BRACKETS = {"(": ")", "（": "）", "[": "]"}
FORCED = 1.0
"""The score of what a person or a list asked for; it wins over every model."""


def resolve(text: str, candidates: Iterable[Found]) -> list[Found]:
    """Choose findings that do not overlap.

    What a list or an editor forced wins; then identifiers before names before places before dates;
    then the longer (so a My Number inside a card number loses), then the higher score. Of personal
    data that loses only partly, the rest is kept.

    Returns:
        The chosen findings by position, without spaces at their ends and an open bracket before.
    """
    chosen: list[Found] = []
    for candidate in sorted(_without_postal_codes(text, list(candidates)), key=_rank):
        clashes = _clashes(chosen, candidate)
        if not clashes:
            _add(chosen, _trimmed(text, [candidate]))
        elif candidate.entity_type in _KEEP_REST:
            rest = (r for r in _rest(candidate, clashes) if _is_whole(text, r))
            _add(chosen, _trimmed(text, rest))
    return chosen


def _clashes(chosen: Sequence[Found], candidate: Found) -> list[Found]:
    """Return what overlaps the candidate; the chosen are in order and do not overlap."""
    first = bisect_right(chosen, candidate.start, key=lambda found: found.end)
    return list(takewhile(lambda found: found.start < candidate.end, islice(chosen, first, None)))


def _add(chosen: list[Found], more: Iterable[Found]) -> None:
    for found in more:
        insort(chosen, found, key=lambda item: item.start)


def _rank(found: Found) -> tuple[int, int, int, float, int, str, str]:
    tier = next((i for i, t in enumerate(_TIERS) if found.entity_type in t), len(_TIERS))
    forced = 0 if found.score >= FORCED else 1
    length = found.end - found.start
    order = (found.start, found.entity_type, found.recognizer)
    return forced, tier, -length, -found.score, *order


def _without_postal_codes(text: str, candidates: Sequence[Found]) -> Iterable[Found]:
    """Cut a postal code off the end of an address, so that both keep their class."""
    codes = [c for c in candidates if c.entity_type == "ZIP_CODE" and c.score >= 0.6]
    for found in candidates:
        if found.entity_type == "ADDRESS":
            last = [c for c in codes if found.start < c.start < found.end <= c.end]
            if last and text[found.start : last[0].start].strip():
                yield replace(found, end=last[0].start)
                continue
        yield found


def _rest(found: Found, clashes: Sequence[Found]) -> Iterable[Found]:
    position = found.start
    for clash in sorted(clashes, key=lambda c: c.start):
        if position < clash.start:
            yield replace(found, start=position, end=clash.start)
        position = max(position, clash.end)
    if position < found.end:
        yield replace(found, start=position)


def _is_whole(text: str, found: Found) -> bool:
    """Tell whether a rest begins and ends at word borders and is worth keeping."""
    before, after = text[found.start - 1 : found.start], text[found.end : found.end + 1]
    first, last = text[found.start], text[found.end - 1]
    torn = (_is_latin(before) and _is_latin(first)) or (_is_latin(after) and _is_latin(last))
    torn = torn and found.entity_type == "PERSON"
    letters = sum(c.isalnum() for c in text[found.start : found.end])
    half = found.entity_type == "PERSON" and "一" <= first <= "龥"
    return not torn and letters > (0 if half else 1)


def _is_latin(char: str) -> bool:
    return char.isalnum() and char < "\u0250"


def _opens(surface: str) -> bool:
    """Tell whether a text begins with a bracket that is closed elsewhere."""
    return surface[:1] in _BRACKETS and _BRACKETS[surface[0]] not in surface


def _trimmed(text: str, found: Iterable[Found]) -> Iterable[Found]:
    for item in found:
        surface = text[item.start : item.end]
        start = item.start + len(surface) - len(surface.lstrip(" \t\n,、，;:・"))
        end = item.end - len(surface) + len(surface.rstrip(" \t\n,、，;:・"))
        start += _opens(text[start:end])
        if start < end and any(c.isalnum() for c in text[start:end]):
            yield replace(item, start=start, end=end)
