"""Everything that a run left behind, read once it is over: the journal, the ledger, the diary."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa

from pipeline.engine import journal
from pipeline.engine.journal import StepKey
from tests.chaos import effects, ledger
from tests.chaos.crew import Disturbance
from tests.chaos.diary import Diary, Entry
from tests.chaos.ledger import Happened
from tests.chaos.plans import Plan, number_of, plan_of
from tests.chaos.scene import Scene
from tests.chaos.workflow import Chaos

Row = Mapping[str, Any]


@dataclass
class Case:
    """One instance: what was planned, and what the journal, the ledger and the diary hold of it."""

    plan: Plan
    row: Row
    steps: list[Row] = field(default_factory=list)
    attempts: list[Row] = field(default_factory=list)
    events: list[Row] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    happened: list[Happened] = field(default_factory=list)
    answers: list[Entry] = field(default_factory=list)

    @property
    def current(self) -> dict[StepKey, Row]:
        """The steps of the present generation."""
        generation = self.row["generation"]
        return {key_of(step): step for step in self.steps if step["generation"] == generation}

    @property
    def id(self) -> str:
        """The instance's id."""
        return self.plan.id


@dataclass(frozen=True)
class Books:
    """All cases of a run by their ids, what was done to its processes, and the time at the end.

    `orphans` are instances that have been deleted and of which there is something left.
    """

    seed: int
    cases: dict[str, Case]
    orphans: set[str]
    disturbances: list[Disturbance]
    entries: list[Entry]
    now: float


def read_books(scene: Scene, disturbances: list[Disturbance]) -> Books:
    """Read everything of a run."""
    orphans: set[str] = set()
    entries = list(Diary(scene.home / "diary").read())
    with scene.database.connect() as connection:
        now = connection.scalar(sa.select(sa.func.clock_timestamp()))
        assert now is not None
        table = journal.instance_table
        found = connection.execute(sa.select(table).where(table.c.workflow == Chaos.name))
        cases = {str(row["id"]): _case(scene, row) for row in map(dict, found.mappings())}
        for name, rows in (
            ("steps", journal.step_table),
            ("attempts", journal.attempt_table),
            ("events", journal.event_table),
        ):
            for row in map(dict, connection.execute(sa.select(rows)).mappings()):
                if row["instance"] in cases:
                    getattr(cases[row["instance"]], name).append(row)
                elif not row["instance"].startswith("run_"):
                    orphans.add(row["instance"])
        for case in cases.values():
            case.attempts += [_running(step) for step in case.steps if _is_running(step)]
        for instance, label in connection.execute(sa.select(effects.kept)):
            if instance in cases:
                cases[instance].kept.append(label)
    for entry in entries:
        if entry.subject in cases:
            cases[entry.subject].answers.append(entry)
    return Books(scene.seed, cases, orphans, disturbances, entries, now.timestamp())


def _case(scene: Scene, row: Row) -> Case:
    plan = plan_of(scene.seed, number_of(row["id"]))
    return Case(plan, row, happened=list(ledger.read(scene.ledger / plan.id)))


def _is_running(step: Row) -> bool:
    return step["attempt_at"] is not None and step["status"] != "cancelled"


def _running(step: Row) -> Row:
    """Return an attempt that has not ended, which stands in its step's row, as one of its own."""
    end = {"number": step["attempts"], "outcome": "running", "error_code": None, "ended_at": None}
    return {**step, **end, "started_at": step["attempt_at"]}


def key_of(row: Row) -> StepKey:
    """Return the key of a step's or attempt's row."""
    return StepKey(row["branch"], row["name"], row["count"])


def by_key(rows: Iterable[Row]) -> dict[StepKey, list[Row]]:
    """Sort rows by the step that they belong to, of all generations."""
    found: dict[StepKey, list[Row]] = defaultdict(list)
    for row in rows:
        found[key_of(row)].append(row)
    return found


def pid_of(attempt: Row) -> int:
    """Return the process that made an attempt: its executor is `{place}-{pid}-{random}`."""
    return int(attempt["executor"].split("-")[1])
