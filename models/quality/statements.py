"""What a text affirms and what it denies, clause by clause."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import or_

from models.quality.negation import Agreement, Polarity, Stance, clauses, is_answer, stance
from models.quality.numbers import is_numeral, numbers
from models.summarizer.cues import is_question
from models.summarizer.sentences import split_sentences
from models.summarizer.terms import overlap, terms

CONTRARY = frozenset({Agreement.CONTRARY})
"""What `said_of` returns where all that is most alike says the contrary."""

_LEAST_TERMS = 3
_FEW_TERMS = 2
_SAME_KANA_RATIO = 0.6
_KANA = re.compile(r"[\u3041-\u309f]")


@dataclass(frozen=True)
class Clause:
    """A clause; one of a question affirms and denies nothing."""

    text: str
    asked: bool = False

    @cached_property
    def stance(self) -> Stance:
        """How it stands to what it speaks of."""
        return stance(self.text)

    @cached_property
    def content(self) -> Counter[str]:
        """Its content words without those that negate."""
        return content_of(self.stance.bare)

    @property
    def polarity(self) -> Polarity:
        """What it does with what it speaks of."""
        return Polarity.UNCLEAR if self.asked else self.stance.polarity

    def agreement(self, other: "Clause") -> Agreement:
        """Tell whether it agrees with a clause about the same."""
        if self.asked or other.asked:
            return Agreement.UNCLEAR
        return self.stance.agreement(other.stance)

    def is_worded_as(self, other: "Clause") -> bool:
        """Tell whether it has the words of another, but for those that negate."""
        if self.content.keys() != other.content.keys():
            return False
        if len(self.content) >= _FEW_TERMS:
            return True
        mine, theirs = (Counter(_KANA.findall(clause.stance.bare)) for clause in (self, other))
        size = max(mine.total(), theirs.total())
        return bool(self.content and size) and (mine & theirs).total() >= _SAME_KANA_RATIO * size


@dataclass(frozen=True)
class Statement:
    """A clause, a sentence, or an answer with its question: content words and clauses."""

    content: Counter[str]
    clauses: tuple[Clause, ...]

    def agreement(self, with_: Clause) -> Agreement | None:
        """Tell whether it agrees with a clause; its own that share no word do not count.

        Returns:
            None where what the one denies is something of which the other does not speak.
        """
        about = [c for c in self.clauses if not c.content.keys().isdisjoint(with_.content)]
        about = about or list(self.clauses)
        if any(clause.asked for clause in about):
            return Agreement.UNCLEAR
        stance = reduce(or_, (clause.stance for clause in about))
        words = frozenset().union(*(clause.content for clause in about))
        for denied, others in ((with_.stance.denied, words), (stance.denied, with_.content)):
            if denied and denied.isdisjoint(others):
                return None
        return with_.stance.agreement(stance)


def statements(text: str) -> Iterator[Statement]:
    """Yield the clauses and the sentences of a text, and answers with what they answer."""
    question: tuple[Clause, ...] = ()
    for sentence in split_sentences(text):
        asked = is_question(sentence)
        parts = tuple(Clause(clause, asked) for clause in clauses(sentence))
        parts = tuple(clause for clause in parts if clause.content) or parts
        if question and not asked and (answer := _answered(question, sentence, parts)):
            yield answer
        else:
            yield from (Statement(clause.content, (clause,)) for clause in question)
        question = parts if asked else ()
        if not asked:
            yield from (Statement(clause.content, (clause,)) for clause in parts)
        if len(parts) > 1:
            yield Statement(sum((clause.content for clause in parts), Counter()), parts)
    yield from (Statement(clause.content, (clause,)) for clause in question)


def _answered(
    question: tuple[Clause, ...], sentence: str, parts: tuple[Clause, ...]
) -> Statement | None:
    """Return an answer with the words of its question: "Do we meet?" "No, we do not."."""
    words = sum((clause.content for clause in question), Counter[str]())
    about = [clause for clause in parts if not clause.content.keys().isdisjoint(words)]
    if not parts or not (about or is_answer(sentence)):
        return None
    told = about[0] if about else parts[0]
    return Statement(words | told.content, (Clause(told.text),))


def content_of(text: str) -> Counter[str]:
    """Return the content words of a text, its numbers in one writing ("14", "fourteen", 十四)."""
    found = Counter({word: n for word, n in terms(text).items() if not is_numeral(word)})
    found.update(f"#{min(number.values):g}" for number in numbers(text))
    return found


def said_of(
    clause: Clause, said: Sequence[Statement], aligned_ratio: float, least_terms: int = _LEAST_TERMS
) -> frozenset[Agreement]:
    """Return whether those statements that say nearly the same as a clause agree with it.

    Args:
        clause: of a summary.
        said: statements of its evidence.
        aligned_ratio: share (0..1) of the clause's content words that they must have.
        least_terms: content words that a clause must have; of one with no more, they must have all.

    Returns:
        How the statements most alike agree: those with its very words, if there are any; empty
        where nothing is alike.
    """
    worded = frozenset(
        c.agreement(clause) for s in said for c in s.clauses if c.is_worded_as(clause)
    )
    if worded:
        return worded
    size = clause.content.total()
    if size < least_terms:
        return frozenset()
    least = aligned_ratio if size > least_terms else 1.0
    alike = []
    for statement in said:
        forward = min(overlap(clause.content, statement.content), 1.0)
        back = overlap(statement.content, clause.content)
        if forward >= least and back >= aligned_ratio / 2 and (way := statement.agreement(clause)):
            alike.append((forward + 0.3 * back, way))
    best = max((share for share, _ in alike), default=0.0)
    return frozenset(way for share, way in alike if share >= best - 0.1)
