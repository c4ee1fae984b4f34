"""From places in the redacted text, which editors see, to places in the original.

The web needs no original text for that: the stored redactions say where in the original each
replacement stands, and how long it is.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from configs.errors import InputError
from models.documents import (
    RedactedSegment,
    RedactedTranscript,
    RedactionEdit,
    Redactions,
    RedactionSpan,
)


@dataclass(frozen=True)
class ShownEdit:
    """A correction in code points of the *redacted* text, end exclusive."""

    action: str
    segment_id: int
    start: int
    end: int
    entity_type: str


@dataclass(frozen=True)
class _Stretch:
    """A redaction in both texts."""

    shown_start: int
    shown_end: int
    span: RedactionSpan


def original_edits(
    shown: Iterable[ShownEdit], redactions: Redactions, transcript: RedactedTranscript
) -> list[RedactionEdit]:
    """Return all corrections that hold from now on: the earlier ones and these.

    A redaction is lifted wherever its pseudonym stands, in every form of what it stands for: half
    of a name in clear would give away the other half.

    Args:
        shown: what the editor chose.
        redactions: of the revision that the editor saw; holds the earlier corrections.
        transcript: the redacted transcript of the same revision.

    Raises:
        InputError: a place does not exist, or there is no redaction to lift (not retryable).
    """
    spans = {segment.segment_id: segment.spans for segment in redactions.segments}
    edits = list(redactions.edits)
    for edit in shown:
        segment = transcript.segment(edit.segment_id)
        if segment is None or not 0 <= edit.start < edit.end <= len(segment.text):
            raise InputError("A change names a place that does not exist. Nothing was saved.")
        stretches = _stretches(spans.get(edit.segment_id, ()))
        if edit.action == "remove":
            edits += _lifted(_replacement_at(edit, stretches), redactions)
        else:
            edits.append(_added(edit, segment, stretches))
    return edits


def _replacement_at(edit: ShownEdit, stretches: Iterable[_Stretch]) -> str:
    for stretch in stretches:
        if (stretch.shown_start, stretch.shown_end) == (edit.start, edit.end):
            return stretch.span.replacement
    raise InputError("There is no redaction at one of the places. Nothing was saved.")


def _lifted(replacement: str, redactions: Redactions) -> list[RedactionEdit]:
    return [
        RedactionEdit(
            action="remove",
            segment_id=segment.segment_id,
            start=span.start,
            end=span.end,
            entity_type=span.entity_type,
        )
        for segment in redactions.segments
        for span in segment.spans
        if span.replacement == replacement
    ]


def _added(
    edit: ShownEdit, segment: RedactedSegment, stretches: Sequence[_Stretch]
) -> RedactionEdit:
    return RedactionEdit(
        action="add",
        segment_id=segment.id,
        start=_to_original(edit.start, stretches, at_end=False),
        end=_to_original(edit.end, stretches, at_end=True),
        entity_type=edit.entity_type,
    )


def _stretches(spans: Iterable[RedactionSpan]) -> list[_Stretch]:
    shift, found = 0, []
    for span in sorted(spans, key=lambda span: span.start):
        start = span.start + shift
        found.append(_Stretch(start, start + len(span.replacement), span))
        shift += len(span.replacement) - (span.end - span.start)
    return found


def _to_original(offset: int, stretches: Iterable[_Stretch], *, at_end: bool) -> int:
    """Return the original offset; one inside a pseudonym becomes that redaction's edge."""
    shift = 0
    for stretch in stretches:
        if offset < stretch.shown_end or (offset == stretch.shown_end and at_end):
            if offset > stretch.shown_start:
                return stretch.span.end if at_end else stretch.span.start
            break
        shift = stretch.span.end - stretch.shown_end
    return offset + shift


def places_of(text: str, segment: RedactedSegment) -> list[tuple[int, int]]:
    """Return where `text` stands in a segment outside its redactions, in code points."""
    found, at = [], segment.text.find(text) if text else -1
    while at >= 0:
        end = at + len(text)
        if not any(mark.start < end and at < mark.end for mark in segment.marks):
            found.append((at, end))
        at = segment.text.find(text, end)
    return found
