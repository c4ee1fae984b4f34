"""A recognizer that follows a script, and recordings of any length for it to hear."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from models.documents import Interval
from models.normalized import AudioWriter
from models.resampling import SAMPLE_RATE_HZ
from models.speech import Speech
from models.transcriber import Transcriber
from models.whisper import Audio, Heard
from models.words import spread


@dataclass(frozen=True)
class Call:
    """How the recognizer was asked to decode."""

    seconds: float
    language: str
    prompt: str
    against_loops: bool


Script = Callable[[Call], Sequence[Heard]]


def phrase(
    text: str, start: float, end: float, *, avg_logprob: float = -0.2, no_speech_prob: float = 0.0
) -> Heard:
    """A phrase with words spread over its time."""
    words = tuple(spread(text, start, end))
    return Heard(text, start, end, avg_logprob, no_speech_prob, 1.0, words)


@dataclass
class ScriptedRecognizer:
    """Writes what the script says, and hears the language that `sounds` gives for a loudness."""

    script: Script
    sounds: Callable[[float], str] = lambda _loudness: "en"
    multilingual: bool = True
    calls: list[Call] = field(default_factory=list)

    def languages(self, audio: Audio) -> dict[str, float]:
        return {self.sounds(float(np.abs(audio).max(initial=0.0))): 0.97}

    def decode(
        self, audio: Audio, language: str, prompt: str = "", *, against_loops: bool = False
    ) -> list[Heard]:
        call = Call(len(audio) / SAMPLE_RATE_HZ, language, prompt, against_loops)
        self.calls.append(call)
        return list(self.script(call))

    def bare(self, path: Path, language: str | None) -> str:
        raise NotImplementedError


def transcriber(recognizer: ScriptedRecognizer) -> Transcriber:
    """The real transcriber around a scripted recognizer."""
    return Transcriber(Path("scripted"), recognizer=recognizer)


def spoken(*spans: tuple[float, float]) -> Speech:
    """One channel with speech in these stretches."""
    intervals = tuple(Interval(start=start, end=end) for start, end in spans)
    return Speech(channels=(intervals,), thresholds=(0.5,))


def write_normalized(path: Path, *parts: tuple[float, int]) -> Path:
    """Write a normalized recording of (seconds, sample value) parts, a minute at a time."""
    with AudioWriter(path, 1) as writer:
        for seconds, value in parts:
            left = round(seconds * SAMPLE_RATE_HZ)
            while left:
                size = min(left, 60 * SAMPLE_RATE_HZ)
                writer.write(np.full((size, 1), value, np.int16))
                left -= size
    return path
