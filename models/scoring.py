"""Error rates of recognized text: words for most languages, characters for Japanese and Chinese.

Texts are compared as Whisper's own evaluation compares them, so that only what was said counts:
case, punctuation, width and what stands in brackets do not; in English neither do "two" and "2",
"don't" and "do not", "Mr." and "mister", nor hesitations.

Source: A. Radford et al., "Robust Speech Recognition via Large-Scale Weak Supervision" (2022),
appendix C, as transformers has it; the list of British spellings comes with no package.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

Interval = tuple[float, float]
"""Lower and upper bound, 0..1."""

_BY_CHARACTER = frozenset({"ja", "zh"})
_APOSTROPHE = re.compile(r"[’‘`´]")


@dataclass(frozen=True)
class ErrorRate:
    """Edits needed and units in the reference; `rate` may exceed 1."""

    edits: int
    units: int

    @property
    def rate(self) -> float:
        """Edits per unit of the reference; without a reference 0 or 1."""
        return self.edits / self.units if self.units else float(self.edits > 0)

    def __add__(self, other: "ErrorRate") -> "ErrorRate":
        return ErrorRate(self.edits + other.edits, self.units + other.units)


def error_rate(reference: str, hypothesis: str, language: str) -> ErrorRate:
    """Compare texts by what they say, not by how they are written.

    Args:
        reference: what was said.
        hypothesis: what was recognized.
        language: `ja` and `zh` count characters, all others words.
    """
    expected, found = units(reference, language), units(hypothesis, language)
    return ErrorRate(_distance(expected, found), len(expected))


def units(text: str, language: str) -> list[str]:
    """Return a text's words or characters as they are compared."""
    plain = _normalizer(language)(_APOSTROPHE.sub("'", text))
    return list(plain.replace(" ", "")) if language in _BY_CHARACTER else plain.split()


@cache
def _normalizer(language: str) -> Callable[[str], str]:
    from transformers.models.whisper.english_normalizer import (  # noqa: PLC0415 - takes seconds
        BasicTextNormalizer,
        EnglishTextNormalizer,
    )

    if language == "en":
        return EnglishTextNormalizer({})  # type: ignore[no-untyped-call]
    return BasicTextNormalizer()


def _distance(expected: Sequence[str], found: Sequence[str]) -> int:
    """Levenshtein distance in one row."""
    row = list(range(len(found) + 1))
    for i, unit in enumerate(expected, start=1):
        diagonal, row[0] = row[0], i
        for j, other in enumerate(found, start=1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (unit != other))
    return row[-1]


def wilson(part: int, whole: int) -> Interval | None:
    """Return the interval in which a ratio lies with 95 % confidence, None without a whole.

    Source: E. B. Wilson, "Probable inference, the law of succession, and statistical inference",
    Journal of the American Statistical Association 22 (1927).
    """
    if not whole:
        return None
    z = 1.959964
    share, width = part / whole, z * z / whole
    center = share + width / 2
    margin = z * ((share * (1 - share) + width / 4) / whole) ** 0.5
    low, high = (center - margin) / (1 + width), (center + margin) / (1 + width)
    return max(0.0, low), min(1.0, high)
