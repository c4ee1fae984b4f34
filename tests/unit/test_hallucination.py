"""Invented text is labelled, ordinary text is not."""

import pytest

from models.documents import Segment
from models.hallucination import loops, mark_repetitions, repeated_places, suspicions


@pytest.mark.parametrize(
    "text",
    [
        "Thanks for watching!",
        "Thank you for watching, and please subscribe.",
        "ご視聴ありがとうございました。",
        "チャンネル登録よろしくお願いします",
        "请不吝点赞 订阅 转发 打赏支持明镜与点点栏目",
        "字幕由Amara.org社区提供",
        "用简体中文书写，并带有标点符号。",
    ],
)
def test_suspicions_when_a_known_invention_then_labelled(text: str) -> None:
    assert "known_phrase" in suspicions(text, -0.2, 0.1, 1.0)


@pytest.mark.parametrize(
    "text",
    [
        "The report was translated by our team in Bern.",
        "資料の提供は来週になります。",
        "お客様から高評価をいただきました。",
        "会议的中文字幕已经由办公室的同事检查过了。",
    ],
)
def test_suspicions_when_a_sure_sentence_holds_such_words_then_only_doubt_labels_it(
    text: str,
) -> None:
    assert suspicions(text, -0.2, 0.1, 1.0) == ()
    assert "known_phrase" in suspicions(text, -0.8, 0.4, 1.0)


def test_suspicions_when_a_courtesy_is_sure_then_not_labelled() -> None:
    assert suspicions("Thank you very much.", -0.2, 0.05, 1.0) == ()


def test_suspicions_when_a_courtesy_is_doubtful_then_labelled() -> None:
    assert suspicions("Thank you.", -0.8, 0.4, 1.0) == ("known_phrase",)


@pytest.mark.parametrize(
    ("scores", "reason"),
    [
        ((-0.6, 0.7, 1.0), "no_speech_prob"),
        ((-1.1, 0.1, 1.0), "avg_logprob"),
        ((-0.1, 0.1, 2.5), "compression_ratio"),
    ],
)
def test_suspicions_when_a_score_is_bad_then_its_name(
    scores: tuple[float, float, float], reason: str
) -> None:
    assert suspicions("The budget was approved.", *scores) == (reason,)


@pytest.mark.parametrize(
    "text",
    ["I know. " * 8, "そうですね、" * 10, "请请请请请请请", "the plan and the plan and " * 5],
)
def test_loops_when_a_phrase_repeats_then_true(text: str) -> None:
    assert loops(text)


@pytest.mark.parametrize(
    "text",
    [
        "We agreed on the budget, and on the date, and on the place.",
        "会議の予算について話しました。",
        "100000000",
        "no no no",
        "",
    ],
)
def test_loops_when_text_is_ordinary_then_false(text: str) -> None:
    assert not loops(text)


def _segment(number: int, text: str) -> Segment:
    return Segment(id=number, start=float(number), end=number + 1.0, text=text)


def test_mark_repetitions_when_three_in_a_row_then_all_labelled() -> None:
    texts = ["Hello.", "I see.", "I see!", "i see", "Bye."]
    marked = mark_repetitions([_segment(i, text) for i, text in enumerate(texts)])
    assert [bool(s.suspect) for s in marked] == [False, True, True, True, False]


def test_mark_repetitions_when_two_in_a_row_then_none() -> None:
    marked = mark_repetitions([_segment(1, "Yes."), _segment(2, "Yes.")])
    assert not any(s.suspect for s in marked)


def test_repeated_places_when_sentences_take_turns_then_all_of_the_run() -> None:
    texts = ["Begin.", "a", "b", "A!", "B", "a", "b", "End."]
    assert repeated_places(texts) == {1, 2, 3, 4, 5, 6}


def test_repeated_places_when_something_is_said_twice_then_none() -> None:
    assert repeated_places(["yes", "yes", "a", "b", "a", "b", "", "", ""]) == set()
