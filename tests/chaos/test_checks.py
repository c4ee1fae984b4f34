"""Each check finds the fault that it is there for, in books that are otherwise in order."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from pipeline.engine import journal
from pipeline.engine.journal import StepKey, Wait
from tests.chaos import checks, outside, undone
from tests.chaos.books import Books, Case, Row
from tests.chaos.crew import Disturbance
from tests.chaos.diary import Entry
from tests.chaos.ledger import Happened
from tests.chaos.plans import Action, Plan
from tests.chaos.programs import Node

PID = 100
CHECKS = (*checks.CHECKS, *undone.CHECKS, *outside.CHECKS)
EVENT = Action(0.0, "event", "only-2", 7, "2")
PROGRAM = Node(
    "seq",
    9,
    parts=(
        Node("do", 1, 5, keeps=True, undo="ok"),
        Node("event", 2, 7),
        Node("keyed", 3, 8),
    ),
)


def step(name: str, ordinal: int, kind: str = "do", **more: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return the row of a step that succeeded at its first attempt."""
    return {
        "branch": "", "name": name, "count": 1, "generation": 1, "kind": kind,
        "status": "succeeded", "ordinal": ordinal, "outcome": ordinal, "attempts": kind == "do",
        "losses": 0, "result": "1", "request": None, "created_at": 0.0,
        "started_at": 10.0 * ordinal - 2, "ended_at": 10.0 * ordinal, **more,
    }  # fmt: skip


def attempt(name: str, ordinal: int, **more: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return the row of the attempt that a step succeeded with."""
    return {
        "branch": "", "name": name, "count": 1, "generation": 1, "number": 1,
        "outcome": "succeeded", "error_code": None, "executor": f"place-{PID}-x",
        "started_at": 10.0 * ordinal - 2, "ended_at": 10.0 * ordinal, **more,
    }  # fmt: skip


def happened(label: str, at: float, key: str = "", pid: int = PID) -> Happened:
    return Happened(label, pid, at, key)


@pytest.fixture
def books() -> Books:
    return Books(0, {}, set(), [], [], 1000.0)


@pytest.fixture
def case() -> Case:
    """An instance that is complete, with everything in order."""
    taken = {"type": "only-2", "payload": {"value": 7}, "sent_at": 1.0}
    return Case(
        Plan("c00001", "default", PROGRAM, (EVENT,)),
        instance(state="complete", output="[5,7,8]"),
        steps=[
            step("do", 1),
            step("event", 2, "event", result=json.dumps(taken)),
            step("key", 3, "value"),
            step("keyed", 4),
        ],
        attempts=[attempt("do", 1), attempt("keyed", 4)],
        events=[event("2", "1:event (1)")],
        kept=["1", "finished-complete"],
        happened=[happened("1", 9.0), happened("3", 39.0, "k")],
        answers=[Entry(0.0, "event", "c00001", 0, "ok")],
    )


def instance(**more: Any) -> dict[str, Any]:  # noqa: ANN401
    row = {"generation": 1, "waiting": None, "rollback": None, "output": None, "error": None}
    return {**row, **more}


def event(key: str, consumer: str | None) -> Row:
    payload = json.dumps({"value": 7})
    return {
        "seq": int(key), "type": "only-2", "payload": payload, "key": key, "consumed_by": consumer,
    }  # fmt: skip


def found(books: Books, case: Case) -> str:
    return "; ".join(what for check in CHECKS for what in check(books, case))


def changed(rows: list[Row], name: str, **values: object) -> list[Row]:
    return [{**row, **values} if row["name"] == name else row for row in rows]


def test_books_when_in_order_then_nothing_is_found(books: Books, case: Case) -> None:
    assert found(books, case) == ""


Fault = Callable[[Case], None]


def _other_output(case: Case) -> None:
    case.row = instance(state="complete", output="[5,7,9]")


def _still_running(case: Case) -> None:
    case.row = instance(state="running")


def _begun_while_paused(case: Case) -> None:
    case.plan = replace(case.plan, actions=(EVENT, Action(0.0, "pause")))
    case.answers.append(Entry(15.0, "pause", "c00001", 1, "ok"))


def _waiting_for_what_is_there(case: Case) -> None:
    case.plan = replace(case.plan, program=replace(PROGRAM, parts=(Node("forever", 2),)))
    waits = journal.write_waits([Wait(StepKey("", "event", 1), None, ("only-2",))])
    case.row = instance(state="waiting", waiting=waits)
    case.events = [event("2", None)]


def _two_results(case: Case) -> None:
    case.attempts.append(attempt("do", 1, number=2))


def _two_outcomes(case: Case) -> None:
    case.steps = changed(case.steps, "keyed", outcome=1)


def _missing_step(case: Case) -> None:
    case.steps = [row for row in case.steps if row["name"] != "keyed"]


def _unplanned_step(case: Case) -> None:
    case.steps.append(step("other", 5, "value"))


def _begun_after_its_end(case: Case) -> None:
    case.attempts.append(attempt("do", 1, number=2, outcome="failed", started_at=11.0))


def _row_twice(case: Case) -> None:
    case.kept.append("1")


def _end_twice(case: Case) -> None:
    case.kept.append("finished-complete")


def _generation(case: Case) -> None:
    case.row = {**case.row, "generation": 2}


def _lost_event(case: Case) -> None:
    case.events = []


def _event_for_two(case: Case) -> None:
    case.events.append(event("3", "1:event (1)"))


def _effect_after_the_end(case: Case) -> None:
    case.happened = [happened("1", 12.0), *case.happened[1:]]


def _effect_without_attempt(case: Case) -> None:
    case.happened.append(happened("1", 9.5))


def _no_effect(case: Case) -> None:
    case.happened = case.happened[1:]


def _two_keys(case: Case) -> None:
    case.happened.append(happened("3", 39.5, "other"))


def _lost_without_fault(case: Case) -> None:
    lost = attempt("do", 1, outcome="lost", started_at=5.0, ended_at=7.0)
    case.attempts = [lost, attempt("do", 1, number=2), attempt("keyed", 4)]
    case.steps = changed(case.steps, "do", attempts=2, losses=1)


def _undone_for_nothing(case: Case) -> None:
    case.steps.append(step("do", 5, "rollback", branch="(rollback)"))


def _not_undone(case: Case) -> None:
    case.row = instance(state="terminated", rollback=json.dumps({"failed": False}))


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (_other_output, "came to [5, 7, 9] instead of [5, 7, 8]"),
        (_still_running, "is running instead of complete"),
        (_begun_while_paused, "began keyed (1) while it was paused"),
        (_waiting_for_what_is_there, "although the event is there"),
        (_two_results, "succeeded 2 times"),
        (_two_outcomes, "has outcome 1 2 times"),
        (_missing_step, "did not take step keyed (1)"),
        (_unplanned_step, "not in its program: other (1)"),
        (_begun_after_its_end, "began again after it had ended"),
        (_row_twice, "another number of rows"),
        (_end_twice, "told its end 2 times"),
        (_generation, "is in generation 2 after 0 restarts"),
        (_lost_event, "lost event 2"),
        (_event_for_two, "step 1:event (1) consumed 2 events"),
        (_effect_after_the_end, "had an effect after attempt 1 had ended"),
        (_effect_without_attempt, "without an attempt"),
        (_no_effect, "attempt 1 of step do (1) had no effect"),
        (_two_keys, "used 2 idempotency keys"),
        (_lost_without_fault, "without any fault"),
        (_undone_for_nothing, "undid 1 steps although nothing asked for it"),
        (_not_undone, "instead of ['(rollback)/do (1)']"),
    ],
)
def test_books_when_something_is_wrong_then_it_is_told(
    books: Books, case: Case, fault: Fault, told: str
) -> None:
    fault(case)
    assert told in found(books, case)


def test_effect_when_its_process_was_stopped_before_it_then_may_come_late(
    books: Books, case: Case
) -> None:
    books.disturbances.append(Disturbance("stopped", PID, 6.0, 12.0))
    _lost_without_fault(case)
    case.attempts = [{**row} for row in case.attempts]
    late, own = happened("1", 12.5), happened("1", 9.0, pid=PID + 1)
    case.attempts[1] = {**case.attempts[1], "executor": f"place-{PID + 1}-y"}
    case.happened = [own, late, case.happened[1]]
    assert found(books, case) == ""


def test_rollback_when_terminated_in_it_then_may_stop_where_it_is(books: Books, case: Case) -> None:
    undo, terminate = Action(0.0, "undo"), Action(1.0, "terminate")
    case.plan = replace(case.plan, actions=(EVENT, undo, terminate))
    case.row = instance(state="terminated")
    case.steps.append(step("do", 5, "rollback", branch="(rollback)", status="cancelled"))
    assert list(undone.undoes_in_reverse(books, case)) == []
    case.row = instance(state="complete")
    assert len(list(undone.undoes_in_reverse(books, case))) == 1
