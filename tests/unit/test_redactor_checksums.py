import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.redactor import checksums


@pytest.mark.parametrize("number", ["123456789018", "1234-5678-9018", "1234 5678 9018"])
def test_my_number_when_check_digit_right_then_true(number: str) -> None:
    assert checksums.my_number(number)


@given(st.integers(0, 9).filter(lambda d: d != 8))
def test_my_number_when_check_digit_wrong_then_false(last: int) -> None:
    assert not checksums.my_number(f"12345678901{last}")


def test_cn_id_card_when_last_is_x_then_true() -> None:
    assert checksums.cn_id_card("11010519491231002X")
    assert checksums.cn_id_card("11010519491231002x")
    assert not checksums.cn_id_card("110105194912310021")


@pytest.mark.parametrize(
    "number", ["4111 1111 1111 1111", "5555-5555-5555-4444", "378282246310005", "3530111333300000"]
)
def test_card_when_luhn_and_issuer_right_then_true(number: str) -> None:
    assert checksums.card(number)


@pytest.mark.parametrize("number", ["4111 1111 1111 1112", "0000000000000000", "9999999999999995"])
def test_card_when_no_card_then_false(number: str) -> None:
    assert not checksums.card(number)


def test_iban_when_modulo_right_then_true() -> None:
    assert checksums.iban("GB82 WEST 1234 5698 7654 32")
    assert not checksums.iban("GB82 WEST 1234 5698 7654 33")


def test_tw_id_when_check_digit_right_then_true() -> None:
    assert checksums.tw_id("A123456789")
    assert not checksums.tw_id("A123456788")


@pytest.mark.parametrize("number", ["000-12-3456", "666-12-3456", "912-12-3456", "123-00-4567"])
def test_ssn_when_area_or_group_not_in_use_then_false(number: str) -> None:
    assert not checksums.ssn(number)


@pytest.mark.parametrize("text", ["2024-01-15 12", "15/01/2024", "1111111111", "12345"])
def test_phone_when_date_or_too_plain_then_false(text: str) -> None:
    assert not checksums.phone(text)


@given(st.text())
def test_checks_when_any_text_then_they_answer(text: str) -> None:
    assert all(check(text) in {True, False} for check in checksums.CHECKS.values())
