"""The ledger from container to citation: how much of a source went through each stage."""

from collections.abc import Iterator
from itertools import pairwise

from models.documents import Coverage, Finding, RedactedTranscript, Severity, Summary
from models.quality.thresholds import QualityThresholds


def complete_coverage(summary: Summary, redacted: RedactedTranscript) -> Coverage:
    """Return the transcript's coverage with the summary's ratios filled in."""
    spoken = [segment.id for segment in redacted.segments if segment.text.strip()]
    cited = summary.cited_segments.intersection(spoken)
    return redacted.coverage.model_copy(
        update={
            "model_input_ratio": summary.model_input_ratio,
            "cited_ratio": round(len(cited) / len(spoken), 6) if spoken else None,
        }
    )


def check_coverage(
    summary: Summary, redacted: RedactedTranscript, thresholds: QualityThresholds
) -> Iterator[Finding]:
    """Yield where something was lost between the file and the summary."""
    yield from _lost_audio(redacted, thresholds)
    yield from _little_speech(redacted.coverage, thresholds)
    yield from _speech_without_text(redacted.coverage, thresholds)
    yield from _hole(redacted, thresholds)
    yield from _suspect(redacted, thresholds)
    if summary.model_input_ratio < thresholds.min_model_input_ratio - 1e-6:
        yield _finding(
            "coverage.model_input",
            Severity.BLOCK,
            f"Only {summary.model_input_ratio:.0%} of the transcript was given to the summarizer.",
            place="summary",
            given=f"{summary.model_input_ratio:.0%}",
        )
    cited = complete_coverage(summary, redacted).cited_ratio
    if cited is not None and cited < thresholds.min_cited_ratio:
        yield _finding(
            "coverage.cited",
            Severity.BLOCK,
            f"The summary cites only {cited:.0%} of the segments.",
            place="summary",
            cited=f"{cited:.0%}",
        )
    yield from _uncited(summary, redacted, thresholds)


def _lost_audio(redacted: RedactedTranscript, thresholds: QualityThresholds) -> Iterator[Finding]:
    container, decoded = redacted.coverage.container_s, redacted.coverage.decoded_s
    if container and decoded is not None:
        lost = container - decoded
        tolerated = lost <= thresholds.decoded_tolerance_s
        if not tolerated and decoded / container < thresholds.min_decoded_ratio:
            yield _finding(
                "coverage.lost_audio",
                Severity.BLOCK,
                f"{lost:.0f} of {container:.0f} seconds of the file could not be decoded.",
            )
            return
    if "lost_audio" in redacted.warnings:
        yield _finding("coverage.lost_audio", Severity.WARN, "A part of the file is damaged.")


def _little_speech(coverage: Coverage, thresholds: QualityThresholds) -> Iterator[Finding]:
    """A voice that voice activity detection does not hear leaves a recording nearly empty."""
    decoded, speech = coverage.decoded_s, coverage.speech_s
    if decoded is None or speech is None or decoded < thresholds.little_speech_s:
        return
    if speech / decoded < thresholds.min_speech_ratio:
        yield _finding(
            "coverage.little_speech",
            Severity.WARN,
            f"Speech was found in only {speech:.0f} of {decoded:.0f} seconds; was a voice missed?",
            speech=f"{speech:.0f}",
            whole=f"{decoded:.0f}",
        )


def _speech_without_text(coverage: Coverage, thresholds: QualityThresholds) -> Iterator[Finding]:
    if not coverage.speech_s or coverage.transcribed_s is None:
        return
    ratio = coverage.transcribed_s / coverage.speech_s
    if ratio >= thresholds.warn_transcribed_ratio:
        return
    missing = coverage.speech_s - coverage.transcribed_s
    yield _finding(
        "coverage.untranscribed",
        Severity.BLOCK if ratio < thresholds.min_transcribed_ratio else Severity.WARN,
        f"{missing:.0f} of {coverage.speech_s:.0f} seconds of speech have no text.",
        missing=f"{missing:.0f}",
        whole=f"{coverage.speech_s:.0f}",
    )


def _hole(redacted: RedactedTranscript, thresholds: QualityThresholds) -> Iterator[Finding]:
    """Yield the longest stretch of speech without text: of hours, minutes are a small share."""
    hole, seconds = redacted.coverage.hole, redacted.coverage.hole_s
    if hole is None or seconds is None or seconds < thresholds.warn_hole_s:
        return
    start, end = _clock(hole.start), _clock(hole.end)
    before = [s.id for s in redacted.segments if s.start <= hole.start][-1:]
    after = [s.id for s in redacted.segments if s.start >= hole.end][:1]
    yield Finding(
        check="coverage.hole",
        severity=Severity.BLOCK if seconds >= thresholds.max_hole_s else Severity.WARN,
        place="audio",
        reason=f"From {start} to {end}, {seconds:.0f} seconds of speech have no text.",
        segments=(*before, *after),
        values=(("start", start), ("end", end), ("missing", f"{seconds:.0f}")),
    )


def _suspect(redacted: RedactedTranscript, thresholds: QualityThresholds) -> Iterator[Finding]:
    """Yield where much of the text may be invented by the recognizer."""
    whole = sum(len(segment.text) for segment in redacted.segments)
    suspect = [segment for segment in redacted.segments if segment.suspect]
    ratio = sum(len(segment.text) for segment in suspect) / whole if whole else 0.0
    if ratio < thresholds.warn_suspect_ratio:
        return
    yield Finding(
        check="coverage.suspect",
        severity=Severity.BLOCK if ratio >= thresholds.max_suspect_ratio else Severity.WARN,
        place="transcript",
        reason=f"{ratio:.0%} of the text may be invented by the recognizer.",
        segments=tuple(segment.id for segment in suspect[:20]),
        values=(("share", f"{ratio:.0%}"),),
    )


def _clock(seconds: float) -> str:
    """Return `h:mm:ss`."""
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}"


def _uncited(
    summary: Summary, redacted: RedactedTranscript, thresholds: QualityThresholds
) -> Iterator[Finding]:
    ids = [segment.id for segment in redacted.segments if segment.text.strip()]
    if len(ids) < thresholds.uncited_min_segments:
        return
    cited = [-1, *(i for i, s in enumerate(ids) if s in summary.cited_segments), len(ids)]
    gaps = [(later - earlier - 1, earlier) for earlier, later in pairwise(cited)]
    longest, before = max(gaps)
    if longest / len(ids) > thresholds.max_uncited_ratio:
        first, last = ids[before + 1], ids[before + longest]
        yield Finding(
            check="coverage.uncited",
            severity=Severity.WARN,
            place="summary",
            reason=f"Nothing from segment {first} to {last} is cited; is a part of it forgotten?",
            segments=(first, last),
            values=(("first", str(first)), ("last", str(last))),
        )


def _finding(
    check: str, severity: Severity, reason: str, place: str = "audio", **values: str
) -> Finding:
    return Finding(
        check=check, severity=severity, place=place, reason=reason, values=tuple(values.items())
    )
