from hypothesis import given
from hypothesis import strategies as st

from models.redactor.pseudonyms import PseudonymTable

KEY = b"k" * 32


def test_replacement_when_same_surface_then_same_pseudonym() -> None:
    table = PseudonymTable(KEY, "en")
    assert table.replacement("PERSON", "Alice Bob") == "[PERSON_1]"
    assert table.replacement("PERSON", "Carol") == "[PERSON_2]"
    assert table.replacement("PERSON", "ALICE  BOB") == "[PERSON_1]"
    assert table.replacement("EMAIL_ADDRESS", "a@example.com") == "[EMAIL_ADDRESS_1]"


def test_replacement_when_number_is_spoken_then_same_as_written() -> None:
    table = PseudonymTable(KEY, "en")
    written = table.replacement("PHONE_NUMBER", "415-555-0132")
    assert table.replacement("PHONE_NUMBER", "four one five 555 oh one three two") == written
    japanese = PseudonymTable(KEY, "ja")
    assert japanese.replacement("PHONE_NUMBER", "〇九〇の一二三四") == japanese.replacement(
        "PHONE_NUMBER", "０９０－１２３４"
    )


def test_replacement_when_part_of_one_name_then_its_pseudonym() -> None:
    table = PseudonymTable(KEY, "en")
    table.learn_names({"Becker": "Tom Becker"})
    assert table.replacement("PERSON", "Tom Becker") == "[PERSON_1]"
    assert table.replacement("PERSON", "Tom Smith") == "[PERSON_2]"
    assert table.replacement("PERSON", "Becker") == "[PERSON_1]"
    assert table.replacement("PERSON", "Tom") == "[PERSON_3]"


def test_map_when_asked_then_surfaces_in_order_of_appearance() -> None:
    table = PseudonymTable(KEY, "ja")
    table.replacement("PERSON", "田中")
    table.replacement("PERSON", "鈴木")
    entries = table.map().entries
    assert [(e.replacement, e.surfaces) for e in entries] == [
        ("[PERSON_1]", ("田中",)),
        ("[PERSON_2]", ("鈴木",)),
    ]


@given(st.lists(st.text(min_size=1, max_size=8), max_size=12))
def test_replacement_when_order_same_then_pseudonyms_same_with_any_key(surfaces: list[str]) -> None:
    one, other = PseudonymTable(KEY, "en"), PseudonymTable(b"other" * 8, "en")
    assert [one.replacement("PERSON", s) for s in surfaces] == [
        other.replacement("PERSON", s) for s in surfaces
    ]
