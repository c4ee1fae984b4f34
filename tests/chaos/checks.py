"""The invariants of one instance. Each check yields what is wrong; nothing is what is wanted."""

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator

from pipeline.engine import journal
from pipeline.engine.journal import StepKey
from tests.chaos.books import Books, Case, Row, key_of
from tests.chaos.programs import SHARED_TYPE, agrees, expected, planned

_ENDINGS = ("terminate", "undo")
_TRIED = ("do", journal.ROLLBACK)
_FINISHED = "finished-"
Check = Callable[[Books, Case], Iterator[str]]


def ends_as_undisturbed(_: Books, case: Case) -> Iterator[str]:
    """Each instance is where an undisturbed run would be, with the same output."""
    wanted, row = expected(case.plan.program), case.row
    state, statuses = row["state"], _statuses(case, wanted.status)
    if state not in statuses:
        yield f"is {state} instead of {' or '.join(sorted(statuses))}: {row['error']}"
        return
    output = None if row["output"] is None else json.loads(row["output"])
    if not agrees(wanted.output if state == "complete" else None, output):
        yield f"came to {output} instead of {wanted.output}"
    code = None if row["error"] is None else json.loads(row["error"])["code"]
    if code != (wanted.error_code if state == "errored" else None):
        yield f"is {state} with the error {code}"


def _statuses(case: Case, undisturbed: str) -> set[str]:
    """Return where the instance may be after what was asked of it, as it was answered."""
    operations = case.plan.operations
    last = next((a for a in reversed(case.answers) if a.what != "event"), None)
    if operations and operations[-1] in _ENDINGS:
        did = last is not None and last.answer == "ok"
        return {"terminated"} if did else {"terminated", undisturbed}
    if operations and operations[-1] == "pause":
        return {"paused", undisturbed}  # a pause may meet the last step, which may commit
    return {undisturbed}


def begins_nothing_while_paused(_: Books, case: Case) -> Iterator[str]:
    """After a pause that nothing lifts, what runs may commit, and nothing begins."""
    pauses = [a for a in case.answers if a.what == "pause" and a.answer in ("ok", "known")]
    if case.plan.operations[-1:] != ("pause",):
        return
    for answer in pauses[-1:]:
        begun = [s for s in case.steps if (s["started_at"] or s["created_at"]) > answer.at]
        begun += [a for a in case.attempts if a["started_at"] > answer.at]
        yield from (f"began {key_of(row)} while it was paused" for row in begun)
    if not pauses and case.row["state"] == "paused":
        yield "is paused although nobody was told so"


def waits_legally(books: Books, case: Case) -> Iterator[str]:
    """What is not final waits for something that has not come and may come, or is paused."""
    row = case.row
    if row["state"] != "waiting":
        if row["waiting"] is not None and row["state"] != "paused":
            yield f"is {row['state']} and still has waits"
        return
    unread = {event["type"] for event in case.events if event["consumed_by"] is None}
    waits = journal.read_waits(row["waiting"])
    if not waits:
        yield "waits for nothing"
    for wait in waits:
        step = case.current.get(wait.step)
        if step is None or step["outcome"] is not None:
            yield f"waits for {wait.step}, which is no step that has yet to end"
        if wait.due_at is not None and wait.due_at <= books.now:
            yield f"waits for {wait.step}, whose time has come"
        if unread & set(wait.types):
            yield f"waits for {wait.step} although the event is there"


def has_one_outcome_a_step(_: Books, case: Case) -> Iterator[str]:
    """At most one committed result a step and generation; outcomes are numbered without a gap."""
    numbers = Counter((s["generation"], s["outcome"]) for s in case.steps if s["outcome"])
    yield from (
        f"has outcome {o} {n} times in generation {g}" for (g, o), n in numbers.items() if n > 1
    )
    succeeded = Counter(
        (a["generation"], key_of(a)) for a in case.attempts if a["outcome"] == "succeeded"
    )
    yield from (
        f"step {key} succeeded {n} times in generation {g}"
        for (g, key), n in succeeded.items()
        if n > 1
    )


def takes_the_planned_steps(_: Books, case: Case) -> Iterator[str]:
    """An instance that is complete has gone through its program, and nothing else."""
    plan = {StepKey(p.branch, p.name, p.count): p for p in planned(case.plan.program)}
    taken = {key for key, step in case.current.items() if step["kind"] != journal.ROLLBACK}
    yield from (f"took a step that is not in its program: {key}" for key in taken - plan.keys())
    if case.row["state"] != "complete":
        return
    certain = {key for key, step in plan.items() if step.is_certain}
    yield from (f"did not take step {key}" for key in certain - taken)
    for key in certain & taken:
        if case.current[key]["outcome"] is None:
            yield f"is complete without an outcome of {key}"


def counts_its_attempts(_: Books, case: Case) -> Iterator[str]:
    """A step's counters are what its attempts say; none begins after the step has ended."""
    attempts = defaultdict(list)
    for attempt in case.attempts:
        attempts[attempt["generation"], key_of(attempt)].append(attempt)
    before: dict[StepKey, Row] = {}
    for step in sorted(case.steps, key=lambda step: step["generation"]):
        key, earlier = key_of(step), before.get(key_of(step))
        if earlier is None or earlier["created_at"] != step["created_at"]:  # not one that was kept
            own = attempts[step["generation"], key]
            yield from (f"step {key} {what}" for what in _attempts(case, step, own))
        before[key] = step


def _attempts(case: Case, step: Row, own: list[Row]) -> Iterator[str]:
    numbers = sorted(attempt["number"] for attempt in own)
    ends = Counter(attempt["outcome"] for attempt in own)
    if numbers != list(range(1, step["attempts"] + 1)):
        yield f"has attempts {numbers} and counts {step['attempts']}"
    if ends["lost"] != step["losses"]:
        yield f"lost {ends['lost']} attempts and counts {step['losses']}"
    if step["kind"] in _TRIED and (step["status"] == "succeeded") != (ends["succeeded"] == 1):
        yield f"is {step['status']} and has {ends['succeeded']} attempts that succeeded"
    if case.row["state"] in journal.FINAL_STATES and ends["running"]:
        yield "has a running attempt in an instance that has ended"
    for attempt in own:
        if step["outcome"] is not None and attempt["started_at"] > step["ended_at"]:
            yield "began again after it had ended"


def keeps_rows_once(_: Books, case: Case) -> Iterator[str]:
    """The application's row is there exactly where the step's result is."""
    kept = Counter(label for label in case.kept if not label.startswith(_FINISHED))
    succeeded = Counter(key_of(a) for a in case.attempts if a["outcome"] == "succeeded")
    for plan in planned(case.plan.program):
        if plan.node.keeps and plan.label:
            key = StepKey(plan.branch, plan.name, plan.count)
            if kept.pop(plan.label, 0) != succeeded[key]:
                yield f"step {key} has {succeeded[key]} results and another number of rows"
    yield from (f"has rows of {label}, which keeps none" for label in kept)


def tells_its_end_once(_: Books, case: Case) -> Iterator[str]:
    """The hook that is called at the end wrote its row once, and not before the end."""
    told = [label for label in case.kept if label.startswith(_FINISHED)]
    state, generation = case.row["state"], case.row["generation"]
    is_final = state in journal.FINAL_STATES
    if is_final and f"{_FINISHED}{state}" not in told:
        yield f"is {state} and did not tell it"
    most = generation if is_final else generation - 1
    if len(told) > most:
        yield f"told its end {len(told)} times in {generation} generations"


def restarts_as_asked(books: Books, case: Case) -> Iterator[str]:
    """Each restart made one generation; those asked for again after a kill may count twice."""
    asked = sum(kind.startswith("restart") for kind in case.plan.operations)
    done = sum(a.what.startswith("restart") and a.answer == "ok" for a in case.answers)
    kills = sum(d.what == "killed web" for d in books.disturbances)
    if not done <= case.row["generation"] - 1 <= (asked + kills if asked else 0):
        yield f"is in generation {case.row['generation']} after {done} restarts"


def loses_no_event(_: Books, case: Case) -> Iterator[str]:
    """Every event that was taken in is there, as it was sent; a repeated key is one event."""
    there = {event["key"]: event for event in case.events}
    if len(there) != len(case.events):
        yield "holds an event twice"
    new: Counter[str] = Counter()
    for answer in (a for a in case.answers if a.what == "event"):
        action = case.plan.actions[answer.number]
        new[action.key] += answer.answer == "ok"
        refused = answer.answer == "illegal"
        if refused and case.row["state"] not in journal.FINAL_STATES:
            yield f"refused event {action.key} as if it had ended"
        if not refused and action.key not in there:
            yield f"lost event {action.key}"
    yield from (f"took event {key} as new {n} times" for key, n in new.items() if n > 1)
    for key, event in there.items():
        sent = case.plan.sent.get(key)
        if sent is None or (event["type"], json.loads(event["payload"])) != (
            sent.type,
            {"value": sent.value},
        ):
            yield f"holds event {key}, which was not sent so"


def consumes_events_once(_: Books, case: Case) -> Iterator[str]:
    """An event belongs to one step and a step to one event; of one type, first in, first out."""
    consumed = [e for e in case.events if e["consumed_by"] is not None]
    consumers = Counter(e["consumed_by"] for e in consumed)
    yield from (f"step {c} consumed {n} events" for c, n in consumers.items() if n > 1)
    generation = case.row["generation"]
    steps = {f"{generation}:{k}": s for k, s in case.current.items() if s["kind"] == "event"}
    got = {name for name, step in steps.items() if step["status"] == "succeeded"}
    yield from (f"{name} has an event that nobody sent" for name in got - consumers.keys())
    order: list[tuple[int, int]] = []
    for event in consumed:
        step = steps.get(event["consumed_by"])
        if step is None or step["result"] is None:
            yield f"event {event['key']} went to {event['consumed_by']}, which does not have it"
        elif json.loads(step["result"])["payload"] != json.loads(event["payload"]):
            yield f"event {event['key']} changed on its way to {event['consumed_by']}"
        elif event["type"] == SHARED_TYPE:
            order.append((event["seq"], step["outcome"]))
    if [outcome for _, outcome in sorted(order)] != sorted(outcome for _, outcome in order):
        yield "consumed events of one type in another order than they were sent"


CHECKS: tuple[Check, ...] = (
    ends_as_undisturbed,
    begins_nothing_while_paused,
    waits_legally,
    has_one_outcome_a_step,
    takes_the_planned_steps,
    counts_its_attempts,
    keeps_rows_once,
    tells_its_end_once,
    restarts_as_asked,
    loses_no_event,
    consumes_events_once,
)
