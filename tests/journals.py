"""Journals recorded by released versions: `python -m tests.journals` records this version's.

A new release records its own beside the older ones, which stay as they are: instances that began
under an old version must come to their end under every later one.
"""

import asyncio
import json
from functools import partial
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from configs.errors import CorruptInputError
from pipeline.engine import Engine, Resource, Retries, Step, Workflow, WorkflowEvent
from pipeline.engine import journal as tables
from pipeline.engine.testing import quick, started, wait_for_status
from pipeline.version import VERSION
from tests.engine_calls import Clip, double

FOLDER = Path(__file__).parent / "data/journals"
RESOURCES = {"asr": Resource(per_process=1)}
OUTPUT = {"doubled": 6.0, "parts": [2, 3], "failed": "input.corrupt", "said": "late", "drawn": True}


class Journey(Workflow[str]):
    """Every kind of step before a wait, and some after it."""

    name = "recorded-journey"

    def __init__(self) -> None:
        self.ran: list[str] = []

    async def run(self, event: WorkflowEvent[str], step: Step) -> dict[str, object]:  # noqa: ARG002 - the shape
        """Take an instance through every kind of step."""
        drawn = [await step.random(), await step.uuid(), str(await step.now())]
        clip = await step.do("double", partial(double, Clip("c", 3.0)), resource="asr")
        parts = await asyncio.gather(*(self._part(step.branch(str(n)), n) for n in (1, 2)))
        failed = await self._failing(step)
        await step.sleep("pause", 0.1)
        first = await step.wait_for_event("first", type="go", timeout="300 days")
        said = await step.wait_for_event("second", type="go", timeout="300 days")
        await step.do("after", partial(self._note, "after", 0))
        return {
            "doubled": clip.length_s,
            "parts": parts,
            "failed": failed,
            "said": said.payload,
            "drawn": bool(drawn and first),
        }

    async def _part(self, step: Step, number: int) -> int:
        await step.do("first", partial(self._note, f"part {number}", number))
        return await step.do("second", partial(self._note, f"part {number} again", number + 1))

    async def _failing(self, step: Step) -> str:
        try:
            await step.do("fail", self._fail, retries=Retries(limit=1, delay=0))
        except CorruptInputError as error:
            return error.code
        return "it did not fail"

    def _note(self, name: str, value: int) -> int:
        self.ran.append(name)
        return value

    def _fail(self) -> None:
        self.ran.append("fail")
        raise CorruptInputError


def record(path: Path) -> None:
    """Write the journal of an instance that waits for its second event."""
    with started(Journey(), resources=RESOURCES, settings=quick()) as engine:
        instance = engine.workflows.get(Journey.name).create("recorded", "x")
        instance.send_event("go", "early")
        wait_for_status(instance, {"waiting"})
        while instance.history()[-1].name != "second":
            wait_for_status(instance, {"waiting"})
        rows = dump(engine)
    path.write_text(json.dumps(rows, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def dump(engine: Engine) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of the journal's tables by table, but for the leases."""
    kept = [table for table in tables.metadata.sorted_tables if table.name != "engine_lease"]
    with engine.database.connect() as connection:
        return {
            table.name: [dict(row._mapping) for row in connection.execute(sa.select(table))]
            for table in kept
        }


def load(engine: Engine, path: Path) -> None:
    """Put a recorded journal into an engine's database."""
    rows = json.loads(path.read_text(encoding="utf-8"))
    with engine.database.begin() as connection:
        for name, recorded in rows.items():
            if recorded:
                connection.execute(sa.insert(tables.metadata.tables[name]), recorded)


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    record(FOLDER / f"{VERSION}.json")
