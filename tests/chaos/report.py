"""What a run is told as: what was done, what there was, and whether all of it holds."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa

from tests.chaos.books import Books, Case
from tests.chaos.faults import Faults
from tests.chaos.scene import Scene

_SHOWN, _SHOWN_WHOLE, _SHOWN_LOG = 40, 3, 60
_TABLES = (
    ("engine_instance", "id"),
    ("engine_step", "instance"),
    ("engine_attempt", "instance"),
    ("engine_event", "instance"),
    ("dbos.workflow_status", "workflow_uuid"),
)
_LONG = ("params", "request", "inputs", "instance", "generation", "serialization", "attributes")


@dataclass
class Report:
    """The counts of a run and its problems; `details` are the journals of the first of them."""

    seed: int
    duration_s: float
    faults: Counter[str]
    failed_starts: int
    lapses: int
    instances: Counter[str]
    operations: Counter[str]
    steps: int
    attempts: Counter[str]
    effects: int
    events: int
    runs: Counter[str]
    problems: list[str] = field(default_factory=list)
    details: list[str] = field(default_factory=list)

    def lines(self) -> Iterator[str]:
        """Yield the report as text."""
        f = self.faults
        yield f"seed {self.seed}, {self.duration_s:.0f} s"
        yield (
            f"faults: {counted(f)}; meanwhile {self.failed_starts} starts failed and"
            f" {self.lapses} leases lapsed"
        )
        yield f"instances: {self.instances.total()} ({counted(self.instances)})"
        yield f"asked: {counted(self.operations)}"
        yield (
            f"steps: {self.steps}, attempts: {self.attempts.total()} ({counted(self.attempts)}),"
            f" effects: {self.effects}, events: {self.events}"
        )
        yield f"real runs: {counted(self.runs)}"
        if not self.problems:
            yield "every invariant holds"
            return
        yield f"{len(self.problems)} PROBLEMS, repeat with SEED={self.seed}:"
        yield from self.problems[:_SHOWN]
        yield from self.details


def report_of(
    seed: int, duration_s: float, faults: Faults, books: Books, runs: Counter[str]
) -> Report:
    """Count what happened."""
    cases = list(books.cases.values())
    return Report(
        seed=seed,
        duration_s=duration_s,
        faults=faults.counts,
        failed_starts=faults.crew.failed_starts,
        lapses=sum(d.what == "lease lapsed" for d in books.disturbances),
        instances=Counter(case.row["state"] for case in cases),
        operations=Counter(e.what for e in books.entries if e.answer == "ok"),
        steps=sum(len(case.steps) for case in cases),
        attempts=Counter(attempt["outcome"] for case in cases for attempt in case.attempts),
        effects=sum(len(case.happened) for case in cases),
        events=sum(len(case.events) for case in cases),
        runs=runs,
    )


def details_of(scene: Scene, books: Books, ids: list[str]) -> list[str]:
    """Return all that is known of the first instances that have a problem, and what was done."""
    told = [line for id_ in ids[:_SHOWN_WHOLE] for line in _told(scene, books, id_)]
    told += [
        f"{d.begun:.3f} to {d.ended:.3f}: {d.what}, process {d.pid}" for d in books.disturbances
    ]
    for log in sorted(scene.logs.iterdir()):
        lines = log.read_text(errors="replace").splitlines()
        told += [f"--- log of {log.name}, {len(lines)} lines", *lines[-_SHOWN_LOG:]]
    return told


def _told(scene: Scene, books: Books, id_: str) -> Iterator[str]:
    yield f"--- {id_}"
    if id_ in books.cases:
        yield from _told_case(books.cases[id_])
    with scene.database.connect() as connection:
        for table, column in _TABLES:
            found = sa.text(f"SELECT * FROM {table} WHERE {column} LIKE :id || '%'")  # noqa: S608
            for row in connection.execute(found, {"id": id_}).mappings():
                yield f"{table}: {_shown(dict(row))}"


def _shown(row: Mapping[Any, Any]) -> str:
    """Return a row without its empty and its long columns."""
    return ", ".join(
        f"{name}={value}"
        for name, value in row.items()
        if value is not None and name not in _LONG and value != ""
    )


def _told_case(case: Case) -> Iterator[str]:
    yield f"program: {case.plan.program}"
    yield f"actions: {case.plan.actions}"
    yield from (f"effect {effect}" for effect in case.happened)
    yield from (f"answer {answer}" for answer in case.answers)


def counted(counts: Counter[str]) -> str:
    """Return counts as words."""
    return ", ".join(f"{n} {what}" for what, n in sorted(counts.items())) or "none"
