import json
from pathlib import Path

import pytest

from configs.errors import NotFoundError
from models.documents import Sentence
from models.evaluation_summary import (
    Rouge,
    draw,
    is_exact,
    lead,
    mean_rouge,
    reach,
    rouge,
    tokens,
)
from pipeline.evaluation.summary import meetings_of
from tests.summaries import transcript


def test_rouge_when_same_text_then_one_and_when_nothing_shared_then_zero() -> None:
    same = rouge("The tea is green.", "the tea is green")
    other = rouge("The tea is green.", "屋根から雨が漏れる")

    assert (same.rouge_1, same.rouge_2, same.rouge_l) == (1.0, 1.0, 1.0)
    assert (other.rouge_1, other.rouge_2, other.rouge_l) == (0.0, 0.0, 0.0)


def test_rouge_when_half_is_shared_then_f_of_precision_and_recall() -> None:
    found = rouge("green tea", "tea green and white")

    assert found.rouge_1 == pytest.approx(2 * 2 / 6)
    assert found.rouge_2 == 0.0
    assert found.rouge_l == pytest.approx(2 * 1 / 6)


def test_rouge_when_empty_then_zero() -> None:
    assert rouge("", "tea").rouge_l == 0.0


def test_tokens_when_scripts_mix_then_words_and_characters() -> None:
    assert tokens("Tea 25 はお茶、茶") == ["tea", "25", "は", "お", "茶", "茶"]


def test_lead_when_asked_for_a_length_then_the_first_sentences_that_reach_it() -> None:
    assert lead(["One two.", "Three four.", "Five."], 3) == "One two.\nThree four."
    assert lead(["One."], 9) == "One."


def test_draw_when_repeated_with_its_seed_then_the_same_sentences_in_order() -> None:
    sentences = [f"Word {i}." for i in range(30)]

    drawn = draw(sentences, 20, seed=7)

    assert drawn == draw(sentences, 20, seed=7)
    assert drawn != draw(sentences, 20, seed=8)
    assert sorted(drawn.splitlines(), key=sentences.index) == drawn.splitlines()
    assert len(drawn.splitlines()) == 10


def test_mean_rouge_when_two_then_between_them() -> None:
    assert mean_rouge([Rouge(0.0, 0.25, 1.0), Rouge(1.0, 0.75, 0.0)]) == Rouge(0.5, 0.5, 0.5)


@pytest.mark.parametrize(
    ("text", "citations", "exact"),
    [
        ("We paint the room.", (1, 2), True),
        ("Then we go.", (3,), True),
        ("Then we go.", (2, 3), False),
        ("We paint the house.", (1, 2), False),
        ("Then we go.", (9,), False),
    ],
    ids=["over two", "one", "one too many", "other words", "no such"],
)
def test_exact_when_cited_then_word_for_word_and_no_segment_too_many(
    text: str, citations: tuple[int, ...], exact: bool
) -> None:
    source = transcript("We paint", "the room.", "Then we go.")

    assert is_exact(Sentence(text=text, citations=citations), source) is exact


def test_reach_when_cited_at_both_ends_then_two_twelfths() -> None:
    source = transcript(*["Ten chars."] * 24)

    assert reach(frozenset({1, 2, 24}), source) == pytest.approx(2 / 12)
    assert reach(frozenset(range(1, 25)), source) == 1.0
    assert reach(frozenset(), source) == 0.0


def test_meetings_when_none_is_in_the_language_then_said_so(tmp_path: Path) -> None:
    entry = {
        "id": "m1",
        "lang": "en",
        "segments": [{"speaker": "Ann Lee", "text": "We open in May."}],
        "summary": "The shop opens in May.",
    }
    (tmp_path / "meetings").mkdir()
    (tmp_path / "meetings" / "m1.json").write_text(json.dumps(entry), encoding="utf-8")

    assert [meeting.id for meeting in meetings_of(tmp_path, "en")] == ["m1"]
    with pytest.raises(NotFoundError, match="“ja”"):
        meetings_of(tmp_path, "ja")
