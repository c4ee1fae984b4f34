"""The form of a summary: empty, looping, in another language, or quoted wrongly."""

import re
from collections import Counter
from collections.abc import Iterator

from models.documents import SENTENCE_PARTS, Finding, Severity, Summary, SummaryMethod
from models.quality.language import check_language
from models.quality.places import heading_claims, headings
from models.quality.source import Source
from models.quality.thresholds import QualityThresholds
from models.summarizer.refusals import is_blank, is_refusal

_LOOP = re.compile(r"(?P<phrase>\S.{2,80}?)(?:[\s、，,。.]*(?P=phrase)){3,}")
_ENDED = re.compile(r"[.!?。！？…．:：][\"'”’)\]）」』]*$|[)\]）」』]$")
_LEAST_CUT_CHARS = 8
_LONGEST_TOLD_CHARS = 60_000  # what is longer needs no longer summary


def check_wording(
    summary: Summary, source: Source, thresholds: QualityThresholds, language: str | None = None
) -> Iterator[Finding]:
    """Yield what is wrong with the form of a summary, whatever it says.

    Args:
        summary: of any method.
        source: what it is of.
        thresholds: when it loops, is too long or too short.
        language: what it was to be written in; None: the source's.
    """
    yield from _empty(summary)
    yield from _loops(summary, thresholds)
    yield from check_language(summary, source.redacted, language)
    yield from _cut(summary)
    yield from _quoted(summary, source)
    yield from _chapters(summary, source)
    if summary.method is not SummaryMethod.EXTRACTIVE:
        yield from _length(summary, source, thresholds)
    if summary.fallback_reason:
        reason = f"The written summary failed ({summary.fallback_reason}); this one is quoted."
        yield _finding("summary.fallback", Severity.WARN, "summary", reason)


def _empty(summary: Summary) -> Iterator[Finding]:
    if not summary.abstract:
        yield _finding("text.empty", Severity.BLOCK, "abstract", "There is no abstract.")
    written = summary.method is not SummaryMethod.EXTRACTIVE
    texts = [*headings(summary), *((p, s.text) for p, s in summary.sentences())]
    for place, text in texts:
        if is_blank(text):
            yield _finding("text.empty", Severity.BLOCK, place, "The text says nothing.")
        elif written and is_refusal(text):
            yield _finding("text.refusal", Severity.BLOCK, place, "The text is a model's refusal.")


def _loops(summary: Summary, thresholds: QualityThresholds) -> Iterator[Finding]:
    quoted = summary.method is SummaryMethod.EXTRACTIVE
    severity = Severity.WARN if quoted else Severity.BLOCK
    for place, sentence in summary.sentences():
        if _LOOP.search(sentence.text):
            yield _finding("text.loop", severity, place, "A phrase repeats again and again.")
    for name in SENTENCE_PARTS:
        counted = Counter(_bare(sentence.text) for sentence in getattr(summary, name))
        most = max(counted.values(), default=1)
        if most > 1:
            level = severity if most >= thresholds.max_repeats else Severity.WARN
            yield _finding("text.loop", level, name, f"One sentence stands here {most} times.")


def _cut(summary: Summary) -> Iterator[Finding]:
    """Yield sentences that end in the middle, as an answer does that was too long for its model."""
    if summary.method is SummaryMethod.EXTRACTIVE:
        return
    for name in SENTENCE_PARTS:
        texts = [sentence.text.rstrip() for sentence in getattr(summary, name)]
        ended = [_ENDED.search(text) is not None for text in texts]
        if name != "abstract" and sum(ended) * 2 <= len(texts):
            continue  # a list without full stops
        for i, text in enumerate(texts):
            if not ended[i] and len(text) >= _LEAST_CUT_CHARS:
                reason = "It has no end; was the text cut off?"
                yield _finding("text.cut", Severity.WARN, f"{name}[{i}]", reason)


def _quoted(summary: Summary, source: Source) -> Iterator[Finding]:
    if summary.method is not SummaryMethod.EXTRACTIVE:
        return
    for place, sentence in summary.sentences():
        evidence = source.evidence(sentence.citations)
        if _bare(sentence.text) not in _bare(evidence.text):
            reason = "The quoted text is not word for word in the cited segments."
            yield _finding("quote.differs", Severity.BLOCK, place, reason)
    for claim in heading_claims(summary, source):
        if _bare(claim.sentence.text.removesuffix("…")) not in _bare(source.text):
            reason = "The heading is not word for word in the source."
            yield _finding("quote.differs", Severity.BLOCK, claim.place, reason)


def _chapters(summary: Summary, source: Source) -> Iterator[Finding]:
    before = 0
    for index, chapter in enumerate(summary.chapters):
        known = chapter.first_segment in source.places and chapter.last_segment in source.places
        if not known or not before < chapter.first_segment <= chapter.last_segment:
            yield _finding(
                "citations.chapter",
                Severity.BLOCK,
                f"chapters[{index}]",
                "The chapter's segments do not exist, or overlap another chapter's.",
            )
        before = max(before, chapter.last_segment)


def _length(summary: Summary, source: Source, thresholds: QualityThresholds) -> Iterator[Finding]:
    written = sum(len(sentence.text) for _, sentence in summary.sentences())
    length = len(source.text)
    if length < thresholds.long_source_chars:
        return
    if written > thresholds.max_summary_ratio * length:
        yield _finding(
            "text.length", Severity.WARN, "summary", "It is nearly as long as its source."
        )
    elif written < thresholds.min_summary_ratio * min(length, _LONGEST_TOLD_CHARS):
        yield Finding(
            check="text.short",
            severity=Severity.WARN,
            place="summary",
            reason=f"It has {written} characters for a source of {length}; is much left out?",
            values=(("written", str(written)), ("source", str(length))),
        )


def _bare(text: str) -> str:
    """Return text without space, so that joined segments compare."""
    return re.sub(r"\s+", "", text)


def _finding(check: str, severity: Severity, place: str, reason: str) -> Finding:
    return Finding(check=check, severity=severity, place=place, reason=reason)
