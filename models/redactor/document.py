"""One redaction: what is found in the segments of a document, and what stands for it."""

import re
from bisect import bisect_right
from collections.abc import Sequence

from models.documents import RedactionEdit, RedactionSpan, Segment
from models.redactor.detection import detect
from models.redactor.joined import JoinedText
from models.redactor.languages import masked
from models.redactor.lists import edited, listed, without_allowed
from models.redactor.near_names import full_name, near_names
from models.redactor.pseudonyms import PseudonymTable
from models.redactor.resolve import FORCED, resolve
from models.redactor.same_person import same_persons
from models.redactor.types import Found, NameModel, RedactionPolicy

_NEAR_SCORE = 0.7
_TORN_WORD = re.compile(r"(?<=[ぁ-ヺー一-龥々])\s*\n\s*(?=[ぁ-ヺー一-龥々])")


class Document:
    """The segments of one redaction with the wishes about them."""

    def __init__(
        self,
        segments: Sequence[Segment],
        language: str,
        policy: RedactionPolicy,
        edits: Sequence[RedactionEdit],
        names: NameModel | None,
    ) -> None:
        self._joined = JoinedText.of(segments)
        self._language = language
        self._policy = policy
        self._edits = edits
        self._names = names

    def spans(self, table: PseudonymTable) -> list[list[RedactionSpan]]:
        """Return the spans of each segment, pseudonyms given in the order of the text."""
        text = self._joined.text
        found, near = self._found()
        names = {_one_line(text[f.start : f.end]) for f in found if f.entity_type == "PERSON"}
        names.update(self._policy.participants)
        table.learn_names(same_persons(names, self._language, near))
        replacements = {
            (f.start, f.end): table.replacement(f.entity_type, _one_line(text[f.start : f.end]))
            for f in found
        }
        pieces = self._joined.split(found)
        return [
            [
                _span(p, self._owner(found, offset, p), replacements, table, segment.text)
                for p in row
            ]
            for segment, offset, row in zip(
                self._joined.segments, self._joined.offsets, pieces, strict=True
            )
        ]

    def _found(self) -> tuple[list[Found], dict[str, str]]:
        """Return what is redacted, and the names that some of it is a misreading of."""
        text, policy = self._joined.text, self._policy
        found: list[Found] = []
        for language, body in masked(self._joined.segments, self._language).items():
            found.extend(detect(body, language, self._names))
        forced = list(listed(text, self._language, policy))
        found = resolve(text, [*forced, *found])
        misread, near = self._misread(found)
        kept = (f for f in found if not any(f.start >= m.start and f.end <= m.end for m in misread))
        found = without_allowed(text, resolve(text, [*kept, *misread]), policy.allow)
        if self._edits:
            found = resolve(text, edited(self._joined, found, self._edits))
        return [f for f in found if f.entity_type in policy.classes or f.score >= FORCED], near

    def _misread(self, found: Sequence[Found]) -> tuple[list[Found], dict[str, str]]:
        """Return where known names stand misread, and by what stands there the name."""
        text = self._joined.text
        persons = [f for f in found if f.entity_type == "PERSON"]
        surfaces = dict.fromkeys(
            [*self._policy.participants, *(_one_line(text[f.start : f.end]) for f in persons)]
        )
        order = {surface: place for place, surface in enumerate(surfaces)}
        names = [name for s in surfaces if (name := full_name(s, self._language))]
        whole = {(f.start, f.end) for f in persons}
        misread: list[Found] = []
        near: dict[str, str] = {}
        for place in near_names(text, names, self._language):
            surface = _one_line(text[place.start : place.end])
            later = order.get(surface, len(order)) > order[place.name]
            if later and (place.certain or (place.start, place.end) not in whole):
                misread.append(Found(place.start, place.end, "PERSON", _NEAR_SCORE, "name_near"))
                near.setdefault(surface, place.name)
        return misread, near

    @staticmethod
    def _owner(found: Sequence[Found], offset: int, piece: Found) -> Found:
        start = offset + piece.start
        return found[bisect_right(found, start, key=lambda f: f.start) - 1]


def _span(
    piece: Found,
    owner: Found,
    replacements: dict[tuple[int, int], str],
    table: PseudonymTable,
    text: str,
) -> RedactionSpan:
    replacement = replacements[owner.start, owner.end]
    table.add_surface(replacement, text[piece.start : piece.end])
    return RedactionSpan(
        start=piece.start,
        end=piece.end,
        entity_type=piece.entity_type,
        score=piece.score,
        replacement=replacement,
        recognizer=piece.recognizer,
    )


def _one_line(surface: str) -> str:
    """Return a surface without the line ends in it, which tear Chinese and Japanese words."""
    return re.sub(r"\s*\n\s*", " ", _TORN_WORD.sub("", surface))
