import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from models.documents import Pseudonym, PseudonymMap
from models.redactor import find_leaks


def known(*surfaces: str, entity_type: str = "PERSON") -> PseudonymMap:
    entry = Pseudonym(replacement=f"[{entity_type}_1]", entity_type=entity_type, surfaces=surfaces)
    return PseudonymMap(entries=(entry,))


@pytest.mark.parametrize(
    ("surface", "text"),
    [
        ("Priya Raman", "Summary by PRIYA RAMAN."),
        ("Priya Raman", "priya-raman_meeting.mp3"),
        ("Priya Raman", "Raman agreed"),
        ("Ｐｒｉｙａ", "priya said"),
        ("ﾀﾅｶ", "タナカさんが承認"),
        ("田中花子", "田中 花子が承認"),
        ("王小明", "王小明同意"),
        ("Pri\u200bya", "ask Priya"),
    ],
)
def test_find_leaks_when_name_stands_in_other_form_then_found(surface: str, text: str) -> None:
    assert find_leaks(text, known(surface))


@pytest.mark.parametrize(
    "text",
    ["call 4155550132", "call 415 555 0132", "four one five five five five oh one three two"],
)
def test_find_leaks_when_number_in_other_form_then_found(text: str) -> None:
    numbers = known("four one five 555-0132", entity_type="PHONE_NUMBER")
    assert [leak.entity_type for leak in find_leaks(text, numbers)] == ["PHONE_NUMBER"]


@pytest.mark.parametrize(
    ("surface", "text"),
    [
        ("Ann", "the annual channel"),
        ("Will", "we will meet"),
        ("森", "森の中で"),
        ("王", "王先生"),
        ("ケン", "ケンタッキー"),
        ("タナカ", "ハタナカ工業"),
        ("415", "415 people"),
        ("34 years old", "34 people"),
        ("Person", "[PERSON_1] spoke"),
    ],
)
def test_find_leaks_when_only_similar_then_no_alarm(surface: str, text: str) -> None:
    assert not find_leaks(text, known(surface))


def test_find_leaks_when_found_then_place_is_in_code_points() -> None:
    text = "😀 ask Priya Raman now"
    (leak,) = find_leaks(text, known("Priya Raman"))
    assert text[leak.start : leak.end] == "Priya Raman"
    assert leak.replacement == "[PERSON_1]"


@given(st.text(alphabet="bcdfghklmnprstvz", min_size=5, max_size=12), st.text(max_size=20))
def test_find_leaks_when_rare_word_stands_alone_then_always_found(word: str, other: str) -> None:
    assume("[" not in other)
    assert find_leaks(f"{other} {word} {other}", known(word))
