"""Sleeps and events: absolute deadlines, first in first out, one outcome for good."""

import threading
from contextlib import suppress
from datetime import UTC, datetime, timedelta

import pytest

from configs.clock import utc_now
from pipeline.engine import (
    EventTimeoutError,
    InstanceEndedError,
    InstanceNotFoundError,
    NonRetryableError,
    Step,
    TooLargeForJournalError,
)
from pipeline.engine.testing import wait_for_status
from storage.database import transaction
from tests.engines import Harness, replayed, until


class RolledBackError(Exception):
    pass


async def one_event(step: Step) -> object:
    return (await step.wait_for_event("wait", type="go", timeout=60)).payload


def test_sleep_when_its_time_has_passed_then_goes_on_once(engine: Harness) -> None:
    async def script(step: Step) -> object:
        before = await step.now("before")
        await step.sleep("pause", 1.3)
        return (await step.now("after") - before).total_seconds()

    slept = engine.run(script)
    assert isinstance(slept, float)
    assert slept >= 1.3


def test_sleep_until_when_the_moment_is_over_then_is_an_error(engine: Harness) -> None:
    async def script(step: Step) -> object:
        with pytest.raises(NonRetryableError):
            await step.sleep_until("back", datetime(2020, 1, 1, tzinfo=UTC))
        with pytest.raises(NonRetryableError):
            await step.sleep_until("far", datetime(2199, 1, 1, tzinfo=UTC))
        return "went on"

    assert engine.run(script) == "went on"


def test_sleep_until_when_the_moment_comes_then_goes_on(engine: Harness) -> None:
    moment = utc_now() + timedelta(seconds=1.2)

    async def script(step: Step) -> object:
        await step.sleep_until("then", moment)
        return (await step.now()) >= moment

    assert engine.run(script) is True


@pytest.mark.parametrize("duration", ["366 days", -1, "soon"])
def test_sleep_when_the_duration_is_none_then_the_instance_is_errored(
    engine: Harness, duration: str | float
) -> None:
    async def script(step: Step) -> object:
        await step.sleep("pause", duration)
        return None

    assert engine.finish(script).status == "errored"


def test_event_when_sent_before_the_wait_then_is_taken(engine: Harness) -> None:
    async def script(step: Step) -> object:
        await step.wait_for_event("first", type="first", timeout=60)
        return await one_event(step)

    instance = engine.begin(script)
    instance.send_event("go", {"n": 1})
    instance.send_event("first")
    assert wait_for_status(instance).output == {"n": 1}


def test_event_when_sent_while_the_workflow_waits_then_wakes_it(engine: Harness) -> None:
    instance = engine.begin(one_event)
    wait_for_status(instance, {"waiting"})
    instance.send_event("go", "payload")
    assert wait_for_status(instance).output == "payload"


def test_event_when_sent_while_a_step_runs_then_is_taken_after_it(engine: Harness) -> None:
    running_, sent = threading.Event(), threading.Event()

    def work() -> None:
        running_.set()
        sent.wait(30)

    async def script(step: Step) -> object:
        await step.do("work", work)
        return await one_event(step)

    instance = engine.begin(script)
    running_.wait(30)
    instance.send_event("go", 5)
    sent.set()
    assert wait_for_status(instance).output == 5


def test_event_of_another_type_when_sent_then_wakes_nobody(engine: Harness) -> None:
    instance = engine.begin(one_event)
    wait_for_status(instance, {"waiting"})
    instance.send_event("other")
    assert instance.status().status == "waiting"


def test_events_of_one_type_when_several_are_sent_then_are_taken_in_order(
    engine: Harness,
) -> None:
    async def script(step: Step) -> object:
        return [await one_event(step) for _ in range(3)]

    instance = engine.begin(script)
    for number in range(3):
        instance.send_event("go", number)
    assert wait_for_status(instance).output == [0, 1, 2]


def test_events_a_then_b_when_waited_for_as_b_then_a_then_both_are_taken(
    engine: Harness,
) -> None:
    async def script(step: Step) -> object:
        b = await step.wait_for_event("b", type="b", timeout=60)
        a = await step.wait_for_event("a", type="a", timeout=60)
        return [b.payload, a.payload]

    instance = engine.begin(script)
    wait_for_status(instance, {"waiting"})
    instance.send_event("a", 1)
    instance.send_event("b", 2)
    assert wait_for_status(instance).output == [2, 1]


def test_event_when_its_key_is_repeated_then_is_one_event(engine: Harness) -> None:
    async def script(step: Step) -> object:
        return [await one_event(step), await one_event(step)]

    instance = engine.begin(script)
    assert instance.send_event("go", 1, key="k")
    assert not instance.send_event("go", 1, key="k")
    assert instance.send_event("go", 2, key="l")
    assert wait_for_status(instance).output == [1, 2]


def test_event_when_the_instance_has_ended_then_is_an_error(engine: Harness) -> None:
    instance = engine.begin(one_event)
    instance.send_event("go")
    wait_for_status(instance)
    with pytest.raises(InstanceEndedError):
        instance.send_event("go")


def test_event_when_the_instance_is_unknown_then_is_an_error(engine: Harness) -> None:
    with pytest.raises(InstanceNotFoundError):
        engine.engine.workflows.get("scripted").get("nobody").send_event("go")


@pytest.mark.parametrize("kind", ["", "-a", "a b", "x" * 101, "a.b", "ä"])
def test_event_when_its_type_is_not_allowed_then_is_an_error(engine: Harness, kind: str) -> None:
    instance = engine.begin(one_event)
    with pytest.raises(ValueError, match="event type"):
        instance.send_event(kind)
    instance.send_event("go")


def test_event_when_its_payload_is_too_large_then_is_an_error(engine: Harness) -> None:
    instance = engine.begin(one_event)
    with pytest.raises(TooLargeForJournalError):
        instance.send_event("go", "x" * 1024 * 1024)
    instance.send_event("go", "x" * (1024 * 1024 - 2))
    assert wait_for_status(instance).status == "complete"


def test_wait_when_nothing_comes_then_raises_event_timeout_in_every_replay(
    engine: Harness,
) -> None:
    seen: list[str] = []

    async def script(step: Step) -> object:
        try:
            await step.wait_for_event("wait", type="go", timeout=1)
        except EventTimeoutError as error:
            seen.append(error.code)
        await step.sleep("pause", 1.2)
        return "went on"

    instance = engine.begin(script)
    assert wait_for_status(instance).output == "went on"
    assert replayed(seen) == "engine.event_timeout"


def test_event_when_it_comes_after_the_time_out_then_the_next_wait_takes_it(
    engine: Harness,
) -> None:
    async def script(step: Step) -> object:
        with pytest.raises(EventTimeoutError):
            await step.wait_for_event("wait", type="go", timeout=1)
        return await one_event(step)

    instance = engine.begin(script)
    until(instance, lambda: len(instance.history()) == 2)
    instance.send_event("go", "late")
    assert wait_for_status(instance).output == "late"


def test_deadline_when_its_event_has_come_then_disturbs_nobody(engine: Harness) -> None:
    async def script(step: Step) -> object:
        first = await step.wait_for_event("short", type="go", timeout=1)
        second = await step.wait_for_event("long", type="go", timeout=60)
        return [first.payload, second.payload]

    instance = engine.begin(script)
    instance.send_event("go", 1)
    threading.Event().wait(2.5)  # the first wait's deadline passes
    assert instance.status().status == "waiting"
    instance.send_event("go", 2)
    assert wait_for_status(instance).output == [1, 2]


def test_first_event_when_several_types_are_waited_for_then_takes_the_oldest(
    engine: Harness,
) -> None:
    async def script(step: Step) -> object:
        await step.wait_for_event("first", type="first", timeout=60)
        event = await step.wait_for_first_event("any", types=["a", "b"], timeout=60)
        return event.type

    instance = engine.begin(script)
    instance.send_event("b")
    instance.send_event("a")
    instance.send_event("first")
    assert wait_for_status(instance).output == "b"


@pytest.mark.parametrize("timeout", [0.5, "366 days"])
def test_wait_when_its_timeout_is_out_of_range_then_the_instance_is_errored(
    engine: Harness, timeout: float | str
) -> None:
    async def script(step: Step) -> object:
        return await step.wait_for_event("wait", type="go", timeout=timeout)

    assert engine.finish(script).status == "errored"


def test_event_when_the_callers_transaction_is_undone_then_was_never_sent(
    engine: Harness,
) -> None:
    instance = engine.begin(one_event)
    wait_for_status(instance, {"waiting"})
    with suppress(RolledBackError), transaction(engine.database) as session:
        instance.send_event("go", "undone", session=session)
        raise RolledBackError
    assert instance.status().status == "waiting"
    with transaction(engine.database) as session:
        instance.send_event("go", "kept", session=session)
    assert wait_for_status(instance).output == "kept"


def test_many_events_when_sent_during_one_long_step_then_stop_no_other_instance(
    engine: Harness,
) -> None:
    release = threading.Event()

    async def busy(step: Step) -> object:
        await step.do("work", lambda: release.wait(30))
        return [await one_event(step) for _ in range(20)]

    instance, other = engine.begin(busy), engine.begin(one_event)
    for number in range(20):
        instance.send_event("go", number)
    other.send_event("go", "woken")
    assert wait_for_status(other).output == "woken"
    release.set()
    assert wait_for_status(instance).output == list(range(20))


def test_history_when_a_wait_is_open_then_shows_its_deadline(engine: Harness) -> None:
    instance = engine.begin(one_event)
    wait_for_status(instance, {"waiting"})
    (shown,) = instance.history()
    assert shown.status == "waiting"
    assert shown.waiting_until
    assert timedelta(seconds=50) < shown.waiting_until - utc_now() < timedelta(seconds=61)
    instance.send_event("go")
