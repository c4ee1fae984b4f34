import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.redactor.patterns import THRESHOLD, find_patterns, patterns
from models.redactor.resolve import resolve
from models.redactor.spoken import spoken
from models.redactor.types import ALL_CLASSES
from models.redactor.views import glued, normalized


def found(text: str) -> set[tuple[str, str]]:
    candidates = find_patterns(normalized(text).text, "written")
    return {(f.entity_type, text[f.start : f.end]) for f in resolve(text, candidates)}


@pytest.mark.parametrize(
    ("text", "entity_type", "surface"),
    [
        ("連絡先はtaro@example.co.jpです", "EMAIL_ADDRESS", "taro@example.co.jp"),
        ("邮箱是zhang@example.com请联系", "EMAIL_ADDRESS", "zhang@example.com"),
        ("サーバーは192.168.10.25です", "IP_ADDRESS", "192.168.10.25"),
        ("カードは4111-1111-1111-1111です", "CREDIT_CARD", "4111-1111-1111-1111"),
        ("マイナンバーは1234 5678 9018です", "JP_MY_NUMBER", "1234 5678 9018"),
        ("携帯は09012345678へ", "PHONE_NUMBER", "09012345678"),
        ("フリーダイヤル0120-000-123まで", "PHONE_NUMBER", "0120-000-123"),
        ("代表は03-1234-5678です", "PHONE_NUMBER", "03-1234-5678"),
        ("〒100-0005 東京", "ZIP_CODE", "100-0005"),
        ("パスポートはTK1234567です", "PASSPORT", "TK1234567"),
        ("免許証の番号は301234567890です", "DRIVER_LICENSE", "301234567890"),
        ("普通口座の1234567です", "BANK_ACCOUNT", "普通口座の1234567"),
        ("品川330さ12-34の車", "LICENSE_PLATE", "品川330さ12-34"),
        ("社員番号A12345の人", "ID_NUMBER", "A12345"),
        ("生年月日は昭和58年3月12日です", "DATE_OF_BIRTH", "昭和58年3月12日"),
        ("今年で四十二歳です", "AGE", "四十二歳"),
        ("住所は東京都千代田区丸の内1-2-3です", "ADDRESS", "東京都千代田区丸の内1-2-3"),
        ("ユーザー名はtanaka_adminです", "USERNAME", "tanaka_admin"),
        ("身份证11010519491231002X号", "CN_ID_CARD", "11010519491231002X"),
        ("手机13812345678", "PHONE_NUMBER", "13812345678"),
        ("座机010-62345678", "PHONE_NUMBER", "010-62345678"),
        ("银行卡号6222021234567890128", "BANK_ACCOUNT", "6222021234567890128"),
        ("邮编100081", "ZIP_CODE", "100081"),
        ("护照E12345678", "PASSPORT", "E12345678"),
        ("车牌京A12345", "LICENSE_PLATE", "京A12345"),
        ("住在北京市海淀区中关村大街27号", "ADDRESS", "北京市海淀区中关村大街27号"),
        ("微信号是xiaoming88", "USERNAME", "xiaoming88"),
        ("社保卡号310115198803120049", "ID_NUMBER", "310115198803120049"),
        ("my SSN is 123-45-6789", "US_SSN", "123-45-6789"),
        ("call (415) 555-0132", "PHONE_NUMBER", "(415) 555-0132"),
        ("her cell is 0494 92 82 32", "PHONE_NUMBER", "0494 92 82 32"),
        ("IBAN GB82 WEST 1234 5698 7654 32", "IBAN_CODE", "GB82 WEST 1234 5698 7654 32"),
        ("my driver's license number is F162823540116", "US_DRIVER_LICENSE", "F162823540116"),
        ("passport number 533380276", "PASSPORT", "533380276"),
        ("license plate 7XKL492", "LICENSE_PLATE", "7XKL492"),
        ("wire it to account 001234567", "BANK_ACCOUNT", "001234567"),
        ("customer number 773-00419", "ID_NUMBER", "773-00419"),
        ("born on March 14, 1982", "DATE_OF_BIRTH", "March 14, 1982"),
        ("she is 34 years old", "AGE", "34 years old"),
        ("12 Baker Street, London", "ADDRESS", "12 Baker Street"),
        ("postcode OX4 1PX", "ZIP_CODE", "OX4 1PX"),
        ("Kastanienallee 12\nBERLIN DE 10435", "ZIP_CODE", "10435"),
        ("Storgata 7b\nOslo 0155", "ZIP_CODE", "0155"),
        ("on Slack as fenwick.t or", "USERNAME", "fenwick.t"),
        ("it is K-7-2-09-41 then", "ID_NUMBER", "K-7-2-09-41"),
        ("my beases 431294579291257O", "ID_NUMBER", "431294579291257O"),
        ("the passport is C3-270-8765", "PASSPORT", "C3-270-8765"),
        ("尼大154309477333找我", "ID_NUMBER", "154309477333"),
        ("the social is 4819-24479", "US_SSN", "4819-24479"),
        ("my date of birth is 1,983-12-05", "DATE_OF_BIRTH", "1,983-12-05"),
        ("it's on gitlab under tea_shop", "USERNAME", "tea_shop"),
        ("write to @j_romero", "USERNAME", "@j_romero"),
        ("see github.com/jromero-dev", "USERNAME", "github.com/jromero-dev"),
        ("see https://example.org/a", "URL", "https://example.org/a"),
        ("that was 461 20 1031 as her social security number", "US_SSN", "461 20 1031"),
        ("it says B7755331 on the driver's license", "DRIVER_LICENSE", "B7755331"),
        ("driver license QUIGL858676ME6AK", "DRIVER_LICENSE", "QUIGL858676ME6AK"),
        ("the rent goes to account no. 003115578", "BANK_ACCOUNT", "003115578"),
        ("the patient, born 1993-07-02, left", "DATE_OF_BIRTH", "1993-07-02"),
        (
            "born the sixth of june two thousand four",
            "DATE_OF_BIRTH",
            "sixth of june two thousand four",
        ),
        ("pushed by @cobalt-444 today", "USERNAME", "@cobalt-444"),
        ("IP：2001:db8:51a5:957d::7f", "IP_ADDRESS", "2001:db8:51a5:957d::7f"),
        ("誕生日はS44.12.24です", "DATE_OF_BIRTH", "S44.12.24"),
        (
            "ひかり銀行本店普通（口座番号）2449254",
            "BANK_ACCOUNT",
            "ひかり銀行本店普通（口座番号）2449254",
        ),
        ("你打075502256888找我", "PHONE_NUMBER", "075502256888"),
    ],
)
def test_patterns_when_identifier_written_then_found(
    text: str, entity_type: str, surface: str
) -> None:
    assert (entity_type, surface) in found(text)


@pytest.mark.parametrize(
    "text",
    [
        "Invoice 2024-01-15 12",
        "see report.final and main.py",
        "version 1.2.3.4 is out",
        "the total was 12345 dollars",
        "1234567890123456 items",
        "会議室は三階の301です",
        "売上は123,456,789円です",
        "今年销售额是12345678元",
        "3:45 to 4:30",
        "the meeting of 3-12-2024 and 2024-12-03",
        "COVID-19 and pages 3-5-7",
        "commit 9f8e7d6c5b4a39f8e7d6c5b4a39f8e7d",
    ],
)
def test_patterns_when_no_identifier_then_nothing(text: str) -> None:
    assert found(text) == set()


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("that is four one five five five five oh one three two", {"PHONE_NUMBER"}),
        ("the order is four one five five five five oh one three two", {"ID_NUMBER"}),
        ("all of 4155550132 units", set()),
        ("that is four four oh five nine oh two oh oh", {"ID_NUMBER"}),
    ],
)
def test_patterns_when_ten_digits_are_said_then_a_telephone_number_unless_told_otherwise(
    text: str, kinds: set[str]
) -> None:
    view = spoken(normalized(text), "en")
    findings = find_patterns(view.text, "spoken") if view.text != text else []
    assert {f.entity_type for f in resolve(view.text, findings)} == kinds


@pytest.mark.parametrize(
    "text",
    [
        "see chapter 12\nSales rose in 2024",
        "we are on Slack as well-known people are",
        "Zoom is up 3.5 percent",
    ],
)
def test_patterns_when_numbers_and_words_are_of_another_kind_then_nothing(text: str) -> None:
    assert not {kind for kind, _ in found(text)} & {"ZIP_CODE", "USERNAME"}


def test_patterns_when_email_then_no_url_beside_it() -> None:
    assert found("mail bob@example.com") == {("EMAIL_ADDRESS", "bob@example.com")}


def test_patterns_when_my_number_inside_card_then_card_wins() -> None:
    assert found("4111 1111 1111 1111") == {("CREDIT_CARD", "4111 1111 1111 1111")}


def test_patterns_when_number_runs_over_line_then_glued_view_finds_it() -> None:
    view = glued(normalized("call 415-\n555-0132 now"))
    types = {f.entity_type for f in find_patterns(view.text, "written")}
    assert "PHONE_NUMBER" in types


def test_patterns_when_read_then_classes_are_known_and_names_unique() -> None:
    assert {p.entity_type for p in patterns()} <= set(ALL_CLASSES)
    names = [p.name for p in patterns()]
    assert len(names) == len(set(names))


@given(st.text(alphabet=st.sampled_from("0123456789-. ()+@aAB.jp〒市区の号年月日\n")))
def test_patterns_when_any_text_then_findings_lie_inside(text: str) -> None:
    for finding in find_patterns(text, "written"):
        assert 0 <= finding.start < finding.end <= len(text)
        assert finding.score >= THRESHOLD
