"""What a text affirms and what it denies, clause by clause."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from models.quality.negation import Polarity, clauses, polarity
from models.quality.numbers import is_numeral, numbers
from models.summarizer.cues import is_question
from models.summarizer.sentences import split_sentences
from models.summarizer.terms import overlap, terms

_LEAST_TERMS = 3


@dataclass(frozen=True)
class Statement:
    """A clause or a sentence: its content words, and its clauses with their polarities."""

    content: Counter[str]
    clauses: tuple[tuple[Counter[str], Polarity], ...]

    def polarity(self, of: Counter[str]) -> Polarity:
        """Return what it does with these content words; clauses that lack them do not count."""
        ways = {way for content, way in self.clauses if not content.keys().isdisjoint(of)}
        if len(ways) == 1:
            return ways.pop()
        return (
            Polarity.NEGATES if ways == {Polarity.NEGATES, Polarity.AFFIRMS} else Polarity.UNCLEAR
        )


def statements(text: str) -> Iterator[Statement]:
    """Yield the clauses and the sentences of a text; a question affirms and denies nothing."""
    for sentence in split_sentences(text):
        asked = is_question(sentence)
        parts = tuple(
            (content_of(clause), Polarity.UNCLEAR if asked else polarity(clause))
            for clause in clauses(sentence)
        )
        yield from (Statement(content, ((content, way),)) for content, way in parts if content)
        if len(parts) > 1:
            yield Statement(content_of(sentence), parts)


def content_of(text: str) -> Counter[str]:
    """Return the content words of a text, its numbers in one writing ("14", "fourteen", 十四)."""
    found = Counter({word: n for word, n in terms(text).items() if not is_numeral(word)})
    found.update(f"#{min(number.values):g}" for number in numbers(text))
    return found


def said_of(
    clause: str, said: Sequence[Statement], aligned_ratio: float, least_terms: int = _LEAST_TERMS
) -> frozenset[Polarity]:
    """Return how those statements that say nearly the same as a clause say it.

    Args:
        clause: of a summary.
        said: statements of its evidence.
        aligned_ratio: share (0..1) of the clause's content words that they must have.
        least_terms: content words that a clause must have; of one with no more, they must have all.

    Returns:
        The polarities of the statements most alike; empty where nothing is alike.
    """
    content = content_of(clause)
    size = sum(content.values())
    if size < least_terms:
        return frozenset()
    least = aligned_ratio if size > least_terms else 1.0
    alike = []
    for statement in said:
        forward = min(overlap(content, statement.content), 1.0)
        back = overlap(statement.content, content)
        if forward >= least and back >= aligned_ratio / 2:
            alike.append((forward + 0.3 * back, statement.polarity(content)))
    best = max((share for share, _ in alike), default=0.0)
    return frozenset(way for share, way in alike if share >= best - 0.1)
