"""Decisions and tasks: whether anything bears them out, and whether the summary denies them."""

from collections.abc import Iterator

from models.documents import ActionItem, Finding, Sentence, Severity, Summary
from models.quality.negation import Polarity, clauses, polarity
from models.quality.numbers import numbers
from models.quality.source import Source
from models.quality.statements import said_of, statements
from models.quality.thresholds import QualityThresholds
from models.summarizer.terms import overlap, terms

_BINDING = ("decisions", "action_items")
_LEAST_TERMS = 3


def check_decisions(
    summary: Summary, source: Source, thresholds: QualityThresholds
) -> Iterator[Finding]:
    """Yield decisions and tasks without support, and those that another sentence contradicts."""
    translated = summary.language != source.redacted.language
    for place, sentence in summary.sentences():
        if place.startswith(_BINDING):
            if not translated:
                yield from _unsupported(place, sentence, source, thresholds)
            others = [(p, s) for p, s in summary.sentences() if p != place]
            yield from _contradicted(place, sentence, others, thresholds)


def _unsupported(
    place: str, sentence: Sentence, source: Source, thresholds: QualityThresholds
) -> Iterator[Finding]:
    """Yield a decision most of whose words, the rarest above all, are not in what it cites."""
    if not sentence.citations:
        return
    content = terms(sentence.text)
    held = terms(source.evidence(sentence.citations).near_words)
    spoken = [term for term in content if not term[0].isdigit()]  # numbers have a check
    weights = {term: (1 + source.counts[term]) ** -0.5 for term in spoken}
    whole = sum(weights.values())
    if len(weights) < _LEAST_TERMS:
        return
    share = sum(weight for term, weight in weights.items() if term in held) / whole
    if share < thresholds.min_decision_support_ratio:
        yield _finding(
            "decisions.unsupported",
            Severity.BLOCK if share < thresholds.min_decision_support_ratio / 2 else Severity.WARN,
            place,
            "The cited segments hardly speak of this; was it decided?",
            tuple(sentence.citations),
        )


def _contradicted(
    place: str,
    sentence: Sentence,
    others: list[tuple[str, Sentence]],
    thresholds: QualityThresholds,
) -> Iterator[Finding]:
    for other_place, other in others:
        differs = _difference(sentence, other, thresholds.same_statement_ratio)
        if differs:
            yield Finding(
                check="contradiction.statement",
                severity=Severity.WARN,
                place=place,
                reason=f"{other_place} says nearly the same with {differs}.",
                segments=tuple(sorted({*sentence.citations, *other.citations})),
                values=(("other", other_place),),
            )


def _difference(one: Sentence, other: Sentence, least: float) -> str | None:
    """Return in what two sentences that say the same differ, None where they do not."""
    said = tuple(statements(other.text))
    for clause in clauses(one.text):
        own, ways = polarity(clause), said_of(clause, said, least)
        if Polarity.UNCLEAR not in {own, *ways} and ways and own not in ways:
            return "or without a “not”"
    mine, theirs = terms(one.text), terms(other.text)
    if min(overlap(mine, theirs), overlap(theirs, mine)) < least or len(mine) < _LEAST_TERMS:
        return None
    owners = {item.owner for item in (one, other) if isinstance(item, ActionItem) and item.owner}
    if len(owners) > 1:
        return "another owner"
    if any(not number.is_among(numbers(other.text)) for number in numbers(one.text)):
        return "another number"
    return None


def _finding(
    check: str, severity: Severity, place: str, reason: str, segments: tuple[int, ...]
) -> Finding:
    return Finding(check=check, severity=severity, place=place, reason=reason, segments=segments)
