"""Places in the shown text become places in the original, emoji and Japanese included."""

import pytest

from configs.errors import InputError
from models.documents import (
    RedactedSegment,
    RedactedTranscript,
    RedactionEdit,
    RedactionMark,
    Redactions,
    RedactionSpan,
    SegmentRedactions,
)
from review_ui.redaction_offsets import ShownEdit, original_edits, places_of

ORIGINAL = "😀 架空太郎です。03-0000-0000 か 架空太郎まで、火曜に。"
FOUND = (
    ("架空太郎", "[PERSON_1]"),
    ("03-0000-0000", "[PHONE_NUMBER_1]"),
    ("架空太郎", "[PERSON_1]"),
)


def redacted() -> tuple[RedactedTranscript, Redactions]:
    """Return both documents as a redactor would make them of `ORIGINAL`."""
    spans, marks, shown, at = [], [], "", 0
    for surface, replacement in FOUND:
        start = ORIGINAL.index(surface, at)
        shown += ORIGINAL[at:start]
        marks.append(
            RedactionMark(start=len(shown), end=len(shown) + len(replacement), entity_type="X")
        )
        shown += replacement
        at = start + len(surface)
        spans.append(
            RedactionSpan(start=start, end=at, entity_type="X", score=1.0, replacement=replacement)
        )
    segment = RedactedSegment(id=1, start=0, end=1, text=shown + ORIGINAL[at:], marks=tuple(marks))
    transcript = RedactedTranscript(kind="speech", language="ja", duration_s=1, segments=(segment,))
    found = SegmentRedactions(segment_id=1, spans=tuple(spans))
    return transcript, Redactions(segments=(found,))


def original_text(shown: str, action: str = "add", *, nth: int = 0) -> str:
    """Return what of the original an edit of the shown words is about."""
    transcript, redactions = redacted()
    text = transcript.segments[0].text
    start = -1
    for _ in range(nth + 1):
        start = text.index(shown, start + 1)
    edit = ShownEdit(action, 1, start, start + len(shown), "PERSON")
    made = original_edits([edit], redactions, transcript)[nth]
    return ORIGINAL[made.start : made.end]


@pytest.mark.parametrize("words", ["😀", "です", "か", "まで", "火曜", "に。", "😀 "])
def test_words_when_outside_of_redactions_are_the_same_words(words: str) -> None:
    assert original_text(words) == words


@pytest.mark.parametrize(
    ("shown", "original"),
    [
        ("[PERSON_1]です", "架空太郎です"),
        ("ON_1]で", "架空太郎で"),
        ("か [PER", "か 架空太郎"),
        ("[PHONE_NUMBER_1] か [PERSON_1]", "03-0000-0000 か 架空太郎"),
    ],
)
def test_words_when_they_touch_a_redaction_take_all_of_it(shown: str, original: str) -> None:
    assert original_text(shown) == original


def test_redaction_when_lifted_is_found_by_its_place() -> None:
    assert original_text("[PERSON_1]", "remove", nth=1) == "架空太郎"
    assert original_text("[PHONE_NUMBER_1]", "remove") == "03-0000-0000"


def test_redaction_when_lifted_is_lifted_wherever_its_pseudonym_stands() -> None:
    transcript, redactions = redacted()
    start = transcript.segments[0].text.index("[PERSON_1]")
    edit = ShownEdit("remove", 1, start, start + len("[PERSON_1]"), "X")
    made = original_edits([edit], redactions, transcript)
    assert [ORIGINAL[e.start : e.end] for e in made] == ["架空太郎", "架空太郎"]
    assert len({e.start for e in made}) == 2


@pytest.mark.parametrize(
    "edit",
    [
        ShownEdit("remove", 1, 0, 1, "X"),
        ShownEdit("add", 2, 0, 1, "X"),
        ShownEdit("add", 1, 5, 5, "X"),
        ShownEdit("add", 1, 0, 999, "X"),
    ],
)
def test_edit_when_there_is_no_such_place_is_refused(edit: ShownEdit) -> None:
    transcript, redactions = redacted()
    with pytest.raises(InputError):
        original_edits([edit], redactions, transcript)


def test_edits_when_some_hold_already_are_added_to_them() -> None:
    transcript, redactions = redacted()
    earlier = RedactionEdit(action="add", segment_id=1, start=0, end=1)
    held = redactions.model_copy(update={"edits": (earlier,)})
    made = original_edits([ShownEdit("add", 1, 0, 1, "AGE")], held, transcript)
    assert made[0] == earlier
    assert len(made) == 2


def test_places_when_a_text_occurs_in_pseudonyms_are_outside_of_them() -> None:
    segment = redacted()[0].segments[0]
    assert places_of("PERSON", segment) == []
    assert [segment.text[a:b] for a, b in places_of("か", segment)] == ["か"]
    assert places_of("", segment) == []
