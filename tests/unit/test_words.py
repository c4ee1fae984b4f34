"""Words get times, also those that the recognizer gave none."""

import pytest

from models.documents import Word
from models.words import repair, split_phrases, spread


def _word(text: str, start: float, end: float) -> Word:
    return Word(word=text, start=start, end=end, probability=0.9)


def _check_order(words: list[Word]) -> None:
    at = 0.0
    for word in words:
        assert word.start >= at - 1e-9
        assert word.end > word.start
        at = word.end


def test_repair_when_digits_have_no_time_then_interpolated() -> None:
    words = [_word(" call", 0.0, 0.4), _word(" 5", 0.4, 0.4), _word("551234", 0.4, 0.4)]
    repaired = repair([*words, _word(" now", 2.4, 2.8)])
    _check_order(repaired)
    assert repaired[1].start == pytest.approx(0.4)
    assert repaired[2].end == pytest.approx(2.4)


def test_repair_when_neighbours_leave_no_room_then_it_is_borrowed() -> None:
    repaired = repair([_word("a", 0.0, 1.0), _word("7", 1.0, 1.0), _word("b", 1.0, 2.0)])
    _check_order(repaired)


@pytest.mark.parametrize("count", [1, 2, 5])
def test_repair_when_nothing_has_a_time_then_all_get_one(count: int) -> None:
    repaired = repair([_word("9", 3.0, 3.0)] * count)
    _check_order(repaired)
    assert repaired[0].start == pytest.approx(3.0)


def test_repair_when_times_run_backwards_then_in_order() -> None:
    _check_order(repair([_word("a", 1.0, 1.5), _word("b", 0.5, 1.2), _word("c", 1.6, 1.9)]))


def test_repair_when_all_is_well_then_unchanged() -> None:
    words = [_word(" a", 0.0, 0.5), _word(" b", 0.6, 1.0)]
    assert repair(words) == words


def test_spread_when_text_is_mixed_then_every_letter_is_in_some_word() -> None:
    words = spread("電話は 090-1234 です", 1.0, 3.0)
    assert "".join(word.word for word in words) == "電話は 090-1234 です"
    assert words[0].start == 1.0
    assert words[-1].end == pytest.approx(3.0)


def test_split_phrases_when_sentences_end_then_cut_but_not_at_abbreviations() -> None:
    text = " Mr. Smith paid $3.50 today. Did he? Yes."
    words = spread(text, 0.0, 4.0)
    phrases = ["".join(w.word for w in group).strip() for group in split_phrases(words)]
    assert phrases == ["Mr. Smith paid $3.50 today.", "Did he?", "Yes."]


def test_split_phrases_when_a_pause_is_long_then_cut() -> None:
    words = [_word(" so", 0.0, 0.3), _word(" then", 9.0, 9.4)]
    assert len(split_phrases(words)) == 2
