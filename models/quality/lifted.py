"""What an editor has made readable again: the approver is told, and never which words."""

from collections import defaultdict
from collections.abc import Iterator

from models.documents import Finding, RedactionEdit, Redactions, RedactionSpan, Severity


def check_lifted(redactions: Redactions) -> Iterator[Finding]:
    """Yield a warning for each class of personal data of which redactions were lifted.

    Args:
        redactions: of the revision, with the editor's corrections; where one of its spans stands
            on a lifted place again, that place is not counted.
    """
    spans = {segment.segment_id: segment.spans for segment in redactions.segments}
    lifted: dict[str, set[tuple[int, int, int]]] = defaultdict(set)
    for edit in redactions.edits:
        if edit.action == "remove" and not _is_redacted(edit, spans.get(edit.segment_id, ())):
            lifted[edit.entity_type].add((edit.segment_id, edit.start, edit.end))
    for entity_type, places in sorted(lifted.items()):
        yield _finding(entity_type, len(places), sorted({segment for segment, _, _ in places}))


def _is_redacted(edit: RedactionEdit, spans: tuple[RedactionSpan, ...]) -> bool:
    return any(span.start < edit.end and edit.start < span.end for span in spans)


def _finding(entity_type: str, n: int, segments: list[int]) -> Finding:
    places = "1 place" if n == 1 else f"{n} places"
    return Finding(
        check="redaction.lifted",
        severity=Severity.WARN,
        place="transcript",
        reason=f"An editor lifted a redaction ({entity_type}): {places} can be read in clear.",
        segments=tuple(segments),
        values=(("entity_type", entity_type), ("n", str(n))),
    )
