"""Numbers after their word that a recognizer mangled."""

import pytest

from models.redactor.patterns import find_patterns


def _found(text: str) -> set[tuple[str, str]]:
    return {(f.entity_type, text[f.start : f.end]) for f in find_patterns(text, "written")}


@pytest.mark.parametrize(
    ("text", "entity_type", "value"),
    [
        ("マイナンバーは最1,263,2,388,488です", "JP_MY_NUMBER", "最1,263,2,388,488"),
        ("個人番号が24738935まるまる82です", "JP_MY_NUMBER", "24738935まるまる82"),
        ("IPアドレスは203. 0.1.1. 3.2.7です", "IP_ADDRESS", "203. 0.1.1. 3.2.7"),
        ("会員番号は33の398の545です。", "ID_NUMBER", "33の398の545"),
        ("メールはmochiz というki.yut oatmark EXAMPLE. jpです", "EMAIL_ADDRESS", None),
        ("身份证号是11010119900,3076515。", "CN_ID_CARD", "11010119900,3076515"),
        ("银行卡号是622202,12345,678901。", "ID_NUMBER", "622202,12345,678901"),
    ],
)
def test_mangled_when_a_word_says_what_it_is_then_found_to_its_end(
    text: str, entity_type: str, value: str | None
) -> None:
    found = {surface for kind, surface in _found(text) if kind == entity_type}
    assert found if value is None else value in found


@pytest.mark.parametrize(
    "text",
    [
        "マイナンバーは2016年1月に始まりました。",
        "マイナンバーは12桁の番号です。",
        "電話番号は3回変わりました。",
        "电话是2019年11月20日接通的。",
        "账号是三个部门共用的。",
        "メールは毎日届きます。",
    ],
)
def test_mangled_when_something_else_is_said_of_the_word_then_not_found(text: str) -> None:
    assert not _found(text)
