"""The redacted transcript and the summary, cut into what a template shows."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping

from models.documents import (
    SENTENCE_PARTS,
    Finding,
    RedactedSegment,
    RedactedTranscript,
    Sentence,
    Summary,
)
from review_ui.review_contexts import (
    ChapterView,
    Citation,
    LegendEntry,
    Piece,
    SegmentView,
    SentenceView,
    SummaryView,
)


def segment_views(
    transcript: RedactedTranscript,
    cited: Collection[int] = (),
    flagged: Collection[int] = (),
) -> list[SegmentView]:
    """Return the segments in order, each cut at its redactions."""
    return [segment_view(segment, cited, flagged) for segment in transcript.segments]


def segment_view(
    segment: RedactedSegment, cited: Collection[int] = (), flagged: Collection[int] = ()
) -> SegmentView:
    """Return one segment, cut at its redactions."""
    return SegmentView(
        id=segment.id,
        start=segment.start,
        end=segment.end,
        pieces=list(pieces(segment)),
        suspect=segment.suspect,
        speaker=segment.speaker,
        location=segment.location,
        cited=segment.id in cited,
        flagged=segment.id in flagged,
        form=segment.form,
    )


def pieces(segment: RedactedSegment) -> Iterable[Piece]:
    """Yield the text between redactions and the redactions, in order; together they are the text.

    Offsets are code points, as Python counts.
    """
    at = 0
    for mark in sorted(segment.marks, key=lambda mark: mark.start):
        if at < mark.start:
            yield Piece(segment.text[at : mark.start], None, at, mark.start)
        text = segment.text[mark.start : mark.end]
        yield Piece(text, mark.entity_type, mark.start, mark.end)
        at = mark.end
    if at < len(segment.text):
        yield Piece(segment.text[at:], None, at, len(segment.text))


def legend(transcript: RedactedTranscript) -> list[LegendEntry]:
    """Return the types of redaction, the most frequent first."""
    counts = Counter(mark.entity_type for s in transcript.segments for mark in s.marks)
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [LegendEntry(entity_type, count) for entity_type, count in ordered]


def pseudonym_places(transcript: RedactedTranscript) -> Mapping[str, int]:
    """Return in how many places of the text each pseudonym stands."""
    return Counter(s.text[mark.start : mark.end] for s in transcript.segments for mark in s.marks)


def citation(segment: RedactedSegment) -> Citation:
    """Return a reference to a segment, with its time and its place in a document."""
    return Citation(segment.id, segment.start, segment.end, segment.location)


def citations(segments: Mapping[int, RedactedSegment], ids: Iterable[int]) -> list[Citation]:
    """Return references to the segments that exist among `ids`."""
    return [citation(segments[i]) for i in ids if i in segments]


def summary_view(
    summary: Summary, transcript: RedactedTranscript, findings: Iterable[Finding] = ()
) -> SummaryView:
    """Return the summary with each sentence's evidence and how many findings it has."""
    segments = {segment.id: segment for segment in transcript.segments}
    counts = Counter(finding.place for finding in findings)
    return SummaryView(
        method=summary.method.value,
        language=summary.language,
        template=summary.template.name.partition(".v")[0] if summary.template else "",
        template_title=summary.template.title if summary.template else "",
        fallback_reason=summary.fallback_reason,
        headline=summary.headline,
        sections=[
            (
                section,
                [
                    _sentence(f"{section}[{i}]", sentence, segments, counts)
                    for i, sentence in enumerate(getattr(summary, section))
                ],
            )
            for section in SENTENCE_PARTS
        ],
        chapters=[
            ChapterView(f"chapters[{i}]", chapter.title, citation(segments[chapter.first_segment]))
            for i, chapter in enumerate(summary.chapters)
            if chapter.first_segment in segments
        ],
    )


def _sentence(
    place: str,
    sentence: Sentence,
    segments: Mapping[int, RedactedSegment],
    counts: Mapping[str, int],
) -> SentenceView:
    return SentenceView(
        place=place,
        text=sentence.text,
        citations=citations(segments, sentence.citations),
        owner=getattr(sentence, "owner", None),
        due=getattr(sentence, "due", None),
        findings=counts.get(place, 0),
    )
