"""What the pages about instances show of a real engine: branches side by side, every attempt."""

import asyncio
import threading

from pipeline.engine import Event, Instance, NonRetryableError, Retries, Step, StepKey, Undo
from pipeline.engine.testing import wait_for_status
from review_ui.queries.step_picture import picture_of
from review_ui.queries.timeline import timeline_of
from tests.engines import Harness, until


async def _branches(step: Step) -> str:
    await step.do("begin", lambda: None)

    async def left(branch: Step) -> None:
        await branch.do("load", lambda: 1)
        await branch.do("store", lambda: 2)

    async def right(branch: Step) -> None:
        await branch.do("load", lambda: 3)

    await asyncio.gather(left(step.branch("left")), right(step.branch("right")))
    await asyncio.gather(*(step.do(f"part {n}", _slow) for n in range(3)))
    return await step.do("end", lambda: "done")


def _slow() -> None:
    threading.Event().wait(0.05)


def drawn(instance: Instance) -> list[list[list[str]]]:
    """Return the picture as blocks of lanes of names; which lane began first may differ."""
    picture = picture_of(instance.history(), lambda _: "")
    return [sorted([n.name for n in lane.nodes] for lane in block) for block in picture.blocks]


def test_picture_of_branches_when_run_shows_them_side_by_side(engine: Harness) -> None:
    instance = engine.begin(_branches)
    wait_for_status(instance)
    assert drawn(instance) == [
        [["begin"]],
        [["load"], ["load", "store"]],
        [["part 0"], ["part 1"], ["part 2"]],
        [["end"]],
    ]


def test_picture_of_a_rollback_when_branches_are_undone_shows_one_after_the_other(
    engine: Harness,
) -> None:
    async def script(step: Step) -> None:
        await step.do("order", lambda: None, rollback=_undo)
        left, right = step.branch("left"), step.branch("right")
        await asyncio.gather(
            left.do("pay", lambda: None, rollback=_undo),
            right.do("pack", lambda: None, rollback=_undo),
        )
        await step.do("refuse", _refuse)

    instance = engine.begin(script)
    assert wait_for_status(instance).rollback == "complete"
    *before, undone = drawn(instance)
    assert before[1] == [["pack"], ["pay"]]
    assert sorted(undone[0][:2]) == ["pack", "pay"]
    assert undone[0][2:] == ["order"]
    entries = timeline_of(
        instance.status(), instance.history(), instance.attempts(), instance.events()
    )
    assert [e.kind for e in entries][-4:] == ["rollback"] * 3 + ["ended"]


def _undo(_: Undo) -> None:
    """Undo nothing."""


def _refuse() -> None:
    raise NonRetryableError("No.")


def test_timeline_when_an_instance_waited_failed_and_was_restarted_tells_all(
    engine: Harness,
) -> None:
    tries: list[int] = []

    async def script(step: Step) -> str:
        await step.do("probe", lambda: None)
        event: Event = await step.wait_for_event("go", type="go", timeout=60)
        await step.do("shaky", shaky, retries=Retries(limit=2, delay=0.01))
        return str(event.payload)

    def shaky() -> None:
        tries.append(1)
        if len(tries) % 2:
            raise ConnectionError

    instance = engine.begin(script)
    until(instance, lambda: bool(instance.status().waiting_for))
    (waiting,) = [s for s in instance.history() if s.kind == "event"]
    assert waiting.event_types == ("go",)
    instance.send_event("go", "first")
    wait_for_status(instance)
    instance.restart(StepKey("", "shaky", 1))
    wait_for_status(instance)
    entries = timeline_of(
        instance.status(),
        instance.history(every_generation=True),
        instance.attempts(),
        instance.events(),
    )
    told = [(e.kind, e.name, e.number, e.status) for e in entries if e.kind != "arrival"]
    shaky_twice = [("attempt", "shaky", 1, "failed"), ("attempt", "shaky", 2, "succeeded")]
    assert told == [
        ("created", "", 1, ""),
        ("attempt", "probe", 1, "succeeded"),
        ("event", "go", 1, "succeeded"),
        *shaky_twice,
        ("restart", "", 1, ""),
        *shaky_twice,
        ("ended", "", 1, "complete"),
    ]
    (arrival,) = [e for e in entries if e.kind == "arrival"]
    assert (arrival.event_type, arrival.consumed_by) == ("go", "go (1)")
