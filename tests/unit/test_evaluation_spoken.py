import pytest

from models.evaluation_spoken import Heard, SpokenClip, SpokenRow, judge, spoken_totals
from models.said import plain


@pytest.mark.parametrize(
    ("text", "language", "compared"),
    [
        ("four one five, double five five", "en", "415555"),
        ("April twenty-fifth, nineteen sixty five", "en", "april251965"),
        ("two thousand four and two thousand", "en", "20042000"),
        ("eighty seven hundred Ash Road", "en", "8700ashroad"),
        ("(415) 555-0132", "en", "4155550132"),
        ("電話は〇九〇の一二三四です", "ja", "電話は0901234です"),
        ("ゼロキュウゼロのイチニーサン", "ja", "090123"),
        ("平成十三年十一月", "ja", "平成13年11月"),
        ("手机一三八 零零幺", "zh", "手机138001"),
        ("一百九十八号", "zh", "198号"),
    ],
)
def test_plain_when_numbers_are_said_then_digits(text: str, language: str, compared: str) -> None:
    assert plain(text, language) == compared


@pytest.mark.parametrize(
    ("language", "kind", "value", "transcript", "redacted", "heard", "survives"),
    [
        (
            "en", "PHONE_NUMBER", "four one five five five five oh one three two",
            "Call 415-555-0132.", "Call [PHONE_NUMBER_1].", Heard.WHOLE, False,
        ),
        (
            "en", "PHONE_NUMBER", "four one five five five five oh one three two",
            "Call 415-555, 0131.", "Call 415-555, 0131.", Heard.MANGLED, True,
        ),
        (
            "en", "PERSON", "wanda zielinski",
            "This is Wander Zelinsky.", "This is Wander Zelinsky.", Heard.MANGLED, True,
        ),
        (
            "en", "PERSON", "wanda zielinski",
            "This is someone else.", "This is someone else.", Heard.LOST, False,
        ),
        (
            "en", "ADDRESS", "twelve ash road coldwater ohio",
            "I live at 12 Ash Road, Coldwater, Ohio.", "I live at [ADDRESS_1], Ohio.",
            Heard.WHOLE, False,
        ),
        (
            "en", "EMAIL_ADDRESS", "wanda dot zielinski at example dot com",
            "wanda.zielinski@example.com", "wanda.[EMAIL_ADDRESS_1]", Heard.WHOLE, True,
        ),
        ("en", "AGE", "ninety two", "He is 92 years old.", "He is [AGE_1].", Heard.WHOLE, False),
        ("ja", "PERSON", "加藤", "はい河東です", "はい河東です", Heard.MANGLED, True),
        ("ja", "PERSON", "加藤", "はい加藤です", "はい[PERSON_1]です", Heard.WHOLE, False),
        ("zh", "PERSON", "潘振东", "我叫攀真冬", "我叫攀真冬", Heard.MANGLED, True),
        ("zh", "ID_NUMBER", "七七一零四", "工号77104", "工号[ID_NUMBER_1]", Heard.WHOLE, False),
    ],
)  # fmt: skip
def test_judge_when_transcript_and_rest_are_known_then_tells_what_is_usable(
    language: str, kind: str, value: str, transcript: str, redacted: str, heard: Heard,
    survives: bool,
) -> None:  # fmt: skip
    clip = SpokenClip.model_validate(
        {
            "file": "a.wav", "language": language, "text": value,
            "values": [{"entity_type": kind, "text": value}],
        }
    )  # fmt: skip
    (row,) = judge(clip, transcript, redacted)
    assert (row.heard, row.survives) == (heard, survives)


def test_spoken_totals_when_values_are_judged_then_groups_and_mangled_survivors_are_counted() -> (
    None
):
    rows = [
        SpokenRow("a.wav", "en", kind, "x", heard, survives, "", "")
        for kind, heard, survives in (
            ("PERSON", Heard.MANGLED, True),
            ("PERSON", Heard.WHOLE, False),
            ("PHONE_NUMBER", Heard.LOST, False),
        )
    ]
    totals = {total.group: total for total in spoken_totals(rows)}
    assert list(totals) == ["identifiers", "persons", "all"]
    assert (totals["all"].planted, totals["all"].survivors) == (3, 1)
    assert (totals["persons"].gone_ratio, totals["persons"].survivors_mangled) == (0.5, 1)
