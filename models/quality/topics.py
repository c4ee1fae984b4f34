"""Whether a summary leaves out a subject of its source."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from models.documents import Finding, Severity, Summary
from models.quality.source import Source
from models.quality.thresholds import QualityThresholds
from models.summarizer.terms import topics

_STRETCHES = 4
_STEPS = 8
_TOPICS = 12
_LEAST_TOPICS = 4
_FEW_SEGMENTS = 40
_LEAST_WORDS = 10


def check_topics(
    summary: Summary, source: Source, thresholds: QualityThresholds
) -> Iterator[Finding]:
    """Yield that quarter of a source, cited nowhere, whose subjects a summary speaks least of.

    What a quarter is about are those words that stand in it more than once, the more so the fewer
    stand elsewhere. One that repeats hardly a word has no subject that words could tell, but in a
    source of few segments each has its part: there all words count. Nothing is said of a translated
    summary, which shares no words.
    """
    segments = [segment for segment in source.redacted.segments if segment.text.strip()]
    if summary.language != source.redacted.language:
        return
    if len(segments) < thresholds.uncited_min_segments:
        return
    found = [topics(segment.text) for segment in segments]
    cited = [segment.id in summary.cited_segments for segment in segments]
    said = topics(" ".join([summary.headline, *(s.text for _, s in summary.sentences())]))
    everywhere = Counter(topic for own in found for topic in own)
    size = max(2, len(segments) // _STRETCHES)
    share, start = _least_told(_uncited(cited, size), found, partial(_told, everywhere, said))
    if share >= thresholds.min_told_ratio:
        if len(segments) > _FEW_SEGMENTS:
            return
        size = -(-len(segments) // _STRETCHES)
        told = partial(_words_told, everywhere, said)
        share, start = _least_told(_uncited(cited, size), found, told)
        if share >= thresholds.min_words_told_ratio:
            return
    first, last = segments[start].id, segments[start + size - 1].id
    yield Finding(
        check="coverage.topics",
        severity=Severity.WARN,
        place="summary",
        reason=f"It says little of what is spoken of from segment {first} to {last}.",
        segments=(first, last),
        values=(("first", str(first)), ("last", str(last))),
    )


def _uncited(cited: Sequence[bool], size: int) -> list[range]:
    """Return stretches of so many segments, none of which is cited."""
    starts = range(0, len(cited) - size + 1, max(1, size // _STEPS))
    return [range(i, i + size) for i in starts if not any(cited[i : i + size])]


def _least_told(
    stretches: Sequence[range],
    found: Sequence[Counter[str]],
    told: Callable[[Sequence[Counter[str]]], float],
) -> tuple[float, int]:
    """Return the least share that is told of a stretch, and where that begins."""
    shares = [(told(found[one.start : one.stop]), one.start) for one in stretches]
    return min(shares, default=(1.0, 0))


def _told(everywhere: Counter[str], said: Counter[str], stretch: Sequence[Counter[str]]) -> float:
    """Return which share (0..1) of what a stretch is about is said; 1.0 where words do not tell."""
    here = Counter(topic for own in stretch for topic in own)
    weights = {topic: n * n / everywhere[topic] for topic, n in here.items() if n > 1}
    most = sorted(weights, key=lambda topic: (-weights[topic], topic))[:_TOPICS]
    if len(most) < _LEAST_TOPICS:
        return 1.0
    return sum(weights[t] for t in most if t in said) / sum(weights[t] for t in most)


def _words_told(
    everywhere: Counter[str], said: Counter[str], stretch: Sequence[Counter[str]]
) -> float:
    """Return which share (0..1) of all words of a stretch is said; 1.0 where it has few."""
    weights: dict[str, float] = {t: everywhere[t] ** -0.5 for own in stretch for t in own}
    if len(weights) < _LEAST_WORDS:
        return 1.0
    return sum(weight for topic, weight in weights.items() if topic in said) / sum(weights.values())
