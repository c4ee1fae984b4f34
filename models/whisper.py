"""The one file that speaks faster-whisper: load a model, hear a language, decode audio to words.

Decoding is beam search at temperature 0, so that the same audio gives the same words. Where the
library would sample after a doubtful half minute, the text before it is taken out of view instead.
Source of the thresholds: the library's own (log probability -1.0, compression 2.4).
"""

import os
from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from configs.errors import ModelError
from models.documents import Word
from models.resampling import SAMPLE_RATE_HZ

if TYPE_CHECKING:
    from faster_whisper import WhisperModel
    from faster_whisper.transcribe import Segment as WhisperSegment

# Idle threads of OpenMP spin by default and take the cores from everybody else; this must be set
# before the library is loaded.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

Audio = npt.NDArray[np.float32]
_FRAMES_PER_S = 100  # in which the library says where a half minute begins
_DOUBTFUL_LOGPROB = -1.0
_DOUBTFUL_COMPRESSION = 2.4
_SHOWN_TOKENS = 48  # of the text before: a sentence or two; the library's 223 take 6 % longer


@dataclass(frozen=True)
class Heard:
    """A phrase as the recognizer wrote it, times in seconds of the audio given."""

    text: str
    start: float
    end: float
    avg_logprob: float
    no_speech_prob: float
    compression_ratio: float
    words: tuple[Word, ...]

    def moved(self, by_s: float) -> "Heard":
        """Return the phrase with its times moved."""
        words = tuple(
            Word(
                word=word.word,
                start=word.start + by_s,
                end=word.end + by_s,
                probability=word.probability,
            )
            for word in self.words
        )
        return replace(self, start=self.start + by_s, end=self.end + by_s, words=words)


class Recognizer(Protocol):
    """What hears: a Whisper model, or a script in tests."""

    @property
    def multilingual(self) -> bool:
        """False for a model that knows English only."""

    def languages(self, audio: Audio) -> dict[str, float]:
        """Return the probability of each language in up to 30 seconds of audio."""

    def decode(
        self, audio: Audio, language: str, prompt: str = "", *, against_loops: bool = False
    ) -> list[Heard]:
        """Return the phrases of audio without long pauses."""

    def bare(self, path: Path, language: str | None) -> str:
        """Transcribe a file by the library alone."""


class Whisper:
    """A Whisper model in memory."""

    def __init__(
        self, folder: Path, *, device: str, compute_type: str, threads: int, beam_size: int
    ) -> None:
        self._bare = _load(folder, device, compute_type, threads)
        self._model = _shown_less(self._bare)
        self._beam_size = beam_size

    @property
    def multilingual(self) -> bool:
        """False for a model that knows English only."""
        return bool(self._model.model.is_multilingual)

    def languages(self, audio: Audio) -> dict[str, float]:
        """Return the probability of each language in up to 30 seconds of audio.

        Raises:
            ModelError: the model failed (not retryable).
        """
        if not self.multilingual:
            return {"en": 1.0}
        try:
            _, _, heard = self._model.detect_language(audio)
        except (RuntimeError, ValueError) as error:
            raise _failed(error) from error
        return {str(code): float(probability) for code, probability in heard}

    def decode(
        self, audio: Audio, language: str, prompt: str = "", *, against_loops: bool = False
    ) -> list[Heard]:
        """Return the phrases of audio without long pauses.

        Each half minute is decoded with the text before it in view, unless it, or that text, is
        doubtful: a loop would go on to the end. A prompt takes the place of that text, for both
        together would leave the model hardly any room to write.

        Args:
            audio: float32 mono at 16 kHz.
            language: its language.
            prompt: shown to the model before each half minute: names, terms, style.
            against_loops: forbid that five tokens in a row repeat; no text before is shown.

        Raises:
            ModelError: the model failed (not retryable).
        """
        try:
            if prompt or against_loops:
                return _phrases(self._segments(audio, language, prompt, against_loops))
            return self._decode_with_context(audio, language)
        except (RuntimeError, ValueError) as error:
            raise _failed(error) from error

    def bare(self, path: Path, language: str | None) -> str:
        """Transcribe a file by faster-whisper alone: what this product is measured against.

        Raises:
            ModelError: the model failed (not retryable).
        """
        try:
            found, _ = self._bare.transcribe(
                str(path),
                language=language,
                beam_size=self._beam_size,
                vad_filter=True,
                word_timestamps=True,
            )
            return "".join(segment.text for segment in found).strip()
        except (RuntimeError, ValueError) as error:
            raise _failed(error) from error

    def _decode_with_context(self, audio: Audio, language: str) -> list[Heard]:
        heard: list[Heard] = []
        begin: int | None = 0
        while begin is not None:
            rest = audio[begin * SAMPLE_RATE_HZ // _FRAMES_PER_S :]
            found, doubt = _up_to_doubt(self._segments(rest, language))
            heard += [phrase.moved(begin / _FRAMES_PER_S) for phrase in _phrases(found)]
            begin = None if doubt is None else begin + doubt
        return heard

    def _segments(
        self, audio: Audio, language: str, prompt: str = "", against_loops: bool = False
    ) -> Iterable["WhisperSegment"]:
        found, _ = self._model.transcribe(
            audio,
            language=language,
            beam_size=self._beam_size,
            temperature=[0.0],
            condition_on_previous_text=not (prompt or against_loops),
            no_speech_threshold=None,
            word_timestamps=True,
            without_timestamps=False,
            vad_filter=False,
            hotwords=prompt or None,
            no_repeat_ngram_size=5 if against_loops else 0,
            repetition_penalty=1.1 if against_loops else 1.0,
        )
        segments: Iterable[WhisperSegment] = found
        return segments


def _load(folder: Path, device: str, compute_type: str, threads: int) -> "WhisperModel":
    from faster_whisper import WhisperModel  # noqa: PLC0415 - heavy; the web never loads it

    try:
        return WhisperModel(
            str(folder),
            device=device,
            compute_type=compute_type,
            cpu_threads=threads,
            num_workers=1,
            local_files_only=True,
        )
    except (RuntimeError, ValueError, OSError) as error:
        raise _failed(error, f"The speech model {folder.name!r} cannot be loaded.") from error


def _shown_less(model: "WhisperModel") -> "WhisperModel":
    """Return the same model, weights shared, to which less of the text before is shown."""
    shown_less, prompt = copy(model), model.get_prompt

    def get_prompt(tokenizer: object, previous_tokens: list[int], **more: object) -> list[int]:
        shown: list[int] = prompt(tokenizer, previous_tokens[-_SHOWN_TOKENS:], **more)
        return shown

    shown_less.get_prompt = get_prompt
    return shown_less


def _up_to_doubt(
    found: Iterable["WhisperSegment"],
) -> tuple[list["WhisperSegment"], int | None]:
    """Return segments up to a half minute that must not see the text before it, and its beginning.

    None stands for the end. The half minute that comes after doubtful text is such a one, and one
    that is doubtful itself. The scores of all segments of a half minute are the same.
    """
    taken: list[WhisperSegment] = []
    doubtful = False
    for segment in found:
        before, doubtful = doubtful, _is_doubtful(segment)
        if segment.seek > (taken[-1].seek if taken else 0) and (before or doubtful):
            return taken, int(segment.seek)
        taken.append(segment)
    return taken, None


def _is_doubtful(segment: "WhisperSegment") -> bool:
    return bool(
        segment.avg_logprob < _DOUBTFUL_LOGPROB or segment.compression_ratio > _DOUBTFUL_COMPRESSION
    )


def _phrases(found: Iterable["WhisperSegment"]) -> list[Heard]:
    return [
        Heard(
            text=_whole(segment.text),
            start=float(segment.start),
            end=float(segment.end),
            avg_logprob=float(segment.avg_logprob),
            no_speech_prob=float(segment.no_speech_prob),
            compression_ratio=float(segment.compression_ratio),
            words=tuple(
                Word(
                    word=_whole(word.word),
                    start=float(word.start),
                    end=float(word.end),
                    probability=min(max(round(float(word.probability), 4), 0.0), 1.0),
                )
                for word in segment.words or ()
                if _whole(word.word)
            ),
        )
        for segment in found
    ]


def _whole(text: str) -> str:
    """Return text without the half characters that the model leaves where it breaks off."""
    return text.replace("\ufffd", "")


def _failed(error: Exception, message: str = "Speech recognition failed.") -> ModelError:
    """Keep the error's type; its text may quote what was said."""
    return ModelError(message, {"type": type(error).__name__})
