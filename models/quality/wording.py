"""The form of a summary: empty, looping, in another language, quoted wrongly, or steered."""

import re
from collections import Counter
from collections.abc import Iterator

from models.documents import SENTENCE_PARTS, Finding, Severity, Summary, SummaryMethod
from models.quality.language import check_language
from models.quality.source import Source
from models.quality.thresholds import QualityThresholds
from models.summarizer.refusals import is_blank, is_refusal

_LOOP = re.compile(r"(?P<phrase>\S.{2,80}?)(?:[\s、，,。.]*(?P=phrase)){3,}")
_ENDED = re.compile(r"[.!?。！？…．:：][\"'”’)\]）」』]*$|[)\]）」』]$")
_LEAST_CUT_CHARS = 8
_LONGEST_TOLD_CHARS = 60_000  # what is longer needs no longer summary
_LINK = re.compile(r"https?://[^\s)>\"']+|<script|javascript:|!\[[^\]]*\]\(", re.IGNORECASE)
_INJECTION = re.compile(
    r"\b(?:ignore|disregard|forget)\b[^.]{0,30}\b(?:previous|above|earlier|prior|all|your)\b"
    r"[^.]{0,20}\b(?:instructions?|prompts?|rules|context)\b"
    r"|\byou are now\b[^.]{0,30}\b(?:assistant|ai|model)\b"
    r"|\bfrom (?:now|here) on\b[^.]{0,30}\b(?:follow|obey|answer|respond|reply|act|only)\b"
    r"|^\s*(?:assistant|system|user)\s*:|\bsystem prompt\b|\bnew instructions?:"
    r"|</?(?:system|assistant|user)>|<\|im_(?:start|end)\|>"
    r"|(?:以前|上記|これまで|前)の(?:指示|命令|プロンプト)[^。]{0,10}(?:無視|忘れ)"
    r"|(?:今後|これから|以後)[^。]{0,30}(?:に従う|に従って|に従え|として(?:振る舞|答え|行動))"
    r"|システムプロンプト|从现在(?:起|开始)[^。]{0,12}(?:你是|你只|只能|遵守|扮演)|(?:忽略|无视|忘记)[^。]{0,10}(?:指令|指示|提示|要求|规则)|系统提示词",
    re.IGNORECASE | re.MULTILINE,
)


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
    yield from _steered(summary, source)
    if summary.method is not SummaryMethod.EXTRACTIVE:
        yield from _length(summary, source, thresholds)
    if summary.fallback_reason:
        reason = f"The written summary failed ({summary.fallback_reason}); this one is quoted."
        yield _finding("summary.fallback", Severity.WARN, "summary", reason)


def _empty(summary: Summary) -> Iterator[Finding]:
    if not summary.abstract:
        yield _finding("text.empty", Severity.BLOCK, "abstract", "There is no abstract.")
    written = summary.method is not SummaryMethod.EXTRACTIVE
    texts = [("headline", summary.headline), *((p, s.text) for p, s in summary.sentences())]
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
    headline = _bare(summary.headline.removesuffix("…"))
    if headline not in _bare(source.text):
        reason = "The headline is not word for word in the source."
        yield _finding("quote.differs", Severity.BLOCK, "headline", reason)


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


def _steered(summary: Summary, source: Source) -> Iterator[Finding]:
    hits = tuple(s.id for s in source.redacted.segments if _INJECTION.search(s.text))
    if hits:
        yield Finding(
            check="injection.source",
            severity=Severity.WARN,
            place="transcript",
            reason="Something in the source reads like an instruction to a model.",
            segments=hits[:20],
        )
    for place, sentence in [("headline", None), *summary.sentences()]:
        text = summary.headline if sentence is None else sentence.text
        links = [link for link in _LINK.findall(text) if link.lower() not in source.lowered]
        if links:
            reason = "It holds a link or markup that is not in the source."
            yield _finding("injection.link", Severity.BLOCK, place, reason)
        if _INJECTION.search(text):
            reason = "It reads like an instruction to a model."
            severity = Severity.WARN if hits else Severity.BLOCK
            yield _finding("injection.summary", severity, place, reason)


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
