"""Decisions and tasks: whether anything bears them out, and whether the summary denies them."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from models.documents import ActionItem, Finding, Sentence, Severity, Summary
from models.quality.claims import BINDING
from models.quality.negation import clauses
from models.quality.numbers import Number, numbers
from models.quality.source import Source
from models.quality.statements import CONTRARY, Clause, Statement, said_of, statements
from models.quality.thresholds import QualityThresholds
from models.summarizer.terms import overlap, terms

_LEAST_TERMS = 3


@dataclass(frozen=True)
class _Read:
    """A sentence of a summary, read once and compared with all the others."""

    place: str
    sentence: Sentence

    @cached_property
    def clauses(self) -> tuple[Clause, ...]:
        return tuple(map(Clause, clauses(self.sentence.text)))

    @cached_property
    def statements(self) -> tuple[Statement, ...]:
        return tuple(statements(self.sentence.text))

    @cached_property
    def content(self) -> Counter[str]:
        return terms(self.sentence.text)

    @cached_property
    def numbers(self) -> tuple[Number, ...]:
        return numbers(self.sentence.text)


def check_decisions(
    summary: Summary, source: Source, thresholds: QualityThresholds
) -> Iterator[Finding]:
    """Yield decisions and tasks without support, and those that another sentence contradicts."""
    translated = summary.language != source.redacted.language
    read = [_Read(place, sentence) for place, sentence in summary.sentences()]
    for one in read:
        if one.place.startswith(BINDING):
            if not translated:
                yield from _unsupported(one.place, one.sentence, source, thresholds)
            yield from _contradicted(one, read, thresholds)


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
    one: _Read, read: Sequence[_Read], thresholds: QualityThresholds
) -> Iterator[Finding]:
    for other in read:
        if other is one:
            continue
        if differs := _difference(one, other, thresholds.same_statement_ratio):
            cited = {*one.sentence.citations, *other.sentence.citations}
            yield Finding(
                check="contradiction.statement",
                severity=Severity.BLOCK if _is_denied_in_its_words(one, other) else Severity.WARN,
                place=one.place,
                reason=f"{other.place} says nearly the same with {differs}.",
                segments=tuple(sorted(cited)),
                values=(("other", other.place),),
            )


def _is_denied_in_its_words(one: _Read, other: _Read) -> bool:
    """Tell whether a clause stands in two sentences alike but for what makes it the contrary."""
    theirs = [clause for statement in other.statements for clause in statement.clauses]
    return any(
        {own.agreement(clause) for clause in theirs if clause.is_worded_as(own)} == CONTRARY
        for own in one.clauses
    )


def _difference(one: _Read, other: _Read, least: float) -> str | None:
    """Return in what two sentences that say the same differ, None where they do not."""
    if any(said_of(clause, other.statements, least) == CONTRARY for clause in one.clauses):
        return "or without a “not”"
    mine, theirs = one.content, other.content
    if min(overlap(mine, theirs), overlap(theirs, mine)) < least or len(mine) < _LEAST_TERMS:
        return None
    items = [read.sentence for read in (one, other)]
    owners = {item.owner for item in items if isinstance(item, ActionItem) and item.owner}
    if len(owners) > 1:
        return "another owner"
    if any(not number.is_among(other.numbers) for number in one.numbers):
        return "another number"
    return None


def _finding(
    check: str, severity: Severity, place: str, reason: str, segments: tuple[int, ...]
) -> Finding:
    return Finding(check=check, severity=severity, place=place, reason=reason, segments=segments)
