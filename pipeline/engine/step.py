"""The vocabulary of a workflow: `step.do`, `step.sleep`, `step.wait_for_event` and their like."""

import json
import random
import uuid
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any, TypeVar, overload

from sqlmodel import Session

from configs import clock
from pipeline.engine import codec, waits
from pipeline.engine.codec import Annotation, Decoded
from pipeline.engine.definitions import Event, Undo
from pipeline.engine.errors import NonRetryableError
from pipeline.engine.heavy import run_on_resource
from pipeline.engine.journal import StepKey, StepRow, Wait
from pipeline.engine.light import Effect, run_in_turn
from pipeline.engine.names import check_id, check_step_name
from pipeline.engine.retries import Duration, Retries, seconds
from pipeline.engine.rollback import Rollback
from pipeline.engine.turn import Turn

T = TypeVar("T")
R = TypeVar("R")
Commit = Callable[[Session, T], R | None]

DEFAULT_TIMEOUT = "10 minutes"
DEFAULT_EVENT_TIMEOUT = "24 hours"
_DEFAULT_RETRIES = Retries()
_LONGEST_S, _SHORTEST_WAIT_S = 365 * 86400.0, 1.0


class Step:
    """What `run` may do. Every method is one step: done once, remembered for good."""

    def __init__(self, turn: Turn, branch: str = "") -> None:
        self._turn = turn
        self._branch = branch

    def branch(self, name: str) -> "Step":
        """Return the vocabulary for one of several parallel branches.

        Names are counted for each branch by itself, so that branches may use the same names.
        """
        check_step_name(name, "branch")
        return Step(self._turn, f"{self._branch}/{name}" if self._branch else name)

    @overload
    async def do(
        self,
        name: str,
        fn: Callable[[], Awaitable[T]],
        *,
        retries: Retries = ...,
        timeout: Duration = ...,  # noqa: ASYNC109 - of a durable attempt, not of this call
        resource: str | None = ...,
        sensitive: bool = ...,
        commit: None = ...,
        rollback: Callable[[Undo], object] | None = ...,
        rollback_retries: Retries = ...,
        rollback_timeout: Duration = ...,
    ) -> T: ...
    @overload
    async def do(
        self,
        name: str,
        fn: Callable[[], T],
        *,
        retries: Retries = ...,
        timeout: Duration = ...,  # noqa: ASYNC109 - of a durable attempt, not of this call
        resource: str | None = ...,
        sensitive: bool = ...,
        commit: None = ...,
        rollback: Callable[[Undo], object] | None = ...,
        rollback_retries: Retries = ...,
        rollback_timeout: Duration = ...,
    ) -> T: ...
    @overload
    async def do(
        self,
        name: str,
        fn: Callable[[], Awaitable[T]],
        *,
        retries: Retries = ...,
        timeout: Duration = ...,  # noqa: ASYNC109 - of a durable attempt, not of this call
        resource: str | None = ...,
        sensitive: bool = ...,
        commit: Callable[[Session, T], R],
        rollback: Callable[[Undo], object] | None = ...,
        rollback_retries: Retries = ...,
        rollback_timeout: Duration = ...,
    ) -> R: ...
    @overload
    async def do(
        self,
        name: str,
        fn: Callable[[], T],
        *,
        retries: Retries = ...,
        timeout: Duration = ...,  # noqa: ASYNC109 - of a durable attempt, not of this call
        resource: str | None = ...,
        sensitive: bool = ...,
        commit: Callable[[Session, T], R],
        rollback: Callable[[Undo], object] | None = ...,
        rollback_retries: Retries = ...,
        rollback_timeout: Duration = ...,
    ) -> R: ...
    async def do(
        self,
        name: str,
        fn: Callable[[], Any],
        *,
        retries: Retries = _DEFAULT_RETRIES,
        timeout: Duration = DEFAULT_TIMEOUT,  # noqa: ASYNC109 - as above
        resource: str | None = None,
        sensitive: bool = False,
        commit: Callable[[Session, Any], Any] | None = None,
        rollback: Callable[[Undo], object] | None = None,
        rollback_retries: Retries = _DEFAULT_RETRIES,
        rollback_timeout: Duration = DEFAULT_TIMEOUT,
    ) -> Any:
        """Do one thing, once.

        Args:
            name: 1 to 256 characters; a name used again is counted up.
            fn: Called without arguments, sync (in a thread) or async; usually a `partial`. Its
                result is JSON by its annotation, 1 MiB at most. With `resource` a `partial` of a
                module-level function, which runs in a child process.
            retries: How often and after which delays it is tried again.
            timeout: Of each attempt. It ends the work of an async function (cancelled) and of a
                step on a resource (its process is killed); a sync function in a thread cannot be
                ended, its late result is ignored.
            resource: The queue it runs on, as `asr`.
            sensitive: Keep result and error text out of what is shown.
            commit: Called with the session of the transaction that records the result and the
                result; what it returns replaces the result. It may be called again when the
                database was busy, with nothing of the first call left.
            rollback: Undoes the step where an error leaves `run` or the instance is terminated with
                rollback: called with an `Undo`, sync (in a thread) or async, in reverse order of
                the steps' starts. It must bear being called again, and a step without effects.
            rollback_retries: How often it is tried again. At the first that fails for good, the
                steps before it stay as they are.
            rollback_timeout: Of each of its attempts.

        Returns:
            The result, or what `commit` made of it, as read back from the journal.

        Raises:
            Exception: what the last attempt raised, of the same type in every replay.
        """
        limit_s = seconds(timeout)
        if limit_s <= 0:
            raise ValueError("the time-out of a step is more than zero")
        effect = Effect(fn, retries, limit_s, sensitive, commit)

        async def body(key: StepKey, row: StepRow | None) -> None:
            if resource is None:
                self._turn.post(await run_in_turn(self._turn, key, row, effect))
            else:
                await run_on_resource(self._turn, key, row, effect, resource)

        undoing = rollback and Rollback(
            rollback, rollback_retries, seconds(rollback_timeout), effect.annotation
        )
        row = await self._turn.call(self._branch, name, "do", body, undoing or None)
        return codec.decode(_result(row), effect.annotation)

    async def sleep(self, name: str, duration: Duration) -> None:
        """Wait for a time of up to 365 days, from when this step is first reached."""
        await self._wait(name, "sleep", (), seconds(duration))

    async def sleep_until(self, name: str, moment: datetime) -> None:
        """Wait until a moment (aware).

        Raises:
            NonRetryableError: it was over when this step was first reached, or is more than 365
                days away (not retryable).
        """
        if moment.tzinfo is None:
            raise ValueError("sleep_until needs a time with a time zone")
        await self._wait(name, "sleep", (), 0.0, until=moment.timestamp())

    async def wait_for_event(
        self,
        name: str,
        type: str,  # noqa: A002 - its name in the interface
        timeout: Duration = DEFAULT_EVENT_TIMEOUT,  # noqa: ASYNC109 - durable, over restarts
    ) -> Event:
        """Wait for the next event of a type: 1 second to 365 days.

        Raises:
            EventTimeoutError: none came before the deadline (not retryable).
        """
        return await self.wait_for_first_event(name, types=[type], timeout=timeout)

    async def wait_for_first_event(
        self,
        name: str,
        types: Sequence[str],
        timeout: Duration = DEFAULT_EVENT_TIMEOUT,  # noqa: ASYNC109 - durable, over restarts
    ) -> Event:
        """Wait for the next event of any of these types.

        Raises:
            EventTimeoutError: none came before the deadline (not retryable).
        """
        for kind in types:
            check_id(kind, "the event type")
        wait_s = seconds(timeout)
        if not types or wait_s < _SHORTEST_WAIT_S:
            raise ValueError("a wait names an event type and takes at least one second")
        row = await self._wait(name, "event", tuple(types), wait_s)
        event = json.loads(_result(row))
        sent_at = datetime.fromtimestamp(event["sent_at"], UTC)
        return Event(event["type"], event["payload"], sent_at)

    async def now(self, name: str = "now") -> datetime:
        """Return the time at which this step was first reached (aware UTC)."""
        value: datetime = await self._value(name, clock.utc_now, datetime)
        return value

    async def random(self, name: str = "random") -> float:
        """Return a random number from 0 to 1, the same in every replay."""
        value: float = await self._value(name, random.SystemRandom().random, float)
        return value

    async def uuid(self, name: str = "uuid") -> str:
        """Return a random UUID, the same in every replay."""
        value: str = await self._value(name, lambda: str(uuid.uuid4()), str)
        return value

    async def _value(self, name: str, draw: Callable[[], Any], annotation: Annotation) -> Decoded:
        turn = self._turn

        async def body(key: StepKey, row: StepRow | None) -> None:  # noqa: ARG001 - the shape
            text = codec.encode(draw(), annotation)
            record = partial(waits.record_value, desk=turn.desk, key=key, text=text)
            turn.post(await turn.add(key, record))

        return codec.decode(_result(await turn.call(self._branch, name, "value", body)), annotation)

    async def _wait(
        self,
        name: str,
        kind: str,
        types: tuple[str, ...],
        wait_s: float,
        until: float | None = None,
    ) -> StepRow:
        turn = self._turn

        async def body(key: StepKey, row: StepRow | None) -> None:
            if row is None:
                terms = waits.Terms(kind, types, wait_s, until)
                register = partial(waits.register, desk=turn.desk, key=key, terms=terms)
                row = await turn.add(key, register)
            turn.runtime.faults.reach(turn.ref.instance, key, "after effect")
            if row.outcome is None:
                await turn.park(Wait(key, row.due_at, types))
            else:
                turn.post(row)
            turn.runtime.faults.reach(turn.ref.instance, key, "after commit")

        return _checked(await turn.call(self._branch, name, kind, body))


def _checked(row: StepRow) -> StepRow:
    if row.error is not None and row.status == "failed":
        raise codec.restore_error(codec.decode_error(row.error))
    return row


def _result(row: StepRow) -> str:
    row = _checked(row)
    if row.result is None:
        raise NonRetryableError("A step that succeeded has no result.")
    return row.result
