"""What a batch changed: each run's old revision against its new one, and the sums."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from sqlmodel import Session

from configs.errors import AppError
from models.documents import Coverage, QualityReport, Summary
from pipeline.batch import get_batch, items_of
from pipeline.commands import App
from storage import costs, runs
from storage.database import reading
from storage.refs import ArtifactRef
from storage.tables import BatchItem

Json = dict[str, object]


@dataclass(frozen=True)
class Measured:
    """What is compared of one revision; None where it did not get that far or was deleted."""

    revision: int
    verdict: str | None
    findings: int | None
    coverage: Coverage
    sentences: tuple[str, ...]
    cost_usd: float

    @property
    def length(self) -> int:
        """Characters of the summary's sentences."""
        return sum(map(len, self.sentences))

    def as_dict(self) -> Json:
        """Return numbers only: no sentence of a summary."""
        return {
            "revision": self.revision,
            "verdict": self.verdict,
            "findings": self.findings,
            "coverage": self.coverage.model_dump(mode="json"),
            "sentences": len(self.sentences),
            "length": self.length,
            "cost_usd": self.cost_usd,
        }


@dataclass(frozen=True)
class Compared:
    """One run of the batch; `new` is None until its revision was begun."""

    run_id: str
    status: str
    old: Measured
    new: Measured | None
    error_code: str | None

    @property
    def changed_sentences_ratio(self) -> float | None:
        """Share of the new summary's sentences that the old one does not have word for word."""
        if self.new is None or not self.new.sentences:
            return None
        kept = Counter(self.new.sentences) & Counter(self.old.sentences)
        return 1 - kept.total() / len(self.new.sentences)

    def as_dict(self) -> Json:
        """Return the run's part of the report."""
        ratio = self.changed_sentences_ratio
        return {
            "run": self.run_id,
            "status": self.status,
            "error": self.error_code,
            "old": self.old.as_dict(),
            "new": None if self.new is None else self.new.as_dict(),
            "changed_sentences_ratio": None if ratio is None else round(ratio, 4),
        }


def report(app: App, batch_id: str) -> Json:
    """Compare old and new of every run of a batch, finished or not.

    Raises:
        NotFoundError: there is no such batch (not retryable).
    """
    with reading(app.database) as session:
        batch = get_batch(session, batch_id)
        compared = [_compare(app, session, item) for item in items_of(session, batch_id)]
    return {
        "batch": batch.id,
        "selection": batch.selection,
        "from_step": batch.from_step,
        "variable": batch.variable,
        "value": batch.value,
        "created_at": batch.created_at,
        "runs": [one.as_dict() for one in compared],
        "skipped": list(batch.skipped),
        "totals": _totals(compared),
    }


def _compare(app: App, session: Session, item: BatchItem) -> Compared:
    run = runs.get_run(session, item.run_id)
    new = None if item.new_revision is None else _measure(app, session, run.id, item.new_revision)
    return Compared(
        run_id=run.id,
        status=run.status.value,
        old=_measure(app, session, run.id, item.old_revision),
        new=new,
        error_code=item.error_code
        or (run.error_code if run.revision == item.new_revision else None),
    )


def _measure(app: App, session: Session, run_id: str, revision: int) -> Measured:
    artifacts = runs.artifacts_of(session, run_id, revision)
    summary = _read(app, artifacts.get("summary"))
    quality = _read(app, artifacts.get("quality_report"))
    checked = None if quality is None else QualityReport.model_validate_json(quality)
    sentences = () if summary is None else Summary.model_validate_json(summary).sentences()
    return Measured(
        revision=revision,
        verdict=None if checked is None else checked.verdict.value,
        findings=None if checked is None else len(checked.findings),
        coverage=Coverage() if checked is None else checked.coverage,
        sentences=tuple(sentence.text for _, sentence in sentences),
        cost_usd=costs.revision_cost_usd(session, run_id, revision),
    )


def _read(app: App, ref: ArtifactRef | None) -> bytes | None:
    """Return an artifact's bytes; one that was deleted meanwhile is not there to compare."""
    if ref is None:
        return None
    try:
        return app.store.read_bytes(ref)
    except AppError as error:
        if error.retryable:
            raise
        return None


def _totals(compared: Sequence[Compared]) -> Json:
    pairs = [(one.old, one.new) for one in compared if one.new is not None]
    ratios = [r for one in compared if (r := one.changed_sentences_ratio) is not None]
    return {
        "runs": len(compared),
        "begun": len(pairs),
        "failed": sum(one.error_code is not None for one in compared),
        "old": _sum([old for old, _ in pairs]),
        "new": _sum([new for _, new in pairs if new is not None]),
        "changed_sentences_ratio": round(sum(ratios) / len(ratios), 4) if ratios else None,
    }


def _sum(measured: Sequence[Measured]) -> Json:
    return {
        "verdicts": dict(Counter(m.verdict for m in measured if m.verdict is not None)),
        "findings": sum(m.findings or 0 for m in measured),
        "length": sum(m.length for m in measured),
        "cost_usd": sum(m.cost_usd for m in measured),
    }
