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
from models.summarizer.extractive import ExtractiveSummarizer
from models.summarizer.selection import candidates
from models.summarizer.sentences import quotes_of
from models.summarizer.terms import terms, topics
from tests.summaries import document, transcript


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


def plain(*paragraphs: str, language: str = "en") -> RedactedTranscript:
    """Return a document of nothing but paragraphs."""
    blocks = [(f"paragraph {i}", text) for i, text in enumerate(paragraphs, start=1)]
    return document(*blocks, language=language)


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
    long = " of which the caretaker has kept a list since the house was built" * 4

    chapters = summary_of(transcript(*(text[:-1] + long + "." for text in tea + roof))).chapters

    assert [chapter.first_segment for chapter in chapters][:1] == [1]
    assert chapters[-1].last_segment == 24
    assert any(abs(chapter.first_segment - 13) <= 1 for chapter in chapters)
    for before, after in pairwise(chapters):
        assert after.first_segment == before.last_segment + 1


def test_extractive_when_read_at_a_glance_then_no_chapters() -> None:
    tea = [f"The tea room number {i} gets green tea cups and tea pots." for i in range(12)]
    roof = [f"The roof of hall {i} leaks water when storms hit the roof." for i in range(12)]

    assert summary_of(transcript(*tea, *roof)).chapters == ()


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
    rooms = ("tea room", "cellar", "garden", "kitchen", "attic", "hall")
    needs = ("a floor of stone", "two lamps of brass", "a door", "pale blue paint", "shelves")
    rest = [f"The {room} needs {need}." for room in rooms for need in needs]
    decision = "We decided to order green chairs for the hall, the garden and the attic."
    chairs = ("Chairs for the hall are green chairs.", "Forty chairs fit in.")

    summary = summary_of(transcript(*rest, decision, *rest[:9], *chairs))

    assert [sentence.citations for sentence in summary.decisions] == [(31,)]
    assert summary.key_points
    assert (31,) not in {sentence.citations for sentence in summary.key_points}


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


def test_extractive_when_a_document_has_rows_and_attachments_then_sentences_are_quoted() -> None:
    said = [f"The {name} garden gets a new fence in spring." for name in ("north", "south", "east")]
    rows = [f"North garden fence | South garden fence | {i} metres of wire" for i in range(20)]
    source = plain("From: [PERSON_1]", *rows, *said, "Attachment: garden fence wire.pdf")

    texts = {sentence.text for _, sentence in summary_of(source).sentences()}

    assert texts <= set(said)
    assert summary_of(plain(*rows)).abstract


def test_extractive_when_two_say_as_much_then_the_whole_sentence_is_quoted() -> None:
    filler = [f"Number {i} of the list was read out without any comment." for i in range(12)]
    whole = "The ferry to the island stops in winter for repairs."
    broken = "The ferry to the island stops in winter for the"
    source = transcript(*filler[:6], broken, *filler[6:], whole)

    texts = {sentence.text for _, sentence in summary_of(source).sentences()}

    assert whole in texts
    assert broken not in texts


MAIL = (
    ("heading 1", "Visit of the painters"),
    ("envelope 1", "From: [PERSON_1] <[EMAIL_ADDRESS_1]>"),
    ("paragraph 1", "The painters come to the tea room in the second week of May."),
    ("paragraph 2", "We decided that the tea room stays closed for three days."),
    ("paragraph 3", "Please clear the shelves of the tea room by 8 May."),
    ("paragraph 4", "The paint of the tea room smells, so the windows stay open at night."),
    ("signature 1", "[PERSON_1]\nCare of the house and of the tea room\n[PHONE_NUMBER_1]"),
    ("paragraph 5", "On Monday [PERSON_2] <[EMAIL_ADDRESS_2]> wrote:"),
    ("quote 1", "The walls of the tea room are as yellow as the tea."),
)


def test_extractive_when_a_mail_quotes_an_older_one_then_its_own_sentences_stand_alone() -> None:
    summary = summary_of(document(*MAIL))

    assert summary.cited_segments == {3, 4, 5, 6}


def test_extractive_when_a_mail_is_nothing_but_a_quote_then_that_is_quoted() -> None:
    summary = summary_of(document(*(block for block in MAIL if "graph" not in block[0])))

    assert summary.cited_segments == {4}


def test_extractive_when_told_as_decision_or_task_then_not_in_the_abstract_as_well() -> None:
    summary = summary_of(document(*MAIL))

    cited = [sentence.citations for _, sentence in summary.sentences()]
    assert len(cited) == len(set(cited))
    assert summary.headline == MAIL[3][1].rstrip(".")


def test_extractive_when_everything_is_a_task_then_the_abstract_is_not_empty() -> None:
    source = plain("Please clear the shelves by 8 May.", "Please open the windows by 9 May.")

    summary = summary_of(source)

    assert summary.abstract
    assert len(summary.action_items) == 2


@pytest.mark.parametrize(
    ("place", "text"),
    [
        ("slide 2, paragraph 1", "Where we stand"),
        ("slide 2, paragraph 1", "現在の状況"),
        ("slide 2, paragraph 1", "目前情况"),
        ("page 1, paragraph 1", "作業部会議事録 2026年10月14日 第2会議室"),
        ("page 1, paragraph 1", "指导小组会议 2026年11月3日"),
        ("page 1, paragraph 1", "Call on 22 October, 9:20 to 9:34, customer service."),
        ("page 1, paragraph 1", "Present: [PERSON_1] (chair), [PERSON_2]"),
        ("page 1, paragraph 1", "出席：[PERSON_1]（主持）、[PERSON_2]"),
        (
            "page 1, paragraph 1",
            "Questions go to the caretaker, [PHONE_NUMBER_1] or [EMAIL_ADDRESS_1].",
        ),
    ],
)
def test_extractive_when_a_line_of_a_document_is_no_statement_then_it_is_not_quoted(
    place: str, text: str
) -> None:
    said = (
        "The tea room gets a new floor.",
        "新しい喫茶室は五月に開きます。",
        "新的茶室五月开门。",
    )
    blocks = ((place, text), *((place, sentence) for sentence in said))

    assert 1 not in summary_of(document(*blocks)).cited_segments


def test_extractive_when_items_of_a_slide_have_no_full_stop_then_they_are_quoted() -> None:
    items = (
        "Search answers in a second",
        "検索は一秒以内に応答している",
        "所有分馆的检索都在一秒之内返回",
    )
    blocks = (("slide 1, heading 1", "Status"), *(("slide 1, paragraph 1", item) for item in items))

    assert summary_of(document(*blocks)).cited_segments >= {3, 4}


def test_extractive_when_a_paragraph_explains_its_first_sentence_then_that_one_is_quoted() -> None:
    first = "The waiting time has grown from nine to sixteen days."
    rest = " Most people cannot leave their work. Some wait for twenty days."
    source = plain(first + rest, *(f"Room {i} was cleaned and painted." for i in range(3)))

    assert first in {sentence.text for sentence in summary_of(source).abstract}


@pytest.mark.parametrize(
    "rows",
    [
        ("Who | What | By when", "[PERSON_1] | ask the painter | 8 May", "[PERSON_2] | clean | -"),
        (
            "内容 | 担当 | 期限",
            "塗装を依頼する | [PERSON_1] | 5月8日",
            "掃除をする | [PERSON_2] | 未定",
        ),
        ("负责人 | 内容 | 期限", "[PERSON_1] | 请油漆工 | 5月8日", "[PERSON_2] | 打扫 | 待定"),
    ],
)
def test_extractive_when_tasks_stand_in_a_table_then_with_owner_and_date(
    rows: tuple[str, ...],
) -> None:
    said = ("paragraph 1", "The tea room gets a new floor in May.")
    table = [(f"row {i}", row) for i, row in enumerate(rows, start=1)]

    tasks = summary_of(document(said, *table)).action_items

    assert [(task.citations, task.owner) for task in tasks] == [
        ((3,), "[PERSON_1]"),
        ((4,), "[PERSON_2]"),
    ]
    assert tasks[0].due in {"8 May", "5月8日"}
    assert tasks[0].text in rows[1]


@pytest.mark.parametrize("head", ["Who | Room | By when", "Owner | Item | Bought in"])
def test_extractive_when_a_table_is_of_something_else_then_it_gives_no_tasks(head: str) -> None:
    rows = (head, "[PERSON_1] | the tea room | 8 May")
    blocks = [(f"row {i}", row) for i, row in enumerate(rows, start=1)]

    assert summary_of(document(("paragraph 1", "We meet in May."), *blocks)).action_items == ()


def test_extractive_when_one_paragraph_says_most_then_the_others_are_quoted_too() -> None:
    told = ("The heat of the day stays in stone. ", "The heat is largest at night. ")
    more = (
        "The heat of traffic is added to the heat of the day. ",
        "Stone keeps the heat longest.",
    )
    source = plain(
        "".join(told + more), "A tree keeps the heat from the ground.", "Roofs are white."
    )

    cited = {c for sentence in summary_of(source).abstract for c in sentence.citations}

    assert cited >= {1, 2}
