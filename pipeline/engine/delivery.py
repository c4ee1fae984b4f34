"""Hands the outcomes of steps to `run`, one after the other, in the order in which they came about.

A replay that returned all finished steps at once would let `run` take other turnings than the first
time (`asyncio.wait(..., FIRST_COMPLETED)`, a task group that cancels its siblings). So outcomes are
numbered when they are committed, and given out by number, in the first run and in every replay,
with time in between for `run` to reach its next step.
"""

import asyncio
from collections.abc import Awaitable, Callable

from pipeline.engine.journal import StepKey, StepRow

_STIR = 10  # rounds of the event loop in which `run` may react to an outcome
_CALM = 100  # rounds without any call of a step after which `run` is taken to have come to rest

Reload = Callable[[int], Awaitable[list[StepRow]]]


class Delivery:
    """Outcomes on their way to the steps that wait for them."""

    def __init__(
        self, replayed: list[StepRow], reload: Reload, changed: Callable[[], None]
    ) -> None:
        self.delivered = 0
        self._pending = {row.outcome: row for row in replayed if row.outcome is not None}
        self._takers: dict[StepKey, asyncio.Future[StepRow]] = {}
        self._called: set[StepKey] = set()
        self._left: set[StepKey] = set()
        self._reload = reload
        self._changed = changed
        self._stirred = asyncio.Event()
        self.calls = 0
        self.stuck: StepRow | None = None

    @property
    def idle(self) -> bool:
        """True where nothing is on its way."""
        return not self._pending

    def post(self, row: StepRow) -> None:
        """Add an outcome."""
        if row.outcome is not None and row.outcome > self.delivered:
            self._pending[row.outcome] = row
            self._stir()

    def call(self, key: StepKey) -> None:
        """Note that `run` called this step."""
        self._called.add(key)
        self.calls += 1
        self._stir()

    def called(self, key: StepKey) -> bool:
        """Tell whether `run` called this step in this turn."""
        return key in self._called

    def leave(self, key: StepKey) -> None:
        """Note that the branch that called this step was cancelled; nobody takes its outcome."""
        self._left.add(key)
        self._takers.pop(key, None)
        self._stir()

    async def take(self, key: StepKey) -> StepRow:
        """Wait for the outcome of a step."""
        future: asyncio.Future[StepRow] = asyncio.get_running_loop().create_future()
        self._takers[key] = future
        self._stir()
        return await future

    async def until_idle(self) -> None:
        """Wait until all known outcomes are handed out."""
        while self._pending:
            await self._wait()

    async def calm(self) -> None:
        """Wait until `run` has stopped calling steps by itself."""
        calls, rounds = self.calls, 0
        while rounds < _CALM:
            await asyncio.sleep(0)
            rounds = rounds + 1 if calls == self.calls else 0
            calls = self.calls

    async def pump(self) -> None:
        """Hand outcomes out until cancelled."""
        while True:
            if not self._pending:
                await self._wait()
                continue
            await self._next()

    async def _next(self) -> None:
        number = min(self._pending)
        if number != self.delivered + 1:  # another process committed in between
            for row in await self._reload(self.delivered):
                self.post(row)
            number = min(self._pending)
        row = self._pending[number]
        taker = self._takers.pop(row.key, None)
        if taker is not None or row.key in self._left:
            del self._pending[number]
            self.delivered = number
            if taker is not None and not taker.done():
                taker.set_result(row)
                await self._react()
            self._stir()
        elif row.key in self._called:
            await self._wait()
        else:
            await self._expect(row)

    async def _expect(self, row: StepRow) -> None:
        """Give `run` time to call the step that ended next; otherwise its code has changed."""
        await self.calm()
        if row.key not in self._called:
            self.stuck = row
            self._changed()
            await self._wait()
            self.stuck = None

    async def _react(self) -> None:
        calls = self.calls
        for _ in range(_STIR):
            await asyncio.sleep(0)
            if self.calls != calls:
                return

    def _stir(self) -> None:
        self._stirred.set()
        self._changed()

    async def _wait(self) -> None:
        self._stirred.clear()
        await self._stirred.wait()
