"""What programs are expected to come to is what they come to when nobody disturbs them."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from pipeline.engine import Engine, InstanceEndedError
from pipeline.engine.testing import Faults, quick, wait_for_status
from storage.database import create_database
from tests.chaos import effects
from tests.chaos.faults import _WEIGHTS, schedule
from tests.chaos.names import CHILD_SETUP
from tests.chaos.plans import Plan, payload, plan_of
from tests.chaos.programs import Node, agrees, expected, nodes, planned
from tests.chaos.workflow import _WALKS, RESOURCES, Chaos, ChaosParams

SEED, COUNT = 11, 40


@pytest.fixture(scope="module")
def engine(module_database_url: str) -> Iterator[Engine]:
    database = create_database(module_database_url)
    made = Engine(
        database, module_database_url, [Chaos()], RESOURCES, CHILD_SETUP, quick(), Faults()
    )
    made.connect()
    effects.metadata.create_all(database)
    made.start()
    yield made
    made.stop()
    database.dispose()


def test_programs_when_undisturbed_then_end_as_expected(engine: Engine, tmp_path: Path) -> None:
    plans = [plan_of(SEED, number) for number in range(COUNT)]
    for plan in plans:
        _begin(engine, plan, tmp_path)
    found = engine.workflows.get(Chaos.name)
    for plan in plans:
        wanted = expected(plan.program)
        status = wait_for_status(found.get(plan.name), {wanted.status}, timeout_s=120)
        assert agrees(wanted.output, status.output), plan
        assert (status.error.code if status.error else None) == wanted.error_code


def _begin(engine: Engine, plan: Plan, ledger: Path) -> None:
    params = ChaosParams(str(ledger), plan.program)
    instance = engine.workflows.get(Chaos.name).create(plan.name, params)
    for action in plan.actions:
        if action.kind == "event":
            try:
                instance.send_event(action.type, payload(action), key=action.key)
            except InstanceEndedError:  # the event of a wait that timed out
                threading.Event().wait(0.01)


def test_plans_when_drawn_again_then_are_the_same() -> None:
    assert [plan_of(3, n) for n in range(50)] == [plan_of(3, n) for n in range(50)]
    assert plan_of(3, 0) != plan_of(4, 0)


def test_plans_when_there_are_many_then_every_kind_of_step_and_operation_is_among_them() -> None:
    plans = [plan_of(1, number) for number in range(1000)]
    kinds = {node.kind for plan in plans for node in nodes(plan.program)}
    assert kinds == _WALKS.keys()
    assert {kind for plan in plans for kind in plan.operations} == {
        "pause", "resume", "restart", "restart_from", "terminate", "undo", "delete",
    }  # fmt: skip


def test_schedule_when_drawn_again_then_is_the_same_with_every_fault_in_it() -> None:
    faults = schedule(5, 120)
    assert faults == schedule(5, 120)
    assert {fault.what for fault in faults} == _WEIGHTS.keys()


def test_planned_steps_when_a_name_is_used_again_then_are_counted_up() -> None:
    program = Node("seq", 3, parts=(Node("do", 1), Node("do", 2)))
    assert [(step.name, step.count, step.label) for step in planned(program)] == [
        ("do", 1, "1"),
        ("do", 2, "2"),
    ]


def test_planned_steps_when_parallel_then_each_branch_counts_for_itself() -> None:
    inner = Node("all", 3, parts=(Node("do", 1), Node("seq", 4, parts=(Node("do", 2),))))
    steps = planned(Node("seq", 5, parts=(inner,)))
    assert [(step.branch, step.name, step.count) for step in steps] == [
        ("all-3-0", "do", 1),
        ("all-3-1", "do", 1),
    ]


def test_planned_steps_when_in_a_race_then_none_is_certain() -> None:
    race = Node("race", 3, 7, parts=(Node("do", 1), Node("do", 2)))
    steps = planned(Node("seq", 4, parts=(race,)))
    assert {step.name for step in steps if not step.is_certain} == {"do", "after-3-0", "after-3-1"}
    assert len(steps) == 4


def test_output_when_left_to_chance_then_either_agrees_and_nothing_else() -> None:
    wanted = [1, {2, -1}]
    assert agrees(wanted, [1, 2])
    assert agrees(wanted, [1, -1])
    assert not agrees(wanted, [1, 3])
    assert not agrees(wanted, [1])
