"""One run: set the scene, let things go wrong, let everything come to its end, check."""

import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import sqlalchemy as sa
from sqlmodel import col

from pipeline.engine import journal
from storage.tables import Run
from tests.chaos import approvals, checks, outside, undone, whole
from tests.chaos.books import Books, read_books
from tests.chaos.crew import Crew, hired, prepare
from tests.chaos.faults import WEB, WORKERS, Faults, schedule
from tests.chaos.footprint import footprint
from tests.chaos.lapses import Lapses
from tests.chaos.names import CPU
from tests.chaos.plans import Plan, number_of, plan_of
from tests.chaos.processes import Orders
from tests.chaos.programs import expected
from tests.chaos.report import Report, details_of, report_of
from tests.chaos.scene import Scene, opened
from tests.chaos.workflow import Chaos

_LOOK_S = 0.05
_RESOURCES = {  # each of the models' by two workers, so that one can take over from the other
    "worker-0": (CPU, "asr", "redact"),
    "worker-1": (CPU, "redact", "llm"),
    "worker-2": (CPU, "llm", "asr"),
}
_END_RATIO, _END_S = 0.35, 50.0  # of the time, and at most: for coming to the end
_DRAIN_S = 240.0
_SOURCE_EVERY_S = 30.0
_CHECKS = (*checks.CHECKS, *undone.CHECKS, *outside.CHECKS)


@dataclass(frozen=True)
class Terms:
    """What a run is to be: `is_calm` runs have no faults."""

    seed: int
    duration_s: float
    is_calm: bool = False

    @property
    def runs(self) -> int:
        """How many real sources are uploaded."""
        return max(1, round(self.duration_s / _SOURCE_EVERY_S))


def run(terms: Terms) -> Report:
    """Run once; the report says what there was and what is wrong."""
    prepare()
    began, before = time.time(), footprint()
    until = began + terms.duration_s - min(terms.duration_s * _END_RATIO, _END_S)
    with opened(terms.seed) as scene:
        with hired(_orders(scene, terms, until)) as crew:
            faults = Faults(scene, crew)
            if not terms.is_calm:
                now = time.time()
                faults.plan(schedule(terms.seed, until - now), now)
            lapses = Lapses(scene.database)
            _go_on(crew, faults, lapses, until)
            problems = _drain(scene, crew, lapses, terms.seed)
            crew.dismiss()
        books = read_books(scene, [*crew.disturbances, *lapses.found])
        report = report_of(terms.seed, time.time() - began, faults, books, _runs(scene))
        report.problems += problems + crew.problems
        _check(scene, books, terms, report)
    report.problems += [f"the run itself left {what}" for what in footprint().grown(before)]
    return report


def _orders(scene: Scene, terms: Terms, until: float) -> list[Orders]:
    ledger = str(scene.ledger)
    return [
        Orders(
            name, terms.seed, scene.environ(name), ledger, str(scene.logs / name),
            resources=_RESOURCES.get(name, ()), runs=terms.runs, until=until,
        )
        for name in (*WORKERS, WEB)
    ]  # fmt: skip


def _go_on(crew: Crew, faults: Faults, lapses: Lapses, until: float) -> None:
    while not crew.problems and (time.time() < until or not faults.is_over):
        faults.advance()
        crew.look()
        if faults.is_database_up:
            lapses.look()
        time.sleep(_LOOK_S)


def _drain(scene: Scene, crew: Crew, lapses: Lapses, seed: int) -> list[str]:
    """Let everything come to its end; return what has not in a long time."""
    end = time.time() + _DRAIN_S
    unfinished = ["the web process"]
    while unfinished and not crew.problems and time.time() < end:
        crew.look()
        lapses.look()
        time.sleep(_LOOK_S * 4)
        if crew.members[WEB].is_done or time.time() >= end:
            unfinished = _unfinished(scene, seed)
    return [f"{what}: did not come to its end" for what in unfinished]


def _unfinished(scene: Scene, seed: int) -> list[str]:
    """Return the instances that have to go on or to go, those that wait for good left out."""
    c = journal.instance_table.c
    with scene.database.connect() as connection:
        found = connection.execute(
            sa.select(c.id, c.workflow, c.state, c.waiting, c.delete_at)
        ).all()
    return [
        f"{row.id} ({row.state}, waiting for {row.waiting})"
        for row in found
        if not (row.state in journal.FINAL_STATES and row.delete_at is None)
        and (row.workflow != Chaos.name or not _rests(plan_of(seed, number_of(row.id)), row.state))
    ]


def _rests(plan: Plan, state: str) -> bool:
    is_paused = state == "paused" and plan.operations[-1:] == ("pause",)
    return is_paused or state == expected(plan.program).status == "waiting"


def _runs(scene: Scene) -> Counter[str]:
    with scene.database.connect() as connection:
        return Counter(connection.execute(sa.select(col(Run.status))).scalars().all())


def _check(scene: Scene, books: Books, terms: Terms, report: Report) -> None:
    found = dict(_instances(books))
    report.problems += [f"{id_}: {what}" for id_, whats in found.items() for what in whats]
    report.problems += whole.problems(scene, books)
    report.problems += approvals.problems(scene, books, terms.runs)
    named = [what.partition(" ")[0].rstrip(":") for what in report.problems]
    report.details += details_of(scene, books, list(dict.fromkeys(filter(_is_id, named))))


def _is_id(word: str) -> bool:
    return (word[:1] == "c" and word[1:].isdigit()) or word.startswith(("run_", "acme.", "globex."))


def _instances(books: Books) -> Iterator[tuple[str, list[str]]]:
    for case in books.cases.values():
        whats = [
            what
            for check in (*checks.CHECKS, *undone.CHECKS, *outside.CHECKS)
            for what in check(books, case)
        ]
        if whats:
            yield case.id, whats
