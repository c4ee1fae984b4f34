"""Whether a summary leaves out a subject of its source."""

from collections import Counter
from collections.abc import Iterator, Sequence

from models.documents import Finding, Severity, Summary
from models.quality.source import Source
from models.quality.thresholds import QualityThresholds
from models.summarizer.terms import topics

_STRETCHES = 4
_STEPS = 8
_TOPICS = 12
_LEAST_TOPICS = 4


def check_topics(
    summary: Summary, source: Source, thresholds: QualityThresholds
) -> Iterator[Finding]:
    """Yield that quarter of a source, cited nowhere, whose subjects a summary speaks least of.

    What a quarter is about are those words that stand in it more than once, the more so the fewer
    stand elsewhere. One that repeats hardly a word has no subject that words could tell. Nothing is
    said of a translated summary, which shares no words.
    """
    segments = [segment for segment in source.redacted.segments if segment.text.strip()]
    if summary.language != source.redacted.language:
        return
    if len(segments) < thresholds.uncited_min_segments:
        return
    found = [topics(segment.text) for segment in segments]
    cited = [segment.id in summary.cited_segments for segment in segments]
    said = topics(" ".join([summary.headline, *(s.text for _, s in summary.sentences())]))
    size = max(2, len(segments) // _STRETCHES)
    starts = range(0, len(segments) - size + 1, max(1, size // _STEPS))
    uncited = [start for start in starts if not any(cited[start : start + size])]
    everywhere = Counter(topic for own in found for topic in own)
    told = [(_told(found[start : start + size], everywhere, said), start) for start in uncited]
    share, start = min(told, default=(1.0, 0))
    if share < thresholds.min_told_ratio:
        first, last = segments[start].id, segments[start + size - 1].id
        yield Finding(
            check="coverage.topics",
            severity=Severity.WARN,
            place="summary",
            reason=f"It says little of what is spoken of from segment {first} to {last}.",
            segments=(first, last),
            values=(("first", str(first)), ("last", str(last))),
        )


def _told(stretch: Sequence[Counter[str]], everywhere: Counter[str], said: Counter[str]) -> float:
    """Return which share (0..1) of what a stretch is about is said; 1.0 where words do not tell."""
    here = Counter(topic for own in stretch for topic in own)
    weights = {topic: n * n / everywhere[topic] for topic, n in here.items() if n > 1}
    most = sorted(weights, key=lambda topic: (-weights[topic], topic))[:_TOPICS]
    if len(most) < _LEAST_TOPICS:
        return 1.0
    return sum(weights[t] for t in most if t in said) / sum(weights[t] for t in most)
