"""Speech recognition: windows of a normalized recording to text with times.

The same window gives the same transcript: decoding never samples. What a higher temperature is
for, a second look at loops and at speech that got no text, is done with beam search.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import groupby
from pathlib import Path

from models.documents import LANGUAGES, SOUNDS_LIKE, Segment, Transcript
from models.hallucination import STYLES
from models.intervals import Span, total_s
from models.joining import join_transcripts
from models.languages import (
    Probabilities,
    assign_languages,
    candidates,
    sample_spans,
    sounds_otherwise,
)
from models.normalized import read_channel
from models.passages import Passage, cut
from models.phrases import (
    confidence,
    holes,
    is_believable,
    is_better,
    loop_marks,
    segments_of,
    without_padding,
)
from models.speech import Speech, Window, find_speech, plan_windows
from models.weights import file_sha256
from models.whisper import Heard, Recognizer, Whisper

__all__ = ["Speech", "Transcriber", "Window", "find_speech", "join_transcripts", "plan_windows"]

_SPEAKERS = ("left", "right")
_TOO_SHORT_TO_TELL_S = 3.0
_SAMPLES_OF_TOLD = 3
_POOR_LOGPROB = -0.9
_CLEARLY_BETTER = 0.2
_POSSIBLE_LANGUAGE = 0.3
_IDEOGRAPHIC_COMMA = frozenset({"ja", "zh"})


class Transcriber:
    """A speech model in memory. Not thread-safe; a process holds one."""

    def __init__(
        self,
        model: Path,
        *,
        name: str = "",
        device: str = "cpu",
        compute_type: str = "int8",
        threads: int = 2,
        beam_size: int = 5,
        recognizer: Recognizer | None = None,
    ) -> None:
        """Load a model.

        Args:
            model: its folder, from `weights.whisper_path`.
            name: what to call it in records; the folder's name by default.
            device: `cpu` or `cuda`.
            compute_type: CTranslate2's number format.
            threads: threads of one decoding.
            beam_size: hypotheses kept while decoding.
            recognizer: what hears, in place of the Whisper model in the folder.

        Raises:
            ModelError: the folder holds no usable model (not retryable).
        """
        self.name = name or model.name
        self._folder = model
        self._whisper = recognizer or Whisper(
            model, device=device, compute_type=compute_type, threads=threads, beam_size=beam_size
        )

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the weights."""
        return file_sha256(self._folder / "model.bin")

    def bare(self, path: Path, language: str | None = None) -> str:
        """Transcribe a recording by faster-whisper alone, to measure this product against it."""
        return self._whisper.bare(path, language)

    def transcribe(
        self,
        normalized: Path,
        window: Window,
        speech: Speech,
        language: str | None = None,
        vocabulary: Sequence[str] = (),
    ) -> Transcript:
        """Transcribe one window.

        Args:
            normalized: a file that `normalize` wrote.
            window: one of `plan_windows`.
            speech: what `find_speech` returned, whole.
            language: ISO 639-1 code; None to hear which it is.
            vocabulary: names and terms that may occur; English-only models ignore them.

        Returns:
            Segments in order with ids from 1 and words with times, all in seconds of the
            recording; no segments where the window holds no speech.

        Raises:
            CorruptInputError: the file cannot be read (not retryable).
            ModelError: recognition failed (not retryable).
        """
        spans = _inside(speech, window)
        groups = self._by_language(normalized, window, speech, spans, language)
        speaker = _SPEAKERS[window.channel] if len(speech.channels) > 1 else None
        segments: list[Segment] = []
        for passage in _passages(normalized, window, spans, groups):
            prompt = self._prompt(passage.language, vocabulary)
            segments += self._transcribe_passage(
                passage, prompt, speaker, told=language is not None
            )
        segments.sort(key=lambda s: (s.start, s.end))
        other = self._sounds_otherwise(normalized, window, spans, language)
        main = max(groups, key=lambda group: total_s(group[1]))[0] if groups else None
        return Transcript(
            kind="speech",
            language=main or language or "und",
            duration_s=round(window.end - window.start, 3),
            warnings=(f"{SOUNDS_LIKE}{other}",) if other else (),
            segments=tuple(s.model_copy(update={"id": i}) for i, s in enumerate(segments, 1)),
        )

    def _by_language(
        self,
        normalized: Path,
        window: Window,
        speech: Speech,
        spans: list[Span],
        language: str | None,
    ) -> list[tuple[str, list[Span]]]:
        """Group a window's speech by language: as told, or by a vote over the whole recording."""
        if not spans:
            return []
        if not self._whisper.multilingual:
            return [("en", spans)]
        if language is not None:
            return [(language, spans)]

        def listen(span: Span) -> Probabilities:
            return self._whisper.languages(read_channel(normalized, *span, window.channel))

        everywhere = [(i.start, i.end) for i in speech.channels[window.channel]]
        heard = [(span, listen(span)) for span in sample_spans(everywhere)]
        if everywhere != spans:
            # The window's own samples find a passage in another language; the vote stays global.
            own = [(span, listen(span)) for span in sample_spans(spans)[:3]]
            codes = [candidates(heard)[0], *candidates(own), *candidates(heard)]
        else:
            codes = candidates(heard)
        return assign_languages(spans, list(dict.fromkeys(codes)), listen)

    def _sounds_otherwise(
        self, normalized: Path, window: Window, spans: list[Span], told: str | None
    ) -> str | None:
        """Hear which other language is spoken where one was told."""
        if told is None or not self._whisper.multilingual:
            return None
        samples = sample_spans(spans)[:_SAMPLES_OF_TOLD]
        heard = [
            self._whisper.languages(read_channel(normalized, *span, window.channel))
            for span in samples
            if span[1] - span[0] >= _TOO_SHORT_TO_TELL_S
        ]
        return sounds_otherwise(heard, told)

    def _prompt(self, language: str, vocabulary: Sequence[str]) -> str:
        """Names and style shown to the model; small English models are led astray by them."""
        if not self._whisper.multilingual:
            return ""
        mark = "、" if language in _IDEOGRAPHIC_COMMA else ", "  # the model goes on in its marks
        return "".join((STYLES.get(language, ""), mark.join(vocabulary)))

    def _transcribe_passage(
        self, passage: Passage, prompt: str, speaker: str | None, *, told: bool
    ) -> list[Segment]:
        heard = self._whisper.decode(passage.audio, passage.language, prompt)
        if not told and confidence(heard) < _POOR_LOGPROB:
            passage, heard = self._other_language(passage, heard)
        heard = without_padding(heard, passage)
        segments = [
            segment
            for phrase, again in self._without_loops(passage, heard)
            for segment in segments_of(phrase, passage, speaker, again=again)
        ]
        for hole in list(holes(passage.spans, segments)):
            segments += self._second_look(passage, hole, speaker, told=told)
        return segments

    def _other_language(self, passage: Passage, heard: list[Heard]) -> tuple[Passage, list[Heard]]:
        """Text that the model itself does not believe may be another language written as one."""
        sounds = self._whisper.languages(passage.audio)
        others = [code for code in LANGUAGES if code != passage.language]
        other = replace(passage, language=max(others, key=lambda code: sounds.get(code, 0.0)))
        if sounds.get(other.language, 0.0) < _POSSIBLE_LANGUAGE:
            return passage, heard
        prompt = self._prompt(other.language, ())
        again = self._whisper.decode(passage.audio, other.language, prompt)
        if confidence(again) > confidence(heard) + _CLEARLY_BETTER:
            return other, again
        return passage, heard

    def _without_loops(self, passage: Passage, heard: list[Heard]) -> Iterator[tuple[Heard, bool]]:
        """Yield phrases; stretches that loop are decoded again, with repetition forbidden."""
        for looping, run in groupby(loop_marks(heard), key=lambda item: item[1]):
            phrases = [phrase for phrase, _ in run]
            if looping:
                start = phrases[0].start
                audio = passage.slice(start, phrases[-1].end)
                again = self._whisper.decode(audio, passage.language, against_loops=True)
                if is_better(again, phrases):
                    phrases = [phrase.moved(start) for phrase in again]
            yield from ((phrase, looping) for phrase in phrases)

    def _second_look(
        self, passage: Passage, hole: Span, speaker: str | None, *, told: bool
    ) -> list[Segment]:
        """Decode speech that got no text once more, by itself and without vocabulary."""
        start = passage.packed(hole[0])
        audio = passage.slice(start, start + hole[1] - hole[0])
        language = passage.language
        if not told and hole[1] - hole[0] >= _TOO_SHORT_TO_TELL_S:
            sounds = self._whisper.languages(audio)
            language = max(sounds, key=lambda code: sounds[code])
        part = Passage(audio, (hole,), language)
        return [
            segment
            for phrase in self._whisper.decode(audio, language, self._prompt(language, ()))
            if is_believable(phrase)
            for segment in segments_of(phrase, part, speaker, again=False)
        ]


def _inside(speech: Speech, window: Window) -> list[Span]:
    return [
        (max(i.start, window.start), min(i.end, window.end))
        for i in speech.channels[window.channel]
        if i.start < window.end and i.end > window.start
    ]


def _passages(
    normalized: Path,
    window: Window,
    spans: list[Span],
    groups: list[tuple[str, list[Span]]],
) -> Iterator[Passage]:
    """Read the window once and cut the passages out of it."""
    if not spans:
        return
    first, last = spans[0][0], spans[-1][1]
    audio = read_channel(normalized, first, last, window.channel)
    for language, group in groups:
        yield Passage(cut(audio, first, group), tuple(group), language)
