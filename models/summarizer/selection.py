"""Which sentences say most of what a source says, and not the same thing twice."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from models.summarizer.cues import (
    disfluency,
    filler_ratio,
    goes_on,
    has_weight,
    is_action,
    is_decision,
    is_fragment,
    is_question,
)
from models.summarizer.forms import ASIDE, QUOTED
from models.summarizer.sentences import Quote
from models.summarizer.terms import length, overlap, terms, topics

Vectors = npt.NDArray[np.float32]
Scores = npt.NDArray[np.float64]

_MAX_CANDIDATES = 240
_BINS = 12
_OWN_WORTH = 0.4
_SPREAD = 0.05
_TOGETHER = 3
_SHORT = 12
_NOT_WHOLE = 0.15
_EXPLAINS = 0.15


@dataclass(frozen=True)
class Candidates:
    """The sentences that may be chosen, in order, with their vectors and scores.

    Args:
        quotes: of length n.
        vectors: float32 unit vectors, `(n, dimensions)`.
        scores: float64, `(n,)`, 0..1; higher says more.
        weights: what it is worth to speak of a topic of the source.
    """

    quotes: tuple[Quote, ...]
    vectors: Vectors
    scores: Scores
    weights: Mapping[str, float]

    def choose(
        self, count: int, taken: Sequence[int] = (), elsewhere: Sequence[int] = ()
    ) -> list[int]:
        """Choose the sentences that together say most of what the source speaks of.

        Each next one is worth the topics that it adds for its length, half of that where they have
        been said, and what the sentence is worth by itself.

        Args:
            count: how many at most.
            taken: indexes that are chosen already and count as said.
            elsewhere: indexes that stand elsewhere: not to be chosen, but no less to be spoken of.

        Returns:
            New indexes, in the order of the source.

        Source: Lin and Bilmes, "A Class of Submodular Functions for Document Summarization", ACL
        2011: greedy, by gain for length. The weights are own judgement on seven meetings.
        """
        chosen: list[int] = []
        said: Counter[str] = Counter()
        open_places = np.ones(len(self.quotes), dtype=bool)
        for index in elsewhere:
            open_places &= ~self._repeats(index)
        for index in taken:
            open_places &= ~self._repeats(index)
            said.update(self._topics[index].keys())
        while len(chosen) < count and open_places.any():
            value = (1 - _OWN_WORTH) * self._gains(said) + _OWN_WORTH * self.scores
            value = value - self._dependence
            if places := [*taken, *chosen]:
                value = value - _SPREAD * self._crowding(places)
            best = int(np.where(open_places, value, -np.inf).argmax())
            chosen.append(best)
            said.update(self._topics[best].keys())
            open_places &= ~self._repeats(best)
        return sorted(chosen)

    def _gains(self, said: Mapping[str, int]) -> Scores:
        """Return what each sentence adds for its length (0..1), less where it reads hard."""
        gains = np.array(
            [
                sum(self.weights[t] * 0.5 ** said.get(t, 0) for t in topics)
                for topics in self._topics
            ]
        )
        return _rescaled(gains / self._lengths) * self._ease

    @cached_property
    def _lengths(self) -> Scores:
        return np.array([max(_SHORT, length(quote.text)) for quote in self.quotes], dtype=float)

    @cached_property
    def _ease(self) -> Scores:
        hard = [filler_ratio(q.text) + 0.15 * disfluency(q.text) for q in self.quotes]
        return np.array([1.0 - min(0.9, value) for value in hard])

    @cached_property
    def _dependence(self) -> Scores:
        """Return what sentences lose that go on from one before ("And so it was") or break off.

        In a paragraph of a document the others explain the first.
        """
        return np.array(
            [
                _NOT_WHOLE * (goes_on(q.text) + is_fragment(q.text))
                + _EXPLAINS * (q.form != "" and not q.opens)
                for q in self.quotes
            ]
        )

    @cached_property
    def _topics(self) -> tuple[Counter[str], ...]:
        return tuple(topics(quote.text) for quote in self.quotes)

    def _crowding(self, said: Sequence[int]) -> Scores:
        """Return for each sentence how many chosen ones are near it.

        That is within a twelfth of the source, and, which weighs more, in its paragraph.
        """
        places = np.arange(len(self.quotes))
        distance = np.abs(places[:, None] - np.array(said)[None, :])
        near = distance < max(1.0, len(self.quotes) / 12)
        together = self._paragraphs[:, None] == self._paragraphs[None, said]
        return np.asarray(near.sum(axis=1) + _TOGETHER * together.sum(axis=1), dtype=np.float64)

    @cached_property
    def _paragraphs(self) -> npt.NDArray[np.int64]:
        """Number the paragraphs of a document; what was said has none, each sentence is alone."""
        return np.array([q.segments[0] if q.form else -i for i, q in enumerate(self.quotes)])

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

    @cached_property
    def standing(self) -> Scores:
        """The scores, less where a sentence does not stand by itself, as a heading has to."""
        asks = np.array([0.3 * is_question(quote.text) for quote in self.quotes])
        standing: Scores = self.scores * self._ease - 2 * self._dependence - asks
        return standing

    def among(self, kept: Sequence[int]) -> "Candidates":
        """Return only these sentences, with their vectors and scores."""
        return Candidates(
            tuple(self.quotes[i] for i in kept),
            self.vectors[kept],
            self.scores[kept],
            self.weights,
        )


def candidates(quotes: Sequence[Quote], embed: Callable[[Sequence[str]], Vectors]) -> Candidates:
    """Score the sentences of a source.

    Args:
        quotes: all of them, in order, at least one.
        embed: texts -> unit vectors; called once with at most 240 texts, which bounds the time.

    Returns:
        The candidates: without fillers and what is no prose, and of a long source the most telling
        of each twelfth.
    """
    kept = _quotable(quotes)
    lexical = _lexical_scores(kept)
    chosen = _prefiltered(kept, lexical)
    kept = [kept[i] for i in chosen]
    vectors = embed([quote.text[:240] for quote in kept])
    centre = vectors.mean(axis=0)
    centrality = vectors @ (centre / (np.linalg.norm(centre) or 1.0))
    scores = 0.5 * _standard(centrality.astype(np.float64)) + 0.5 * _standard(lexical[chosen])
    bonus = np.array([_bonus(quote, i, len(kept)) for i, quote in enumerate(kept)])
    return Candidates(tuple(kept), vectors, _rescaled(scores + bonus), _weights(quotes))


def _quotable(quotes: Sequence[Quote]) -> list[Quote]:
    """Return what a source says itself, else what it quotes, else whatever is longest in it."""
    telling = [quote for quote in quotes if _is_telling(quote)]
    prose = [quote for quote in telling if quote.form not in ASIDE]
    own = [quote for quote in prose if quote.form != QUOTED]
    return own or prose or telling or [max(quotes, key=lambda quote: len(quote.text))]


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
    at_end = place >= 0.93 and not quote.form  # documents end in contacts and next dates
    edge = 0.3 if place <= 0.1 or at_end else 0.0
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


def _rescaled(values: Scores) -> Scores:
    low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 0.0)
    return (values - low) / (high - low) if high > low else np.ones_like(values)


def _weights(quotes: Sequence[Quote]) -> Mapping[str, float]:
    """Return the weight of each topic: the logarithm of how many sentences speak of it."""
    found: Counter[str] = Counter()
    for quote in quotes:
        found.update(topics(quote.text).keys())
    return {t: float(np.log1p(count)) if count > 1 else 0.0 for t, count in found.items()}
