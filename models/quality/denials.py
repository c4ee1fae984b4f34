"""Whether a sentence denies what its evidence affirms, or affirms what it denies."""

from collections.abc import Iterator, Sequence

from models.documents import Finding, Severity
from models.quality.claims import Claim
from models.quality.negation import Polarity, clauses, without_stutter
from models.quality.source import Source
from models.quality.statements import CONTRARY, Clause, Statement, said_of, statements
from models.quality.thresholds import QualityThresholds
from models.summarizer.sentences import split_sentences
from models.summarizer.terms import topics

_FEW_TERMS = 2


def check_negation(claim: Claim, thresholds: QualityThresholds) -> Iterator[Finding]:
    """Yield where a "not" was added or left out, clause by clause.

    It blocks where a clause is nearly one of the evidence but for the "not", and warns where it is
    less near, negates twice, or denies something that no clause there with its rarer words denies.
    A clause that stands in the evidence word for word is passed over.
    """
    if not claim.sentence.citations:
        return  # in a whole source something alike is said the other way round somewhere
    said = tuple(statements(without_stutter(claim.evidence.text)))
    verbatim = {c for sentence in split_sentences(claim.evidence.text) for c in clauses(sentence)}
    for clause in map(Clause, clauses(claim.sentence.text)):
        if clause.text not in verbatim and (finding := _denial(claim, clause, said, thresholds)):
            yield finding


def _denial(
    claim: Claim, clause: Clause, said: Sequence[Statement], thresholds: QualityThresholds
) -> Finding | None:
    way = "denies what they say" if clause.stance.negates else "leaves out their “not”"
    check, severity = "facts.negation", Severity.WARN
    if said_of(clause, said, thresholds.aligned_ratio) == CONTRARY:
        severity, reason = Severity.BLOCK, f"Close to the cited segments, but it {way}."
    elif said_of(clause, said, thresholds.loosely_aligned_ratio, _FEW_TERMS) == CONTRARY:
        reason = f"Like the cited segments, but it perhaps {way}."
    elif clause.stance.twice:
        check, reason = "facts.negated_twice", "It negates twice, which affirms; is that meant?"
    elif _is_denial(clause) and not _is_denied(
        clause, said, claim.source, thresholds.min_denied_ratio
    ):
        reason = "It denies something that the cited segments do not deny."
    else:
        return None
    return claim.finding(check, severity, reason)


def _is_denial(clause: Clause) -> bool:
    return clause.stance.has_not and not clause.stance.doubts


def _is_denied(clause: Clause, said: Sequence[Statement], source: Source, least: float) -> bool:
    """Tell whether something that the evidence may deny shares enough words with a clause."""
    weights = {term: (1 + source.counts[term]) ** -0.5 for term in topics(clause.text)}
    whole = sum(weights.values()) or 1.0
    return any(
        other.polarity is not Polarity.AFFIRMS
        and sum(weight for term, weight in weights.items() if term in other.content)
        >= least * whole
        for statement in said
        for other in statement.clauses
    )
