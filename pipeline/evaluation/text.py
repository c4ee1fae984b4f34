"""Comparing a recognized text with its reference: units, edit distance, error rate."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

CHARACTER_LANGUAGES = frozenset({"ja", "zh"})
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


@dataclass(frozen=True)
class ErrorCount:
    """Edits between a hypothesis and its reference, and the reference's length."""

    edits: int
    units: int

    @property
    def rate(self) -> float:
        """Word or character error rate; can exceed 1 where much was invented."""
        if self.units == 0:
            return 0.0 if self.edits == 0 else 1.0
        return self.edits / self.units

    def __add__(self, other: "ErrorCount") -> "ErrorCount":
        return ErrorCount(self.edits + other.edits, self.units + other.units)


def units_of(text: str, language: str) -> list[str]:
    """Return what is counted: words, or characters where words are not separated.

    Width, case and punctuation do not count (NFKC, case folding).
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    if language.partition("+")[0] in CHARACTER_LANGUAGES:
        return [c for c in folded if c.isalnum()]
    return [word.replace("’", "'") for word in _WORD.findall(folded)]


def count_errors(hypothesis: str, reference: str, language: str) -> ErrorCount:
    """Return the edits (insertions, deletions, substitutions) from reference to hypothesis.

    Source: word error rate as in Levenshtein distance over units, S + D + I over N.
    """
    wanted, given = units_of(reference, language), units_of(hypothesis, language)
    return ErrorCount(edit_distance(wanted, given), len(wanted))


def edit_distance(first: Sequence[str], second: Sequence[str]) -> int:
    """Return the Levenshtein distance between two sequences."""
    row = list(range(len(second) + 1))
    for i, left in enumerate(first, start=1):
        diagonal, row[0] = row[0], i
        for j, right in enumerate(second, start=1):
            above = row[j]
            row[j] = min(above + 1, row[j - 1] + 1, diagonal + (left != right))
            diagonal = above
    return row[-1]
