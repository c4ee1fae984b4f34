"""Precision and recall of redaction over sentences with gold spans, given or generated."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from models.documents import LANGUAGES, RedactionSpan
from models.fictional import Sentence, generate
from models.redactor import Redactor
from models.redactor.types import DEFAULT_CLASSES, IDENTIFIER_CLASSES
from models.scoring import Interval, wilson

GENERATED_SEED = 2026
_GOALS = {"PERSON": 0.9, "ADDRESS": 0.9} | dict.fromkeys(
    (*IDENTIFIER_CLASSES, "AGE", "DATE_OF_BIRTH", "ZIP_CODE", "identifiers"), 0.95
)
"""Recall that is aimed at; precision is to be 0.85."""

NOT_PERSONAL = frozenset({"FACILITY", "PRODUCT", "EVENT", "WORK", "TITLE"})
"""Gold labels that are no personal data: neither missed nor falsely found."""

OPTIONAL = frozenset({"ORGANIZATION", "LOCATION"})
"""Classes that totals are given with and without."""

_SAME = {"US_DRIVER_LICENSE": "DRIVER_LICENSE"}


@dataclass(frozen=True)
class PiiRow:
    """One line of the table; ratios 0..1, None where there is nothing to divide by.

    `source` is `shared` (a folder of sentences) or `generated`. Intervals are Wilson's at 95 %.

    *Relaxed*: a gold span counts as found when a span of its class overlaps it. *Strict*: when the
    borders agree too. `covered` is the share of gold spans that a span of any class overlaps: what
    would be redacted, whatever it is called.
    """

    source: str
    file: str
    language: str
    entity_type: str
    gold: int
    found: int
    recall: float | None
    recall_interval: Interval | None
    precision: float | None
    precision_interval: Interval | None
    strict_recall: float | None
    strict_precision: float | None
    covered: float | None

    @property
    def goal(self) -> float | None:
        """Recall that the class should have, None for a class without a goal."""
        return _GOALS.get(self.entity_type)

    @property
    def is_missed(self) -> bool:
        """Tell whether recall lies below the goal of the class."""
        return self.goal is not None and self.recall is not None and self.recall < self.goal


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
        rows += _file_rows(file, redactor)
    return rows


def evaluate_generated(
    redactor: Redactor | None = None,
    *,
    per_class: int = 200,
    seed: int = GENERATED_SEED,
    languages: Sequence[str] = LANGUAGES,
    progress: Callable[[int, int, str], None] | None = None,
) -> list[PiiRow]:
    """Score detection on fictional sentences, for each language all, written, spoken and unseen.

    Args:
        redactor: the redactor to measure; by default one with all languages.
        per_class: sentences with each class, and without any, in each language.
        seed: of the generator.
        languages: which languages to measure.
        progress: called with done, total and the language that comes next.

    Returns:
        Rows as of `evaluate_pii`, their file named after language and kind of sentence; `unseen`
        are those of all sentences whose shapes nobody looked at while recognizers were written.

    Raises:
        RedactionError: a model is missing or failed (not retryable).
    """
    redactor = redactor or Redactor(b"evaluation only: no text is kept")
    rows: list[PiiRow] = []
    for done, language in enumerate(languages):
        if progress:
            progress(done, len(languages), f"generated, {language}")
        sentences = list(generate(language, per_class, seed))
        read = [(s, _generated(s, redactor)) for s in sentences]
        for kind in ("all", "written", "spoken", "unseen"):
            chosen = [r for s, r in read if kind in {"all", s.manner, "unseen" if s.unseen else ""}]
            rows += _rows("generated", f"{language} {kind}", language, chosen)
    return rows


def _generated(sentence: Sentence, redactor: Redactor) -> _Sentence:
    return _Sentence(
        gold=tuple(_Span(*span) for span in sentence.spans),
        found=tuple(
            span
            for span in map(_from_span, redactor.detect(sentence.text, sentence.language))
            if span.label in DEFAULT_CLASSES
        ),
    )


def _file_rows(file: Path, redactor: Redactor) -> Iterator[PiiRow]:
    data = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line]
    sentences = [
        _Sentence(
            gold=tuple(_Span(s["start"], s["end"], _label(s["label"])) for s in row["spans"]),
            found=tuple(map(_from_span, redactor.detect(row["text"], row["lang"]))),
        )
        for row in data
    ]
    yield from _rows("shared", file.stem, data[0]["lang"], sentences)


def _rows(
    source: str, file: str, language: str, sentences: Iterable[_Sentence]
) -> Iterator[PiiRow]:
    sentences = list(sentences)
    marked = {span.label for s in sentences for span in s.gold} - NOT_PERSONAL
    if source == "generated":  # everything personal in these sentences is marked
        marked |= {span.label for s in sentences for span in s.found}
    groups: list[tuple[str, Callable[[str], bool]]] = [
        *((label, label.__eq__) for label in sorted(marked)),
        ("identifiers", lambda label: label in marked & set(IDENTIFIER_CLASSES)),
        ("all but optional", lambda label: label in marked - OPTIONAL),
        ("all", lambda label: label in marked),
    ]
    for name, wanted in groups:
        yield _row((source, file, language, name), sentences, wanted)


def _row(
    names: tuple[str, str, str, str],
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
        *names,
        gold=gold,
        found=found,
        recall=_ratio(hits, gold),
        recall_interval=wilson(hits, gold),
        precision=_ratio(right, found),
        precision_interval=wilson(right, found),
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
