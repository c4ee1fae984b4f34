"""The checks of a revision, put together to a verdict."""

from collections.abc import Iterator, Mapping, Sequence

from models.documents import (
    Finding,
    PseudonymMap,
    QualityReport,
    RedactedTranscript,
    Sentence,
    Severity,
    Summary,
    SummaryMethod,
    Verdict,
)
from models.quality.coverage import check_coverage, complete_coverage
from models.quality.decisions import check_decisions
from models.quality.documents import check_document
from models.quality.facts import Claim, check_facts
from models.quality.half_names import check_half_names
from models.quality.leaks import check_leaks
from models.quality.source import Source
from models.quality.thresholds import QualityThresholds
from models.quality.wording import check_wording
from models.summarizer.extractive import TextEmbedder


def check_quality(
    *,
    summary: Summary,
    redacted: RedactedTranscript,
    rendered: Mapping[str, bytes],
    titles: Sequence[str],
    pseudonyms: PseudonymMap,
    thresholds: QualityThresholds | None = None,
    allowed: Sequence[str] = (),
    embedder: TextEmbedder | None = None,
) -> QualityReport:
    """Check a revision: coverage, leaks, facts against evidence, form and language.

    Args:
        summary: of any method, edited ones too.
        redacted: the transcript that the summary cites.
        rendered: name -> bytes of every file that would be published; names are scanned too.
        titles: the run's title, file name and whatever else is shown with it.
        pseudonyms: the raw map, to scan for what was redacted.
        thresholds: when a finding warns or blocks.
        allowed: surfaces that the redaction policy lets stand.
        embedder: compares a sentence that shares few words with its evidence; without one every
            such sentence is a finding.

    Returns:
        The findings by kind of check and in order of place, the verdict, and the coverage
        completed by the ratios of the summary. No finding quotes text of the source.
    """
    limits = thresholds or QualityThresholds()
    source = Source(redacted)
    written = summary.method is not SummaryMethod.EXTRACTIVE
    findings = (
        *check_coverage(summary, redacted, limits),
        *check_document(redacted),
        *check_leaks(
            summary=summary,
            redacted=redacted,
            rendered=rendered,
            titles=titles,
            pseudonyms=pseudonyms,
            allowed=allowed,
        ),
        *check_half_names(summary, redacted),
        *check_wording(summary, source, limits),
        *_check_sentences(summary, source, limits, embedder),
        *(check_decisions(summary, source, limits) if written else ()),
    )
    return QualityReport(
        verdict=_verdict(findings),
        findings=tuple(dict.fromkeys(findings)),
        coverage=complete_coverage(summary, redacted),
    )


def _verdict(findings: Sequence[Finding]) -> Verdict:
    severities = {finding.severity for finding in findings}
    if Severity.BLOCK in severities:
        return Verdict.BLOCK
    return Verdict.WARN if Severity.WARN in severities else Verdict.PASS


def _check_sentences(
    summary: Summary,
    source: Source,
    thresholds: QualityThresholds,
    embedder: TextEmbedder | None,
) -> Iterator[Finding]:
    for place, sentence in summary.sentences():
        claim = Claim(
            place, sentence, source.evidence(sentence.citations), source, summary.language
        )
        yield from _check_citations(claim, summary.method)
        if summary.method is not SummaryMethod.EXTRACTIVE:
            yield from check_facts(claim, thresholds, embedder)
    headline = _headline_claim(summary, source)
    if summary.method is not SummaryMethod.EXTRACTIVE:
        yield from check_facts(headline, thresholds, embedder)


def _headline_claim(summary: Summary, source: Source) -> Claim:
    """Return the headline as a claim whose evidence is all that the summary cites."""
    cited = tuple(sorted(summary.cited_segments))
    sentence = Sentence(text=summary.headline, citations=cited)
    return Claim("headline", sentence, source.evidence(cited), source, summary.language)


def _check_citations(claim: Claim, method: SummaryMethod) -> Iterator[Finding]:
    if claim.evidence.missing:
        yield claim.finding(
            "citations.missing", Severity.BLOCK, "It cites segments that do not exist."
        )
    elif not claim.sentence.citations:
        edited = method is SummaryMethod.EDITED
        yield claim.finding(
            "citations.none",
            Severity.WARN if edited else Severity.BLOCK,
            "It cites no evidence; its facts were looked for in the whole source.",
        )
    elif any(segment.suspect for segment in claim.evidence.segments):
        yield claim.finding(
            "citations.suspect",
            Severity.WARN,
            "It rests on text that the recognizer may have invented.",
        )
