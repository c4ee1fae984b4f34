"""One thread of the web process: it creates instances and does to them what their plans say.

Whatever is not answered is asked again, by this process or by the next one, as a person does who
presses the button once more; event keys and instance ids make that harmless.
"""

import heapq
import threading
import time
from collections import defaultdict
from collections.abc import Callable

import sqlalchemy as sa

from configs.errors import NotFoundError
from pipeline.engine import (
    Engine,
    Instance,
    InstanceEndedError,
    InstanceExistsError,
    InstanceStateError,
    NewInstance,
    journal,
)
from pipeline.engine.handles import Instances
from storage.database import reading
from tests.chaos.diary import Diary, Entry
from tests.chaos.patience import patiently
from tests.chaos.plans import Action, Plan, number_of, payload, plan_of
from tests.chaos.processes import Orders
from tests.chaos.workflow import Chaos, ChaosParams

CLIENTS = 3
_MOST_DUE = 90  # instances that a worker could go on with; more are not created meanwhile
_ROUND, _ONE_BY_ONE = 25, 10  # of so many, the first are created one by one, the others at once
_PAUSE_S = 0.05


class Client:
    """Every third instance of a run, from its creation to the last thing that is done to it."""

    def __init__(
        self, engine: Engine, orders: Orders, diary: Diary, number: int, stop: threading.Event
    ) -> None:
        self._engine, self._orders, self._diary, self._stop = engine, orders, diary, stop
        self._due: list[tuple[float, int, int]] = []
        self._created: set[str] = set()
        self._next = number

    def run(self) -> None:
        """Work until all is done or the process is to stop."""
        self._take_up()
        while not self._stop.is_set():
            now = time.time()
            if self._due and self._due[0][0] <= now:
                _, number, action = heapq.heappop(self._due)
                self._act(number, action)
            elif now < self._orders.until and self._is_wanted():
                self._create()
            elif now >= self._orders.until and not self._due:
                return
            else:
                self._stop.wait(_PAUSE_S)

    def _take_up(self) -> None:
        """Go on where an earlier process was killed, with what it asked last and was not told."""
        own = [e for e in self._diary.read() if e.what in _OWN and self._is_own(e)]
        done: dict[str, set[int]] = defaultdict(set)
        for entry in own:
            if entry.what != "create":
                done[entry.subject].add(entry.number)
        for entry in own:
            if entry.what == "create":
                self._created.add(entry.subject)
                self._schedule(number_of(entry.subject), entry.at, done[entry.subject])
        if self._created:
            while plan_of(self._orders.seed, self._next).id in self._created:
                self._next += CLIENTS
            self._next -= CLIENTS * max(self._position() - _ONE_BY_ONE, 0)
            self._create()

    def _is_own(self, entry: Entry) -> bool:
        return number_of(entry.subject) % CLIENTS == self._next % CLIENTS

    def _position(self) -> int:
        return self._next // CLIENTS % _ROUND

    def _schedule(self, number: int, created_at: float, done: set[int]) -> None:
        for position, action in enumerate(plan_of(self._orders.seed, number).actions):
            if position not in done:
                heapq.heappush(self._due, (created_at + action.at_s, number, position))

    def _is_wanted(self) -> bool:
        c = journal.instance_table.c
        due = sa.select(sa.func.count()).where(c.state.in_(("queued", "running")))

        def count() -> int:
            with reading(self._engine.database) as session:
                return int(session.connection().scalar(due) or 0)

        return (patiently(self._stop, count) or 0) < _MOST_DUE

    def _create(self) -> None:
        """Create the next instance, or now and then many of them at once."""
        count = _ROUND - self._position() if self._position() >= _ONE_BY_ONE else 1
        plans = [plan_of(self._orders.seed, self._next + CLIENTS * n) for n in range(count)]
        for tenant in sorted({plan.tenant for plan in plans}):
            self._create_batch(tenant, [plan for plan in plans if plan.tenant == tenant])
        self._next += CLIENTS * count

    def _create_batch(self, tenant: str, plans: list[Plan]) -> None:
        batch = [
            NewInstance(p.name, ChaosParams(self._orders.folder, p.program), p.retention_s)
            for p in plans
        ]

        def create() -> str:
            try:
                self._instances(tenant).create_batch(batch)
            except InstanceExistsError:
                return "known"
            return "ok"

        answer = patiently(self._stop, create)
        for plan in plans if answer is not None else ():
            if plan.id not in self._created:
                self._created.add(plan.id)
                self._diary.note("create", plan.id, 0, str(answer))
                self._schedule(number_of(plan.id), time.time(), set())

    def _act(self, number: int, position: int) -> None:
        plan = plan_of(self._orders.seed, number)
        action, instance = plan.actions[position], self._instances(plan.tenant).get(plan.name)
        answer = patiently(self._stop, lambda: _ask(instance, action))
        if answer is not None:
            self._diary.note(action.kind, plan.id, position, answer)

    def _instances(self, tenant: str) -> Instances:
        return self._engine.workflows.for_tenant(tenant).get(Chaos.name)


def _ask(instance: Instance, action: Action) -> str:
    """Ask for one action; `ok` where it did something, `known` where nothing was left to do."""
    try:
        is_new = _ACTIONS[action.kind](instance, action)
    except (InstanceEndedError, InstanceStateError):
        return "illegal"
    except NotFoundError:
        return "missing"
    return "known" if is_new is False else "ok"


_ACTIONS: dict[str, Callable[[Instance, Action], bool | None]] = {
    "event": lambda i, a: i.send_event(a.type, payload(a), key=a.key),
    "pause": lambda i, _: i.pause(),
    "resume": lambda i, _: i.resume(),
    "restart": lambda i, _: i.restart(),
    "restart_from": lambda i, a: i.restart(a.step),
    "terminate": lambda i, _: i.terminate(),
    "undo": lambda i, _: i.terminate(rollback=True),
    "delete": lambda i, _: i.delete(),
}
_OWN = {"create", *_ACTIONS}
