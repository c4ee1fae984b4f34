"""From redacted stretches of text to stretches of the recording, and to redacted words."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from configs.errors import RedactionError
from models.documents import Interval, RedactedWord, RedactionSpan, Segment, Word
from models.redactor.splice import Splice
from models.redactor.views import fold


@dataclass(frozen=True)
class PlacedWord:
    """A recognized word and its place in the segment's text; times None where unusable."""

    start: int
    end: int
    time: tuple[float, float] | None


def place_words(segment: Segment) -> list[PlacedWord]:
    """Find each word of a segment in its text, in order; words not found there are left out."""
    placed: list[PlacedWord] = []
    position = 0
    for word in segment.words:
        surface = word.word.strip()
        start = _find(segment.text, surface, position) if surface else -1
        if start >= 0:
            position = start + len(surface)
            placed.append(PlacedWord(start, position, _usable_time(word)))
    return placed


def bleeps(
    segment: Segment, spans: Sequence[RedactionSpan], padding_s: float
) -> tuple[Interval, ...]:
    """Return the stretches of the recording to bleep for a segment's spans, in order.

    A word without usable times gets them from its neighbours; a segment without any word times is
    bleeped whole.

    Args:
        segment: the original segment, times in seconds.
        spans: its redacted spans.
        padding_s: seconds to add on each side.

    Raises:
        RedactionError: the segment itself has no usable times (not retryable).
    """
    if not spans:
        return ()
    if not _is_stretch(segment.start, segment.end):
        raise RedactionError(
            "Personal data was found in a part of the recording that has no times.",
            {"segment": segment.id},
        )
    words = place_words(segment)
    times = sorted(_time_of(span, words, segment) for span in spans)
    return tuple(_merged([(max(0.0, s - padding_s), e + padding_s) for s, e in times]))


def redacted_words(segment: Segment, splice: Splice) -> tuple[RedactedWord, ...]:
    """Return the words of the redacted text; each redacted stretch is one word.

    Words whose place or time is not known are left out: their text could be what was redacted.
    """
    groups: list[tuple[int, int, float, float]] = []
    for word in place_words(segment):
        if word.time is None:
            continue
        start, end = splice.widen(word.start, word.end)
        if groups and start < groups[-1][1]:
            before = groups[-1]
            groups[-1] = (before[0], max(before[1], end), before[2], max(before[3], word.time[1]))
        else:
            groups.append((start, end, *word.time))
    return tuple(
        RedactedWord(word=text, start=begin, end=finish)
        for start, end, begin, finish in groups
        if (text := splice.redacted(start, end).strip())
    )


def _find(text: str, surface: str, position: int) -> int:
    """Find a word near the position: it may be written with other width or case."""
    start = text.find(surface, position, position + len(surface) + 80)
    if start >= 0:
        return start
    wanted = fold(surface)
    for start in range(position, min(len(text) - len(surface), position + 40) + 1):
        if fold(text[start : start + len(surface)]) == wanted:
            return start
    return -1


def _usable_time(word: Word) -> tuple[float, float] | None:
    return (word.start, word.end) if _is_stretch(word.start, word.end) else None


def _is_stretch(start: float, end: float) -> bool:
    return math.isfinite(start) and math.isfinite(end) and 0 <= start < end


def _time_of(
    span: RedactionSpan, words: Sequence[PlacedWord], segment: Segment
) -> tuple[float, float]:
    """Return the time of a span: that of its words, or up to the neighbours where it has none."""
    timed = [(w, w.time) for w in words if w.time]
    touching = [(w, time) for w, time in timed if w.start < span.end and w.end > span.start]
    before = [time[1] for w, time in timed if w.end <= span.start]
    after = [time[0] for w, time in timed if w.start >= span.end]
    start, end = max([segment.start, *before]), min([segment.end, *after])
    if touching:
        first, last = touching[0], touching[-1]
        if not _has_text(segment.text[span.start : first[0].start]):
            start = first[1][0]
        if not _has_text(segment.text[last[0].end : span.end]):
            end = last[1][1]
        start = min(start, first[1][0])
        end = max(end, *(time[1] for _, time in touching))
    return (start, end) if start < end else (segment.start, segment.end)


def _has_text(text: str) -> bool:
    return any(c.isalnum() for c in text)


def _merged(times: Sequence[tuple[float, float]]) -> Iterator[Interval]:
    current: tuple[float, float] | None = None
    for start, end in times:
        if current and start <= current[1]:
            current = (current[0], max(current[1], end))
            continue
        if current:
            yield Interval(start=round(current[0], 3), end=round(current[1], 3))
        current = (start, end)
    if current:
        yield Interval(start=round(current[0], 3), end=round(current[1], 3))
