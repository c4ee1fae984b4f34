"""Precision and recall of redaction over a folder of sentences with gold spans."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from models.documents import RedactionSpan
from models.redactor import Redactor
from models.redactor.types import IDENTIFIER_CLASSES

NOT_PERSONAL = frozenset({"FACILITY", "PRODUCT", "EVENT", "WORK", "TITLE"})
"""Gold labels that are no personal data: neither missed nor falsely found."""

OPTIONAL = frozenset({"ORGANIZATION", "LOCATION"})
"""Classes that totals are given with and without."""

_SAME = {"US_DRIVER_LICENSE": "DRIVER_LICENSE"}


@dataclass(frozen=True)
class PiiRow:
    """One line of the table; ratios 0..1, None where there is nothing to divide by.

    *Relaxed*: a gold span counts as found when a span of its class overlaps it. *Strict*: when the
    borders agree too. `covered` is the share of gold spans that a span of any class overlaps: what
    would be redacted, whatever it is called.
    """

    file: str
    language: str
    entity_type: str
    gold: int
    found: int
    recall: float | None
    precision: float | None
    strict_recall: float | None
    strict_precision: float | None
    covered: float | None


@dataclass(frozen=True)
class _Span:
    start: int
    end: int
    label: str

    def overlaps(self, other: "_Span") -> bool:
        return self.start < other.end and other.start < self.end


@dataclass(frozen=True)
class _Sentence:
    gold: tuple[_Span, ...]
    found: tuple[_Span, ...]


def evaluate_pii(
    data: Path,
    redactor: Redactor | None = None,
    *,
    progress: Callable[[int, int, str], None] | None = None,
) -> list[PiiRow]:
    """Score detection on `pii/*.jsonl` of a data folder.

    A class counts for a file only if the file's annotators marked it at all: Wikipedia sentences
    hold ages and dates that nobody annotated. A finding that overlaps a gold span of no personal
    class is passed over.

    Args:
        data: folder with `pii/*.jsonl`: `{"id", "text", "lang", "spans": [{"start", "end",
            "label"}]}`.
        redactor: the redactor to measure; by default one with all languages.
        progress: called with done, total and the file that comes next.

    Returns:
        For each file a row per class, then `identifiers`, `all` and `all but optional`.

    Raises:
        RedactionError: a model is missing or failed (not retryable).
    """
    redactor = redactor or Redactor(b"evaluation only: no text is kept")
    files = sorted((data / "pii").glob("*.jsonl"))
    rows: list[PiiRow] = []
    for done, file in enumerate(files):
        if progress:
            progress(done, len(files), file.name)
        rows += _rows(file, redactor)
    return rows


def _rows(file: Path, redactor: Redactor) -> Iterator[PiiRow]:
    data = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line]
    sentences = [
        _Sentence(
            gold=tuple(_Span(s["start"], s["end"], _label(s["label"])) for s in row["spans"]),
            found=tuple(map(_from_span, redactor.detect(row["text"], row["lang"]))),
        )
        for row in data
    ]
    marked = {span.label for s in sentences for span in s.gold} - NOT_PERSONAL
    groups: list[tuple[str, Callable[[str], bool]]] = [
        *((label, label.__eq__) for label in sorted(marked)),
        ("identifiers", lambda label: label in marked & set(IDENTIFIER_CLASSES)),
        ("all but optional", lambda label: label in marked - OPTIONAL),
        ("all", lambda label: label in marked),
    ]
    for name, wanted in groups:
        yield _row(file.stem, data[0]["lang"], name, sentences, wanted)


def _row(
    file: str,
    language: str,
    name: str,
    sentences: Sequence[_Sentence],
    wanted: Callable[[str], bool],
) -> PiiRow:
    gold = found = hits = right = strict = covered = 0
    for sentence in sentences:
        golds = [g for g in sentence.gold if wanted(g.label)]
        finds = [f for f in sentence.found if wanted(f.label) and _counts(f, sentence.gold)]
        gold += len(golds)
        found += len(finds)
        hits += sum(any(_same(g, f) for f in finds) for g in golds)
        right += sum(any(_same(g, f) for g in golds) for f in finds)
        strict += len(set(golds) & set(finds))
        covered += sum(any(g.overlaps(f) for f in sentence.found) for g in golds)
    return PiiRow(
        file=file,
        language=language,
        entity_type=name,
        gold=gold,
        found=found,
        recall=_ratio(hits, gold),
        precision=_ratio(right, found),
        strict_recall=_ratio(strict, gold),
        strict_precision=_ratio(strict, found),
        covered=_ratio(covered, gold),
    )


def _counts(found: _Span, gold: Sequence[_Span]) -> bool:
    """Tell whether a finding is scored: not where only a label of no personal class stands."""
    touched = [g for g in gold if g.overlaps(found)]
    return not touched or any(g.label not in NOT_PERSONAL for g in touched)


def _same(gold: _Span, found: _Span) -> bool:
    return gold.label == found.label and gold.overlaps(found)


def _label(label: str) -> str:
    return _SAME.get(label, label)


def _from_span(span: RedactionSpan) -> _Span:
    return _Span(span.start, span.end, _label(span.entity_type))


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None
