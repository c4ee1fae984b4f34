"""The invariants of rollbacks: all that was begun is undone, in reverse order, once."""

import json
from collections.abc import Iterator

from pipeline.engine import journal
from pipeline.engine.journal import StepKey
from tests.chaos.books import Books, Case, Row, key_of
from tests.chaos.programs import Planned, expected, planned, undoing


def undoes_in_reverse(_: Books, case: Case) -> Iterator[str]:
    """What was begun and can be undone is, the last first, up to the first that cannot."""
    steps = case.current
    undone = sorted(
        (step for step in steps.values() if step["kind"] == journal.ROLLBACK),
        key=lambda step: step["ordinal"],
    )
    wanted = _wanted(case, steps)
    if case.row["rollback"] is None:
        if undone and not _was_stopped(case):
            yield f"undid {len(undone)} steps although nothing asked for it"
        if [key_of(step) for step in undone] != [key for key, _ in wanted[: len(undone)]]:
            yield "was stopped in a rollback that was not in reverse order"
        return
    if json.loads(case.row["rollback"])["failed"]:
        wanted = wanted[: len(undone)]
        if not undone or undone.pop()["status"] != "failed":
            yield "says that a rollback failed, and the last one did not"
        elif wanted.pop()[1].node.undo != "refuse":
            yield "gave up a rollback that can succeed"
    if [key_of(step) for step in undone] != [key for key, _ in wanted]:
        yield f"undid {[str(key_of(s)) for s in undone]} instead of {[str(k) for k, _ in wanted]}"
    yield from (f"did not undo {key_of(s)}" for s in undone if s["status"] != "succeeded")


def _was_stopped(case: Case) -> bool:
    """Tell whether an instance was terminated, maybe in the middle of its rollbacks."""
    may_roll_back = "undo" in case.plan.operations or (
        expected(case.plan.program).status == "errored"
    )
    return case.row["state"] == "terminated" and may_roll_back


def undoes_results(_: Books, case: Case) -> Iterator[str]:
    """A rollback is told the result of its step, and nothing where there is none."""
    if case.row["generation"] > 1:  # the ledger does not tell generations apart
        return
    for step in planned(case.plan.program):
        row = case.current.get(StepKey(step.branch, step.name, step.count))
        told = {e.key for e in case.happened if e.label == f"undo-{step.label}"}
        has_result = row is not None and row["status"] == "succeeded"
        if told - {f"was-{step.node.value if has_result else None}"}:
            yield f"undid {step.name} as if it had returned {told}"


def _wanted(case: Case, steps: dict[StepKey, Row]) -> list[tuple[StepKey, Planned]]:
    """Return the rollbacks that have to be there, in their order."""
    found = []
    for step in planned(case.plan.program):
        row = steps.get(StepKey(step.branch, step.name, step.count))
        if step.node.undo and step.label and row is not None and row["attempts"] > 0:
            undo = undoing(step)
            found.append((row["ordinal"], (StepKey(undo.branch, undo.name, undo.count), step)))
    return [undo for _, undo in sorted(found, key=lambda item: item[0], reverse=True)]


CHECKS = (undoes_in_reverse, undoes_results)
