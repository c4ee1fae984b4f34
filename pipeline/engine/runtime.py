"""What the parts of a running engine share."""

import asyncio
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import structlog
from sqlmodel import Session

from configs import clock
from pipeline.engine.definitions import Workflow
from pipeline.engine.dispatch import Dispatcher
from pipeline.engine.errors import FencedError
from pipeline.engine.faults import Faults
from pipeline.engine.settings import EngineSettings, Resource
from pipeline.engine.threads import Store

if TYPE_CHECKING:
    from pipeline.engine.resources import Pool
    from pipeline.engine.turn import Turn


@dataclass(frozen=True, eq=False)
class Execution:
    """What DBOS has begun here; after a take-over one name may be here twice."""

    name: str


@dataclass
class Live:
    """What this process executes now; the heartbeat ends what another process has taken."""

    turns: dict[int, "Turn"] = field(default_factory=dict)
    claims: dict[str, "Pool"] = field(default_factory=dict)
    _executions: list[Execution] = field(default_factory=list)
    _effects: int = 0
    _ended: threading.Condition = field(default_factory=threading.Condition)

    @contextmanager
    def execution(self, name: str) -> Iterator[Execution]:
        """Note what DBOS has begun here."""
        execution = Execution(name)
        with self._ended:
            self._executions.append(execution)
        try:
            yield execution
        finally:
            with self._ended:
                self._executions.remove(execution)

    def begun(self) -> set[str]:
        """Return the names of the executions that run here."""
        with self._ended:
            return {execution.name for execution in self._executions}

    def is_latest(self, execution: Execution) -> bool:
        """Tell whether DBOS has not begun the same once more since."""
        with self._ended:
            same = [other for other in self._executions if other.name == execution.name]
        return same[-1:] == [execution]

    @contextmanager
    def effect(self) -> Iterator[None]:
        """Count a step that is at work, for `stop` to wait for."""
        with self._ended:
            self._effects += 1
        try:
            yield
        finally:
            with self._ended:
                self._effects -= 1
                self._ended.notify_all()

    def wait_for_effects(self, timeout_s: float) -> bool:
        """Wait until no step is at work; False where some still are after the time."""
        with self._ended:
            return self._ended.wait_for(lambda: self._effects == 0, timeout_s)


@dataclass
class Runtime:
    """Values and services of one started engine."""

    executor: str
    store: Store
    dispatcher: Dispatcher
    settings: EngineSettings
    workflows: Mapping[str, Workflow[Any]]
    resources: Mapping[str, Resource]
    faults: Faults
    pools: dict[str, "Pool"] = field(default_factory=dict)
    live: Live = field(default_factory=Live)
    draining: threading.Event = field(default_factory=threading.Event)
    log: Any = field(default_factory=lambda: structlog.get_logger("pipeline.engine"))

    async def admitted(self) -> None:
        """Return at once; while the engine stops, never: nothing new is begun then."""
        if self.draining.is_set():
            await asyncio.get_running_loop().create_future()

    def require_claim(self, session: Session, execution: Execution) -> None:
        """Go on only where an execution has not been given to another meanwhile.

        A process that was stopped past its lease comes back with what it had claimed. To be called
        once the instance's row is locked: who is given the execution after that begins after us.

        Raises:
            FencedError: another execution of the same name has the work.
        """
        is_ours = self.live.is_latest(execution) and self.dispatcher.is_claimed(
            session, execution.name, self.executor
        )
        if not is_ours:
            raise FencedError

    @staticmethod
    def now() -> float:
        """Return this machine's clock (delays in the turn); deadlines use the database's."""
        return clock.utc_now().timestamp()
