"""What an editor has lifted is told to whoever approves."""

from models.documents import RedactionEdit, Redactions, RedactionSpan, SegmentRedactions, Severity
from models.quality.lifted import check_lifted


def lift(segment_id: int, start: int, entity_type: str = "PERSON") -> RedactionEdit:
    return RedactionEdit(
        action="remove", segment_id=segment_id, start=start, end=start + 5, entity_type=entity_type
    )


def redactions(*edits: RedactionEdit, redacted_again: int | None = None) -> Redactions:
    span = RedactionSpan(start=0, end=9, entity_type="PERSON", score=1, replacement="[PERSON_1]")
    again = () if redacted_again is None else (redacted_again,)
    segments = tuple(SegmentRedactions(segment_id=i, spans=(span,)) for i in again)
    return Redactions(segments=segments, edits=edits)


def test_lifted_when_in_several_places_is_one_warning_with_their_number() -> None:
    edits = (lift(1, 0), lift(4, 0), lift(4, 30), lift(4, 30), lift(2, 3, "PHONE_NUMBER"))
    person, phone = check_lifted(redactions(*edits))
    assert (person.severity, person.segments) == (Severity.WARN, (1, 4))
    assert dict(person.values) == {"entity_type": "PERSON", "n": "3"}
    assert dict(phone.values) == {"entity_type": "PHONE_NUMBER", "n": "1"}


def test_lifted_when_redacted_again_is_not_told() -> None:
    assert list(check_lifted(redactions(lift(1, 0), redacted_again=1))) == []


def test_lifted_when_only_more_was_redacted_is_nothing() -> None:
    added = lift(1, 0).model_copy(update={"action": "add"})
    assert list(check_lifted(redactions(added))) == []
