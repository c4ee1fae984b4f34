"""What people do to instances: pause, resume, restart from a step, terminate, delete."""

import asyncio
import threading
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
import sqlalchemy as sa

from configs.errors import CorruptInputError, TransientError
from pipeline.engine import (
    Instance,
    InstanceEndedError,
    InstanceExistsError,
    InstanceNotFoundError,
    InstanceStateError,
    NewInstance,
    Retries,
    Status,
    Step,
    StepNotFoundError,
)
from pipeline.engine.testing import wait_for_status
from storage.database import transaction
from tests.engine_calls import process_id, wait_for_file
from tests.engines import Harness
from tests.waiting import wait_until


class Gate:
    """A step's function that waits until it is let through."""

    def __init__(self) -> None:
        self.began, self.release, self.runs = threading.Event(), threading.Event(), 0

    def __call__(self) -> str:
        self.runs += 1
        self.began.set()
        self.release.wait(30)
        return "done"


# Pause and resume


def test_pause_when_a_step_runs_then_it_commits_and_nothing_new_begins(engine: Harness) -> None:
    gate, after = Gate(), list[int]()

    async def script(step: Step) -> object:
        await step.do("first", gate)
        return await step.do("second", lambda: after.append(1))

    instance = engine.begin(script)
    assert gate.began.wait(30)
    assert instance.pause()
    assert instance.status().status == "waiting_for_pause"
    gate.release.set()
    wait_for_status(instance, {"paused"})
    assert [(s.name, s.status) for s in instance.history()] == [("first", "succeeded")]
    assert not after
    assert instance.resume()
    wait_for_status(instance)
    assert (gate.runs, after) == (1, [1])


def test_pause_when_resumed_before_the_step_ends_then_it_just_goes_on(engine: Harness) -> None:
    gate = Gate()

    async def script(step: Step) -> object:
        await step.do("first", gate)
        return await step.do("second", lambda: "end")

    instance = engine.begin(script)
    assert gate.began.wait(30)
    instance.pause()
    instance.resume()
    gate.release.set()
    assert wait_for_status(instance).output == "end"
    assert gate.runs == 1


def test_pause_when_resumed_while_a_branch_is_held_then_the_branch_goes_on(
    engine: Harness,
) -> None:
    gate, quick = Gate(), Gate()

    async def script(step: Step) -> object:
        async def long() -> object:
            return await step.do("long", gate)

        async def short() -> object:
            await step.do("short", quick)
            return await step.do("held", lambda: "held")

        return await asyncio.gather(long(), short())

    instance = engine.begin(script)
    assert gate.began.wait(30)
    assert quick.began.wait(30)
    instance.pause()
    quick.release.set()
    wait_until(lambda: {s.name: s.status for s in instance.history()}["short"] == "succeeded")
    instance.resume()
    wait_until(lambda: "held" in {s.name for s in instance.history()})
    gate.release.set()
    assert wait_for_status(instance).output == ["done", "held"]


def test_pause_when_resumed_while_a_retry_is_held_then_the_step_is_tried_again(
    engine: Harness,
) -> None:
    gate, tries = Gate(), Counter[str]()

    def flaky() -> int:
        tries["flaky"] += 1
        if tries["flaky"] == 1:
            raise TransientError
        return tries["flaky"]

    async def script(step: Step) -> object:
        again = Retries(limit=2, delay=0.3)
        return await asyncio.gather(step.do("long", gate), step.do("flaky", flaky, retries=again))

    instance = engine.begin(script)
    assert gate.began.wait(30)
    wait_until(lambda: tries["flaky"] == 1)
    instance.pause()
    threading.Event().wait(0.6)  # the delay passes, and the next attempt is held
    instance.resume()
    wait_until(lambda: tries["flaky"] == 2)
    gate.release.set()
    assert wait_for_status(instance).output == ["done", 2]


def test_pause_when_parallel_steps_run_then_all_of_them_commit(engine: Harness) -> None:
    one, two = Gate(), Gate()

    async def script(step: Step) -> object:
        await asyncio.gather(step.do("one", one), step.do("two", two))
        return await step.do("after", lambda: "end")

    instance = engine.begin(script)
    assert one.began.wait(30)
    assert two.began.wait(30)
    instance.pause()
    one.release.set()
    two.release.set()
    wait_for_status(instance, {"paused"})
    assert {s.name: s.status for s in instance.history()} == {
        "one": "succeeded",
        "two": "succeeded",
    }
    instance.resume()
    assert wait_for_status(instance).output == "end"
    assert (one.runs, two.runs) == (1, 1)


def test_pause_when_a_resource_step_runs_then_waits_for_its_end(
    engine: Harness, tmp_path: Path
) -> None:
    mine, other = tmp_path / "mine", tmp_path / "other"

    async def script(step: Step) -> object:
        await step.do("heavy", partial(wait_for_file, str(mine), str(other)), resource="asr")
        return await step.do("after", lambda: "end")

    instance = engine.begin(script)
    wait_until(lambda: mine.exists() and instance.status().status == "waiting")
    instance.pause()
    assert instance.status().status == "waiting_for_pause"
    other.touch()
    wait_for_status(instance, {"paused"})
    assert [s.status for s in instance.history()] == ["succeeded"]
    instance.resume()
    assert wait_for_status(instance).output == "end"
    assert [a.outcome for a in instance.attempts()] == ["succeeded", "succeeded"]


def test_pause_when_a_resource_step_is_queued_then_it_is_held_until_resumed(
    engine: Harness, tmp_path: Path
) -> None:
    mine, other = tmp_path / "mine", tmp_path / "other"

    async def first(step: Step) -> object:
        call = partial(wait_for_file, str(mine), str(other))
        return await step.do("first", call, resource="asr")

    async def second(step: Step) -> object:
        call = partial(wait_for_file, str(other), str(mine))
        return await step.do("second", call, resource="asr")

    occupying = engine.begin(first)
    wait_until(mine.exists)
    instance = engine.begin(second)
    wait_for_status(instance, {"waiting"})
    instance.pause()
    assert instance.status().status == "paused"
    other.touch()
    wait_for_status(occupying)
    wait_until(lambda: _step_statuses(engine, instance.id) == {"held"})
    assert instance.attempts() == []
    instance.resume()
    assert wait_for_status(instance).status == "complete"
    assert [a.outcome for a in instance.attempts()] == ["succeeded"]


def test_pause_when_asked_for_twice_in_one_turn_then_a_held_step_runs_all_the_same(
    engine: Harness, tmp_path: Path
) -> None:
    gate = Gate()

    async def occupy(step: Step, name: str) -> object:
        mine, other = tmp_path / name, tmp_path / f"{name} may go"
        call = partial(wait_for_file, str(mine), str(other))
        return await step.do("occupy", call, resource="asr")

    async def script(step: Step) -> object:
        heavy = step.do("heavy", process_id, resource="asr")
        await asyncio.gather(step.do("long", gate), heavy)
        return "end"

    def occupied(name: str) -> Instance:
        async def occupying(step: Step) -> object:
            return await occupy(step, name)

        instance = engine.begin(occupying)
        wait_until((tmp_path / name).exists)
        return instance

    first = occupied("first")
    instance = engine.begin(script)
    assert gate.began.wait(30)
    wait_until(lambda: len(instance.history()) == 2)
    for occupying, name in ((first, "first"), (None, "second")):
        instance.pause()
        (tmp_path / f"{name} may go").touch()
        wait_until(lambda: "held" in _step_statuses(engine, instance.id))
        if occupying is not None:
            occupied("second")
        instance.resume()
    gate.release.set()
    assert wait_for_status(instance).output == "end"


def _step_statuses(engine: Harness, instance: str) -> set[object]:
    query = sa.text("SELECT status FROM engine_step WHERE instance = :instance")
    with engine.database.connect() as connection:
        return set(connection.execute(query, {"instance": instance}).scalars())


def test_pause_when_it_sleeps_then_the_deadline_stays_and_waits_for_resume(
    engine: Harness,
) -> None:
    async def script(step: Step) -> object:
        await step.sleep("pause", 1.2)
        return "awake"

    instance = engine.begin(script)
    wait_for_status(instance, {"waiting"})
    due = instance.history()[0].waiting_until
    instance.pause()
    threading.Event().wait(1.5)  # the deadline passes
    assert instance.status().status == "paused"
    assert instance.history()[0].waiting_until == due
    instance.resume()
    assert wait_for_status(instance, timeout_s=20).output == "awake"


def test_pause_when_it_waits_for_an_event_then_the_event_is_taken_after_resume(
    engine: Harness,
) -> None:
    async def script(step: Step) -> object:
        return (await step.wait_for_event("go", type="go", timeout=60)).payload

    instance = engine.begin(script)
    wait_for_status(instance, {"waiting"})
    instance.pause()
    instance.send_event("go", 7)
    assert instance.status().status == "paused"
    assert [event.consumed_by for event in instance.events()] == [None]
    instance.resume()
    assert wait_for_status(instance).output == 7
    assert [event.consumed_by for event in instance.events()] == ["go (1)"]


def test_pause_when_a_retry_delay_runs_then_the_attempt_waits_for_resume(
    engine: Harness,
) -> None:
    tries = Counter[str]()

    def work() -> int:
        tries["work"] += 1
        if tries["work"] == 1:
            raise TransientError
        return tries["work"]

    async def script(step: Step) -> object:
        return await step.do("work", work, retries=Retries(limit=2, delay=1.5))

    instance = engine.begin(script)
    wait_for_status(instance, {"waiting"})
    instance.pause()
    threading.Event().wait(1.8)  # the delay passes
    assert tries == {"work": 1}
    instance.resume()
    assert wait_for_status(instance).output == 2


def test_pause_when_paused_then_nothing_changes(engine: Harness) -> None:
    async def script(step: Step) -> object:
        return (await step.wait_for_event("go", type="go", timeout=60)).payload

    instance = engine.begin(script)
    wait_for_status(instance, {"waiting"})
    assert instance.pause()
    assert not instance.pause()
    assert instance.resume()
    assert not instance.resume()
    instance.terminate()


@pytest.mark.parametrize("operation", ["pause", "resume"])
def test_operation_when_it_has_ended_then_is_refused(engine: Harness, operation: str) -> None:
    async def script(step: Step) -> object:
        return await step.do("first", lambda: 1)

    instance = engine.begin(script)
    wait_for_status(instance)
    with pytest.raises(InstanceStateError, match="complete"):
        getattr(instance, operation)()


# Restart


def counted(runs: Counter[str], name: str, value: object = None) -> "partial[object]":
    def work() -> object:
        runs[name] += 1
        return value or runs[name]

    return partial(work)


def test_restart_when_from_a_step_then_what_came_before_is_kept(engine: Harness) -> None:
    runs = Counter[str]()

    async def script(step: Step) -> object:
        return [await step.do(name, counted(runs, name)) for name in ("a", "b", "c")]

    instance = engine.begin(script)
    wait_for_status(instance)
    instance.restart(from_step=("b", 1))
    status = wait_for_status(instance)
    assert status.output == [1, 2, 2]
    assert (runs, status.generation) == ({"a": 1, "b": 2, "c": 2}, 2)
    assert len(instance.history()) == 3
    assert len(instance.history(every_generation=True)) == 6


def test_restart_when_from_the_second_use_of_a_name_then_the_first_is_kept(
    engine: Harness,
) -> None:
    runs = Counter[str]()

    async def script(step: Step) -> object:
        return [await step.do("part", counted(runs, "part")) for _ in range(3)]

    instance = engine.begin(script)
    wait_for_status(instance)
    instance.restart(from_step=("part", 2))
    assert wait_for_status(instance).output == [1, 4, 5]


def test_restart_when_from_the_beginning_then_all_runs_again(engine: Harness) -> None:
    runs = Counter[str]()

    async def script(step: Step) -> object:
        return await step.do("a", counted(runs, "a"))

    instance = engine.begin(script)
    wait_for_status(instance)
    instance.restart()
    assert wait_for_status(instance).output == 2


def test_restart_when_it_failed_then_ends_well_this_time(engine: Harness) -> None:
    runs = Counter[str]()

    def work() -> int:
        runs["work"] += 1
        if runs["work"] == 1:
            raise CorruptInputError
        return runs["work"]

    async def script(step: Step) -> object:
        await step.do("before", counted(runs, "before"))
        return await step.do("work", work)

    instance = engine.begin(script)
    assert wait_for_status(instance).status == "errored"
    instance.restart(from_step=("work", 1))
    status = wait_for_status(instance)
    assert (status.status, status.output, status.error) == ("complete", 2, None)
    assert runs["before"] == 1


@pytest.mark.parametrize("first", ["sleep", "event", "value"])
def test_restart_when_from_a_wait_or_a_value_then_it_is_done_again(
    engine: Harness, first: str
) -> None:
    async def script(step: Step) -> object:
        await step.do("before", lambda: 1)
        if first == "sleep":
            await step.sleep("sleep", 0.1)
        elif first == "event":
            await step.wait_for_event("event", type="go", timeout=60)
        else:
            return await step.random("value")
        return None

    instance = engine.begin(script)
    instance.send_event("go") if first == "event" else None
    output = wait_for_status(instance).output
    instance.restart(from_step=(first, 1))
    status = wait_for_status(instance)
    assert status.status == "complete"
    assert status.generation == 2
    assert output is None or output != status.output


def test_restart_when_events_were_consumed_later_then_they_are_given_back(
    engine: Harness,
) -> None:
    async def script(step: Step) -> object:
        first = await step.wait_for_event("first", type="go", timeout=60)
        await step.do("between", lambda: 1)
        second = await step.wait_for_event("second", type="go", timeout=60)
        return [first.payload, second.payload]

    instance = engine.begin(script)
    instance.send_event("go", 1)
    instance.send_event("go", 2)
    assert wait_for_status(instance).output == [1, 2]
    instance.restart(from_step=("between", 1))
    assert wait_for_status(instance).output == [1, 2]
    instance.restart()
    assert wait_for_status(instance).output == [1, 2]
    assert [e.consumed_by for e in instance.events()] == ["first (1)", "second (1)"]


def test_restart_when_parallel_branches_had_ended_then_they_are_kept(engine: Harness) -> None:
    runs = Counter[str]()

    async def script(step: Step) -> object:
        async def branch(name: str) -> list[object]:
            part = step.branch(name)
            return [await part.do(f"{name}{n}", counted(runs, f"{name}{n}")) for n in (1, 2)]

        both = await asyncio.gather(branch("a"), branch("b"))
        return [both, await step.do("join", counted(runs, "join"))]

    instance = engine.begin(script)
    wait_for_status(instance)
    instance.restart(from_step=("join", 1))
    assert wait_for_status(instance).output == [[[1, 1], [1, 1]], 2]


def test_restart_when_it_runs_then_the_late_result_changes_nothing(engine: Harness) -> None:
    gates = [Gate(), Gate()]
    turns = iter(gates)

    async def script(step: Step) -> object:
        return await step.do("work", next(turns))

    instance = engine.begin(script)
    assert gates[0].began.wait(30)
    instance.restart()
    assert gates[1].began.wait(30)
    gates[0].release.set()
    gates[1].release.set()
    assert wait_for_status(instance).generation == 2
    assert [s.status for s in instance.history(every_generation=True)] == [
        "cancelled",
        "succeeded",
    ]


def test_restart_when_a_resource_step_runs_then_its_child_cannot_commit(
    engine: Harness, tmp_path: Path
) -> None:
    mine, other = tmp_path / "mine", tmp_path / "other"

    async def script(step: Step) -> object:
        call = partial(wait_for_file, str(mine), str(other))
        await step.do("heavy", call, resource="asr")
        return "end"

    instance = engine.begin(script)
    wait_until(mine.exists)
    instance.restart()
    other.touch()
    status = wait_for_status(instance)
    assert (status.output, status.generation) == ("end", 2)
    steps = instance.history(every_generation=True)
    assert [(s.generation, s.status) for s in steps] == [(1, "cancelled"), (2, "succeeded")]


def test_restart_when_the_step_is_unknown_then_nothing_changes(engine: Harness) -> None:
    async def script(step: Step) -> object:
        return await step.do("a", lambda: 1)

    instance = engine.begin(script)
    wait_for_status(instance)
    with pytest.raises(StepNotFoundError):
        instance.restart(from_step=("b", 1))
    assert instance.status().generation == 1


def test_restart_when_paused_then_runs(engine: Harness) -> None:
    runs = Counter[str]()

    async def script(step: Step) -> object:
        await step.do("a", counted(runs, "a"))
        if runs["a"] == 1:
            await step.wait_for_event("go", type="go", timeout=60)
        return "end"

    instance = engine.begin(script)
    wait_for_status(instance, {"waiting"})
    instance.pause()
    instance.restart()
    assert wait_for_status(instance).output == "end"


# Terminate and delete


def to_be_waiting(engine: Harness) -> Instance:
    async def script(step: Step) -> object:
        return (await step.wait_for_event("go", type="go", timeout=60)).payload

    instance = engine.begin(script)
    wait_for_status(instance, {"waiting"})
    return instance


def to_be_paused(engine: Harness) -> Instance:
    instance = to_be_waiting(engine)
    instance.pause()
    return instance


def to_be_running(engine: Harness, gate: Gate) -> Instance:
    async def script(step: Step) -> object:
        return await step.do("work", gate)

    instance = engine.begin(script)
    assert gate.began.wait(30)
    return instance


def to_be_about_to_pause(engine: Harness, gate: Gate) -> Instance:
    instance = to_be_running(engine, gate)
    instance.pause()
    return instance


@pytest.mark.parametrize(
    ("status", "bring"),
    [
        ("waiting", lambda engine, _: to_be_waiting(engine)),
        ("paused", lambda engine, _: to_be_paused(engine)),
        ("running", to_be_running),
        ("waiting_for_pause", to_be_about_to_pause),
    ],
)
def test_terminate_when_in_any_status_then_ends_and_takes_no_events(
    engine: Harness, status: str, bring: Callable[[Harness, Gate], Instance]
) -> None:
    gate = Gate()
    instance = bring(engine, gate)
    assert instance.status().status == status
    assert instance.terminate()
    gate.release.set()
    assert instance.status().status == "terminated"
    assert not instance.terminate()
    with pytest.raises(InstanceEndedError):
        instance.send_event("go")


def test_delete_when_it_has_ended_then_nothing_of_it_is_left(engine: Harness) -> None:
    async def script(step: Step) -> object:
        await step.do("a", lambda: 1)
        await step.wait_for_event("go", type="go", timeout="300 days")
        return None

    instance = engine.begin(script)
    wait_for_status(instance, {"waiting"})
    instance.send_event("go")
    wait_for_status(instance)
    instance.delete()
    with pytest.raises(InstanceNotFoundError):
        instance.status()
    with engine.database.connect() as connection:
        for table in ("engine_step", "engine_attempt", "engine_event"):
            query = sa.text(f"SELECT count(*) FROM {table} WHERE instance = :id")  # noqa: S608 - names of ours
            assert connection.scalar(query, {"id": instance.id}) == 0
    client = engine.engine.runtime.dispatcher.client
    left = client.list_workflows(workflow_id_prefix=f"{instance.id}:at:")
    assert [workflow.workflow_id for workflow in left] == []


def test_delete_when_the_callers_transaction_fails_then_nothing_is_gone(engine: Harness) -> None:
    async def script(step: Step) -> object:
        return await step.wait_for_event("go", type="go", timeout="300 days")

    def deadlines() -> int:
        client = engine.engine.runtime.dispatcher.client
        return len(client.list_workflows(workflow_id_prefix=f"{instance.id}:at:"))

    def delete_and_fail() -> None:
        with transaction(engine.database) as session:
            instance.delete(session=session)
            raise ZeroDivisionError

    instance = engine.begin(script)
    wait_for_status(instance, {"waiting"})
    instance.terminate()
    with pytest.raises(ZeroDivisionError):
        delete_and_fail()
    assert (instance.status().status, deadlines()) == (Status.TERMINATED, 1)
    with transaction(engine.database) as session:
        instance.delete(session=session)
    assert deadlines() == 0


def test_delete_when_it_has_not_ended_then_is_refused(engine: Harness) -> None:
    async def script(step: Step) -> object:
        return await step.wait_for_event("go", type="go", timeout=60)

    instance = engine.begin(script)
    wait_for_status(instance, {"waiting"})
    with pytest.raises(InstanceStateError, match="terminated"):
        instance.delete()
    instance.terminate()


@pytest.mark.parametrize("operation", ["pause", "resume", "restart", "delete"])
def test_operation_when_the_instance_is_unknown_then_is_an_error(
    engine: Harness, operation: str
) -> None:
    nobody = engine.engine.workflows.get("scripted").get("nobody")
    with pytest.raises(InstanceNotFoundError):
        getattr(nobody, operation)()


# Tenants, batches, retention


def test_tenants_when_both_use_an_id_then_each_has_its_own_instance_and_events(
    engine: Harness,
) -> None:
    async def script(step: Step) -> object:
        return (await step.wait_for_event("go", type="go", timeout=60)).payload

    engine.scripts["shared"] = script
    theirs = engine.engine.workflows.for_tenant("acme").get("scripted")
    ours = engine.engine.workflows.get("scripted")
    one, two = ours.create("shared", "shared"), theirs.create("shared", "shared")
    ours.get("shared").send_event("go", "ours")
    theirs.get("shared").send_event("go", "theirs")
    assert (wait_for_status(one).output, wait_for_status(two).output) == ("ours", "theirs")
    assert (one.id, two.id, two.status().tenant) == ("shared", "acme.shared", "acme")
    listed = engine.engine.instances(tenant="acme")
    assert [line.id for line in listed] == ["acme.shared"]


def test_tenant_when_one_floods_then_another_is_not_starved(engine: Harness) -> None:
    async def script(step: Step) -> object:
        return await step.do("work", lambda: threading.Event().wait(0.02))

    engine.scripts["flood"] = script
    flooding = engine.engine.workflows.for_tenant("flood").get("scripted")
    flood = flooding.create_batch([NewInstance(f"f{n}", "flood") for n in range(300)])
    small = engine.engine.workflows.for_tenant("small").get("scripted").create("one", "flood")
    at = wait_for_status(small).ended_at
    ended = [one.status().ended_at for one in flood]
    assert at is not None
    assert sum(1 for other in ended if other is not None and other <= at) < 200
    for one in flood:
        one.terminate()


def test_batch_when_an_id_is_used_then_none_is_created(engine: Harness) -> None:
    async def script(step: Step) -> object:
        return await step.do("a", lambda: 1)

    engine.scripts["batch"] = script
    instances = engine.engine.workflows.get("scripted")
    instances.create("batch-2", "batch")
    new = [NewInstance(f"batch-{n}", "batch") for n in range(5)]
    with pytest.raises(InstanceExistsError) as raised:
        instances.create_batch(new)
    assert raised.value.details == {"instance": "batch-2"}
    with pytest.raises(InstanceNotFoundError):
        instances.get("batch-0").status()
    many = instances.create_batch([NewInstance(None, "batch") for _ in range(20)])
    assert {wait_for_status(one).output for one in many} == {1}


def test_retention_when_it_is_over_then_the_instance_is_deleted(engine: Harness) -> None:
    async def script(step: Step) -> object:
        return await step.do("a", lambda: 1)

    engine.scripts["kept"] = script
    instances = engine.engine.workflows.get("scripted")
    short = instances.create("short", "kept", retention=1)
    long = instances.create("long", "kept", retention="1 day")
    wait_for_status(long)

    def is_gone() -> bool:
        return not [one for one in engine.engine.instances(search="short") if one.id == short.id]

    wait_until(is_gone)
    assert long.status().status == "complete"
