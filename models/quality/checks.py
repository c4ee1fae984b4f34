"""The checks of a revision, put together to a verdict."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from models.documents import (
    Finding,
    PseudonymMap,
    QualityReport,
    RedactedTranscript,
    Redactions,
    Severity,
    Summary,
    SummaryMethod,
    Verdict,
)
from models.quality.claims import Claim
from models.quality.coverage import check_coverage, complete_coverage
from models.quality.decisions import check_decisions
from models.quality.documents import check_document
from models.quality.entailment import EntailmentModel, check_entailment
from models.quality.facts import check_facts
from models.quality.half_names import check_half_names
from models.quality.leaks import check_leaks
from models.quality.lifted import check_lifted
from models.quality.places import heading_claims
from models.quality.pseudonyms import with_pseudonyms
from models.quality.source import Source
from models.quality.steering import check_steering
from models.quality.thresholds import QualityThresholds
from models.quality.titles import TitleReader, check_titles
from models.quality.topics import check_topics
from models.quality.unseen import check_unseen
from models.quality.wording import check_wording
from models.summarizer.extractive import TextEmbedder


@dataclass(frozen=True)
class CheckOptions:
    """How a revision is checked.

    Args:
        thresholds: when a finding warns or blocks.
        allowed: surfaces that the redaction policy lets stand.
        language: what the summary was to be written in; None: the source's.
        embedder: compares a sentence that shares few words with its evidence; without one every
            such sentence is a finding.
        entailment: compares each written sentence with its evidence; without one words decide.
        titles: finds personal data in titles; without it only what was redacted is looked for.
    """

    thresholds: QualityThresholds = field(default_factory=QualityThresholds)
    allowed: tuple[str, ...] = ()
    language: str | None = None
    embedder: TextEmbedder | None = None
    entailment: EntailmentModel | None = None
    titles: TitleReader | None = None


_BY_DEFAULT = CheckOptions()


def check_quality(
    *,
    summary: Summary,
    redacted: RedactedTranscript,
    rendered: Mapping[str, bytes],
    titles: Sequence[str],
    pseudonyms: PseudonymMap,
    redactions: Redactions | None = None,
    options: CheckOptions = _BY_DEFAULT,
) -> QualityReport:
    """Check a revision: coverage, leaks, facts against evidence, form and language.

    Args:
        summary: of any method, edited ones too.
        redacted: the transcript that the summary cites.
        rendered: name -> bytes of every file that would be published; names are scanned too.
        titles: the run's title, file name and whatever else is shown with it.
        pseudonyms: the raw map, to scan for what was redacted.
        redactions: where it was redacted, with an editor's corrections; None where that is gone.
        options: thresholds and models.

    Returns:
        The findings by kind of check and in order of place, the verdict, and the coverage
        completed by the ratios of the summary. No finding quotes text of the source.

    Raises:
        ModelError: the model of entailment cannot be loaded or run (not retryable).
    """
    limits = options.thresholds
    source = Source(redacted)
    written = summary.method is not SummaryMethod.EXTRACTIVE
    read = with_pseudonyms(summary, source) if written else summary
    findings = (
        *check_coverage(summary, redacted, limits),
        *(check_topics(read, source, limits) if written else ()),
        *check_document(redacted),
        *check_leaks(
            summary=summary,
            redacted=redacted,
            rendered=rendered,
            titles=titles,
            pseudonyms=pseudonyms,
            allowed=options.allowed,
        ),
        *(check_titles(titles, redacted.language, options.titles) if options.titles else ()),
        *(check_lifted(redactions) if redactions else ()),
        *check_half_names(read, redacted),
        *check_wording(summary, source, limits, options.language),
        *check_steering(summary, source),
        *check_unseen(summary, redacted, titles),
        *_check_sentences(read, source, options),
        *(check_decisions(read, source, limits) if written else ()),
    )
    return QualityReport(
        verdict=_verdict(findings),
        findings=tuple(dict.fromkeys(findings)),
        coverage=complete_coverage(summary, redacted),
        entailment_model=options.entailment.name if options.entailment and written else None,
    )


def _verdict(findings: Sequence[Finding]) -> Verdict:
    severities = {finding.severity for finding in findings}
    if Severity.BLOCK in severities:
        return Verdict.BLOCK
    return Verdict.WARN if Severity.WARN in severities else Verdict.PASS


def _check_sentences(
    summary: Summary,
    source: Source,
    options: CheckOptions,
) -> Iterator[Finding]:
    written = summary.method is not SummaryMethod.EXTRACTIVE
    for place, sentence in summary.sentences():
        claim = Claim(
            place, sentence, source.evidence(sentence.citations), source, summary.language
        )
        yield from _check_citations(claim, summary.method)
        if written:
            yield from check_facts(claim, options.thresholds, options.embedder)
        if written and options.entailment is not None:
            yield from check_entailment(claim, options.entailment, options.thresholds)
    if written:
        for heading in heading_claims(summary, source):
            yield from check_facts(heading, options.thresholds, options.embedder)


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
