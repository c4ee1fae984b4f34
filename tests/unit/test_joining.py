"""Windows joined: order, speakers, language, and the ledger of what got text."""

import pytest

from models.audio import Channels, DecodeReport
from models.documents import Interval, Segment, Transcript, Word, canonical_json
from models.joining import join_transcripts
from models.speech import Speech
from models.words import spread

REPORT = DecodeReport(container_s=100.0, decoded_s=100.0, duration_s=100.0, channels=Channels.MONO)


def _segment(start: float, end: float, text: str, **more: object) -> Segment:
    words = tuple(spread(text, start, end))
    fields: dict[str, object] = {"language": "en", **more}
    return Segment.model_validate(
        {"id": 1, "start": start, "end": end, "text": text, "words": words, **fields}
    )


def _part(*segments: Segment, language: str = "en") -> Transcript:
    return Transcript(kind="speech", language=language, duration_s=50.0, segments=segments)


def _speech(*spans: tuple[float, float]) -> Speech:
    return Speech(channels=(tuple(Interval(start=a, end=b) for a, b in spans),), thresholds=(0.5,))


def test_join_when_windows_come_in_any_order_then_ids_follow_time() -> None:
    late, early = _part(_segment(60, 62, "second part")), _part(_segment(1, 3, "first part"))
    joined = join_transcripts([late, early], REPORT, _speech((0, 100)))
    assert [(s.id, s.text) for s in joined.segments] == [(1, "first part"), (2, "second part")]


def test_join_when_there_is_no_speech_then_empty_but_whole() -> None:
    joined = join_transcripts([], REPORT, _speech())
    assert joined.is_empty
    assert joined.coverage.speech_s == 0.0
    assert joined.coverage.transcribed_s == 0.0


def test_join_when_a_hole_is_in_the_middle_then_coverage_shows_it() -> None:
    parts = [_part(_segment(0, 30, "word " * 60), _segment(70, 100, "word " * 60))]
    joined = join_transcripts(parts, REPORT, _speech((0, 100)))
    assert joined.coverage.speech_s == 100.0
    assert joined.coverage.transcribed_s == pytest.approx(61.4, abs=0.1)
    assert joined.coverage.hole == Interval(start=30.7, end=69.3)
    assert joined.coverage.hole_s == 38.6


def test_join_when_pauses_are_in_a_hole_then_only_its_speech_counts() -> None:
    parts = [_part(_segment(0, 30, "word " * 60), _segment(70, 80, "word " * 20))]
    speech = _speech((0, 30), (40, 45), (60, 62), (70, 80), (90, 91))
    coverage = join_transcripts(parts, REPORT, speech).coverage
    assert (coverage.hole, coverage.hole_s) == (Interval(start=40, end=62), 7.0)


def test_join_when_all_speech_has_text_then_covered_whole() -> None:
    parts = [_part(_segment(10, 20, "word " * 20))]
    joined = join_transcripts(parts, REPORT, _speech((9.6, 20.4)))
    assert joined.coverage.transcribed_s == joined.coverage.speech_s
    assert joined.coverage.hole is None


def test_join_when_speakers_are_apart_then_interleaved_by_time() -> None:
    left = _part(_segment(0, 2, "hello", speaker="left"), _segment(6, 8, "fine", speaker="left"))
    right = _part(_segment(3, 5, "how are you", speaker="right"))
    joined = join_transcripts([left, right], REPORT, _speech((0, 8)))
    assert [s.speaker for s in joined.segments] == ["left", "right", "left"]


def test_join_when_languages_mix_then_the_longer_one_and_a_warning() -> None:
    part = _part(_segment(0, 10, "hello there"), _segment(10, 14, "今天天气怎么样", language="zh"))
    joined = join_transcripts([part], REPORT, _speech((0, 14)))
    assert joined.language == "en"
    assert "language_mixed" in joined.warnings


def test_join_when_the_language_is_not_ours_then_kept_and_warned() -> None:
    part = _part(_segment(0, 10, "guten Tag", language="de"), language="de")
    joined = join_transcripts([part], REPORT, _speech((0, 10)))
    assert joined.language == "de"
    assert "language_unsupported" in joined.warnings


def test_join_when_invented_text_is_in_another_language_then_it_has_no_vote() -> None:
    part = _part(
        _segment(0, 3, "今日の会議", language="ja"),
        _segment(3, 30, "Thanks for watching!", suspect=("known_phrase",)),
    )
    assert join_transcripts([part], REPORT, _speech((0, 30))).language == "ja"


def test_join_when_a_sentence_repeats_over_windows_then_labelled() -> None:
    parts = [_part(_segment(i * 10, i * 10 + 2, "Same again.")) for i in range(4)]
    joined = join_transcripts(parts, REPORT, _speech((0, 40)))
    assert all("repetition" in s.suspect for s in joined.segments)


def test_join_when_audio_was_lost_then_the_warning_stays() -> None:
    report = DecodeReport(60.0, 40.0, 60.0, Channels.MONO, ("lost_audio",))
    joined = join_transcripts([_part(_segment(0, 2, "hello"))], report, _speech((0, 2)))
    assert joined.warnings == ("lost_audio",)
    assert joined.coverage.container_s == 60.0
    assert joined.coverage.decoded_s == 40.0


def test_join_when_repeated_then_the_same_bytes() -> None:
    parts = [_part(_segment(0, 2, "hello")), _part(_segment(50, 52, "bye"))]
    first = canonical_json(join_transcripts(parts, REPORT, _speech((0, 52))))
    assert first == canonical_json(join_transcripts(parts[::-1], REPORT, _speech((0, 52))))


def test_word_when_covering_speech_then_its_probability_does_not_matter() -> None:
    word = Word(word="x", start=0.0, end=10.0, probability=0.0)
    segment = Segment(id=1, start=0.0, end=10.0, text="x", language="en", words=(word,))
    joined = join_transcripts([_part(segment)], REPORT, _speech((0, 10)))
    assert joined.coverage.transcribed_s == 10.0
