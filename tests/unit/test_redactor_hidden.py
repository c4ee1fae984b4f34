"""Characters that nobody sees, or that end a line, hide no number."""

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.redactor.checksums import digits_of
from models.redactor.views import normalized
from tests.identified import identified

KNOWN = [
    ("My number is ", "415-555-0132", "PHONE_NUMBER"),
    ("call ", "+44 20 7946 0018", "PHONE_NUMBER"),
    ("my SSN is ", "512-44-7193", "US_SSN"),
    ("card ", "4111 1111 1111 1111", "CREDIT_CARD"),
    ("電話は", "090-1234-5678", "PHONE_NUMBER"),
    ("電話は", "０９０ー１２３４ー５６７８", "PHONE_NUMBER"),
    ("マイナンバーは", "123456789018", "JP_MY_NUMBER"),
    ("电话", "13800138000", "PHONE_NUMBER"),
    ("身份证", "11010519491231002X", "CN_ID_CARD"),
]
EMPTY = (
    "\u034f\u115f\u1160\u17b4\u180b\u2065\u2800\u3164\ufe00\ufe0f\uffa0\U000e0100\U000e01ef\u00ad"
)
ENDS = ["\n", "\r", "\r\n", "\v", "\f", "\x85", "\u2028", "\u2029", "\t"]


def digits(surface: str) -> str:
    return digits_of(normalized(surface).text)


hidden = st.one_of(
    st.characters(categories=["Cf", "Cc", "Mn", "Me"], exclude_characters="\u3099\u309a"),
    st.sampled_from(EMPTY),
    st.sampled_from(ENDS),
)


@given(st.sampled_from(KNOWN), st.data())
def test_number_when_a_hidden_character_stands_in_it_then_found(
    known: tuple[str, str, str], data: st.DataObject
) -> None:
    before, number, kind = known
    at = data.draw(st.integers(min_value=1, max_value=len(number) - 1))
    char = data.draw(hidden)
    torn = number[:at] + char + number[at:]
    assert (kind, digits(number)) in {
        (found, digits(surface)) for found, surface in identified(f"{before}{torn}です", "ja")
    }


@given(st.sampled_from(KNOWN), st.sampled_from(EMPTY + "\u20e3\ufe0f\u0301\x00\u200b"))
def test_number_when_a_hidden_character_follows_every_digit_then_found(
    known: tuple[str, str, str], char: str
) -> None:
    before, number, kind = known
    torn = char.join(number)
    assert (kind, digits(number)) in {
        (found, digits(surface)) for found, surface in identified(f"{before}{torn}です", "ja")
    }


def test_normalized_when_unicode_says_ignorable_then_no_such_character_is_left() -> None:
    everything = "".join(map(chr, range(sys.maxunicode + 1)))
    ignorable = "".join(c for c in everything if unicodedata.category(c) in {"Cf", "Cc"})
    assert set(normalized("a" + ignorable + EMPTY + "b").text) == set("ab \n")


@pytest.mark.parametrize(("text", "shown"), [("a\r\nb", "a\nb"), ("a\rb", "a\nb"), ("a\tb", "a b")])
def test_normalized_when_line_ends_differ_then_one_kind(text: str, shown: str) -> None:
    assert normalized(text).text == shown


def test_normalized_when_mark_stands_on_a_letter_then_kept() -> None:
    assert normalized("Zoe\u0308").text == "Zoë"
