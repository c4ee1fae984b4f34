import dataclasses
import hashlib
import json
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pytest

from configs.errors import ModelError
from models.documents import PseudonymMap, RedactedTranscript, Summary, SummaryMethod, Verdict
from models.quality import check_quality
from models.summarizer import parse_summary, summarize
from models.summarizer.cues import (
    due_in,
    filler_ratio,
    goes_on,
    is_action,
    is_decision,
    is_fragment,
    owners_in,
)
from models.summarizer.extractive import ExtractiveSummarizer
from models.summarizer.selection import candidates
from models.summarizer.sentences import quotes_of
from models.summarizer.terms import terms, topics
from tests.summaries import transcript


class WordEmbedder:
    """Embeds by words, so that texts with the same words are alike: enough for choosing."""

    name = "words"

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        vectors = np.full((len(texts), 64), 0.05, dtype=np.float32)
        for row, text in enumerate(texts):
            for term, count in terms(text).items():
                vectors[row, hashlib.sha256(term.encode()).digest()[0] % 64] += count
        unit: npt.NDArray[np.float32] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit


def summary_of(redacted: RedactedTranscript) -> Summary:
    return summarize(ExtractiveSummarizer(WordEmbedder()), redacted)


MEETING = transcript(
    "Okay, hello everyone.",
    "Um, yeah.",
    "The main question today is the budget for the second tea room.",
    "The second tea room needs a new floor, and the floor is expensive.",
    "We agreed that the budget for the tea room is eighty thousand dollars.",
    "The budget for the tea room is, as I said, eighty thousand dollars.",
    "[PERSON_1] will send the plan of the floor to the carpenter by Friday.",
    "The carpenter cannot start before the floor is dry, which takes two weeks.",
    "Right.",
    "It is important that customers can still sit in the first room meanwhile.",
    "Thanks, bye.",
)
MEETING_JA = transcript(
    "はい、えーと、よろしくお願いします。",
    "今日の議題は新しい喫茶室の予算についてです。",
    "喫茶室の床を新しくする必要がありますが、床の工事は高くなりそうです。",
    "予算は八百万円とすることに決まりました。",
    "[PERSON_1]さんが金曜日までに図面を大工さんに送ります。",
    "床が乾くまで二週間は工事を始められません。",
    "はい。",
    language="ja",
)
MEETING_ZH = transcript(
    "大家好，嗯。",
    "今天主要讨论新茶室的预算。",
    "新茶室的地板需要更换，地板的费用比较高。",
    "我们决定把预算定为五十万元。",
    "由[PERSON_1]负责在周五前把图纸发给木工师傅。",
    "地板没干之前，木工没有办法开工，要等两个星期。",
    "好的，谢谢。",
    language="zh",
)
MEETINGS = pytest.mark.parametrize(
    "source", [MEETING, MEETING_JA, MEETING_ZH], ids=["en", "ja", "zh"]
)


@MEETINGS
def test_extractive_when_meeting_then_quotes_pass_every_check(source: RedactedTranscript) -> None:
    summary = summary_of(source)

    found = check_quality(
        summary=summary,
        redacted=source,
        rendered={},
        titles=(),
        pseudonyms=PseudonymMap(entries=()),
    )
    assert summary.method is SummaryMethod.EXTRACTIVE
    assert 3 <= len(summary.abstract) <= 5
    assert found.verdict is Verdict.PASS, found.findings


@MEETINGS
def test_extractive_when_meeting_then_decision_and_task_are_found(
    source: RedactedTranscript,
) -> None:
    summary = summary_of(source)

    (decision,) = summary.decisions
    assert decision.citations in {(5,), (4,)}
    (item,) = summary.action_items
    assert item.owner == "[PERSON_1]"
    assert item.due in {"by Friday", "金曜日までに", "周五前"}


@MEETINGS
def test_extractive_when_meeting_then_no_fillers_and_order_is_kept(
    source: RedactedTranscript,
) -> None:
    summary = summary_of(source)

    cited = [sentence.citations[0] for sentence in summary.abstract]
    assert cited == sorted(cited)
    assert not {1, len(source.segments)} & summary.cited_segments


def test_extractive_when_said_twice_then_abstract_has_it_once() -> None:
    abstract = summary_of(MEETING).abstract

    assert len({5, 6} & {c for sentence in abstract for c in sentence.citations}) <= 1


def test_extractive_when_repeated_then_same_bytes() -> None:
    engine = ExtractiveSummarizer(WordEmbedder())
    (part,) = engine.parts(MEETING)

    assert engine.answer(MEETING, part) == engine.answer(MEETING, part)


@pytest.mark.parametrize("text", ["We open in May.", "Okay.", "はい", "五月に開きます。", "好。"])
def test_extractive_when_one_sentence_then_that_sentence(text: str) -> None:
    summary = summary_of(transcript(text))

    assert [sentence.text for sentence in summary.abstract] == [text]
    assert summary.headline == text.rstrip(".。")
    assert summary.chapters == ()


def test_extractive_when_no_text_then_no_parts_and_an_error() -> None:
    empty = transcript("", " ")

    assert ExtractiveSummarizer(WordEmbedder()).parts(empty) == ()
    with pytest.raises(ModelError):
        summary_of(empty)


def test_extractive_when_text_is_suspect_then_not_quoted() -> None:
    segments = tuple(
        segment.model_copy(update={"suspect": ("known_phrase",)}) if segment.id == 5 else segment
        for segment in MEETING.segments
    )

    summary = summary_of(MEETING.model_copy(update={"segments": segments}))

    assert 5 not in summary.cited_segments


def test_extractive_when_topics_shift_then_chapters_hold_every_segment() -> None:
    tea = [f"The tea room number {i} gets green tea cups and tea pots." for i in range(12)]
    roof = [f"The roof of hall {i} leaks water when storms hit the roof." for i in range(12)]
    source = transcript(*tea, *roof)

    chapters = summary_of(source).chapters

    assert [chapter.first_segment for chapter in chapters][:1] == [1]
    assert chapters[-1].last_segment == 24
    assert any(abs(chapter.first_segment - 13) <= 1 for chapter in chapters)
    for before, after in pairwise(chapters):
        assert after.first_segment == before.last_segment + 1


def test_extractive_when_long_then_number_of_embedded_sentences_is_bounded() -> None:
    asked: list[int] = []

    class Counting(WordEmbedder):
        def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
            asked.append(len(texts))
            return super().embed(texts)

    source = transcript(*[f"Topic {i} of the list needs a plan and a budget." for i in range(1500)])
    engine = ExtractiveSummarizer(Counting())

    summary = parse_summary(engine.answer(source, engine.parts(source)[0]), source)

    assert sum(asked) <= 240
    assert max(summary.cited_segments) > 1300


def test_extractive_answer_when_read_then_json_of_the_common_form() -> None:
    engine = ExtractiveSummarizer(WordEmbedder())

    answer = engine.answer(MEETING, engine.parts(MEETING)[0])

    assert set(json.loads(answer.text)) >= {"headline", "abstract", "action_items", "chapters"}
    assert answer.input_tokens is None


@pytest.mark.parametrize(
    "text",
    [
        "We decided to go with the green one.",
        "The motion was carried.",
        "来月から始めることになりました。",
        "この案で合意しました。",
        "我们决定采用新方案。",
        "大家达成了一致。",
        "我們決定採用新方案。",
    ],
)
def test_decision_when_cue_then_found(text: str) -> None:
    assert is_decision(text)


@pytest.mark.parametrize(
    "text",
    [
        "I'll send it tomorrow.",
        "Could you check the invoice?",
        "[PERSON_2] needs to book the room.",
        "来週までに資料を提出してください。",
        "私が確認しておきます。",
        "请小李整理会议记录。",
        "我来联系供应商。",
        "請小李整理會議記錄。",
    ],
)
def test_action_when_cue_then_found(text: str) -> None:
    assert is_action(text)


@pytest.mark.parametrize("text", ["The tea was cold.", "床は白いです。", "茶很好喝。"])
def test_cues_when_plain_statement_then_none(text: str) -> None:
    assert not is_action(text)
    assert not is_decision(text)
    assert due_in(text) is None
    assert owners_in(text) == frozenset()


@pytest.mark.parametrize("text", ["Um, yeah, okay.", "はい、えーと、", "嗯，好的。", "{laughter}"])
def test_filler_ratio_when_only_fillers_then_high(text: str) -> None:
    assert filler_ratio(text) > 0.7


@pytest.mark.parametrize(
    "text",
    [
        "这关于未来教育的探索由疫情开始，未来还会继续。",
        "这是学校的根本任务必须回答的问题。",
        "特别希望那些负责任的家长一起来。",
        "二〇二〇年までに比率を三五％に高める計画を進めています。",
    ],
)
def test_action_when_words_only_look_like_a_cue_then_not_found(text: str) -> None:
    assert not is_action(text)


@pytest.mark.parametrize(
    "text", ["Notice of this decision was included in the agenda.", "所有的话我都同意。"]
)
def test_decision_when_words_only_look_like_a_cue_then_not_found(text: str) -> None:
    assert not is_decision(text)


@pytest.mark.parametrize(
    ("text", "leans"),
    [
        ("And so it was.", True),
        ("Andrea paints the room.", False),
        ("それは高いです。", True),
        ("床は白いです。", False),
        ("所以要等两个星期。", True),
        ("木工要等两个星期。", False),
    ],
)
def test_goes_on_when_a_sentence_leans_on_the_one_before_then_told(text: str, leans: bool) -> None:
    assert goes_on(text) is leans


def test_topics_when_chinese_then_without_pairs_of_grammar() -> None:
    assert set(topics("我们的预算是这个")) == {"预算"}
    assert "目的" in topics("工事の目的")


def test_extractive_when_one_topic_is_said_at_length_then_the_others_are_in_it_too() -> None:
    tea = [f"The tea kitchen in house {i} gets new green tea cups." for i in range(30)]
    rest = ["The roof leaks when storms hit the harbour.", "The harbour roof costs forty thousand."]

    summary = summary_of(transcript(*tea, *rest, *tea[:5]))

    cited = {c for s in (*summary.abstract, *summary.key_points) for c in s.citations}
    assert cited & {31, 32}


def test_extractive_when_a_sentence_is_a_decision_then_it_is_no_key_point_as_well() -> None:
    rest = [f"The tea room number {i} has a new floor of stone." for i in range(30)]
    source = transcript(*rest, "We decided to order forty green chairs.", *rest[:9])

    summary = summary_of(source)

    assert [sentence.citations for sentence in summary.decisions] == [(31,)]
    assert all(sentence.citations != (31,) for sentence in summary.key_points)


@pytest.mark.parametrize(
    ("alone", "leaning"),
    [
        ("The tea room gets a new floor.", "And the tea room gets a new floor."),
        ("The tea room gets a new floor.", "Does the tea room get a new floor?"),
        ("喫茶室の床を新しくします。", "そして喫茶室の床を新しくします。"),
    ],
)
def test_headline_when_a_sentence_does_not_stand_alone_then_it_counts_less(
    alone: str, leaning: str
) -> None:
    found = candidates(quotes_of(transcript("We met.", alone, leaning)), WordEmbedder().embed)
    even = dataclasses.replace(found, scores=np.ones(len(found.quotes)))

    assert [quote.text for quote in even.quotes] == [alone, leaning]
    assert even.standing[0] > even.standing[1]


def test_due_when_in_traditional_characters_then_in_the_words_of_the_source() -> None:
    assert due_in("請在下週五之前發給我。") == "下週五之前"


def test_extractive_when_a_document_has_rows_and_attachments_then_sentences_are_quoted() -> None:
    said = [f"The {name} garden gets a new fence in spring." for name in ("north", "south", "east")]
    rows = [f"North garden fence | South garden fence | {i} metres of wire" for i in range(20)]
    source = transcript("From: [PERSON_1]", *rows, *said, "Attachment: garden fence wire.pdf")

    texts = {sentence.text for _, sentence in summary_of(source).sentences()}

    assert texts <= set(said)
    assert summary_of(transcript(*rows)).abstract


@pytest.mark.parametrize(
    ("text", "broken"),
    [
        ("We keep the old van.", False),
        ("We keep the old van, because", True),
        ("The very old van with the green door.", True),
        ("予算は八百万円です。", False),
        ("検討してまいりたいと思いますが。", False),
        ("予算は八百万円で", True),
        ("我们决定采用这个方案。", False),
        ("我们决定采用这个方案，然后", True),
        ("这样做肯定不对。", False),
    ],
)
def test_is_fragment_when_a_text_breaks_off_or_has_no_verb_then_told(
    text: str, broken: bool
) -> None:
    assert is_fragment(text) is broken


def test_extractive_when_two_say_as_much_then_the_whole_sentence_is_quoted() -> None:
    filler = [f"Number {i} of the list was read out without any comment." for i in range(12)]
    whole = "The ferry to the island stops in winter for repairs."
    broken = "The ferry to the island stops in winter for the"
    source = transcript(*filler[:6], broken, *filler[6:], whole)

    texts = {sentence.text for _, sentence in summary_of(source).sentences()}

    assert whole in texts
    assert broken not in texts
