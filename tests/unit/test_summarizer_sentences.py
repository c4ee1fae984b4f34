import pytest

from models.documents import RedactedSegment, RedactedTranscript
from models.summarizer.sentences import joined, quotes_of, split_sentences
from models.summarizer.titles import short_title
from tests.summaries import transcript


def texts(redacted: RedactedTranscript) -> list[tuple[str, tuple[int, ...]]]:
    return [(quote.text, quote.segments) for quote in quotes_of(redacted)]


def test_quotes_when_sentence_runs_over_segments_then_joined_with_both_cited() -> None:
    found = texts(transcript("The budget for the", "new room is fixed. We open", "in May."))

    assert found == [
        ("The budget for the new room is fixed.", (1, 2)),
        ("We open in May.", (2, 3)),
    ]


def test_quotes_when_japanese_runs_over_segments_then_joined_without_space() -> None:
    found = texts(
        transcript("新しい部屋の予算は", "決まりました。五月に", "開きます。", language="ja")
    )

    assert found == [("新しい部屋の予算は決まりました。", (1, 2)), ("五月に開きます。", (2, 3))]


def test_quotes_when_japanese_has_no_punctuation_then_cut_at_spoken_ends() -> None:
    found = texts(transcript("新しい部屋の予算は", "決まりました", "五月に開きます", language="ja"))

    assert found == [("新しい部屋の予算は決まりました", (1, 2)), ("五月に開きます", (3,))]


def test_quotes_when_chinese_has_no_punctuation_then_cut_at_a_pause() -> None:
    segments = (
        RedactedSegment(id=1, start=0, end=2, text="我们决定五月开门"),
        RedactedSegment(id=2, start=4, end=6, text="由[PERSON_1]负责装修"),
    )
    redacted = RedactedTranscript(kind="speech", language="zh", duration_s=6, segments=segments)

    assert texts(redacted) == [("我们决定五月开门", (1,)), ("由[PERSON_1]负责装修", (2,))]


def test_quotes_when_speaker_changes_then_not_joined() -> None:
    found = texts(transcript("So the room", "is too small", speakers=("A", "B")))

    assert found == [("So the room", (1,)), ("is too small", (2,))]


def test_quotes_when_document_then_paragraphs_stay_apart_unless_a_page_cuts_them() -> None:
    segments = tuple(
        RedactedSegment(id=i, start=0, end=0, text=text, location=f"page {i}")
        for i, text in enumerate(("Opening hours", "The shop opens in", "may and closes late."), 1)
    )
    redacted = RedactedTranscript(kind="document", language="en", duration_s=0, segments=segments)

    assert texts(redacted) == [
        ("Opening hours", (1,)),
        ("The shop opens in may and closes late.", (2, 3)),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Mr. Grey paid 3.50 at 5 p.m. today. Good.",
            ("Mr. Grey paid 3.50 at 5 p.m. today.", "Good."),
        ),
        ("[PERSON_1] and [EMAIL_ADDRESS_2]. Yes!", ("[PERSON_1] and [EMAIL_ADDRESS_2].", "Yes!")),
        ("「行きます。」と言った。はい。", ("「行きます。」", "と言った。", "はい。")),
        ("好的！那就周五吧？对。", ("好的！", "那就周五吧？", "对。")),
        ("no end at all", ("no end at all",)),
        ("", ()),
    ],
)
def test_split_when_text_has_ends_then_whole_sentences(
    text: str, expected: tuple[str, ...]
) -> None:
    assert split_sentences(text) == expected


def test_split_when_text_never_ends_then_cut_without_loss_or_broken_pseudonym() -> None:
    text = "word [PERSON_1] " * 300

    found = split_sentences(text)

    assert max(len(part) for part in found) <= 1000
    assert " ".join(found).split() == text.split()


def test_joined_when_scripts_meet_then_space_between_latin_only() -> None:
    segments = transcript("Release", "two", "は明日", "です").segments

    assert joined(segments) == "Release twoは明日です"


@pytest.mark.parametrize(
    ("sentence", "width", "title"),
    [
        ("So, um, we open in May.", 40, "we open in May"),
        ("We open in May, and then we paint the second room in June", 30, "We open in May"),
        ("We paint the second room [PERSON_12] likes", 30, "We paint the second room…"),
        ("えーと、五月に開きます。", 40, "五月に開きます"),
        ("五月に開く部屋の壁を白く塗る計画です", 16, "五月に開く部屋…"),
    ],
)
def test_title_when_sentence_is_long_then_its_first_words(
    sentence: str, width: int, title: str
) -> None:
    assert short_title(sentence, width) == title
