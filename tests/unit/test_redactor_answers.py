"""Bare answers to a question that names the kind, heads with a colon, codes after their word."""

import pytest

from tests.identified import identified


@pytest.mark.parametrize(
    ("language", "question", "answer", "kind"),
    [
        ("en", "What's your date of birth? ", "July 4th, 1982", "DATE_OF_BIRTH"),
        ("en", "And when were you born?\nUm, the ", "sixth of june 1982", "DATE_OF_BIRTH"),
        ("en", "What's your account number? ", "12345678", "BANK_ACCOUNT"),
        ("en", "Your account number, please.\nSure, it's ", "12345678", "BANK_ACCOUNT"),
        ("en", "What's your customer number? ", "77300419", "ID_NUMBER"),
        ("en", "How old are you? ", "34", "AGE"),
        ("en", "How old is your mother?\nShe's ", "eighty two", "AGE"),
        ("ja", "生年月日をお願いします。", "昭和57年7月4日", "DATE_OF_BIRTH"),
        ("ja", "お生まれはいつですか？\nはい、", "1982年7月4日", "DATE_OF_BIRTH"),
        ("ja", "おいくつですか。", "34", "AGE"),
        ("ja", "何歳ですか？\nえっと、", "三十四", "AGE"),
        ("ja", "口座番号を教えてください。\n", "1234567", "BANK_ACCOUNT"),
        ("ja", "会員番号をお願いします。", "77300419", "ID_NUMBER"),
        ("zh", "您的生日是哪天？", "一九八二年七月四日", "DATE_OF_BIRTH"),
        ("zh", "您今年多大了？\n嗯，", "三十四", "AGE"),
        ("zh", "您的账号是多少？\n", "3456 7890 1234", "BANK_ACCOUNT"),
        ("zh", "会员编号是多少？", "77300419", "ID_NUMBER"),
    ],
)
def test_identifiers_when_a_question_names_the_kind_then_its_bare_answer(
    language: str, question: str, answer: str, kind: str
) -> None:
    end = {"en": ".", "ja": "です。", "zh": "。"}[language]
    assert (kind, answer) in identified(f"{question}{answer}{end}", language)


@pytest.mark.parametrize(
    ("language", "text", "kind", "surface"),
    [
        ("en", "my PIN is 4471", "ID_NUMBER", "4471"),
        ("en", "the CVV is 4 4 7.", "ID_NUMBER", "4 4 7"),
        ("en", "your one-time code: 448 812", "ID_NUMBER", "448 812"),
        ("en", "the password is Hunter2!x now", "ID_NUMBER", "Hunter2!x"),
        ("en", "she is on extension 4471", "PHONE_NUMBER", "4471"),
        ("en", "ring me on ext 4471", "PHONE_NUMBER", "4471"),
        ("en", "my account number is 12,345,678", "ID_NUMBER", "12,345,678"),
        ("en", "Age: 34", "AGE", "34"),
        ("en", "my passport is TR 123 4567", "PASSPORT", "TR 123 4567"),
        ("en", "born July 4th, '82", "DATE_OF_BIRTH", "July 4th, '82"),
        ("en", "She was born in '82 on July 4th.", "DATE_OF_BIRTH", "'82 on July 4th"),
        ("ja", "暗証番号は4471です", "ID_NUMBER", "4471"),
        ("ja", "認証コードを言いますね、448812です", "ID_NUMBER", "448812"),
        ("ja", "パスワードはsakura_88です", "ID_NUMBER", "sakura_88"),
        ("ja", "内線4471です", "PHONE_NUMBER", "4471"),
        ("ja", "年齢：34", "AGE", "34"),
        ("ja", "パスポートは TR 123 4567です", "PASSPORT", "TR 123 4567"),
        ("ja", "昭和57年の7月4日に生まれました", "DATE_OF_BIRTH", "昭和57年の7月4日"),
        ("ja", "電話は零九零壱弐参四五六七八です", "PHONE_NUMBER", "零九零壱弐参四五六七八"),
        ("zh", "手机壹叁捌零零壹叁捌零零零", "PHONE_NUMBER", "壹叁捌零零壹叁捌零零零"),
        ("zh", "验证码是448812", "ID_NUMBER", "448812"),
        ("zh", "密码：abc12345", "ID_NUMBER", "abc12345"),
        ("zh", "分机号4471", "PHONE_NUMBER", "4471"),
        ("zh", "年龄：34", "AGE", "34"),
        ("zh", "护照 E 1234 5678", "PASSPORT", "E 1234 5678"),
        ("zh", "我出生在1982年7月4日", "DATE_OF_BIRTH", "1982年7月4日"),
    ],
)
def test_identifiers_when_the_word_stands_before_then_found(
    language: str, text: str, kind: str, surface: str
) -> None:
    assert (kind, surface) in identified(text, language)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "the account grew to 12,345,678 dollars"),
        ("en", "We need an extension. 30 days is enough."),
        ("en", "How old is the building? 34 floors."),
        ("en", "How old are you? 34 people asked."),
        ("en", "the case number was discussed. 2024 will be better"),
        ("en", "The password is required for 30 days"),
        ("en", "stone age: 3000 years, see page: 34"),
        ("ja", "年齢は関係ない。30件ある"),
        ("ja", "売上は弐参百円、参加者は3人"),
        ("ja", "パスワードは必要です"),
        ("zh", "年龄大的人多，30个"),
        ("zh", "密码是必须的，共30次"),
    ],
)
def test_identifiers_when_a_number_counts_something_then_nothing(language: str, text: str) -> None:
    assert not identified(text, language)


def test_identifiers_when_ext_belongs_to_a_place_then_no_telephone_number() -> None:
    assert not {kind for kind, _ in identified("a plot in Rosedale Ext 1426", "en")} & {
        "PHONE_NUMBER"
    }
