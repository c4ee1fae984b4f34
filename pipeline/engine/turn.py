"""One turn: run a workflow's `run` from its beginning until it ends, waits or is to be undone.

A turn raises the instance's epoch, so that whoever ran before can write nothing more; loads all
outcomes in one SELECT; runs `run`; and when no step is active and at least one branch is parked,
lets the instance go. No task, thread or queue slot is left behind by a waiting instance.
"""

import asyncio
import itertools
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from sqlmodel import Session

from pipeline.engine import codec, instances, journal, waits
from pipeline.engine.definitions import Outcome, Status, Workflow, WorkflowEvent, output_type
from pipeline.engine.delivery import Delivery
from pipeline.engine.desk import Desk
from pipeline.engine.errors import DriftError, FencedError, PausingError, StepNameError
from pipeline.engine.instances import Ending
from pipeline.engine.journal import ROLLBACK, StepKey, StepRow, Wait
from pipeline.engine.names import check_step_name
from pipeline.engine.rollback import Rollback, roll_back

if TYPE_CHECKING:
    from pipeline.engine.runtime import Runtime
    from pipeline.engine.step import Step

T = TypeVar("T")
Body = Callable[[StepKey, StepRow | None], Awaitable[None]]


@dataclass
class _Parked:
    wait: Wait
    woken: "asyncio.Future[None]"


class Turn:
    """The execution of one turn of one instance, on the event loop."""

    def __init__(
        self,
        runtime: "Runtime",
        workflow: Workflow[Any],
        begun: instances.Begun,
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        self.runtime, self.workflow, self.ref, self.loop = runtime, workflow, begun.ref, loop
        ordinals = itertools.count(max((row.ordinal for row in begun.steps), default=0) + 1)
        self.desk = Desk(begun.ref, runtime.settings, runtime.dispatcher, ordinals)
        steps = [row for row in begun.steps if row.kind != ROLLBACK]
        self.rows = {row.key: row for row in steps}
        ended = [row for row in steps if row.outcome is not None]
        self._changed = asyncio.Event()
        self.delivery = Delivery(ended, self._reload, self._changed.set)
        self._counts: Counter[tuple[str, str]] = Counter()
        self._busy: set[tuple[str, str]] = set()
        self._parked: dict[StepKey, _Parked] = {}
        self._held: list[asyncio.Future[None]] = []
        self._rollbacks: dict[StepKey, Rollback] = {}
        self._ending = begun.ending
        self._tasks: set[asyncio.Task[Any]] = set()
        self._active = 0
        self._kept_back: set[StepKey] = set()
        self._closed = self._fenced = self._has_looked = False
        self._drift: DriftError | None = None
        self._drifting: StepKey | None = None

    async def execute(self, event: WorkflowEvent[Any], step: "Step") -> str:
        """Run to the end or to a wait; return which of them it was."""
        pump = asyncio.create_task(self.delivery.pump())
        run = self._begin(self._run(event, step))
        try:
            return await self._drive(run) or await self._finish(run, event)
        except FencedError:
            return "fenced"
        finally:
            self._closed = True
            await self._cancel({pump, run, *self._tasks})

    def _begin(self, work: Coroutine[Any, Any, T]) -> "asyncio.Task[T]":
        task = asyncio.create_task(work)
        task.add_done_callback(lambda _: self._changed.set())
        return task

    async def _cancel(self, tasks: set["asyncio.Task[Any]"]) -> None:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks, timeout=1.0)

    def fence(self) -> None:
        """End this turn without writing: another owns the instance now."""
        self._fenced = True
        self._changed.set()

    async def _run(self, event: WorkflowEvent[Any], step: "Step") -> str:
        result = await self.workflow.run(event, step)
        limit = self.runtime.settings.max_bytes
        return codec.encode(result, output_type(self.workflow), limit=limit, what="output")

    async def _drive(self, work: "asyncio.Task[Any]") -> str | None:
        """Go on until the work is done (None), or the turn ends before it: how it ended."""
        looked = time.monotonic()
        while True:
            await self._until_changed(work)
            if self._fenced:
                return "fenced"
            if self._find_drift() is not None:
                return await self._pause()
            if work.done() or (self._at_rest() and self._is_to_be_undone()):
                return None
            if self._at_rest():
                if await self._rest():
                    return "suspended"
                looked = time.monotonic()
            elif self._stays and time.monotonic() - looked >= self.runtime.settings.recheck_s:
                await self._look(suspend=False)
                looked = time.monotonic()

    async def _rest(self) -> bool:
        """Let the instance go where nothing comes; True where it was let go."""
        if self._kept_back:
            again = partial(waits.requeue, desk=self.desk, parked=self._waits())
            await self.store(again)
            return True
        if not self._has_looked and not self._parked.keys().isdisjoint(self.rows):
            self._has_looked = True  # what woke this turn is there already: no need to linger
            await self._look(suspend=False)
            if not self._at_rest():
                return False
        return await self._linger() and await self._look(suspend=True)

    def _is_to_be_undone(self) -> bool:
        """Tell whether `run` has come to where it stood when its undoing was asked for."""
        return self._ending is not None and bool(self._held)

    @property
    def _stays(self) -> bool:
        return bool(self._parked or self._held)

    async def _until_changed(self, work: "asyncio.Task[Any]") -> None:
        """Wait for something to happen; with a parked branch, at most until the next look."""
        if work.done() or self._at_rest():
            return
        timeout = self.runtime.settings.recheck_s if self._stays else None
        try:
            await asyncio.wait_for(self._changed.wait(), timeout)
        except TimeoutError:
            return
        self._changed.clear()

    def _at_rest(self) -> bool:
        return self._active == 0 and self._stays and self.delivery.idle

    async def _linger(self) -> bool:
        """Stay a moment for what comes at once; True where all is still at rest after it."""
        self._changed.clear()
        try:
            await asyncio.wait_for(self._changed.wait(), self.runtime.settings.linger_s)
        except TimeoutError:
            return self._at_rest()
        return False

    async def _look(self, *, suspend: bool) -> bool:
        """Look whether a parked branch can go on; True where the instance was let go."""
        parked = self._waits()
        found = await self.runtime.store(
            lambda session: waits.resolve(
                session,
                self.desk,
                parked,
                self.delivery.delivered,
                suspend=suspend,
                held=bool(self._held),
            )
        )
        if not found.pausing:
            self._release()
        for row in found.ended:
            self.post(row)
        for key in found.due:
            self.unpark(key)
        return found.suspended

    def _waits(self) -> list[Wait]:
        return [entry.wait for entry in self._parked.values()]

    async def _reload(self, after: int) -> list[StepRow]:
        rows = await self.runtime.store(
            lambda session: waits.read_outcomes(session, self.desk, after)
        )
        for row in rows:
            self.unpark(row.key)
            self._kept_back.discard(row.key)
        self._release()
        return rows

    async def _finish(self, run: "asyncio.Task[str]", event: WorkflowEvent[Any]) -> str:
        if self._ending is not None:
            return await self._undo(run, event, self._ending)
        if run.cancelled():
            return await self._fail(event, StepNameError("run() was cancelled from within."))
        if (error := run.exception()) is not None:
            if isinstance(error, FencedError):
                return "fenced"
            return await self._fail(event, error)
        text = run.result()
        output = codec.decode(text, output_type(self.workflow))
        await self._end(event, Outcome(Status.COMPLETE, output), text)
        return Status.COMPLETE

    async def _fail(self, event: WorkflowEvent[Any], error: BaseException) -> str:
        outcome = _errored(error)
        if not self._rollbacks:
            await self._end(event, outcome, None)
            return outcome.status

        def turn_back(session: Session) -> None:
            row, ending = journal.fence(session, self.ref), Ending(outcome.status, outcome.error)
            instances.begin_rollback(session, self.desk.dispatcher, row, ending)

        await self.store(turn_back)
        return Status.ROLLING_BACK

    async def _undo(
        self, run: "asyncio.Task[str]", event: WorkflowEvent[Any], ending: Ending
    ) -> str:
        """Roll back and end, once `run` has called all steps that it ever did."""
        await self._cancel({run, *self._tasks})
        self._parked.clear()
        self._held.clear()
        self._drifting = None
        self._active = 1  # the rollbacks, one after the other
        work = self._begin(roll_back(self, self._rollbacks, ending))
        self._tasks.add(work)
        if ended := await self._drive(work):
            return ended
        ending = work.result()
        await self._end(event, Outcome(ending.status, error=ending.error), None, ending)
        return ending.status

    async def _end(
        self,
        event: WorkflowEvent[Any],
        outcome: Outcome,
        text: str | None,
        ending: Ending | None = None,
    ) -> None:
        end = partial(instances.end, ref=self.ref, event=event, outcome=outcome, output=text)
        end = partial(end, ending=ending)
        try:
            await self.runtime.store(lambda session: end(session, self.workflow))
        except FencedError:
            raise
        except Exception as error:  # noqa: BLE001 - the hook may raise anything
            failed = _errored(error)
            self.runtime.log.warning("engine.finished_hook_failed", code=_code(failed))
            await self.runtime.store(
                lambda session: instances.end(session, None, self.ref, event, failed, None)
            )

    async def _pause(self) -> str:
        text = codec.encode_error(self._drift or DriftError())
        stop = partial(instances.stop, workflow=self.workflow, ref=self.ref, error=text)
        await self.runtime.store(stop)
        return "paused"

    # What `step` uses.

    async def call(
        self, branch: str, name: str, kind: str, body: Body, rollback: Rollback | None = None
    ) -> StepRow:
        """Go through one step: return its outcome from the journal, or make `body` bring one."""
        key = self._identify(branch, name)
        if rollback is not None:
            self._rollbacks[key] = rollback
        task = asyncio.current_task()
        if task is not None:
            self._tasks.add(task)
        self._active += 1
        try:
            return await self._outcome(key, kind, body)
        except asyncio.CancelledError:
            self.delivery.leave(key)
            raise
        finally:
            self._active -= 1
            self._busy.discard((branch, name))
            self._changed.set()

    async def _outcome(self, key: StepKey, kind: str, body: Body) -> StepRow:
        self.delivery.call(key)
        row = self.rows.get(key)
        if row is not None and row.kind != kind:
            await self._drifted(key, row)
        if row is None or row.outcome is None:
            await self._replayed(key, row)
            await self._bring(key, row, body)
        return await self.delivery.take(key)

    async def _bring(self, key: StepKey, row: StepRow | None, body: Body) -> None:
        """Make `body` bring the outcome; hold it before anything new while that is asked for."""
        while True:
            if self._ending is not None:
                await self._hold()
            try:
                await body(key, row)
            except PausingError:
                await self._hold()
                row = await self._read(key)
                continue
            except FencedError:
                self.fence()
                await self._never()
            while key in self._kept_back:
                await self._hold()
            return

    async def _read(self, key: StepKey) -> StepRow | None:
        instance, generation = self.ref.instance, self.ref.generation
        return await self.store(
            lambda session: journal.read_step(session, instance, generation, key)
        )

    async def _hold(self) -> None:
        """Wait at a step until it may begin: after a pause, or never where all is to be undone."""
        held: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._held.append(held)
        self._active -= 1
        self._changed.set()
        try:
            await held
        except asyncio.CancelledError:
            if held in self._held:
                self._held.remove(held)
                self._active += 1
            raise

    def _release(self) -> None:
        held, self._held = self._held, []
        for future in held:
            self._active += 1
            if not future.done():
                future.set_result(None)

    async def _replayed(self, key: StepKey, row: StepRow | None) -> None:
        """Let everything that the journal holds come first; only then is this step new."""
        self._drifting = key
        await self.delivery.until_idle()
        if row is None and self._uncalled():
            await self.delivery.calm()
            await self.delivery.until_idle()
            for other in self._uncalled():
                await self._drifted(key, other)
        self._drifting = None
        await self.runtime.admitted()

    def _uncalled(self) -> list[StepRow]:
        return [
            row
            for key, row in self.rows.items()
            if row.status != "cancelled" and not self.delivery.called(key)
        ]

    def _identify(self, branch: str, name: str) -> StepKey:
        if self._closed:
            raise asyncio.CancelledError
        check_step_name(name)
        if (branch, name) in self._busy:
            raise StepNameError(
                f"The step name {name!r} is in use in two branches at the same time; give each"
                " branch a name with step.branch(...)."
            )
        self._busy.add((branch, name))
        self._counts[branch, name] += 1
        return StepKey(branch, name, self._counts[branch, name])

    async def _drifted(self, asked: StepKey, held: StepRow) -> None:
        self._drift = DriftError(
            f"The code asks for step {asked} where the journal holds {held.key}.",
            {"asked": str(asked), "held": str(held.key)},
        )
        self._changed.set()
        await self._never()

    def _find_drift(self) -> DriftError | None:
        stuck, asked = self.delivery.stuck, self._drifting
        if self._drift is None and stuck is not None and asked is not None:
            self._drift = DriftError(
                f"The code asks for step {asked} where the journal holds {stuck.key}.",
                {"asked": str(asked), "held": str(stuck.key)},
            )
        return self._drift

    async def _never(self) -> None:
        """Wait until the turn is closed, which cancels this."""
        await asyncio.get_running_loop().create_future()

    async def store(
        self, work: Callable[[Session], T], again: Callable[[Session], T] | None = None
    ) -> T:
        """Run a journal transaction of this turn."""
        return await self.runtime.store(work, again)

    async def add(self, key: StepKey, insert: Callable[[Session], StepRow]) -> StepRow:
        """Insert a step; where that is repeated, what was inserted the first time is found."""
        find = partial(waits.unless_there, desk=self.desk, key=key, insert=insert)
        return await self.runtime.store(insert, find)

    def post(self, row: StepRow) -> None:
        """Hand in an outcome; it is delivered in its turn, or in the next one."""
        self.unpark(row.key)
        if self.runtime.settings.suspend_always and self._active <= 1:
            self._kept_back.add(row.key)
        else:
            self.delivery.post(row)

    async def park(self, wait: Wait) -> None:
        """Wait without holding the turn; returns when there is something to do or to take."""
        entry = _Parked(wait, asyncio.get_running_loop().create_future())
        self._parked[wait.step] = entry
        self._active -= 1
        self._changed.set()
        try:
            await entry.woken
        except asyncio.CancelledError:
            if self._parked.pop(wait.step, None) is not None:
                self._active += 1
            raise

    def unpark(self, key: StepKey) -> None:
        """Let a parked branch go on."""
        entry = self._parked.pop(key, None)
        if entry is not None:
            self._active += 1
            if not entry.woken.done():
                entry.woken.set_result(None)


def _errored(error: BaseException) -> Outcome:
    return Outcome(Status.ERRORED, error=codec.record_error(error))


def _code(outcome: Outcome) -> str:
    return outcome.error.code if outcome.error else ""
