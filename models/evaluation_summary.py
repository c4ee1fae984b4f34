"""ROUGE of summaries against references, what they cite, and the baselines that they must beat.

ROUGE counts shared words, so it ranks summaries of one kind roughly; it says nothing of truth. A
longer text finds more of a reference, so a baseline is as long as the summary beside it.
"""

import random
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from models.documents import RedactedTranscript, Sentence
from models.summarizer.sentences import joined

_TOKEN = re.compile(r"[a-z0-9]+|[\u3040-\u30ff\u3400-\u9fff]")
_STRETCHES = 12


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


def mean_rouge(scores: Sequence[Rouge]) -> Rouge:
    """Return the mean of each kind, of at least one score."""
    count = len(scores)
    return Rouge(
        sum(score.rouge_1 for score in scores) / count,
        sum(score.rouge_2 for score in scores) / count,
        sum(score.rouge_l for score in scores) / count,
    )


def lead(sentences: Sequence[str], length: int) -> str:
    """Return the first sentences, until they have this many tokens."""
    return _until(sentences, range(len(sentences)), length)


def draw(sentences: Sequence[str], length: int, seed: int) -> str:
    """Return sentences drawn at random, in order, until they have this many tokens."""
    order = list(range(len(sentences)))
    random.Random(seed).shuffle(order)  # noqa: S311 - a baseline, drawn again with its seed
    return _until(sentences, order, length)


def is_exact(sentence: Sentence, redacted: RedactedTranscript) -> bool:
    """Tell whether a sentence stands word for word in what it cites, and in no less of it."""
    cited = [segment for segment in redacted.segments if segment.id in sentence.citations]
    text = _bare(sentence.text)
    if len(cited) != len(sentence.citations) or text not in _bare(joined(cited)):
        return False
    shorter = (cited[1:], cited[:-1]) if len(cited) > 1 else ()
    return all(text not in _bare(joined(part)) for part in shorter)


def reach(cited: frozenset[int], redacted: RedactedTranscript) -> float:
    """Return of how many twelfths of a source (0..1, by characters) something is cited."""
    total = sum(len(segment.text) for segment in redacted.segments) or 1
    found, before = set(), 0
    for segment in redacted.segments:
        if segment.id in cited:
            middle = before + len(segment.text) / 2
            found.add(min(_STRETCHES - 1, int(_STRETCHES * middle / total)))
        before += len(segment.text)
    return len(found) / _STRETCHES


def _until(sentences: Sequence[str], order: Sequence[int], length: int) -> str:
    chosen, size = [], 0
    for index in order:
        if size >= length:
            break
        chosen.append(index)
        size += len(tokens(sentences[index]))
    return "\n".join(sentences[index] for index in sorted(chosen))


def _bare(text: str) -> str:
    return "".join(text.split())


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
