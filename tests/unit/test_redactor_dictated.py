"""Numbers in groups, with fillers, with corrections: what context or a check digit must decide."""

import pytest

from models.redactor.fillers import fillers
from models.redactor.views import normalized
from tests.identified import identified


@pytest.mark.parametrize(
    "sign", [",", ", ", "，", "、", "・", " · ", ".", "。", "/", "_", "|", "...", ",\n"]
)
@pytest.mark.parametrize(
    ("language", "before", "groups", "kind"),
    [
        ("en", "My number is ", ("555", "123", "4567"), "PHONE_NUMBER"),
        ("en", "my social is ", ("512", "44", "7193"), "US_SSN"),
        ("en", "it is ", ("4111", "1111", "1111", "1111"), "CREDIT_CARD"),
        ("ja", "電話は", ("090", "1234", "5678"), "PHONE_NUMBER"),
        ("ja", "マイナンバーは", ("1234", "5678", "9018"), "JP_MY_NUMBER"),
        ("zh", "电话是", ("138", "0013", "8000"), "PHONE_NUMBER"),
        ("zh", "", ("110101", "1990", "0307", "651X"), "CN_ID_CARD"),
        ("zh", "银行卡号", ("6222", "0212", "3456", "7890", "123"), "BANK_ACCOUNT"),
    ],
)
def test_identifiers_when_groups_have_a_sign_between_then_one_number(
    language: str, before: str, groups: tuple[str, ...], kind: str, sign: str
) -> None:
    number = sign.join(groups)
    assert (kind, number) in identified(f"{before}{number}。", language)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "we sold 555, 123 and 4,567 units"),
        ("en", "We sold 555, 123, 4567 units."),
        ("en", "Phone calls rose by 120, 450, 3000 last year"),
        ("en", "The totals were 1,234,567, 2,345,678 and 3,456,789."),
        ("en", "Numbers are 12.5, 13.75, 14.25"),
        ("en", "the bank said 120, 450, 300"),
        ("en", "Total: 415\nUnits: 555\nPrice: 0132"),
        ("en", "call me on 2026-12-01, 14, 15"),
        ("en", "two, then three, then four and okay five"),
        ("ja", "売上は120、450、3000です"),
        ("zh", "销售额是1200，3400，5600"),
        ("zh", "第一名是三，第二名是四"),
    ],
)
def test_identifiers_when_amounts_are_listed_then_nothing(language: str, text: str) -> None:
    assert not identified(text, language)


@pytest.mark.parametrize(
    ("language", "before", "number", "after"),
    [
        ("en", "my number is ", "2-1-2, uh, 5-5-5, um, 0-1-3-4", "."),
        ("en", "it's ", "two one two um five five five er oh one three four", " okay"),
        ("en", "area code ", "two one two, then five five five, and then oh one three four", ""),
        ("en", "", "two one two,\nyeah,\nfive five five,\nokay\noh one three four", ""),
        (
            "en",
            "my number is ",
            "two one two. Five five five. Oh one, no sorry, oh two three four",
            ".",
        ),
        ("ja", "", "090の\nはい\n1234の\nはい\n5678", "です"),
        ("en", "A: ", "415\nB: uh huh\nA: 555\nB: okay\nA: 0132", ""),
        ("ja", "", "〇九〇。一二三四。五六七八", "。"),
        ("ja", "", "０９０えっと１２３４、違う、１２３５の５６７８", ""),
        ("zh", "电话", "幺三八，嗯，零零幺三，对，八零零零", ""),
        ("zh", "", "138那个0013\n好的\n8000", "。"),
    ],
)
def test_identifiers_when_something_else_is_said_between_then_one_number(
    language: str, before: str, number: str, after: str
) -> None:
    surfaces = {surface for _, surface in identified(f"{before}{number}{after}", language)}
    assert number in surfaces


@pytest.mark.parametrize(
    ("language", "text", "without"),
    [
        ("en", "five, uh, six", "five six"),
        ("en", "okay five. uh right", "okay five. uh right"),
        ("en", "5 umbrellas 6", "5 umbrellas 6"),
        ("ja", "090の\nはい、1234です", "090の 1234です"),
        ("zh", "三，嗯，对，四", "三 四"),
    ],
)
def test_fillers_when_between_parts_of_a_number_then_out(
    language: str, text: str, without: str
) -> None:
    view = normalized(text)
    assert view.rewrite(fillers(view.text, language)).text == without


def test_fillers_when_they_go_on_for_long_then_read_once() -> None:
    assert not list(fillers("一" + "え" * 20_000 + "x", "ja"))


def test_identifiers_when_a_whole_number_is_corrected_then_both_are_numbers_of_their_kind() -> None:
    first, second = (
        "two one two five five five oh one four two",
        "two one two five five five oh one",
    )
    text = f"call my cell {first} no sorry {second} four nine"
    assert identified(text, "en") == {
        ("PHONE_NUMBER", first),
        ("PHONE_NUMBER", f"{second} four nine"),
    }


def test_identifiers_when_a_gap_is_endless_then_read_once() -> None:
    assert not identified("5" + " " * 20_000 + "\n" + " " * 20_000 + "x", "en")
