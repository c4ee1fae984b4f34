"""From packed audio back to the recording, and what counts as a loop."""

import numpy as np
import pytest

from models.documents import Word
from models.passages import Passage, cut
from models.phrases import is_better, loop_marks, segments_of, without_padding
from models.whisper import Heard

RATE = 16_000


def _passage() -> Passage:
    """Two stretches of speech, 10 to 12 s and 50 to 53 s, packed into 5 s."""
    return Passage(np.zeros(5 * RATE, np.float32), ((10.0, 12.0), (50.0, 53.0)), "en")


def _heard(
    text: str,
    start: float = 0.0,
    end: float = 1.0,
    *,
    avg_logprob: float = -0.2,
    no_speech_prob: float = 0.0,
    words: tuple[Word, ...] = (),
) -> Heard:
    return Heard(text, start, end, avg_logprob, no_speech_prob, 1.0, words)


def test_cut_when_stretches_are_joined_then_their_samples_in_order() -> None:
    audio = np.arange(20 * RATE, dtype=np.float32)
    found = cut(audio, 5.0, [(6.0, 7.0), (20.0, 22.0)])
    assert len(found) == 3 * RATE
    assert found[0] == 1 * RATE
    assert found[RATE] == 15 * RATE


@pytest.mark.parametrize(
    ("packed", "original"),
    [((0.0, 0.5), (10.0, 10.5)), ((2.5, 3.0), (50.5, 51.0)), ((4.5, 5.0), (52.5, 53.0))],
)
def test_original_pair_when_packed_then_the_recordings_time(
    packed: tuple[float, float], original: tuple[float, float]
) -> None:
    assert _passage().original_pair(*packed) == pytest.approx(original)


def test_original_pair_when_a_word_straddles_a_seam_then_it_stays_on_one_side() -> None:
    start, end = _passage().original_pair(1.9, 2.3)
    assert 50.0 <= start < end <= 53.0


def test_packed_when_a_time_is_given_then_the_way_there() -> None:
    passage = _passage()
    assert passage.packed(11.0) == pytest.approx(1.0)
    assert passage.packed(50.5) == pytest.approx(2.5)


def test_segments_of_when_a_phrase_spans_a_pause_then_two_segments() -> None:
    words = (
        Word(word=" First", start=1.0, end=1.8, probability=0.9),
        Word(word=" second", start=2.2, end=3.0, probability=0.9),
    )
    found = list(
        segments_of(_heard(" First second", 1.0, 3.0, words=words), _passage(), None, again=False)
    )
    assert [(s.text, round(s.start, 1)) for s in found] == [("First", 11.0), ("second", 50.2)]


def test_segments_of_when_the_recognizer_gave_no_words_then_times_are_spread() -> None:
    (segment,) = segments_of(_heard("555-1234", 0.0, 2.0), _passage(), "left", again=False)
    assert (segment.start, segment.end, segment.speaker) == (10.0, 12.0, "left")
    assert segment.words


def test_segments_of_when_decoded_again_then_marked_as_repetition() -> None:
    (segment,) = segments_of(_heard("Fine now."), _passage(), None, again=True)
    assert segment.suspect == ("repetition",)


def test_loop_marks_when_three_phrases_are_equal_then_all_three() -> None:
    heard = [_heard("Hello."), _heard(" Go on."), _heard("Go on."), _heard("Go on. "), _heard("B")]
    assert [mark for _, mark in loop_marks(heard)] == [False, True, True, True, False]


def test_is_better_when_the_second_decoding_is_unbelievable_then_false() -> None:
    before = [_heard("go on " * 20)]
    assert is_better([_heard("We went on to the budget.")], before)
    assert not is_better([_heard("We went on to the budget.", avg_logprob=-1.4)], before)
    assert not is_better([], before)


def test_without_padding_when_text_stands_in_silence_then_left_out() -> None:
    real = _heard("Good day.", 0.0, 1.5)
    invented = _heard("hmm", 4.6, 4.9, avg_logprob=-1.3, no_speech_prob=0.98)
    sure = _heard("Bye.", 4.6, 4.9, avg_logprob=-0.3, no_speech_prob=0.98)
    assert without_padding([real, invented, sure], _passage()) == [real, sure]


def test_without_padding_when_surely_nobody_spoke_then_fair_scores_do_not_save_it() -> None:
    invented = _heard("go go go go", 4.5, 4.9, avg_logprob=-0.7, no_speech_prob=0.96)
    spoken = _heard("Go.", 4.5, 4.9, avg_logprob=-0.7, no_speech_prob=0.4)
    assert without_padding([invented, spoken], _passage()) == [spoken]


def test_segments_of_when_a_phrase_has_no_letter_then_no_segment() -> None:
    assert not list(segments_of(_heard("。。。"), _passage(), None, again=False))


def test_moved_when_shifted_then_words_too() -> None:
    word = Word(word="a", start=0.0, end=1.0, probability=0.5)
    found = _heard("a", words=(word,)).moved(3.0)
    assert (found.start, found.end, found.words[0].start) == (3.0, 4.0, 3.0)
