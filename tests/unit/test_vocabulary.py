"""Names and terms as an uploader writes them down."""

import pytest

from configs.errors import InputError
from models.vocabulary import MAX_TERMS, parse_terms


def test_parse_when_terms_are_separated_in_any_script_then_each_once_in_order() -> None:
    texts = ["Kikigaki, 山田、 CTranslate2 ;", "Kikigaki\n  Marigold\t Fenwick ", ""]
    assert parse_terms(texts) == ("Kikigaki", "山田", "CTranslate2", "Marigold Fenwick")


def test_parse_when_nothing_is_written_then_none() -> None:
    assert parse_terms(["", " , \n"]) == ()


def test_parse_when_characters_control_then_they_are_gone() -> None:
    assert parse_terms(["Fen\u202ewick\x00"]) == ("Fen wick",)


@pytest.mark.parametrize(
    "text", [",".join(map(str, range(MAX_TERMS + 1))), "x" * 101], ids=["many", "long"]
)
def test_parse_when_it_is_too_much_then_refused(text: str) -> None:
    with pytest.raises(InputError, match="too long"):
        parse_terms([text])
