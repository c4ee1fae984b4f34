"""The database goes away and comes back: nothing is lost and nothing is done twice."""

import threading
from functools import partial

from pipeline.engine import Step
from pipeline.engine.testing import wait_for_status
from tests.databases import run_postgres
from tests.engine_calls import process_id
from tests.engines import running


def test_database_when_restarted_again_and_again_then_all_instances_come_to_their_end() -> None:
    runs: list[str] = []

    async def script(step: Step) -> object:
        for number in range(3):
            await step.do("note", partial(runs.append, f"note {number}"))
            await step.sleep("pause", 0.5)
        event = await step.wait_for_event("go", type="go", timeout=120)
        pid = await step.do("heavy", process_id, resource="llm")
        return [event.payload, pid > 0]

    with run_postgres() as server, server.database() as url, running(url) as harness:
        instances = [harness.begin(script) for _ in range(5)]
        for instance in instances:
            instance.send_event("go", instance.id)
        for _ in range(3):
            threading.Event().wait(1.0)
            server.stop()
            threading.Event().wait(0.5)
            server.start()
        for instance in instances:
            status = wait_for_status(instance, timeout_s=120)
            assert status.output == [instance.id, True]
