"""How much personal data redaction finds, and how much else it takes."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from configs.errors import NotFoundError
from models.documents import RedactionSpan

# Source: the data's own scoring advice; neither finding nor missing these counts.
IGNORED_LABELS = frozenset({"FACILITY", "PRODUCT", "EVENT", "WORK", "TITLE"})
OPTIONAL_LABELS = frozenset({"ORGANIZATION", "LOCATION"})

Detector = Callable[[str, str], Sequence[RedactionSpan]]


@dataclass(frozen=True)
class GoldSpan:
    """What is marked as personal data: code points, end exclusive."""

    start: int
    end: int
    label: str


@dataclass(frozen=True)
class GoldText:
    """One line of the data."""

    id: str
    text: str
    language: str
    spans: tuple[GoldSpan, ...]


@dataclass
class LabelScore:
    """Counts for one label.

    `covered` gold spans lie wholly inside what was found, under whatever label; `typed` of them
    under their own. `false_alarms` are found spans of this label that touch no gold span.
    """

    gold: int = 0
    covered: int = 0
    typed: int = 0
    found: int = 0
    false_alarms: int = 0

    def add(self, other: "LabelScore") -> None:
        """Add another label's counts."""
        for name in vars(self):
            setattr(self, name, getattr(self, name) + getattr(other, name))

    @property
    def recall(self) -> float | None:
        """Share of gold spans that would have been removed whole; None without gold spans."""
        return self.covered / self.gold if self.gold else None

    @property
    def precision(self) -> float | None:
        """Share of found spans that touch a gold span; None where nothing was found."""
        return 1 - self.false_alarms / self.found if self.found else None

    def as_dict(self) -> dict[str, object]:
        """Return counts and ratios."""
        return {**vars(self), "recall": self.recall, "precision": self.precision}


@dataclass
class FileScore:
    """The scores of one file of the data."""

    file: str
    language: str = ""
    texts: int = 0
    labels: dict[str, LabelScore] = field(default_factory=dict)

    def total(self, *, optional: bool) -> LabelScore:
        """Return the sum over the labels, with or without the optional ones."""
        total = LabelScore()
        for label, score in self.labels.items():
            if optional or label not in OPTIONAL_LABELS:
                total.add(score)
        return total

    def as_dict(self) -> dict[str, object]:
        """Return the form that `eval pii --json` prints."""
        return {
            "file": self.file,
            "language": self.language,
            "texts": self.texts,
            "total": self.total(optional=False).as_dict(),
            "total_with_optional": self.total(optional=True).as_dict(),
            "labels": {label: score.as_dict() for label, score in sorted(self.labels.items())},
        }


def files_of(data: Path) -> list[Path]:
    """Return the files with gold spans.

    Raises:
        NotFoundError: there are none (not retryable).
    """
    files = sorted((data / "pii").glob("*.jsonl"))
    if not files:
        raise NotFoundError(f"There are no files pii/*.jsonl in {data}.")
    return files


def read_gold(path: Path) -> Iterator[GoldText]:
    """Read a file with one annotated text a line."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                entry = json.loads(line)
                spans = tuple(GoldSpan(s["start"], s["end"], s["label"]) for s in entry["spans"])
                yield GoldText(entry["id"], entry["text"], entry["lang"], spans)


def score_file(path: Path, detect: Detector, done: Callable[[], None] = lambda: None) -> FileScore:
    """Score a detector on one file; classes that the file does not annotate count no alarms."""
    texts = list(read_gold(path))
    known = {span.label for text in texts for span in text.spans} - IGNORED_LABELS
    score = FileScore(path.name, texts[0].language if texts else "", len(texts))
    score.labels = {label: LabelScore() for label in known}
    for text in texts:
        _score_text(score, text, detect(text.text, text.language))
        done()
    return score


def _score_text(score: FileScore, text: GoldText, found: Sequence[RedactionSpan]) -> None:
    covered = {i for span in found for i in range(span.start, span.end)}
    for gold in text.spans:
        if gold.label not in IGNORED_LABELS:
            label = score.labels[gold.label]
            label.gold += 1
            label.covered += all(i in covered for i in range(gold.start, gold.end))
            label.typed += any(
                span.entity_type == gold.label and _touch(span, gold) for span in found
            )
    for label_name, count in Counter(span.entity_type for span in found).items():
        if label_name in score.labels:
            score.labels[label_name].found += count
    for span in found:
        if span.entity_type in score.labels and not any(_touch(span, g) for g in text.spans):
            score.labels[span.entity_type].false_alarms += 1


def _touch(span: RedactionSpan, gold: GoldSpan) -> bool:
    return span.start < gold.end and gold.start < span.end
