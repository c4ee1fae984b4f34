"""Steps: done once, tried again, remembered with their type."""

import asyncio
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial

import pytest
from sqlmodel import Session

from configs.errors import CorruptInputError, TransientError
from pipeline.engine import (
    EngineError,
    NonRetryableError,
    NotSerializableError,
    Retries,
    Step,
    StepFailedError,
    StepNameError,
    StepStatus,
    StepTimeoutError,
    TooLargeForJournalError,
)
from pipeline.engine.testing import replace, time_out, wait_for_status
from tests.engine_calls import read_notes, write_note
from tests.engines import Harness, replayed

AT_ONCE = Retries(limit=5, delay=0)
MIB = 1024 * 1024


@dataclass(frozen=True)
class Made:
    name: str
    at: datetime


class StrangeError(Exception):
    def __init__(self, one: int, two: int) -> None:
        super().__init__(f"{one}-{two}")


def test_step_that_succeeded_when_the_workflow_waited_then_does_not_run_again(
    engine: Harness,
) -> None:
    runs: Counter[str] = Counter()

    async def script(step: Step) -> object:
        await step.do("a", lambda: runs.update(["a"]))
        await step.wait_for_event("go", type="go", timeout=30)
        return await step.do("b", lambda: runs.update(["b"]))

    instance = engine.begin(script)
    wait_for_status(instance, {"waiting"})
    instance.send_event("go")
    wait_for_status(instance, {"complete"})
    assert runs == {"a": 1, "b": 1}


def test_waiting_instance_when_nothing_is_due_then_holds_no_turn(engine: Harness) -> None:
    async def script(step: Step) -> object:
        return await step.wait_for_event("go", type="go", timeout=30)

    instance = engine.begin(script)
    wait_for_status(instance, {"waiting"})
    other = engine.begin(script)
    wait_for_status(other, {"waiting"})
    held = [turn.ref.instance for turn in engine.engine.runtime.live.turns.values()]
    assert instance.id not in held


def test_result_when_its_annotation_names_a_type_then_a_replay_gives_that_type(
    engine: Harness,
) -> None:
    seen: list[object] = []

    def make() -> Made:
        return Made("x", datetime.fromisoformat("2026-01-02T03:04:05+00:00"))

    async def script(step: Step) -> object:
        seen.append(await step.do("make", make))
        await step.sleep("pause", 1.5)
        return None

    engine.run(script)
    assert replayed(seen) == make()


def test_step_when_it_fails_each_time_then_has_limit_plus_one_attempts(engine: Harness) -> None:
    def fail() -> None:
        raise TransientError("not now")

    async def script(step: Step) -> object:
        return await step.do("fail", fail, retries=AT_ONCE)

    instance = engine.begin(script)
    status = wait_for_status(instance)
    assert status.error
    assert (status.error.code, status.error.message) == ("transient", "not now")
    assert [a.outcome for a in instance.attempts()] == ["failed"] * 6
    assert instance.history()[0].attempts == 6


def test_step_when_it_succeeds_at_the_third_attempt_then_goes_on(engine: Harness) -> None:
    attempts: list[int] = []

    def flaky() -> int:
        attempts.append(1)
        if len(attempts) < 3:
            raise TransientError
        return len(attempts)

    async def script(step: Step) -> object:
        return await step.do("flaky", flaky, retries=AT_ONCE)

    assert engine.run(script) == 3


@pytest.mark.parametrize("error", [NonRetryableError("no"), CorruptInputError(), EngineError("x")])
def test_step_when_its_error_is_not_retryable_then_is_not_tried_again(
    engine: Harness, error: Exception
) -> None:
    async def script(step: Step) -> object:
        return await step.do("fail", partial(_raise, error), retries=AT_ONCE)

    instance = engine.begin(script)
    wait_for_status(instance, {"errored"})
    assert len(instance.attempts()) == 1


@pytest.mark.parametrize(
    "error",
    [
        CorruptInputError("damaged", {"at_s": 1}),
        ValueError("plain"),
        KeyError("key"),
        ValueError(),
        NonRetryableError("for good"),
    ],
)
def test_step_that_failed_for_good_when_replayed_then_raises_the_same_error(
    engine: Harness, error: Exception
) -> None:
    seen: list[Exception] = []

    async def script(step: Step) -> object:
        try:
            await step.do("fail", partial(_raise, error), retries=Retries(limit=0))
        except Exception as caught:  # noqa: BLE001 - any type is tried
            seen.append(caught)
        await step.sleep("pause", 1.5)
        return None

    engine.run(script)
    expected = (type(error), str(error), error.args)
    assert replayed([(type(e), str(e), e.args) for e in seen]) == expected


def test_step_when_its_error_cannot_be_restored_then_raises_one_that_names_it(
    engine: Harness,
) -> None:
    async def script(step: Step) -> object:
        with pytest.raises(StepFailedError) as caught:
            await step.do("fail", partial(_raise, StrangeError(1, 2)), retries=Retries(limit=0))
        return [caught.value.message, caught.value.details["type"]]

    assert engine.run(script) == ["1-2", f"{__name__}:StrangeError"]


@pytest.mark.parametrize("delay", [lambda *_: -1, lambda *_: "soon", lambda *_: 1 / 0])
def test_step_when_its_delay_function_gives_no_delay_then_fails(
    engine: Harness, delay: Callable[[int, Exception], float]
) -> None:
    async def script(step: Step) -> object:
        retries = Retries(limit=3, delay=delay)
        return await step.do("fail", partial(_raise, TransientError()), retries=retries)

    instance = engine.begin(script)
    wait_for_status(instance, {"errored"})
    assert len(instance.attempts()) == 1


def test_retry_delay_when_it_is_long_then_holds_no_turn_and_shows_its_time(
    engine: Harness,
) -> None:
    async def script(step: Step) -> object:
        error = TransientError(details={"retry_after_s": 3600})
        return await step.do("fail", partial(_raise, error), retries=Retries(delay=0))

    instance = engine.begin(script)
    wait_for_status(instance, {"waiting"})
    shown = instance.history()[0]
    assert shown.status is StepStatus.RETRYING
    assert shown.waiting_until
    assert shown.ended_at is None
    assert shown.started_at
    assert (shown.waiting_until - shown.started_at).total_seconds() >= 3599


def test_retry_delay_when_it_outlasts_the_turn_then_the_step_is_tried_again_after_it(
    engine: Harness,
) -> None:
    attempts: list[int] = []

    def flaky() -> str:
        attempts.append(1)
        if len(attempts) == 1:
            raise TransientError
        return "done"

    async def script(step: Step) -> object:
        return await step.do("flaky", flaky, retries=Retries(delay=1.2, backoff="constant"))

    assert engine.run(script) == "done"
    assert len(attempts) == 2


def test_async_step_when_it_takes_too_long_then_is_cancelled(engine: Harness) -> None:
    cancelled = threading.Event()

    async def slow() -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    async def script(step: Step) -> object:
        with pytest.raises(StepTimeoutError):
            await step.do("slow", slow, timeout=0.2, retries=Retries(limit=0))
        return "went on"

    assert engine.run(script) == "went on"
    assert cancelled.is_set()


def test_sync_step_when_it_takes_too_long_then_its_late_result_is_ignored(
    engine: Harness,
) -> None:
    release, ended = threading.Event(), threading.Event()

    def slow() -> str:
        release.wait(30)
        ended.set()
        return "late"

    async def script(step: Step) -> object:
        try:
            return await step.do("slow", slow, timeout=0.2, retries=Retries(limit=0))
        except StepTimeoutError:
            return "timed out"

    instance = engine.begin(script)
    wait_for_status(instance)
    release.set()
    assert ended.wait(30)
    assert instance.status().output == "timed out"


def test_step_when_it_raises_timeout_itself_then_that_is_its_own_error(engine: Harness) -> None:
    async def script(step: Step) -> object:
        with pytest.raises(TimeoutError):
            await step.do("x", partial(_raise, TimeoutError("mine")), retries=Retries(limit=0))
        return "went on"

    assert engine.run(script) == "went on"


@pytest.mark.parametrize(("size", "fits"), [(MIB - 1, True), (MIB, True), (MIB + 1, False)])
def test_result_when_it_is_about_one_mebibyte_then_the_limit_is_exact(
    engine: Harness, size: int, *, fits: bool
) -> None:
    async def script(step: Step) -> object:
        try:
            await step.do("large", lambda: "x" * (size - 2))  # with its two quotes
        except TooLargeForJournalError as error:
            return error.details["bytes"]
        return "fits"

    instance = engine.begin(script)
    assert wait_for_status(instance).output == ("fits" if fits else size)
    assert len(instance.attempts()) == 1


def test_result_when_it_is_no_json_then_the_step_fails_for_good(engine: Harness) -> None:
    async def script(step: Step) -> object:
        with pytest.raises(NotSerializableError):
            await step.do("bad", threading.Lock)
        return "went on"

    assert engine.run(script) == "went on"


def test_output_when_it_is_too_large_then_the_instance_is_errored(engine: Harness) -> None:
    async def script(step: Step) -> object:  # noqa: ARG001 - the shape
        return "x" * (MIB + 1)

    status = engine.finish(script)
    assert status.error
    assert status.error.code == "engine.too_large"


def test_steps_when_there_are_more_than_the_limit_then_the_instance_is_errored(
    engine: Harness,
) -> None:
    async def script(step: Step) -> object:
        for _ in range(100):
            await step.now()
        return "all"

    status = engine.finish(script)
    assert status.error
    assert status.error.code == "engine.limit"


def test_sensitive_step_when_it_fails_then_no_view_shows_its_text(engine: Harness) -> None:
    async def script(step: Step) -> object:
        fail = partial(_raise, ValueError("Jane Fictional"))
        return await step.do("secret", fail, retries=Retries(limit=0), sensitive=True)

    instance = engine.begin(script)
    status = wait_for_status(instance, {"errored"})
    shown = f"{status} {instance.history()} {instance.attempts()}"
    assert "Jane" not in shown
    assert instance.history()[0].error_code == "ValueError"


@pytest.mark.parametrize("name", ["", "x" * 257, "a\nb", "a\x00", "a\x7f"])
def test_step_name_when_it_is_not_allowed_then_the_instance_is_errored(
    engine: Harness, name: str
) -> None:
    async def script(step: Step) -> object:
        return await step.do(name, lambda: 1)

    status = engine.finish(script)
    assert status.error
    assert status.error.code == "engine.step_name"


def test_names_when_used_again_then_are_counted(engine: Harness) -> None:
    async def script(step: Step) -> object:
        return [await step.do("x" * 256, partial(int, n)) for n in range(3)]

    instance = engine.begin(script)
    assert wait_for_status(instance).output == [0, 1, 2]
    assert [s.count for s in instance.history()] == [1, 2, 3]


def test_values_when_replayed_then_are_the_recorded_ones(engine: Harness) -> None:
    seen: list[object] = []

    async def script(step: Step) -> object:
        seen.append((await step.now(), await step.random(), await step.uuid()))
        await step.sleep("pause", 1.5)
        return None

    engine.run(script)
    assert replayed(seen)


def test_commit_when_the_step_succeeds_then_its_row_and_its_result_are_one_transaction(
    engine: Harness,
) -> None:
    def commit(session: Session, value: int) -> int:
        write_note(session, f"kept {value}")
        return value + 1

    async def script(step: Step) -> object:
        return await step.do("keep", lambda: 1, commit=commit)

    assert engine.run(script) == 2
    assert read_notes(engine.database, "kept") == ["kept 1"]


def test_commit_when_it_raises_then_its_row_is_undone_and_the_step_tried_again(
    engine: Harness,
) -> None:
    calls: list[int] = []

    def commit(session: Session, value: int) -> None:
        calls.append(value)
        write_note(session, f"undone {len(calls)}")
        if len(calls) == 1:
            raise TransientError

    async def script(step: Step) -> object:
        await step.do("keep", lambda: 7, commit=commit, retries=AT_ONCE)
        return "went on"

    assert engine.run(script) == "went on"
    assert read_notes(engine.database, "undone") == ["undone 2"]


def test_test_kit_when_it_replaces_a_step_then_the_step_gives_that(engine: Harness) -> None:
    replace(engine.engine.faults, "replaced", result=5)
    replace(engine.engine.faults, "broken", error=CorruptInputError("so"), times=1)
    time_out(engine.engine.faults, "slow")

    async def script(step: Step) -> object:
        with pytest.raises(CorruptInputError):
            await step.do("broken", lambda: 1)
        with pytest.raises(StepTimeoutError):
            await step.do("slow", lambda: 1, retries=Retries(limit=0))
        return await step.do("replaced", lambda: 1)

    assert engine.run(script) == 5


def test_step_when_its_name_is_in_use_in_another_branch_then_is_an_error(engine: Harness) -> None:
    async def script(step: Step) -> object:
        one = step.do("same", lambda: 1)
        with pytest.raises(StepNameError):
            await asyncio.gather(one, step.do("same", lambda: 2))
        return "went on"

    assert engine.run(script) == "went on"


def _raise(error: Exception) -> None:
    raise error
