"""Which sentences say most of what a source says, and not the same thing twice."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from models.summarizer.cues import (
    disfluency,
    filler_ratio,
    has_weight,
    is_action,
    is_decision,
    is_question,
)
from models.summarizer.sentences import Quote
from models.summarizer.terms import overlap, terms

Vectors = npt.NDArray[np.float32]
Scores = npt.NDArray[np.float64]

_MAX_CANDIDATES = 240
_BINS = 12
_NOVELTY = 0.35


@dataclass(frozen=True)
class Candidates:
    """The sentences that may be chosen, in order, with their vectors and scores.

    Args:
        quotes: of length n.
        vectors: float32 unit vectors, `(n, dimensions)`.
        scores: float64, `(n,)`; higher says more.
    """

    quotes: tuple[Quote, ...]
    vectors: Vectors
    scores: Scores

    def choose(self, count: int, taken: Sequence[int] = (), *, spread: float = 0.0) -> list[int]:
        """Choose sentences by maximal marginal relevance.

        Args:
            count: how many at most.
            taken: indexes that are chosen already and count as said.
            spread: what a sentence loses for each chosen one close to it in the source.

        Returns:
            New indexes, in the order of the source.

        Source: Carbonell and Goldstein, "The use of MMR", SIGIR 1998.
        """
        chosen: list[int] = []
        similar = _rescaled(self.vectors @ self.vectors.T)
        open_places = np.ones(len(self.quotes), dtype=bool)
        for index in taken:
            open_places &= ~self._repeats(index)
        while len(chosen) < count and open_places.any():
            value = (1 - _NOVELTY) * self.scores
            said = [*taken, *chosen]
            if said:
                value = value - _NOVELTY * similar[:, said].max(axis=1)
                value = value - spread * self._crowding(said)
            best = int(np.where(open_places, value, -np.inf).argmax())
            chosen.append(best)
            open_places &= ~self._repeats(best)
        return sorted(chosen)

    def _crowding(self, said: Sequence[int]) -> Scores:
        """Return for each sentence how many chosen ones are within a twelfth of the source."""
        places = np.arange(len(self.quotes))
        distance = np.abs(places[:, None] - np.array(said)[None, :])
        near = distance < max(1.0, len(self.quotes) / 12)
        return np.asarray(near.sum(axis=1), dtype=np.float64)

    def _repeats(self, index: int) -> npt.NDArray[np.bool_]:
        """Mark the sentences that say in the same words what this one says, itself included."""
        content = self._contents[index]
        same = [
            i == index or min(overlap(other, content), overlap(content, other)) > 0.7
            for i, other in enumerate(self._contents)
        ]
        return np.array(same, dtype=bool)

    @cached_property
    def _contents(self) -> tuple[Counter[str], ...]:
        return tuple(terms(quote.text) for quote in self.quotes)

    def among(self, wanted: Callable[[str], bool]) -> "Candidates":
        """Return only the sentences that `wanted` accepts, with their vectors and scores."""
        kept = [i for i, quote in enumerate(self.quotes) if wanted(quote.text)]
        return Candidates(
            tuple(self.quotes[i] for i in kept), self.vectors[kept], self.scores[kept]
        )


def candidates(quotes: Sequence[Quote], embed: Callable[[Sequence[str]], Vectors]) -> Candidates:
    """Score the sentences of a source.

    Args:
        quotes: all of them, in order, at least one.
        embed: texts -> unit vectors; called once with at most 240 texts, which bounds the time.

    Returns:
        The candidates: without fillers, and of a long source the most telling of each twelfth.
    """
    kept = [quote for quote in quotes if _is_telling(quote)]
    if not kept:
        kept = [max(quotes, key=lambda quote: len(quote.text))]
    lexical = _lexical_scores(kept)
    chosen = _prefiltered(kept, lexical)
    kept = [kept[i] for i in chosen]
    vectors = embed([quote.text[:240] for quote in kept])
    centre = vectors.mean(axis=0)
    centrality = vectors @ (centre / (np.linalg.norm(centre) or 1.0))
    scores = 0.5 * _standard(centrality.astype(np.float64)) + 0.5 * _standard(lexical[chosen])
    bonus = np.array([_bonus(quote, i, len(kept)) for i, quote in enumerate(kept)])
    return Candidates(tuple(kept), vectors, _rescaled_scores(scores + bonus))


def _is_telling(quote: Quote) -> bool:
    size = sum(terms(quote.text).values())
    clear = filler_ratio(quote.text) < 0.5 and disfluency(quote.text) < 2.5
    return not quote.suspect and size >= 4 and clear


def _lexical_scores(quotes: Sequence[Quote]) -> Scores:
    counted = [terms(quote.text) for quote in quotes]
    total: Counter[str] = Counter()
    for found in counted:
        total.update(found.keys())
    return np.array(
        [
            sum(np.log(total[term]) for term in found) / (len(found) + 6.0) ** 0.75
            for found in counted
        ]
    )


def _prefiltered(quotes: Sequence[Quote], lexical: Scores) -> list[int]:
    if len(quotes) <= _MAX_CANDIDATES:
        return list(range(len(quotes)))
    value = np.array(
        [score + 0.3 * _cue_bonus(quote.text) for quote, score in zip(quotes, lexical, strict=True)]
    )
    kept: list[int] = []
    for part in np.array_split(np.arange(len(quotes)), _BINS):
        best = part[np.argsort(-value[part], kind="stable")][: _MAX_CANDIDATES // _BINS]
        kept.extend(int(i) for i in best)
    return sorted(kept)


def _cue_bonus(text: str) -> float:
    marks = 0.5 * is_decision(text) + 0.2 * is_action(text) + 0.4 * has_weight(text)
    return marks - 0.7 * is_question(text)


def _bonus(quote: Quote, index: int, count: int) -> float:
    place = index / max(1, count - 1)
    edge = 0.3 if place <= 0.1 or place >= 0.93 else 0.0
    hard = filler_ratio(quote.text) + 1.5 * disfluency(quote.text) + _length_penalty(quote.text)
    fragment = 0.4 if quote.text[:1].islower() else 0.0
    return _cue_bonus(quote.text) + edge - hard - fragment


def _length_penalty(text: str) -> float:
    size = sum(2 if ord(char) > 0x2E7F else 1 for char in text)
    if size > 320:
        return min(2.0, (size - 320) / 200)
    return 0.5 if size < 40 else 0.0


def _standard(values: Scores) -> Scores:
    spread = float(values.std())
    return (values - values.mean()) / spread if spread > 1e-9 else np.zeros_like(values)


def _rescaled(similar: Vectors) -> Vectors:
    """Spread cosines over 0..1: those of this model all lie between 0.7 and 1."""
    low = float(similar.min()) if similar.size else 0.0
    return (similar - low) / max(1e-6, 1.0 - low)


def _rescaled_scores(values: Scores) -> Scores:
    low, high = float(values.min()), float(values.max())
    return (values - low) / (high - low) if high > low else np.ones_like(values)
