"""One run: set the scene, let things go wrong, let everything come to its end, check."""

import time
from collections import Counter
from collections.abc import Callable, Iterator
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
from tests.chaos.report import Report, counted, details_of, report_of
from tests.chaos.scene import Scene, opened
from tests.chaos.workflow import Chaos

Tell = Callable[[str], None]
_LOOK_S = 0.05
_TELL_S = 15.0
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


def run(terms: Terms, tell: Tell = lambda _: None) -> Report:
    """Run once; the report says what there was and what is wrong.

    Args:
        terms: What the run is to be.
        tell: Called with a line now and then on the way.
    """
    prepare()
    began, before = time.time(), footprint()
    until = began + terms.duration_s - min(terms.duration_s * _END_RATIO, _END_S)
    with opened(terms.seed) as scene:
        with hired(_orders(scene, terms, until)) as crew:
            course = Course(scene, crew, Faults(scene, crew), Lapses(scene.database), tell)
            course.go_on(terms, until)
            problems = course.drain(terms.seed)
            crew.dismiss()
        books = read_books(scene, [*crew.disturbances, *course.lapses.found])
        report = report_of(terms.seed, time.time() - began, course.faults, books, _runs(scene))
        report.problems += problems + crew.problems
        _check(scene, books, terms, report)
    report.problems += [f"the run itself left {what}" for what in footprint().grown(before)]
    return report


@dataclass
class Course:
    """The course of a run: the time in which things go wrong, and the calm after it."""

    scene: Scene
    crew: Crew
    faults: Faults
    lapses: Lapses
    tell: Tell
    _told: float = 0.0

    def go_on(self, terms: Terms, until: float) -> None:
        """Let everybody start, then let things go wrong; at the end all is mended."""
        while time.time() < until and not self.crew.has_started and not self.crew.problems:
            self._look()
        now = time.time()
        if not terms.is_calm:
            self.faults.plan(schedule(terms.seed, until - now), now)
        while time.time() < until and not self.crew.problems:
            self.faults.advance()
            self._look()
        self.faults.mend()

    def drain(self, seed: int) -> list[str]:
        """Let everything come to its end; return what has not in a long time."""
        end = time.time() + _DRAIN_S
        unfinished = ["the web process"]
        while unfinished and not self.crew.problems and time.time() < end:
            self._look()
            if self.crew.members[WEB].is_done or time.time() >= end:
                unfinished = _unfinished(self.scene, seed)
        return [f"{what}: did not come to its end" for what in unfinished]

    def _look(self) -> None:
        self.crew.look()
        if self.faults.is_database_up:
            self.lapses.look()
            if time.time() - self._told > _TELL_S:
                self._told = time.time()
                self.tell(f"{_states(self.scene)}; latest fault: {self.faults.latest}")
        time.sleep(_LOOK_S)


def _orders(scene: Scene, terms: Terms, until: float) -> list[Orders]:
    ledger = str(scene.ledger)
    return [
        Orders(
            name, terms.seed, scene.environ(name), ledger, str(scene.logs / name),
            resources=_RESOURCES.get(name, ()), runs=terms.runs, until=until,
        )
        for name in (*WORKERS, WEB)
    ]  # fmt: skip


def _states(scene: Scene) -> str:
    c = journal.instance_table.c
    with scene.database.connect() as connection:
        states = Counter(connection.execute(sa.select(c.state)).scalars().all())
    return counted(states)


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
