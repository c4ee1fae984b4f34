"""When the recognizer sees the text before a half minute, and when not."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from models import whisper
from models.resampling import SAMPLE_RATE_HZ
from models.whisper import Audio, Whisper

HALF_MINUTE_S = 30


@dataclass
class Library:
    """Stands for faster-whisper: two segments for each of the half minutes of two minutes.

    `doubtful` are the places of bad ones: True with the text before in view, None with or without.
    """

    doubtful: dict[int, bool | None]
    word: str = " w"
    decoded: list[tuple[int, bool]] = field(default_factory=list)

    def transcribe(
        self, audio: Audio, *, condition_on_previous_text: bool, **_options: object
    ) -> tuple[Iterator[SimpleNamespace], None]:
        return self._segments(len(audio), seen=condition_on_previous_text), None

    def get_prompt(
        self, _tokenizer: object, previous_tokens: list[int], **_options: object
    ) -> list[int]:
        return previous_tokens

    def _segments(self, samples: int, *, seen: bool) -> Iterator[SimpleNamespace]:
        count = samples // (HALF_MINUTE_S * SAMPLE_RATE_HZ)
        first = 4 - count
        for i in range(count):
            place, sees = first + i, seen and i > 0
            self.decoded.append((place, sees))
            bad = place in self.doubtful and self.doubtful[place] in {None, sees}
            for part in range(2):
                start = i * HALF_MINUTE_S + part
                yield SimpleNamespace(
                    seek=i * HALF_MINUTE_S * 100,
                    start=start,
                    end=start + 0.5,
                    text=f" {place}{'b' if sees else 'a'}",
                    avg_logprob=-0.2,
                    no_speech_prob=0.0,
                    compression_ratio=9.0 if bad else 1.2,
                    words=[
                        SimpleNamespace(word=word, start=start, end=start + 0.5, probability=1)
                        for word in (self.word, "\ufffd")
                    ],
                )


def _decode(
    library: Library,
    monkeypatch: pytest.MonkeyPatch,
    prompt: str = "",
    *,
    against_loops: bool = False,
) -> list[tuple[str, float, float]]:
    monkeypatch.setattr(whisper, "_load", lambda *_: library)
    model = Whisper(Path("none"), device="cpu", compute_type="int8", threads=1, beam_size=5)
    audio = np.zeros(4 * HALF_MINUTE_S * SAMPLE_RATE_HZ, np.float32)
    heard = model.decode(audio, "en", prompt, against_loops=against_loops)
    return [(phrase.text.strip(), phrase.start, phrase.words[0].start) for phrase in heard[::2]]


def test_decode_when_nothing_is_doubtful_then_each_half_minute_sees_the_text_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    library = Library({})
    assert [text for text, _, _ in _decode(library, monkeypatch)] == ["0a", "1b", "2b", "3b"]
    assert len(library.decoded) == 4


def test_model_when_the_text_before_is_long_then_its_end_is_shown_and_bare_all_of_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(whisper, "_load", lambda *_: Library({}))
    model = Whisper(Path("none"), device="cpu", compute_type="int8", threads=1, beam_size=5)
    before = list(range(200))
    assert model._model.get_prompt(None, before, hotwords=None) == before[-48:]
    assert model._bare.get_prompt(None, before, hotwords=None) == before


def test_decode_when_the_text_before_spoils_a_half_minute_then_decoded_again_without(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = _decode(Library({2: True}), monkeypatch)
    assert found == [("0a", 0, 0), ("1b", 30, 30), ("2a", 60, 60), ("3b", 90, 90)]


def test_decode_when_a_half_minute_stays_doubtful_then_the_next_does_not_see_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = _decode(Library({1: None}), monkeypatch)
    assert [text for text, _, _ in found] == ["0a", "1a", "2a", "3b"]


def test_decode_when_all_is_doubtful_then_it_ends_and_nothing_sees_the_text_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    library = Library(dict.fromkeys(range(4)))
    assert [text for text, _, _ in _decode(library, monkeypatch)] == ["0a", "1a", "2a", "3a"]
    assert len(library.decoded) == 7


@pytest.mark.parametrize(("prompt", "against_loops"), [("", True), ("Fenwick", False)])
def test_decode_when_it_is_against_loops_or_prompted_then_no_text_before_is_seen(
    monkeypatch: pytest.MonkeyPatch, prompt: str, against_loops: bool
) -> None:
    library = Library(dict.fromkeys(range(4)))
    found = _decode(library, monkeypatch, prompt, against_loops=against_loops)
    assert [text for text, _, _ in found] == ["0a", "1a", "2a", "3a"]
    assert len(library.decoded) == 4


def test_decode_when_the_model_breaks_off_in_a_character_then_no_half_of_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(whisper, "_load", lambda *_: Library({}, word="試\ufffd"))
    model = Whisper(Path("none"), device="cpu", compute_type="int8", threads=1, beam_size=5)
    heard = model.decode(np.zeros(HALF_MINUTE_S * SAMPLE_RATE_HZ, np.float32), "ja")
    assert [word.word for phrase in heard for word in phrase.words] == ["試", "試"]
