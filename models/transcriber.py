"""Speech recognition: windows of a normalized recording to text with times.

The same window gives the same transcript: decoding never samples. What a higher temperature is
for, a second look at loops and at speech that got no text, is done with beam search.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import groupby
from pathlib import Path

from models.documents import Segment, Transcript, Word
from models.hallucination import loops, suspicions, with_suspicion
from models.intervals import Span, subtract, total_s
from models.joining import covered_spans, join_transcripts
from models.languages import Probabilities, assign_languages, candidates, language_of, sample_spans
from models.normalized import read_channel
from models.passages import Passage, cut
from models.speech import Speech, Window, find_speech, plan_windows
from models.weights import file_sha256
from models.whisper import Heard, Whisper
from models.words import repair, split_phrases, spread

__all__ = ["Speech", "Transcriber", "Window", "find_speech", "join_transcripts", "plan_windows"]

_SPEAKERS = ("left", "right")
_HOLE_S = 3.0
_HOLE_LOGPROB = -1.0
_COMPRESSION = 2.4
_SAME_PHRASES = 3
_STYLES = {"zh": "以下是普通话的句子，用简体中文书写，并带有标点符号。"}


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
    ) -> None:
        """Load a model.

        Args:
            model: its folder, from `weights.whisper_path`.
            name: what to call it in records; the folder's name by default.
            device: `cpu` or `cuda`.
            compute_type: CTranslate2's number format.
            threads: threads of one decoding.
            beam_size: hypotheses kept while decoding.

        Raises:
            ModelError: the folder holds no usable model (not retryable).
        """
        self.name = name or model.name
        self._folder = model
        self._whisper = Whisper(
            model, device=device, compute_type=compute_type, threads=threads, beam_size=beam_size
        )

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the weights."""
        return file_sha256(self._folder / "model.bin")

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
            segments += self._transcribe_passage(passage, prompt, speaker)
        segments.sort(key=lambda s: (s.start, s.end))
        main = max(groups, key=lambda group: total_s(group[1]))[0] if groups else None
        return Transcript(
            kind="speech",
            language=main or language or "und",
            duration_s=round(window.end - window.start, 3),
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

    def _prompt(self, language: str, vocabulary: Sequence[str]) -> str:
        """Names and style shown to the model; small English models are led astray by them."""
        if not self._whisper.multilingual:
            return ""
        return "".join((_STYLES.get(language, ""), ", ".join(vocabulary)))

    def _transcribe_passage(
        self, passage: Passage, prompt: str, speaker: str | None
    ) -> list[Segment]:
        segments = [
            segment
            for heard, again in self._decode(passage, prompt)
            for segment in _segments(heard, passage, speaker, again=again)
        ]
        for hole in subtract(passage.spans, covered_spans(segments)):
            if hole[1] - hole[0] >= _HOLE_S:
                segments += self._second_look(passage, hole, speaker)
        return segments

    def _decode(self, passage: Passage, prompt: str) -> Iterator[tuple[Heard, bool]]:
        """Decode a passage; stretches that loop are decoded again, with repetition forbidden."""
        heard = self._whisper.decode(passage.audio, passage.language, prompt)
        for looping, run in groupby(_loop_marks(heard), key=lambda item: item[1]):
            phrases = [phrase for phrase, _ in run]
            if not looping:
                yield from ((phrase, False) for phrase in phrases)
                continue
            start, end = phrases[0].start, phrases[-1].end
            again = self._whisper.decode(
                passage.slice(start, end), passage.language, against_loops=True
            )
            better = again if _says_more(again, phrases) else None
            for phrase in better or phrases:
                yield (_moved(phrase, start) if better else phrase), True

    def _second_look(self, passage: Passage, hole: Span, speaker: str | None) -> list[Segment]:
        """Decode speech that got no text once more, by itself and without a prompt."""
        start = passage.packed(hole[0])
        part = Passage(passage.slice(start, start + hole[1] - hole[0]), (hole,), passage.language)
        return [
            segment
            for heard in self._whisper.decode(part.audio, part.language)
            if heard.avg_logprob > _HOLE_LOGPROB and not _is_loop(heard)
            for segment in _segments(heard, part, speaker, again=False)
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


def _segments(
    heard: Heard, passage: Passage, speaker: str | None, *, again: bool
) -> Iterator[Segment]:
    """Turn a phrase into segments in the recording's time, a sentence each."""
    reasons = suspicions(
        heard.text, heard.avg_logprob, heard.no_speech_prob, heard.compression_ratio
    )
    words = heard.words or spread(heard.text, heard.start, heard.end)
    placed = []
    for word in words:
        start, end = passage.original_pair(word.start, word.end)
        placed.append(word.model_copy(update={"start": start, "end": end}))
    for group in split_phrases(repair(placed)):
        text = "".join(word.word for word in group).strip()
        if not text:
            continue
        segment = Segment(
            id=0,
            start=group[0].start,
            end=group[-1].end,
            text=text,
            language=language_of(text, passage.language),
            speaker=speaker,
            avg_logprob=round(heard.avg_logprob, 4),
            no_speech_prob=round(heard.no_speech_prob, 4),
            suspect=reasons,
            words=tuple(group),
        )
        yield with_suspicion(segment, "repetition") if again else segment


def _loop_marks(heard: Sequence[Heard]) -> list[tuple[Heard, bool]]:
    """Mark phrases that loop inside, or say the same as their neighbours on both sides."""
    marks = [_is_loop(phrase) for phrase in heard]
    for first in range(len(heard) - _SAME_PHRASES + 1):
        run = range(first, first + _SAME_PHRASES)
        if len({heard[i].text.strip() for i in run}) == 1:
            for i in run:
                marks[i] = True
    return list(zip(heard, marks, strict=True))


def _is_loop(heard: Heard) -> bool:
    return heard.compression_ratio > _COMPRESSION or loops(heard.text)


def _says_more(again: Sequence[Heard], before: Sequence[Heard]) -> bool:
    """True where the second decoding loops less than the first."""
    if not again:
        return False
    return sum(m for _, m in _loop_marks(again)) < sum(m for _, m in _loop_marks(before))


def _moved(heard: Heard, by_s: float) -> Heard:
    words = tuple(_moved_word(word, by_s) for word in heard.words)
    return Heard(
        heard.text,
        heard.start + by_s,
        heard.end + by_s,
        heard.avg_logprob,
        heard.no_speech_prob,
        heard.compression_ratio,
        words,
    )


def _moved_word(word: Word, by_s: float) -> Word:
    return word.model_copy(update={"start": word.start + by_s, "end": word.end + by_s})
