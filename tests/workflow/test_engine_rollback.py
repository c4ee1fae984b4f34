"""Rollback: what steps did is undone in reverse order, resumably, no handler twice to success."""

import asyncio
import threading
from collections import Counter
from contextlib import suppress

import pytest
import sqlalchemy as sa
from sqlmodel import Session

from configs.errors import CorruptInputError, DatabaseBusyError, TransientError
from pipeline.engine import Instance, Retries, Step, Undo
from pipeline.engine.testing import wait_for_status
from tests.engines import Harness
from tests.waiting import wait_until

AT_ONCE = Retries(limit=3, delay=0)
NEVER_AGAIN = Retries(limit=0)


class Book:
    """What was done and undone, in order."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    async def do(self, step: Step, name: str, result: object = None) -> object:
        """Do a step that can be undone."""
        return await step.do(name, lambda: self._done(name, result), rollback=self.undo(name))

    def undo(self, name: str) -> "Undoing":
        return Undoing(self, name)

    async def fail(self, step: Step, name: str) -> None:
        """Do a step that fails for good after having had its effect."""
        await step.do(name, lambda: self._fail(name), rollback=self.undo(name))

    def _done(self, name: str, result: object) -> object:
        self.lines.append(name)
        return result or name

    def _fail(self, name: str) -> None:
        self.lines.append(name)
        raise CorruptInputError


class Undoing:
    """A rollback that notes what it was told."""

    def __init__(self, book: Book, name: str) -> None:
        self.book, self.name = book, name

    def __call__(self, undo: Undo) -> None:
        code = undo.error.code if undo.error else "terminated"
        self.book.lines.append(f"undo {self.name}: {undo.result}, {code}")


def rolled_back(instance: Instance) -> list[tuple[str, str]]:
    return [(s.name, s.status.value) for s in instance.history() if s.kind == "rollback"]


def test_rollback_when_an_error_leaves_run_then_in_reverse_order_with_the_failed_step(
    engine: Harness,
) -> None:
    book = Book()

    async def script(step: Step) -> object:
        await book.do(step, "first")
        await book.do(step, "second")
        await book.fail(step, "third")
        return None

    instance = engine.begin(script)
    status = wait_for_status(instance)
    assert (status.status, status.rollback) == ("errored", "complete")
    assert status.error
    assert status.error.code == "input.corrupt"
    assert book.lines == [
        "first",
        "second",
        "third",
        "undo third: None, input.corrupt",
        "undo second: second, input.corrupt",
        "undo first: first, input.corrupt",
    ]
    assert rolled_back(instance) == [(n, "succeeded") for n in ("third", "second", "first")]


def test_rollback_when_the_error_is_caught_then_nothing_is_undone(engine: Harness) -> None:
    book = Book()

    async def script(step: Step) -> object:
        await book.do(step, "first")
        with suppress(CorruptInputError):
            await book.fail(step, "second")
        return "fine"

    assert engine.run(script) == "fine"
    assert book.lines == ["first", "second"]


def test_rollback_when_the_error_is_of_run_itself_then_all_steps_are_undone(
    engine: Harness,
) -> None:
    book = Book()

    async def script(step: Step) -> object:
        await book.do(step, "first")
        raise CorruptInputError

    assert engine.finish(script).rollback == "complete"
    assert book.lines == ["first", "undo first: first, input.corrupt"]


def test_rollback_when_steps_ran_before_a_wait_then_they_are_undone_too(engine: Harness) -> None:
    book = Book()

    async def script(step: Step) -> object:
        await book.do(step, "first", "booked")
        await step.wait_for_event("go", type="go", timeout=60)
        await book.fail(step, "second")
        return None

    instance = engine.begin(script)
    wait_for_status(instance, {"waiting"})
    instance.send_event("go")
    wait_for_status(instance)
    assert book.lines[2:] == [
        "undo second: None, input.corrupt",
        "undo first: booked, input.corrupt",
    ]


def test_rollback_when_steps_are_parallel_then_in_reverse_order_of_their_starts(
    engine: Harness,
) -> None:
    book, both = Book(), threading.Barrier(2)

    async def script(step: Step) -> object:
        async def branch(name: str) -> None:
            part = step.branch(name)
            await part.do("one", lambda: both.wait(30) and None, rollback=book.undo(f"{name} one"))
            await part.do("two", lambda: None, rollback=book.undo(f"{name} two"))

        await asyncio.gather(branch("a"), branch("b"))
        raise CorruptInputError

    instance = engine.begin(script)
    assert wait_for_status(instance).rollback == "complete"
    started = [s for s in instance.history() if s.kind == "do"]
    undone = [s for s in instance.history() if s.kind == "rollback"]
    places = [(s.branch.partition("/")[2], s.name) for s in undone]
    assert places == [(s.branch, s.name) for s in reversed(started)]


def test_rollback_when_it_fails_once_then_is_tried_again(engine: Harness) -> None:
    tries: Counter[str] = Counter()

    def undo(_: Undo) -> None:
        tries["undo"] += 1
        if tries["undo"] < 3:
            raise TransientError

    async def script(step: Step) -> object:
        await step.do("first", lambda: None, rollback=undo, rollback_retries=AT_ONCE)
        raise CorruptInputError

    assert engine.finish(script).rollback == "complete"
    assert tries == {"undo": 3}


def test_rollback_when_its_delay_outlasts_the_turn_then_goes_on_in_the_next(
    engine: Harness,
) -> None:
    tries: Counter[str] = Counter()

    def undo(_: Undo) -> None:
        tries["undo"] += 1
        if tries["undo"] == 1:
            raise TransientError

    async def script(step: Step) -> object:
        again = Retries(limit=1, delay=1.5)
        await step.do("first", lambda: None, rollback=undo, rollback_retries=again)
        raise CorruptInputError

    instance = engine.begin(script)
    wait_for_status(instance, {"rolling_back"})
    assert wait_for_status(instance).rollback == "complete"
    assert tries == {"undo": 2}


def test_rollback_when_one_fails_for_good_then_earlier_steps_stay(engine: Harness) -> None:
    book = Book()

    def refuse(_: Undo) -> None:
        raise CorruptInputError

    async def script(step: Step) -> object:
        await book.do(step, "first")
        await step.do("second", lambda: None, rollback=refuse)
        raise TransientError

    instance = engine.begin(script)
    status = wait_for_status(instance)
    assert (status.status, status.rollback) == ("errored", "failed")
    assert status.error
    assert status.error.code == TransientError.code
    assert rolled_back(instance) == [("second", "failed")]
    assert book.lines == ["first"]


def test_rollback_when_the_handler_is_async_and_slow_then_ends_at_its_time_out(
    engine: Harness,
) -> None:
    async def undo(_: Undo) -> None:
        await asyncio.sleep(60)

    async def script(step: Step) -> object:
        await step.do(
            "first",
            lambda: None,
            rollback=undo,
            rollback_timeout=0.2,
            rollback_retries=NEVER_AGAIN,
        )
        raise CorruptInputError

    instance = engine.begin(script)
    assert wait_for_status(instance).rollback == "failed"
    assert [s.error_code for s in instance.history() if s.kind == "rollback"] == [
        "engine.step_timeout"
    ]


def test_terminate_with_rollback_when_it_waits_then_undoes_and_ends(engine: Harness) -> None:
    book = Book()

    async def script(step: Step) -> object:
        await book.do(step, "first")
        await step.wait_for_event("go", type="go", timeout=60)
        await book.do(step, "second")
        return None

    instance = engine.begin(script)
    wait_for_status(instance, {"waiting"})
    assert instance.terminate(rollback=True)
    status = wait_for_status(instance)
    assert (status.status, status.rollback) == ("terminated", "complete")
    assert book.lines == ["first", "undo first: first, terminated"]
    assert {s.name: s.status for s in instance.history()}["go"] == "cancelled"


def test_terminate_with_rollback_when_a_step_runs_then_it_is_undone_without_result(
    engine: Harness,
) -> None:
    book, began, release = Book(), threading.Event(), threading.Event()

    def work() -> str:
        began.set()
        release.wait(30)
        return "too late"

    async def script(step: Step) -> object:
        await step.do("long", work, rollback=book.undo("long"))
        return "not reached"

    instance = engine.begin(script)
    assert began.wait(30)
    instance.terminate(rollback=True)
    assert wait_for_status(instance).status == "terminated"
    release.set()
    assert book.lines == ["undo long: None, terminated"]


def test_terminate_when_it_rolls_back_then_stops_where_it_is(engine: Harness) -> None:
    book, began, release = Book(), threading.Event(), threading.Event()

    def undo(_: Undo) -> None:
        began.set()
        release.wait(30)

    async def script(step: Step) -> object:
        await book.do(step, "first")
        await step.do("second", lambda: None, rollback=undo)
        raise CorruptInputError

    instance = engine.begin(script)
    assert began.wait(30)
    assert instance.status().status == "rolling_back"
    assert not instance.terminate(rollback=True)
    assert instance.terminate()
    release.set()
    assert instance.status().status == "terminated"
    assert book.lines == ["first"]


def test_rollback_when_the_answer_to_its_beginning_is_lost_then_goes_on(engine: Harness) -> None:
    book, lost, watched = Book(), list[str](), threading.Event()

    async def script(step: Step) -> object:
        await book.do(step, "first")
        await step.do("watched", lambda: watched.wait(30) and None)
        raise CorruptInputError

    instance = engine.begin(script)

    def lose(_: Session) -> None:
        query = sa.text("SELECT count(*) FROM engine_instance WHERE id = :id AND rollback <> ''")
        with engine.database.connect() as connection:
            if not lost and connection.scalar(query, {"id": instance.id}):
                lost.append(instance.id)
                raise DatabaseBusyError

    sa.event.listen(Session, "after_commit", lose)
    try:
        watched.set()
        assert wait_for_status(instance).rollback == "complete"
    finally:
        sa.event.remove(Session, "after_commit", lose)
    assert lost
    assert book.lines == ["first", "undo first: first, input.corrupt"]


def test_rollback_when_sensitive_then_its_error_text_is_not_shown(engine: Harness) -> None:
    def undo(_: Undo) -> None:
        raise CorruptInputError("Jane Fictional")

    async def script(step: Step) -> object:
        await step.do("first", lambda: None, rollback=undo, sensitive=True)
        raise TransientError

    instance = engine.begin(script)
    wait_for_status(instance)
    assert [s.error_message for s in instance.history() if s.kind == "rollback"] == [""]


def test_branch_when_it_has_the_name_of_rollbacks_then_is_refused(engine: Harness) -> None:
    async def script(step: Step) -> object:
        return await step.branch("(rollback)").do("first", lambda: 1)

    status = engine.finish(script)
    assert status.error
    assert status.error.code == "engine.step_name"


@pytest.mark.parametrize("operation", ["pause", "delete"])
def test_operation_when_it_rolls_back_then_is_refused(engine: Harness, operation: str) -> None:
    began, release = threading.Event(), threading.Event()

    def undo(_: Undo) -> None:
        began.set()
        release.wait(30)

    async def script(step: Step) -> object:
        await step.do("first", lambda: None, rollback=undo)
        raise CorruptInputError

    instance = engine.begin(script)
    assert began.wait(30)
    with pytest.raises(Exception, match="rolling back"):
        getattr(instance, operation)()
    release.set()
    wait_until(lambda: instance.status().status == "errored")
