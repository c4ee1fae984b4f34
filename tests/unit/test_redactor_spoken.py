import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.redactor.spoken import spoken
from models.redactor.spoken_addresses import spoken_addresses
from models.redactor.views import normalized


def shown(text: str, language: str) -> str:
    return spoken(normalized(text), language).text


@pytest.mark.parametrize(
    ("text", "digits"),
    [
        ("it is five five five one two three four", "it is 5551234"),
        ("four one five, five five five, oh one three two", "4155550132"),
        ("double oh seven triple nine", "007999"),
        ("one ninety two dot one sixty eight dot one dot forty five", "192.168.1.45"),
        ("plus four four seven seven hundred nine hundred one", "+447700900" + "1"),
        ("nineteen eighty two", "1982"),
        ("twenty-two forty-seven willow", "2247 willow"),
        ("g b eight two w e s t one two", "gb82west12"),
        ("b as in boy seven seven", "b77"),
        ("4 1 5 5 5 5 0 1 3 2", "4155550132"),
        ("seven seven three dash oh oh four", "773-004"),
    ],
)
def test_spoken_when_english_numbers_then_digits(text: str, digits: str) -> None:
    assert shown(text, "en") == digits


@pytest.mark.parametrize(
    "text",
    [
        "twelve thousand dollars",
        "i have one question",
        "at a point in time",
        "he and i agree",
    ],
)
def test_spoken_when_no_identifier_then_unchanged(text: str) -> None:
    assert shown(text, "en") == text


@pytest.mark.parametrize(
    ("text", "digits"),
    [
        ("〇九〇の一二三四の五六七八です", "090-1234-5678です"),
        ("ゼロキュウゼロ、イチニーサンヨン、ゴーロクナナハチ", "09012345678"),
        ("じゃあゼロ一二〇の〇〇〇の一二三に", "じゃあ0120-000-123に"),
        ("ぜろきゅうぜろのいちにさんよん", "090-1234"),
    ],
)
def test_spoken_when_japanese_digits_then_ascii(text: str, digits: str) -> None:
    assert shown(text, "ja") == digits


@pytest.mark.parametrize(
    "text", ["一億二千三百四十五万円", "サンプルのゴールド", "三十四歳", "二つの案", "ナナハチさん"]
)
def test_spoken_when_japanese_quantity_or_word_then_unchanged(text: str) -> None:
    assert shown(text, "ja") == text


def test_spoken_when_chinese_digits_then_ascii() -> None:
    assert shown("手机一三八零零一三八零零零", "zh") == "手机13800138000"
    assert shown("幺三六六六六六八八八八", "zh") == "13666668888"
    assert shown("一千二百三十四万", "zh") == "一千二百三十四万"


@pytest.mark.parametrize(
    ("text", "language", "address"),
    [
        (
            "reach me at john dot smith at example dot com please",
            "en",
            "john dot smith at example dot com",
        ),
        ("a underscore fitz ninety one at outlook dot com", "en", None),
        ("fitz at acme dash tools dot co dot uk", "en", None),
        (
            "メールはえーとタロウアットマークエグザンプルドットコムです",
            "ja",
            "タロウアットマークエグザンプルドットコム",
        ),
        ("邮箱是zhangwei艾特163点com全部小写", "zh", "zhangwei艾特163点com"),
    ],
)
def test_spoken_addresses_when_email_said_then_found(
    text: str, language: str, address: str | None
) -> None:
    found = [f for f in spoken_addresses(text, language) if f.entity_type == "EMAIL_ADDRESS"]
    assert [text[f.start : f.end] for f in found] == [address or text]


def test_spoken_addresses_when_handle_said_then_username() -> None:
    text = "his handle on slack is at j underscore romero ok"
    found = list(spoken_addresses(text, "en"))
    assert {text[f.start : f.end] for f in found} == {"at j underscore romero"}


@pytest.mark.parametrize("text", ["look at google dot com", "meet at noon", "we are at point five"])
def test_spoken_addresses_when_no_address_then_nothing(text: str) -> None:
    assert not list(spoken_addresses(text, "en"))


@given(
    st.text(alphabet="onetwoh fivdaghrx09-の一二〇百ゼロキュウ零幺点 ,'"),
    st.sampled_from(["en", "ja", "zh"]),
)
def test_spoken_when_any_text_then_places_lie_inside_and_rise(text: str, language: str) -> None:
    base = normalized(text)
    view = spoken(base, language)
    assert list(view.starts) == sorted(view.starts)
    assert all(0 <= s < e <= len(text) for s, e in zip(view.starts, view.ends, strict=True))
