"""Who is who in a document, with the real models of the three languages."""

import pytest

from models.documents import Segment, Transcript
from models.redactor import RedactionPolicy, Redactor


def redacted(
    redactor: Redactor, texts: tuple[str, ...], language: str, participants: tuple[str, ...] = ()
) -> list[str]:
    segments = tuple(
        Segment(id=i, start=float(i), end=i + 1.0, text=text) for i, text in enumerate(texts, 1)
    )
    source = Transcript.model_validate(
        {"kind": "document", "language": language, "duration_s": 9.0, "segments": segments}
    )
    result = redactor.redact(source, RedactionPolicy(participants=participants))
    return [segment.text for segment in result.redacted.segments]


@pytest.mark.parametrize(
    ("language", "texts", "expected"),
    [
        (
            "ja",
            ("担当は白石千尋です。", "日石千尋が確認した。", "白石さんに聞く。"),
            ["担当は[PERSON_1]です。", "[PERSON_1]が確認した。", "[PERSON_1]さんに聞く。"],
        ),
        (
            "zh",
            ("今天由邓雅文主持。", "邓老师先说。", "邓雅雯负责采购。"),
            ["今天由[PERSON_1]主持。", "[PERSON_1]老师先说。", "[PERSON_1]负责采购。"],
        ),
        (
            "en",
            ("Catherine Boyle opened the call.", "Katherin Boil said no.", "Ms Boyle agreed."),
            ["[PERSON_1] opened the call.", "[PERSON_1] said no.", "Ms [PERSON_1] agreed."],
        ),
        (
            "en",
            ("Tom Becker and Ann Becker came.", "Mr. Becker left."),
            ["[PERSON_1] and [PERSON_2] came.", "Mr. [PERSON_3] left."],
        ),
    ],
)
def test_redact_when_one_person_is_written_in_ways_then_one_pseudonym(
    redactor: Redactor, language: str, texts: tuple[str, ...], expected: list[str]
) -> None:
    assert redacted(redactor, texts, language) == expected


def test_redact_when_participant_is_misheard_then_whole_name_is_gone(redactor: Redactor) -> None:
    texts = ("thanks to john smyth for that",)

    assert redacted(redactor, texts, "en", ("John Smith",)) == ["thanks to [PERSON_1] for that"]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The carrier's page says the parcel left.", "en"),
        ("We met near Didcot on a rainy day.", "en"),
        ("椅子は3台残っていました。", "ja"),
        ("会場は大森の北側です。", "ja"),
        ("安装师傅明天再来。", "zh"),
        ("费用由总部出。", "zh"),
        ("请周一再来。", "zh"),
    ],
)
def test_redact_when_nobody_is_named_then_unchanged(
    redactor: Redactor, text: str, language: str
) -> None:
    assert redacted(redactor, (text,), language) == [text]
