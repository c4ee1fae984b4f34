"""Put the windows of a recording together: order, speakers, language, coverage."""

from collections import defaultdict
from collections.abc import Sequence

from models.audio import DecodeReport
from models.documents import LANGUAGES, Coverage, Interval, Segment, Transcript
from models.hallucination import mark_repetitions
from models.intervals import Span, merge_spans, subtract, total_s
from models.speech import Speech

_REACH_S = 0.7
_SECOND_LANGUAGE_RATIO = 0.1
_UNKNOWN_LANGUAGE = "und"


def join_transcripts(
    parts: Sequence[Transcript], report: DecodeReport, speech: Speech
) -> Transcript:
    """Put windows together.

    Args:
        parts: what `Transcriber.transcribe` returned, in any order; none where nobody speaks.
        report: what `normalize` returned.
        speech: what `find_speech` returned.

    Returns:
        One transcript: segments by time with ids from 1, the prevailing language, the coverage
        from container to text. Without speech it has no segments and the language `und`.
    """
    found = [segment for part in parts for segment in part.segments]
    found.sort(key=lambda s: (s.start, s.end, s.speaker or ""))
    segments = [s.model_copy(update={"id": i}) for i, s in enumerate(_marked(found), start=1)]
    shares = _language_shares(segments)
    language = next(iter(shares), parts[0].language if parts else _UNKNOWN_LANGUAGE)
    return Transcript(
        kind="speech",
        language=language,
        duration_s=report.duration_s,
        segments=tuple(segments),
        speech=speech.intervals,
        coverage=_coverage(segments, report, speech),
        warnings=_warnings(parts, report, shares, language),
    )


def covered_spans(segments: Sequence[Segment]) -> list[Span]:
    """Return the stretches that words were written for, short pauses between them included."""
    return merge_spans(
        (word.start - _REACH_S, word.end + _REACH_S)
        for segment in segments
        for word in segment.words
    )


def longest_hole(
    spans: Sequence[Span], covered: Sequence[Span]
) -> tuple[Interval | None, float | None]:
    """Return the stretch without words in which most is said, and how many seconds that is.

    Args:
        spans: where speech is, merged, in order.
        covered: where words are, merged, in order.

    Returns:
        From the first to the last speech between two words; None and None where words cover all.
    """
    edges = [0.0, *(edge for span in covered for edge in span), float("inf")]
    holes = [
        found
        for start, end in zip(edges[::2], edges[1::2], strict=True)
        if (found := [(max(a, start), min(b, end)) for a, b in spans if a < end and b > start])
    ]
    longest = max(holes, key=total_s, default=[])
    if not longest:
        return None, None
    hole = Interval(start=round(longest[0][0], 3), end=round(longest[-1][1], 3))
    return hole, round(total_s(longest), 3)


def _marked(segments: list[Segment]) -> list[Segment]:
    """Label repetitions, each speaker's segments by themselves."""
    marked = list(segments)
    for speaker in sorted({s.speaker or "" for s in segments}):
        places = [i for i, s in enumerate(segments) if (s.speaker or "") == speaker]
        repeated = mark_repetitions([segments[i] for i in places])
        for place, segment in zip(places, repeated, strict=True):
            marked[place] = segment
    return marked


def _language_shares(segments: Sequence[Segment]) -> dict[str, float]:
    """Return the languages by their share of the speaking time, the prevailing one first."""
    seconds: defaultdict[str, float] = defaultdict(float)
    for segment in segments:
        if segment.language and not segment.suspect:
            seconds[segment.language] += max(segment.end - segment.start, 0.01)
    if not seconds:
        seconds.update({s.language: 1.0 for s in segments if s.language})
    total = sum(seconds.values())
    ordered = sorted(seconds.items(), key=lambda item: (-item[1], item[0]))
    return {language: value / total for language, value in ordered}


def _coverage(segments: Sequence[Segment], report: DecodeReport, speech: Speech) -> Coverage:
    spans = [(i.start, i.end) for i in speech.intervals]
    covered = covered_spans(segments)
    missing = total_s(subtract(spans, covered))
    hole, hole_s = longest_hole(spans, covered)
    return Coverage(
        container_s=report.container_s,
        decoded_s=report.decoded_s,
        speech_s=round(total_s(spans), 3),
        transcribed_s=round(total_s(spans) - missing, 3),
        hole=hole,
        hole_s=hole_s,
    )


def _warnings(
    parts: Sequence[Transcript],
    report: DecodeReport,
    shares: dict[str, float],
    language: str,
) -> tuple[str, ...]:
    codes = [*report.warnings, *(code for part in parts for code in part.warnings)]
    if parts and any(
        name not in LANGUAGES
        for name, share in shares.items()
        if name == language or share >= _SECOND_LANGUAGE_RATIO
    ):
        codes.append("language_unsupported")
    if sum(share >= _SECOND_LANGUAGE_RATIO for share in shares.values()) > 1:
        codes.append("language_mixed")
    return tuple(dict.fromkeys(codes))
