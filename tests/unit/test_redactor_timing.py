import pytest

from configs.errors import RedactionError
from models.documents import RedactionSpan, Segment, Word
from models.redactor.splice import Splice
from models.redactor.timing import bleeps, redacted_words

PADDING_S = 0.15


def word(text: str, start: float, end: float) -> Word:
    return Word(word=text, start=start, end=end, probability=0.9)


def segment(text: str, *words: Word, start: float = 1.0, end: float = 5.0) -> Segment:
    return Segment(id=7, start=start, end=end, text=text, words=words)


def span(start: int, end: int) -> RedactionSpan:
    return RedactionSpan(
        start=start, end=end, entity_type="PERSON", score=0.9, replacement="[PERSON_1]"
    )


def interval(row: Segment, *spans: RedactionSpan) -> list[tuple[float, float]]:
    return [(i.start, i.end) for i in bleeps(row, spans, PADDING_S)]


def test_bleeps_when_words_have_times_then_padded() -> None:
    row = segment("hi Alice Bob bye", word(" hi", 1, 1.5), word(" Alice", 2, 2.4),
                  word(" Bob", 2.4, 3), word(" bye", 4, 5))  # fmt: skip
    assert interval(row, span(3, 12)) == [(1.85, 3.15)]


def test_bleeps_when_word_has_no_time_then_up_to_its_neighbours() -> None:
    row = segment("call 415-555 now", word(" call", 1, 2), word(" 415-555", 2, 2),
                  word(" now", 4, 5))  # fmt: skip
    assert interval(row, span(5, 12)) == [(1.85, 4.15)]


def test_bleeps_when_segment_has_no_words_then_whole_segment() -> None:
    assert interval(segment("Alice left"), span(0, 5)) == [(0.85, 5.15)]


def test_bleeps_when_segment_has_no_times_then_error_without_text() -> None:
    with pytest.raises(RedactionError) as caught:
        bleeps(segment("Alice left", start=0, end=0), [span(0, 5)], PADDING_S)
    assert "Alice" not in str(caught.value.body())
    assert not caught.value.retryable


def test_bleeps_when_nothing_redacted_then_none_needed() -> None:
    assert bleeps(segment("fine", start=0, end=0), [], PADDING_S) == ()


def test_bleeps_when_spans_are_near_then_one_interval() -> None:
    row = segment("Al Bo", word("Al", 1, 2), word(" Bo", 2.1, 3))
    assert interval(row, span(0, 2), span(3, 5)) == [(0.85, 3.15)]


def test_bleeps_when_japanese_word_is_wider_than_span_then_whole_word() -> None:
    row = segment("田中さんです", word("田中さん", 1.5, 2), word("です", 2, 3))
    assert interval(row, span(0, 2)) == [(1.35, 2.15)]


def test_redacted_words_when_span_covers_two_words_then_one_pseudonym() -> None:
    row = segment("hi Alice Bob, bye", word(" hi", 1, 2), word(" Alice", 2, 3),
                  word(" Bob,", 3, 4), word(" bye", 4, 5))  # fmt: skip
    words = redacted_words(row, Splice(row.text, (span(3, 12),)))
    assert [(w.word, w.start, w.end) for w in words] == [
        ("hi", 1, 2),
        ("[PERSON_1],", 2, 4),
        ("bye", 4, 5),
    ]


def test_redacted_words_when_word_is_not_in_text_then_left_out() -> None:
    row = segment("hi there", word(" hi", 1, 2), word(" Alice", 2, 3))
    assert [w.word for w in redacted_words(row, Splice(row.text, ()))] == ["hi"]


def test_redacted_words_when_width_differs_then_still_placed() -> None:
    row = segment("AB 12", word("ＡＢ", 1, 2), word("１２", 2, 3))
    assert [w.word for w in redacted_words(row, Splice(row.text, ()))] == ["AB", "12"]
