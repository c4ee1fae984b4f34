"""The source of a summary, as the checks look at it."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from models.documents import RedactedSegment, RedactedTranscript
from models.quality.numbers import YEAR_NOUNS, numbers
from models.summarizer.sentences import joined
from models.summarizer.terms import terms
from models.summarizer.variants import fold

_NEAR = 2


@dataclass(frozen=True)
class Evidence:
    """The segments that a sentence cites.

    Args:
        segments: those that exist, in order; all of the source where nothing is cited.
        near: those and two more on each side, since recognizers cut inside sentences.
        missing: cited ids that do not exist.
    """

    segments: tuple[RedactedSegment, ...]
    near: tuple[RedactedSegment, ...]
    missing: tuple[int, ...]

    @cached_property
    def text(self) -> str:
        """The words of the cited segments."""
        return joined(self.segments)

    @cached_property
    def near_text(self) -> str:
        """The words of the cited segments and their neighbours."""
        return joined(self.near)

    @cached_property
    def near_words(self) -> str:
        """The same words, and who says them."""
        return " ".join([self.near_text, *(segment.speaker or "" for segment in self.near)])

    @property
    def speakers(self) -> frozenset[str]:
        """Who speaks in the cited segments."""
        return frozenset(segment.speaker for segment in self.segments if segment.speaker)


@dataclass(frozen=True)
class Source:
    """A redacted transcript with look-up by id."""

    redacted: RedactedTranscript

    @cached_property
    def places(self) -> dict[int, int]:
        """The position of each segment id."""
        return {segment.id: i for i, segment in enumerate(self.redacted.segments)}

    @cached_property
    def text(self) -> str:
        """All words."""
        return joined(self.redacted.segments)

    @cached_property
    def lowered(self) -> str:
        """All words in lower case, and who says them."""
        speakers = {segment.speaker or "" for segment in self.redacted.segments}
        return " ".join([self.text, *sorted(speakers)]).lower()

    @cached_property
    def folded(self) -> str:
        """The same with simplified characters for traditional ones."""
        return fold(self.lowered)

    @cached_property
    def unspaced(self) -> str:
        """The same without spaces."""
        return re.sub(r"\s+", "", self.folded)

    @cached_property
    def counts(self) -> Counter[str]:
        """In how many segments each content word stands."""
        return Counter(term for segment in self.redacted.segments for term in terms(segment.text))

    @cached_property
    def years(self) -> frozenset[float]:
        """Years, and numbers of years, that it names."""
        found = (number for number in numbers(self.text) if number.noun in YEAR_NOUNS)
        return frozenset(value for number in found for value in number.values)

    def evidence(self, citations: Iterable[int]) -> Evidence:
        """Return the evidence of a sentence with these citations."""
        cited = sorted(set(citations))
        known = [self.places[c] for c in cited if c in self.places]
        segments = self.redacted.segments
        if not known:
            return Evidence(segments, segments, tuple(cited))
        near = sorted({j for i in known for j in range(i - _NEAR, i + _NEAR + 1)})
        return Evidence(
            tuple(segments[i] for i in known),
            tuple(segments[j] for j in near if 0 <= j < len(segments)),
            tuple(c for c in cited if c not in self.places),
        )
