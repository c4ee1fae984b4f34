"""What people ask for: participants, words to redact or to leave, and an editor's corrections."""

from collections.abc import Iterator, Sequence

from models.documents import RedactionEdit
from models.redactor.joined import JoinedText
from models.redactor.lexicon import english_words
from models.redactor.persons import occurrences, parts_of
from models.redactor.resolve import FORCED
from models.redactor.types import Found, RedactionPolicy
from models.redactor.views import View, fold, normalized

_GRAMMAR = frozenset({"the", "of", "and"})
_SMALL = frozenset({"a", "an", "at", "by", "for", "from", "in", "on", "or", "to", "with"})


def listed(text: str, language: str, policy: RedactionPolicy) -> Iterator[Found]:
    """Yield where participants' names, their parts, and denied words stand in the original text."""
    if not policy.participants and not policy.deny:
        return
    view = normalized(text)
    for name in policy.participants:
        surface = normalized(name).text.strip()
        yield from _places(view, surface, "PERSON", "participant")
        for part in parts_of(surface, language, {}):
            if _is_grammar(part):
                continue
            yield from _places(view, part, "PERSON", "participant", exact=_is_everyday(part))
    for word in policy.deny:
        yield from _places(view, normalized(word).text.strip(), "PERSON", "deny_list")


def _is_grammar(part: str) -> bool:
    """Tell a word of a role, as in "The Chair" or "Minister of Finance", from a part of a name."""
    return part.lower() in _GRAMMAR or part in _SMALL


def without_allowed(text: str, found: Sequence[Found], allow: Sequence[str]) -> list[Found]:
    """Drop findings that are an allowed surface or lie inside of one."""
    if not allow:
        return list(found)
    view = normalized(text)
    allowed = [
        (place.start, place.end)
        for word in allow
        for place in _places(view, normalized(word).text.strip(), "PERSON", "allow_list")
    ]
    return [f for f in found if not any(s <= f.start and f.end <= e for s, e in allowed)]


def edited(
    joined: JoinedText, found: Sequence[Found], edits: Sequence[RedactionEdit]
) -> list[Found]:
    """Apply an editor's corrections, in their order.

    An added stretch is redacted wherever its surface stands in the document, and a lifted one is
    lifted wherever it was redacted. Edits that point at no text are passed over.

    Returns:
        All findings, the added ones forced; they may overlap the others.
    """
    result = list(found)
    view = normalized(joined.text)
    for edit in edits:
        place = joined.range_of(edit.segment_id, edit.start, edit.end)
        if place is None:
            continue
        if edit.action == "add":
            surface = normalized(joined.text[place[0] : place[1]]).text.strip()
            result.append(Found(*place, edit.entity_type, FORCED, "editor"))
            result.extend(_places(view, surface, edit.entity_type, "editor"))
        else:
            result = _lifted(joined.text, result, place)
    return result


def _lifted(text: str, found: Sequence[Found], place: tuple[int, int]) -> list[Found]:
    start, end = place
    touched = [f for f in found if f.start < end and f.end > start]
    surfaces = {fold(text[f.start : f.end]) for f in touched} | {fold(text[start:end])}
    return [f for f in found if fold(text[f.start : f.end]) not in surfaces]


def _places(
    view: View, surface: str, entity_type: str, recognizer: str, *, exact: bool = False
) -> Iterator[Found]:
    for start, end in occurrences(view.text, surface, exact_case=exact):
        yield Found(*view.base_span(start, end), entity_type, FORCED, recognizer)


def _is_everyday(part: str) -> bool:
    lists = english_words()
    return part.lower() in lists.common or part.lower() in lists.ambiguous
