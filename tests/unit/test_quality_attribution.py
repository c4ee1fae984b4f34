"""Whether what a sentence gives to a speaker was said by that speaker."""

import pytest

from models.documents import PseudonymMap, Sentence, Severity
from models.quality import check_quality
from tests.summaries import transcript, written

SAID = (
    "The ferry needs a second captain in winter.",
    "The choir may sing in the harbour church.",
    "We meet again on Monday.",
)


def speakers(
    text: str,
    *cited: int,
    said: tuple[str, ...] = SAID,
    by: tuple[str, ...] = ("Harbour Master", "Choir Leader", "Chair"),
    language: str = "en",
) -> list[tuple[Severity, str]]:
    report = check_quality(
        summary=written(Sentence(text=text, citations=cited), language=language, headline="x"),
        redacted=transcript(*said, language=language, speakers=by),
        rendered={},
        titles=(),
        pseudonyms=PseudonymMap(entries=()),
    )
    return [(f.severity, f.reason) for f in report.findings if f.check == "facts.speaker"]


def test_speaker_when_another_says_it_then_warns() -> None:
    ((severity, reason),) = speakers("The Choir Leader wants a second captain in winter.", 1)
    assert severity is Severity.WARN
    assert "none of the cited segments" in reason
    assert speakers("The Harbour Master wants a second captain in winter.", 1) == []


def test_speaker_when_both_are_cited_and_the_words_are_the_others_then_warns() -> None:
    ((_, reason),) = speakers("The Choir Leader wants a second captain in winter.", 1, 2)
    assert "another's" in reason
    assert speakers("The Harbour Master wants a second captain in winter.", 1, 2) == []


def test_speaker_when_others_tell_of_them_then_nothing() -> None:
    said = ("The Choir Leader wants a second captain.", *SAID[1:])
    assert speakers("The Choir Leader wants a second captain.", 1, said=said) == []


def test_speaker_when_not_at_the_beginning_then_nothing() -> None:
    assert speakers("A second captain, whom nobody has told the Choir Leader of.", 1) == []


@pytest.mark.parametrize(
    ("language", "said", "wrong", "right"),
    [
        (
            "ja",
            "冬は船長が二人必要です。",
            "港湾課長「船」：冬は船長が二人必要。",
            "町長は冬の船長について話した。",
        ),
        ("zh", "冬天需要两名船长。", "港口主任说冬天需要两名船长。", "镇长说冬天需要两名船长。"),
    ],
)
def test_speaker_when_japanese_or_chinese_then_found_too(
    language: str, said: str, wrong: str, right: str
) -> None:
    by = ("町長（与党）", "港湾課長") if language == "ja" else ("镇长", "港口主任")
    heard = (said, "以上。")
    assert len(speakers(wrong, 1, said=heard, by=by, language=language)) == 1
    assert speakers(right, 1, said=heard, by=by, language=language) == []
