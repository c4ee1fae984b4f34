import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.redactor.spoken import spoken
from models.redactor.spoken_addresses import spoken_addresses
from models.redactor.views import normalized


def shown(text: str, language: str) -> str:
    return spoken(normalized(text), language).text


def emails(text: str) -> list[str]:
    found = [f for f in spoken_addresses(text) if f.entity_type == "EMAIL_ADDRESS"]
    return [text[f.start : f.end] for f in found]


@pytest.mark.parametrize(
    ("text", "digits"),
    [
        ("it is five five five one two three four", "it is 5551234"),
        ("four one five, five five five, oh one three two", "4155550132"),
        ("double oh seven triple nine", "007999"),
        ("double five one two triple four", "5512444"),
        ("a c nine two one oh nine", "ac92109"),
        ("t b six six h e a", "tb66hea"),
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
        "a nine",
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


def test_spoken_when_double_comes_first_then_its_word_belongs_to_the_number() -> None:
    view = spoken(normalized("so double five one two"), "en")
    start = view.text.index("5512")
    assert view.base_span(start, start + 4) == (3, 22)


@pytest.mark.parametrize(
    ("text", "language", "address"),
    [
        ("サーバーはイチキュウニードットゼロドットニードットサンゼロです", "ja", "192.0.2.30"),
        ("地址是一九二点零点二点三零这台", "zh", "192.0.2.30"),
    ],
)
def test_spoken_when_ip_address_is_said_then_points(text: str, language: str, address: str) -> None:
    assert address in shown(text, language)


def test_spoken_when_chinese_digits_then_ascii() -> None:
    assert shown("手机一三八零零一三八零零零", "zh") == "手机13800138000"
    assert shown("幺三六六六六六八八八八", "zh") == "13666668888"
    assert shown("一千二百三十四万", "zh") == "一千二百三十四万"


@pytest.mark.parametrize(
    ("text", "address"),
    [
        (
            "reach me at john dot smith at example dot com please",
            "john dot smith at example dot com",
        ),
        ("a underscore fitz ninety one at outlook dot com", None),
        ("fitz at acme dash tools dot co dot uk", None),
        (
            "メールはえーとタロウアットマークエグザンプルドットコムです",
            "タロウアットマークエグザンプルドットコム",
        ),
        ("邮箱是zhangwei艾特163点com全部小写", "zhangwei艾特163点com"),
    ],
)
def test_spoken_addresses_when_email_said_then_found(text: str, address: str | None) -> None:
    assert emails(text) == [address or text]


@pytest.mark.parametrize(
    ("before", "address", "after"),
    [
        ("メールは", "kana.ueda(at)example.co.jp", "です"),
        ("写信到", "kana.ueda[at]example[dot]org", "吧"),
        ("write to ", "kana.ueda (at) example (dot) org", " today"),
        ("アドレスは", "ueda_kana アットマーク example ドット ne ドット jp", "です"),
        ("アドレスは", "ueda アンダーバー kana アットマーク example.com", "ですね"),
        ("アドレスは", "ウエダカナアットマークexample.jp", "です"),
        ("邮箱是", "wen 艾特 mail 点 example 点 com", "全部小写"),
        ("邮箱是", "wen下划线li艾特mail点example点com点cn", "没错"),
        ("邮箱是", "wen圈aexample点com", "谢谢"),
        ("邮箱是", "wen点li@example点com", "谢谢"),
        ("我的是", "wen at mail dot example dot com", "对"),
    ],
)
def test_spoken_addresses_when_scripts_mix_then_the_whole_address(
    before: str, address: str, after: str
) -> None:
    assert emails(f"{before}{address}{after}") == [address]


def test_spoken_addresses_when_user_name_mixes_scripts_then_the_whole_name() -> None:
    for name in ("kanaアンダーバーueda", "kana下划线ueda下划线7"):
        text = f"名は{name}です"
        assert [text[f.start : f.end] for f in spoken_addresses(text)] == [name]


def test_spoken_addresses_when_handle_said_then_username() -> None:
    text = "his handle on slack is at j underscore romero ok"
    found = list(spoken_addresses(text))
    assert {text[f.start : f.end] for f in found} == {"at j underscore romero"}


@pytest.mark.parametrize(
    "text",
    [
        "look at google dot com",
        "meet at noon",
        "we are at point five",
        "三点五公里",
        "ドットコム企業",
        "アットマークを入れる",
    ],
)
def test_spoken_addresses_when_no_address_then_nothing(text: str) -> None:
    assert not list(spoken_addresses(text))


@given(
    st.text(alphabet="onetwoh fivdaghrx09-の一二〇百ゼロキュウ零幺点 ,'"),
    st.sampled_from(["en", "ja", "zh"]),
)
def test_spoken_when_any_text_then_places_lie_inside_and_rise(text: str, language: str) -> None:
    base = normalized(text)
    view = spoken(base, language)
    assert list(view.starts) == sorted(view.starts)
    assert all(0 <= s < e <= len(text) for s, e in zip(view.starts, view.ends, strict=True))


@pytest.mark.parametrize(
    ("text", "digits"),
    [
        ("電話番号は090の1234の5678です", "電話番号は090-1234-5678です"),
        ("郵便番号は150の0001です", "郵便番号は150-0001です"),
        ("10の3乗", "10の3乗"),
        ("2024の5月", "2024の5月"),
    ],
)
def test_spoken_when_japanese_digits_are_written_with_no_between_then_hyphens(
    text: str, digits: str
) -> None:
    assert shown(text, "ja") == digits
