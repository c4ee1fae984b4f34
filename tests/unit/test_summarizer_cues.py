"""What the cues find in sentences of our own: tasks, decisions, owners and dates."""

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from models.documents import LANGUAGES
from models.summarizer.cues import (
    due_in,
    filler_ratio,
    goes_on,
    is_action,
    is_decision,
    is_fragment,
    owners_in,
)

DATA = Path(__file__).parents[1] / "data" / "cues"
PARTS = ("seen", "unseen", "later")


def sentences(language: str, part: str) -> dict[str, Any]:
    table = tomllib.loads((DATA / f"{language}.toml").read_text(encoding="utf-8"))
    found: dict[str, Any] = table[part]
    return found


def found_by(cue: Callable[[str], bool], right: list[str], wrong: list[str]) -> tuple[float, float]:
    """Return recall and precision."""
    hits, misses = sum(map(cue, right)), sum(map(cue, wrong))
    return hits / len(right), hits / (hits + misses)


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_cues_when_sentences_are_read_then_nine_of_ten_are_found_and_right(
    language: str, part: str
) -> None:
    said = sentences(language, part)
    tasks = [text for text, _, _ in said["tasks"]]

    for cue, right, wrong in (
        (is_action, tasks, said["decisions"]),
        (is_decision, said["decisions"], tasks),
    ):
        recall, precision = found_by(cue, right, [*wrong, *said["neither"]])
        assert min(recall, precision) >= 0.9, (cue.__name__, recall, precision)


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_task_when_it_names_an_owner_or_a_date_then_these_and_no_others(
    language: str, part: str
) -> None:
    for text, owner, due in sentences(language, part)["tasks"]:
        owners = owners_in(text)
        assert (min(owners) if len(owners) == 1 else "") == owner, text
        assert (due_in(text) or "") == due, text


@pytest.mark.parametrize(
    ("text", "owners"),
    [
        ("I will book the coach on Thursday and tell [PERSON_4].", {"[PERSON_2]"}),
        ("バスは木曜日に私が予約して、[PERSON_4]さんに伝えます。", {"[PERSON_2]"}),
        ("我星期三之前把签好的租约发给[PERSON_4]。", {"[PERSON_2]"}),
        ("[PERSON_1] and [PERSON_3] will paint the fence.", {"[PERSON_1]", "[PERSON_3]"}),
        ("[PERSON_1]さんと[PERSON_3]さんが塀を塗ります。", {"[PERSON_1]", "[PERSON_3]"}),
        ("由[PERSON_1]和[PERSON_3]负责刷围栏。", {"[PERSON_1]", "[PERSON_3]"}),
        ("Please hand the list to [PERSON_1].", set()),
        ("一覧は[PERSON_1]さんに提出をお願いします。", set()),
        ("请把清单提交给[PERSON_1]。", set()),
    ],
)
def test_owners_when_somebody_promises_or_receives_then_who_has_to_do_it(
    text: str, owners: set[str]
) -> None:
    assert owners_in(text, "[PERSON_2]") == owners


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


def test_due_when_in_traditional_characters_then_in_the_words_of_the_source() -> None:
    assert due_in("請在下週五之前發給我。") == "下週五之前"


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
