"""Whether a sentence denies what its evidence affirms, or affirms what it denies."""

from collections.abc import Collection, Iterator, Sequence

from models.documents import Finding, Severity
from models.quality.claims import Claim
from models.quality.negation import Polarity, clauses, polarity
from models.quality.source import Source
from models.quality.statements import Statement, said_of, statements
from models.quality.thresholds import QualityThresholds
from models.summarizer.terms import topics

_FEW_TERMS = 2


def check_negation(claim: Claim, thresholds: QualityThresholds) -> Iterator[Finding]:
    """Yield where a "not" was added or left out, clause by clause.

    It blocks where a clause is nearly one of the evidence but for the "not", and warns where it is
    less near, or denies something that no clause there with its rarer words denies.
    """
    if not claim.sentence.citations:
        return  # in a whole source something alike is said the other way round somewhere
    said = tuple(statements(claim.evidence.text))
    for clause in clauses(claim.sentence.text):
        own = polarity(clause)
        way = "denies what they say" if own is Polarity.NEGATES else "leaves out their “not”"
        if _is_contrary(own, said_of(clause, said, thresholds.aligned_ratio)):
            yield claim.finding(
                "facts.negation", Severity.BLOCK, f"Close to the cited segments, but it {way}."
            )
        elif _is_contrary(own, said_of(clause, said, thresholds.loosely_aligned_ratio, _FEW_TERMS)):
            yield claim.finding(
                "facts.negation", Severity.WARN, f"Like the cited segments, but it perhaps {way}."
            )
        elif own is Polarity.NEGATES and not _is_denied(
            clause, said, claim.source, thresholds.min_denied_ratio
        ):
            yield claim.finding(
                "facts.negation",
                Severity.WARN,
                "It denies something that the cited segments do not deny.",
            )


def _is_contrary(own: Polarity, others: Collection[Polarity]) -> bool:
    """Tell whether all that is nearly the same is said the other way round."""
    return len(others) == 1 and Polarity.UNCLEAR not in {own, *others} and own not in others


def _is_denied(clause: str, said: Sequence[Statement], source: Source, least: float) -> bool:
    """Tell whether something that the evidence may deny shares enough words with a clause."""
    weights = {term: (1 + source.counts[term]) ** -0.5 for term in topics(clause)}
    whole = sum(weights.values()) or 1.0
    return any(
        way is not Polarity.AFFIRMS
        and sum(weight for term, weight in weights.items() if term in words) >= least * whole
        for statement in said
        for words, way in statement.clauses
    )
