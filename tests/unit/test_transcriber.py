"""What becomes of text that is cut, loops or is in another language, whoever recognizes it."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from models.documents import Transcript
from models.transcriber import Window
from models.whisper import Heard
from tests.hearing import (
    Call,
    ScriptedRecognizer,
    phrase,
    spoken,
    transcriber,
    write_normalized,
)

SPOKEN = (
    "In the winter of that year the harbour froze, and for three weeks no ship could leave. "
    "People walked across the ice to the island, carried letters there and brought back news, "
    "while the captains sat in the only inn and argued about the weather."
)
WHOLE = Window(index=0, start=0.0, end=20.0)


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    return write_normalized(tmp_path / "n.flac", (20.0, 1000))


def _text(transcript: Transcript) -> str:
    return " ".join(segment.text for segment in transcript.segments)


def test_transcribe_when_vocabulary_cuts_the_tail_then_decoded_again_without_it(
    recording: Path,
) -> None:
    def script(call: Call) -> Sequence[Heard]:
        if "Fenwick" in call.prompt:
            return [phrase(" Fenwick opened the meeting.", 0.3, 5.0)]
        return [phrase(" The tail is here.", 0.1, call.seconds - 0.1)]

    recognizer = ScriptedRecognizer(script)
    found = transcriber(recognizer).transcribe(
        recording, WHOLE, spoken((0.0, 20.0)), "en", ["Fenwick"]
    )
    assert _text(found) == "Fenwick opened the meeting. The tail is here."
    assert found.segments[-1].end > 19.5
    assert [call.prompt for call in recognizer.calls] == ["Fenwick", ""]


@pytest.mark.parametrize("written", [(1.2, 19.6), (0.3, 18.8)], ids=["first", "last"])
def test_transcribe_when_a_word_at_the_edge_is_missing_then_it_is_looked_for(
    recording: Path, written: tuple[float, float]
) -> None:
    def script(call: Call) -> Sequence[Heard]:
        if call.seconds > 10:
            return [phrase(SPOKEN, *written)]
        return [phrase("missing", 0.2, call.seconds - 0.2)]

    recognizer = ScriptedRecognizer(script)
    found = transcriber(recognizer).transcribe(recording, WHOLE, spoken((0.0, 20.0)), "en")
    assert "missing" in _text(found)


@pytest.mark.parametrize(
    "doubtful",
    [
        phrase("Thanks for watching!", 0.2, 2.0),
        phrase("breath", 0.2, 2.0, avg_logprob=-0.95),
        phrase("hum", 0.2, 2.0, avg_logprob=-0.6, no_speech_prob=0.9),
    ],
    ids=["known phrase", "improbable", "no speech"],
)
def test_transcribe_when_a_hole_gives_only_doubtful_text_then_it_stays_a_hole(
    recording: Path, doubtful: Heard
) -> None:
    def script(call: Call) -> Sequence[Heard]:
        return [phrase(SPOKEN, 0.3, 16.0)] if call.seconds > 10 else [doubtful]

    recognizer = ScriptedRecognizer(script)
    found = transcriber(recognizer).transcribe(recording, WHOLE, spoken((0.0, 20.0)), "en")
    assert len(recognizer.calls) == 2
    assert doubtful.text not in _text(found)


def test_transcribe_when_two_sentences_take_turns_to_the_end_then_decoded_again_and_marked(
    recording: Path,
) -> None:
    def script(call: Call) -> Sequence[Heard]:
        if call.against_loops:
            return [phrase(" We went on to the budget.", 0.0, call.seconds)]
        turns = [" I know.", " You know."] * 8
        looping = [phrase(text, 4.0 + i, 5.0 + i) for i, text in enumerate(turns)]
        return [phrase(" The meeting began.", 0.0, 4.0), *looping]

    recognizer = ScriptedRecognizer(script)
    found = transcriber(recognizer).transcribe(recording, WHOLE, spoken((0.0, 20.0)), "en")
    assert _text(found) == "The meeting began. We went on to the budget."
    assert [segment.suspect for segment in found.segments] == [(), ("repetition",)]


def test_transcribe_when_the_intro_is_in_another_language_then_each_part_has_its_own(
    tmp_path: Path,
) -> None:
    path = write_normalized(tmp_path / "n.flac", (6.0, 300), (54.0, 9000))

    def script(call: Call) -> Sequence[Heard]:
        text = " Good morning everybody." if call.language == "en" else "大家早上好。"
        return [phrase(text, 0.2, call.seconds - 0.2)]

    recognizer = ScriptedRecognizer(script, sounds=lambda loud: "zh" if loud > 0.1 else "en")
    window = Window(index=0, start=0.0, end=60.0)
    speech = spoken((0.0, 5.0), (7.0, 30.0), (32.0, 60.0))
    found = transcriber(recognizer).transcribe(path, window, speech)
    assert found.language == "zh"
    languages = [segment.language for segment in found.segments]
    assert (languages[0], set(languages[1:])) == ("en", {"zh"})
    told = transcriber(ScriptedRecognizer(script)).transcribe(path, window, speech, "zh")
    assert {segment.language for segment in told.segments} == {"zh"}


def test_transcribe_when_another_language_was_told_than_is_spoken_then_warned(
    recording: Path,
) -> None:
    recognizer = ScriptedRecognizer(
        lambda call: [phrase(SPOKEN, 0.2, call.seconds - 0.2)], sounds=lambda _loudness: "zh"
    )
    found = transcriber(recognizer).transcribe(recording, WHOLE, spoken((0.0, 20.0)), "en")
    assert found.warnings == ("sounds_like_zh",)


def test_transcribe_when_the_window_has_no_speech_then_nothing_is_decoded(recording: Path) -> None:
    recognizer = ScriptedRecognizer(lambda _call: [phrase("Thank you.", 0.0, 1.0)])
    found = transcriber(recognizer).transcribe(recording, WHOLE, spoken((30.0, 40.0)), "en")
    assert found.is_empty
    assert recognizer.calls == []
