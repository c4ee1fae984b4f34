"""Whole instances: created once, ended once, shown as they are."""

import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

import pytest
import sqlalchemy as sa
from sqlmodel import Session

from configs.errors import CorruptInputError
from pipeline.engine import (
    Engine,
    EngineError,
    InstanceExistsError,
    InstanceNotFoundError,
    Instances,
    Outcome,
    Step,
    TooLargeForJournalError,
    UnsafeWorkflowError,
    Workflow,
    WorkflowEvent,
)
from pipeline.engine.testing import wait_for_status
from storage.database import create_database, transaction
from tests import engine_calls
from tests.engine_calls import read_notes, write_note
from tests.engines import SETTINGS


class RolledBackError(Exception):
    pass


@dataclass(frozen=True)
class Order:
    title: str
    fail: bool = False
    wait: bool = False
    hook_fails: bool = False
    fill: str = ""


class Ordered(Workflow[Order]):
    """A workflow whose end is noted in the application's own table."""

    name = "ordered"

    async def run(self, event: WorkflowEvent[Order], step: Step) -> Order:
        if event.payload.wait:
            await step.wait_for_event("go", type="go", timeout=60)
        if event.payload.fail:
            await step.do("fail", _refuse)
        return event.payload

    def finished(self, session: Session, event: WorkflowEvent[Order], outcome: Outcome) -> None:
        code = outcome.error.code if outcome.error else ""
        write_note(session, f"{event.instance_id} {outcome.status.value} {code}".strip())
        if event.payload.hook_fails:
            raise RolledBackError("the hook failed")


class Held(Workflow[str]):
    """A workflow that stays in a step until it is released."""

    name = "held"
    began = threading.Event()
    release = threading.Event()

    async def run(self, event: WorkflowEvent[str], step: Step) -> str:
        await step.do("hold", self._hold)
        await step.do("after", lambda: engine_calls.prepared.append(event.payload))
        return "done"

    def _hold(self) -> None:
        self.began.set()
        self.release.wait(30)


def _refuse() -> None:
    raise CorruptInputError


@dataclass
class Running:
    database: sa.Engine
    engine: Engine

    @property
    def orders(self) -> Instances:
        return self.engine.workflows.get("ordered")


@pytest.fixture(scope="module")
def running(module_database_url: str) -> Iterator[Running]:
    database = create_database(module_database_url)
    engine = Engine(database, module_database_url, [Ordered(), Held()], settings=SETTINGS)
    engine_calls.metadata.create_all(database)
    engine.start()
    yield Running(database, engine)
    engine.stop()
    database.dispose()


def test_instance_when_complete_then_has_its_output_and_its_hook_has_run(
    running: Running,
) -> None:
    instance = running.orders.create("complete", Order("title"))
    status = wait_for_status(instance)
    assert (status.status, status.output) == ("complete", Order("title"))
    assert status.ended_at
    assert read_notes(running.database, "complete ") == ["complete complete"]


def test_instance_when_errored_then_the_hook_is_given_the_error(running: Running) -> None:
    instance = running.orders.create("errored", Order("title", fail=True))
    assert wait_for_status(instance).status == "errored"
    assert read_notes(running.database, "errored ") == ["errored errored input.corrupt"]


def test_hook_when_it_raises_then_its_rows_are_undone_and_the_instance_is_errored(
    running: Running,
) -> None:
    instance = running.orders.create("hooked", Order("title", hook_fails=True))
    status = wait_for_status(instance)
    assert status.status == "errored"
    assert status.error
    assert status.error.message == "the hook failed"
    assert read_notes(running.database, "hooked") == []


def test_create_when_the_id_is_in_use_then_is_an_error(running: Running) -> None:
    running.orders.create("twice", Order("one"))
    with pytest.raises(InstanceExistsError):
        running.orders.create("twice", Order("two"))
    assert wait_for_status(running.orders.get("twice")).output == Order("one")


def test_create_when_the_callers_transaction_is_undone_then_nothing_was_created(
    running: Running,
) -> None:
    with suppress(RolledBackError), transaction(running.database) as session:
        running.orders.create("undone", Order("one"), session=session)
        write_note(session, "undone row")
        raise RolledBackError
    with pytest.raises(InstanceNotFoundError):
        running.orders.get("undone").status()
    assert read_notes(running.database, "undone") == []


def test_create_when_in_the_callers_transaction_then_both_are_committed(
    running: Running,
) -> None:
    with transaction(running.database) as session:
        write_note(session, "row of together")
        running.orders.create("together", Order("one"), session=session)
    assert wait_for_status(running.orders.get("together")).status == "complete"
    assert read_notes(running.database, "row of together") == ["row of together"]


def test_create_when_a_taken_id_is_caught_then_the_callers_transaction_goes_on(
    running: Running,
) -> None:
    running.orders.create("taken", Order("one"))
    with transaction(running.database) as session:
        with suppress(InstanceExistsError):
            running.orders.create("taken", Order("two"), session=session)
        write_note(session, "went on")
    assert read_notes(running.database, "went on") == ["went on"]


@pytest.mark.parametrize("id_", ["", "-a", "a/b", "x" * 101, "a b", "日本"])
def test_create_when_the_id_is_not_allowed_then_is_an_error(running: Running, id_: str) -> None:
    with pytest.raises(ValueError, match="instance id"):
        running.orders.create(id_, Order("one"))


def test_create_when_no_id_is_given_then_makes_one(running: Running) -> None:
    instance = running.orders.create(params=Order("one"))
    assert wait_for_status(instance).id == instance.id


def test_create_when_the_parameters_are_too_large_then_is_an_error(running: Running) -> None:
    with pytest.raises(TooLargeForJournalError):
        running.orders.create("large", Order("one", fill="x" * 1024 * 1024))


def test_status_when_the_instance_is_unknown_then_is_an_error(running: Running) -> None:
    with pytest.raises(InstanceNotFoundError):
        running.orders.get("nobody").status()


def test_workflow_when_unknown_then_is_an_error(running: Running) -> None:
    with pytest.raises(EngineError):
        running.engine.workflows.get("nothing")


def test_terminate_when_waiting_then_ends_with_the_hook_and_takes_no_event(
    running: Running,
) -> None:
    instance = running.orders.create("ended", Order("title", wait=True))
    wait_for_status(instance, {"waiting"})
    assert instance.terminate()
    assert instance.status().status == "terminated"
    assert read_notes(running.database, "ended") == ["ended terminated"]
    assert [step.status for step in instance.history()] == ["cancelled"]


def test_terminate_when_it_has_ended_then_changes_nothing(running: Running) -> None:
    instance = running.orders.create("over", Order("title"))
    wait_for_status(instance)
    assert not instance.terminate()
    assert instance.status().status == "complete"


def test_terminate_when_the_callers_transaction_is_undone_then_goes_on(
    running: Running,
) -> None:
    instance = running.orders.create("alive", Order("title", wait=True))
    wait_for_status(instance, {"waiting"})
    with suppress(RolledBackError), transaction(running.database) as session:
        instance.terminate(session=session)
        raise RolledBackError
    instance.send_event("go")
    assert wait_for_status(instance).status == "complete"


def test_terminate_when_a_step_runs_then_its_late_result_changes_nothing(
    running: Running,
) -> None:
    Held.began.clear()
    Held.release.clear()
    instance = running.engine.workflows.get("held").create("held-1", "late")
    assert Held.began.wait(30)
    assert instance.terminate()
    Held.release.set()
    while running.engine.runtime.live.turns:
        threading.Event().wait(0.05)
    assert "late" not in engine_calls.prepared
    assert [step.status for step in instance.history()] == ["cancelled"]


def test_terminate_when_the_instance_is_unknown_then_is_an_error(running: Running) -> None:
    with pytest.raises(InstanceNotFoundError):
        running.orders.get("nobody").terminate()


def test_what_dbos_stores_when_all_is_done_then_holds_none_of_our_values(
    running: Running,
) -> None:
    instance = running.orders.create("private", Order("Jane Fictional", wait=True))
    wait_for_status(instance, {"waiting"})
    instance.send_event("go", {"name": "Jane Fictional"})
    wait_for_status(instance)
    inspector = sa.inspect(running.database)
    schema = None if inspector.dialect.name == "sqlite" else "dbos"
    for name in inspector.get_table_names(schema=schema):
        if schema or not name.startswith(("engine_", "notes")):
            with running.database.begin() as connection:
                table = sa.Table(name, sa.MetaData(), autoload_with=connection, schema=schema)
                assert "Jane" not in str(connection.execute(sa.select(table)).all()), name


class Unsafe(Workflow[str]):
    name = "unsafe"

    async def run(self, event: WorkflowEvent[str], step: Step) -> str:  # noqa: ARG002 - the shape
        threading.Event().wait(0)
        return ""


def test_workflow_when_its_run_is_unsafe_then_no_engine_is_made(running: Running) -> None:
    with pytest.raises(UnsafeWorkflowError, match="threading"):
        Engine(running.database, "sqlite://", [Unsafe()])


def test_workflows_when_two_have_one_name_then_no_engine_is_made(running: Running) -> None:
    with pytest.raises(ValueError, match="ordered"):
        Engine(running.database, "sqlite://", [Ordered(), Ordered()])
