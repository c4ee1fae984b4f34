from models.documents import RedactionEdit, Segment
from models.redactor.joined import JoinedText
from models.redactor.lists import edited, listed, without_allowed
from models.redactor.types import Found, RedactionPolicy


def surfaces(text: str, found: list[Found]) -> list[str]:
    return [text[f.start : f.end] for f in found]


def test_listed_when_participant_in_other_case_or_width_then_found() -> None:
    text = "AIKO SATO and aiko, but not aikoland. Ａｉｋｏ too."
    policy = RedactionPolicy(participants=("Aiko Sato",))
    assert set(surfaces(text, list(listed(text, "en", policy)))) == {
        "AIKO SATO", "AIKO", "SATO", "aiko", "Ａｉｋｏ",
    }  # fmt: skip


def test_listed_when_a_speaker_has_a_role_then_its_grammar_is_no_name() -> None:
    text = "The minister and the board of Fenwick met An in Oslo."
    policy = RedactionPolicy(
        participants=("The Chair of Oak and Ash", "Ms. An Fenwick", "in Rowan")
    )
    assert set(surfaces(text, list(listed(text, "en", policy)))) == {"An", "Fenwick"}


def test_listed_when_kana_name_denied_then_found() -> None:
    text = "さとうけんいちとｻﾄｳが来た"
    policy = RedactionPolicy(deny=("さとうけんいち", "サトウ"))
    assert surfaces(text, list(listed(text, "ja", policy))) == ["さとうけんいち", "ｻﾄｳ"]


def test_without_allowed_when_surface_allowed_then_dropped() -> None:
    text = "call 03-1234-5678 or 090-1234-5678"
    found = [Found(5, 17, "PHONE_NUMBER", 0.8), Found(21, 34, "PHONE_NUMBER", 0.8)]
    assert without_allowed(text, found, ("０３-1234-5678",)) == found[1:]


def joined(*texts: str) -> JoinedText:
    return JoinedText.of(
        [Segment(id=i, start=0, end=1, text=t) for i, t in enumerate(texts, start=1)]
    )


def test_edited_when_added_then_every_place_of_the_surface() -> None:
    whole = joined("Kumo is late", "ask kumo")
    edit = RedactionEdit(action="add", segment_id=1, start=0, end=4, entity_type="USERNAME")
    found = edited(whole, [], [edit])
    assert {whole.text[f.start : f.end] for f in found} == {"Kumo", "kumo"}
    assert {f.entity_type for f in found} == {"USERNAME"}


def test_edited_when_removed_then_every_place_is_lifted() -> None:
    whole = joined("Paris left", "and Paris came", "Bob")
    found = [Found(0, 5, "PERSON", 0.8), Found(15, 20, "PERSON", 0.8), Found(26, 29, "PERSON", 0.8)]
    edit = RedactionEdit(action="remove", segment_id=2, start=4, end=9)
    assert edited(whole, found, [edit]) == found[2:]


def test_edited_when_place_does_not_exist_then_passed_over() -> None:
    edit = RedactionEdit(action="add", segment_id=9, start=0, end=4)
    assert edited(joined("Kumo"), [], [edit]) == []


def test_split_when_finding_runs_over_border_then_a_piece_each() -> None:
    whole = joined("call 415-", "555-0132 now")
    (first, second) = whole.split([Found(5, 18, "PHONE_NUMBER", 0.8)])
    assert [(f.start, f.end) for f in first + second] == [(5, 9), (0, 8)]
