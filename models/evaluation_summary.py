"""ROUGE of summaries against references.

ROUGE counts shared words, so it ranks summaries of one kind roughly; it says nothing of truth.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

_TOKEN = re.compile(r"[a-z0-9]+|[\u3040-\u30ff\u3400-\u9fff]")


@dataclass(frozen=True)
class Rouge:
    """F-scores (0..1) of single tokens, pairs and the longest common subsequence."""

    rouge_1: float
    rouge_2: float
    rouge_l: float


def tokens(text: str) -> list[str]:
    """Return lower-case Latin words and numbers, and single Chinese and Japanese characters."""
    return _TOKEN.findall(text.lower())


def rouge(summary: str, reference: str) -> Rouge:
    """Score a summary.

    Args:
        summary: what was written.
        reference: what a person wrote.

    Returns:
        F1 of each kind; zeros where either is empty.

    Source: Lin, "ROUGE", ACL workshop 2004; without stemming.
    """
    found, wanted = tokens(summary), tokens(reference)
    return Rouge(
        _overlap_f(found, wanted, 1),
        _overlap_f(found, wanted, 2),
        _f(_common_length(found, wanted), len(found), len(wanted)),
    )


def _overlap_f(found: Sequence[str], wanted: Sequence[str], size: int) -> float:
    have, want = _grams(found, size), _grams(wanted, size)
    return _f(sum((have & want).values()), sum(have.values()), sum(want.values()))


def _grams(items: Sequence[str], size: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(items[i : i + size]) for i in range(len(items) - size + 1))


def _f(shared: int, found: int, wanted: int) -> float:
    return 2 * shared / (found + wanted) if found and wanted else 0.0


def _common_length(a: Sequence[str], b: Sequence[str]) -> int:
    row = [0] * (len(b) + 1)
    for x in a:
        previous = 0
        for j, y in enumerate(b, start=1):
            above = row[j]
            row[j] = previous + 1 if x == y else max(above, row[j - 1])
            previous = above
    return row[-1]
