"""From what the recognizer wrote to segments: times of the recording, sentences, loops."""

from collections.abc import Iterator, Sequence

from models.documents import Segment
from models.hallucination import loops, repeated_places, suspicions, with_suspicion
from models.intervals import Span
from models.languages import language_of
from models.passages import Passage
from models.whisper import Heard
from models.words import repair, split_phrases, spread

_COMPRESSION = 2.4
_EDGE_HOLE_S = 1.0
_MIDDLE_HOLE_S = 1.5
_BELIEVABLE_HOLE_LOGPROB = -0.8
_BELIEVABLE_LOGPROB = -1.0
_NO_SPEECH = 0.6
_SURELY_NO_SPEECH = 0.9
_UNSURE_LOGPROB = -0.5


def segments_of(
    heard: Heard, passage: Passage, speaker: str | None, *, again: bool
) -> Iterator[Segment]:
    """Yield the sentences of a phrase in the recording's time, ids still 0.

    Args:
        heard: the phrase, in packed time.
        passage: where it was heard.
        speaker: who speaks, where channels tell.
        again: whether it was decoded a second time because it looped.
    """
    reasons = suspicions(
        heard.text, heard.avg_logprob, heard.no_speech_prob, heard.compression_ratio
    )
    placed = []
    for word in heard.words or spread(heard.text, heard.start, heard.end):
        start, end = passage.original_pair(word.start, word.end)
        placed.append(word.model_copy(update={"start": start, "end": end}))
    for group in split_phrases(repair(placed)):
        text = "".join(word.word for word in group).strip()
        if not any(character.isalnum() for character in text):
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


def without_padding(heard: Sequence[Heard], passage: Passage) -> list[Heard]:
    """Leave out what was written for the silence behind the last word of a stretch.

    Voice activity detection found no speech there, and the recognizer agrees: it decodes what is
    left behind the last word as a half minute of its own.
    """
    return [
        phrase
        for phrase in heard
        if not (passage.in_padding(phrase.start) and _heard_nobody(phrase))
    ]


def _heard_nobody(phrase: Heard) -> bool:
    surely = phrase.no_speech_prob > _SURELY_NO_SPEECH and phrase.avg_logprob < _UNSURE_LOGPROB
    probably = phrase.no_speech_prob > _NO_SPEECH and phrase.avg_logprob < _BELIEVABLE_LOGPROB
    return surely or probably


def loop_marks(heard: Sequence[Heard]) -> list[tuple[Heard, bool]]:
    """Mark phrases that loop inside, or say the same as their neighbours."""
    repeated = repeated_places([phrase.text for phrase in heard])
    return [(phrase, i in repeated or is_loop(phrase)) for i, phrase in enumerate(heard)]


def is_loop(heard: Heard) -> bool:
    """True where a phrase says one thing over and over."""
    return heard.compression_ratio > _COMPRESSION or loops(heard.text)


def is_better(again: Sequence[Heard], before: Sequence[Heard]) -> bool:
    """True where a second decoding loops less than the first and is believable."""
    if confidence(again) < _BELIEVABLE_LOGPROB:
        return False
    return sum(m for _, m in loop_marks(again)) < sum(m for _, m in loop_marks(before))


def holes(spans: Sequence[Span], segments: Sequence[Segment]) -> Iterator[Span]:
    """Yield where speech has no words: longer than its padding, or than a pause inside it.

    Source: on 131 stretches of a recording with known times the padding before the first word
    lasted up to 0.8 s, behind the last up to 0.95 s, a pause between two words up to 1.2 s.
    """
    words = sorted((word.start, word.end) for segment in segments for word in segment.words)
    for start, end in spans:
        inside = [word for word in words if word[1] > start and word[0] < end]
        ends = [start, *(last for _, last in inside)]
        starts = [*(first for first, _ in inside), end]
        for i, hole in enumerate(zip(ends, starts, strict=True)):
            least_s = _EDGE_HOLE_S if i in (0, len(inside)) else _MIDDLE_HOLE_S
            if hole[1] - hole[0] >= least_s:
                yield hole


def is_believable(heard: Heard) -> bool:
    """True where text that the first decoding did not write may be added."""
    doubts = suspicions(
        heard.text, heard.avg_logprob, heard.no_speech_prob, heard.compression_ratio
    )
    return not doubts and heard.avg_logprob > _BELIEVABLE_HOLE_LOGPROB


def confidence(heard: Sequence[Heard]) -> float:
    """Return the mean log probability, weighted by length; very low where nothing was heard."""
    letters = sum(len(phrase.text) for phrase in heard)
    if not letters:
        return -10.0
    return sum(phrase.avg_logprob * len(phrase.text) for phrase in heard) / letters
