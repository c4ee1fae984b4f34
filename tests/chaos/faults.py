"""The faults of a run: drawn from the seed in advance, begun and ended at their times."""

import heapq
import itertools
import os
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field

from tests.chaos.chance import Chance, drawn
from tests.chaos.crew import Crew, Disturbance
from tests.chaos.footprint import children_of
from tests.chaos.scene import Scene

WORKERS = tuple(f"worker-{number}" for number in range(3))
WEB = "web"
STOP_S = (6.0, 8.0)  # longer than a lease
_GAP_S = (0.8, 4.5)
_WEIGHTS = {
    "kill": 6,
    "lose": 2,
    "stop": 3,
    "pause": 2,
    "retire": 1,
    "kill child": 3,
    "kill web": 2,
    "stop web": 1,
    "postgres fast": 2,
    "postgres immediate": 2,
    "kill s3": 2,
    "refuse postgres": 3,
    "refuse s3": 2,
    "refuse all": 1,
    "cut": 3,
}
_LASTS_S = {
    "kill": (0.0, 1.5),
    "lose": (6.0, 12.0),
    "stop": STOP_S,
    "pause": (0.5, 2.5),
    "kill web": (0.0, 2.0),
    "stop web": (1.0, 6.0),
    "postgres fast": (0.2, 3.0),
    "postgres immediate": (0.2, 3.0),
    "refuse postgres": (1.0, 7.0),
    "refuse s3": (1.0, 6.0),
    "refuse all": (1.0, 3.0),
}


@dataclass(frozen=True)
class Fault:
    """One thing that goes wrong: when (from the start of the run), what, to whom, how long."""

    at_s: float
    what: str
    target: str
    lasts_s: float


def schedule(seed: int, until_s: float) -> list[Fault]:
    """Return the faults of a run: each kind once in the first part, then by their weights."""
    chance = drawn(seed, "faults")
    first = list(_WEIGHTS)
    chance.shuffle(first)
    found: list[Fault] = []
    at_s = chance.uniform(*_GAP_S)
    while at_s < until_s:
        what = first.pop() if first else _weighted(chance)
        lasts_s = chance.uniform(*_LASTS_S.get(what, (0.0, 0.0)))
        target = WEB if what.endswith("web") else chance.choice(WORKERS)
        found.append(Fault(at_s, what, target, lasts_s))
        at_s += chance.uniform(*_GAP_S)
    return found


def _weighted(chance: Chance) -> str:
    return chance.choices(list(_WEIGHTS), list(_WEIGHTS.values()))[0]


@dataclass
class Faults:
    """Does the faults of a schedule to the processes and servers of a run, and counts them."""

    scene: Scene
    crew: Crew
    counts: Counter[str] = field(default_factory=Counter)
    latest: str = "nothing yet"
    _due: list[tuple[float, int, Callable[[], None]]] = field(default_factory=list)
    _ends: dict[int, Callable[[], None]] = field(default_factory=dict)
    _numbers: Iterator[int] = field(default_factory=itertools.count)
    _is_postgres_up: bool = True

    def plan(self, faults: list[Fault], began: float) -> None:
        """Take the schedule of a run that began at a time."""
        for fault in faults:
            self._at(began + fault.at_s, lambda fault=fault: self._begin(fault))  # type: ignore[misc]

    def advance(self) -> None:
        """Do what is due."""
        while self._due and self._due[0][0] <= time.time():
            heapq.heappop(self._due)[2]()

    @property
    def is_over(self) -> bool:
        """Whether every fault has begun and ended."""
        return not self._due

    @property
    def is_database_up(self) -> bool:
        """Whether PostgreSQL runs."""
        return self._is_postgres_up

    def mend(self) -> None:
        """End what is wrong now, and let nothing more go wrong."""
        self._due.clear()
        for number in list(self._ends):
            self._end(number)

    def _at(self, moment: float, work: Callable[[], None]) -> None:
        heapq.heappush(self._due, (moment, next(self._numbers), work))

    def _begin(self, fault: Fault) -> None:
        end = self._BEGIN[fault.what](self, fault)
        if end is not None:
            self.counts[fault.what] += 1
            self.latest = f"{fault.what} ({fault.target})"
            number = next(self._numbers)
            self._ends[number] = end
            self._at(time.time() + fault.lasts_s, lambda: self._end(number))

    def _end(self, number: int) -> None:
        self._ends.pop(number)()

    def _kill(self, fault: Fault) -> Callable[[], None] | None:
        was_there = self.crew.kill(fault.target)
        return (lambda: self.crew.want(fault.target)) if was_there else None

    def _stop(self, fault: Fault) -> Callable[[], None] | None:
        was_there = self.crew.stop(fault.target)
        return (lambda: self.crew.resume(fault.target)) if was_there else None

    def _retire(self, fault: Fault) -> Callable[[], None] | None:
        """Ask a worker to stop, as for a new version, while it works."""
        member = self.crew.members[fault.target]
        if not member.has_started or member.stopped_at is not None or member.process is None:
            return None
        self.crew.retire(fault.target)
        return lambda: self.crew.want(fault.target)

    def _kill_child(self, fault: Fault) -> Callable[[], None] | None:
        children = children_of(self.crew.members[fault.target].pid or os.getpid())
        if not children or self.crew.members[fault.target].process is None:
            return None
        with suppress(ProcessLookupError):
            os.kill(children[-1], signal.SIGKILL)
        return lambda: None

    def _postgres(self, fault: Fault) -> Callable[[], None] | None:
        if not self._is_postgres_up:
            return None
        self._is_postgres_up, begun = False, time.time()
        self.scene.postgres.stop(signal.SIGINT if fault.what.endswith("fast") else signal.SIGQUIT)

        def start() -> None:
            self.scene.postgres.start()
            self._is_postgres_up = True
            self._disturbed(fault.what, 0, begun)

        return start

    def _kill_s3(self, fault: Fault) -> Callable[[], None] | None:
        """Kill the S3 server; what started it starts it again."""
        del fault
        pid = self.scene.s3.pid
        if pid is None:
            return None
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        return lambda: None

    def _refuse(self, fault: Fault) -> Callable[[], None] | None:
        """Refuse connections for some seconds: of one process, or of all."""
        places = list(self.crew.members) if fault.what.endswith("all") else [fault.target]
        servers = ("s3",) if fault.what.endswith("s3") else ("postgres",)
        names = [f"{place}:{server}" for place in places for server in servers]
        pids, begun = [self.crew.members[place].pid for place in places], time.time()
        for name in names:
            self.scene.proxies.refuse(name)

        def accept() -> None:
            for name in names:
                self.scene.proxies.accept(name)
            for pid in pids if servers == ("postgres",) else ():
                self._disturbed(fault.what, pid, begun)

        return accept

    def _cut(self, fault: Fault) -> Callable[[], None] | None:
        """Reset the connections of one process, in the middle of whatever they are doing."""
        begun = time.time()
        for server in ("postgres", "s3"):
            self.scene.proxies.cut(f"{fault.target}:{server}")
        self._disturbed(fault.what, self.crew.members[fault.target].pid, begun)
        return lambda: None

    def _disturbed(self, what: str, pid: int, begun: float) -> None:
        self.crew.disturbances.append(Disturbance(what, pid, begun, time.time()))

    _BEGIN = {  # noqa: RUF012 - never changed
        "kill": _kill,
        "lose": _kill,
        "stop": _stop,
        "pause": _stop,
        "retire": _retire,
        "kill child": _kill_child,
        "kill web": _kill,
        "stop web": _stop,
        "postgres fast": _postgres,
        "postgres immediate": _postgres,
        "kill s3": _kill_s3,
        "refuse postgres": _refuse,
        "refuse s3": _refuse,
        "refuse all": _refuse,
        "cut": _cut,
    }
