"""Where tests reach into the engine: a crash at a point of a step, or a replaced effect.

Without a test kit and without `ENGINE_CRASH_AT` these do nothing.
"""

import os
import signal
from dataclasses import dataclass, field
from typing import Any

from pipeline.engine.errors import StepTimeoutError
from pipeline.engine.journal import StepKey

CRASH_VARIABLE = "ENGINE_CRASH_AT"
POINTS = ("before", "after effect", "after commit")
_ALIASES = {"before effect": "before"}


@dataclass(frozen=True)
class Point:
    """A place to crash: `transcribe:1:after effect`, of one instance where `@instance` follows."""

    name: str
    count: int
    point: str
    instance: str | None = None

    @classmethod
    def parse(cls, text: str) -> "Point":
        """Read `name:count:point` or `name:point` (count 1), with or without `@instance`.

        Raises:
            ValueError: no such point (not retryable).
        """
        place, _, instance = text.strip().partition("@")
        parts = [part.strip() for part in place.split(":")]
        count = int(parts[-2]) if len(parts) > 2 else 1
        point = _ALIASES.get(parts[-1], parts[-1])
        if point not in POINTS or len(parts) < 2:
            raise ValueError(f"{text!r} is no point; use NAME:COUNT:({' | '.join(POINTS)})")
        name = ":".join(parts[:-2]) if len(parts) > 2 else parts[0]
        return cls(name, count, point, instance or None)


@dataclass
class Replacement:
    """What a step's effect is replaced with: a result, an error or a time-out."""

    result: Any = None
    error: Exception | None = None
    timed_out: bool = False
    times: int | None = None

    def apply(self) -> object:
        """Return the result, or raise what the effect is to raise."""
        if self.timed_out:
            raise StepTimeoutError
        if self.error is not None:
            raise self.error
        return self.result


@dataclass
class Faults:
    """The crash points and replacements in force."""

    crashes: set[Point] = field(default_factory=set)
    replacements: dict[tuple[str, int | None], Replacement] = field(default_factory=dict)

    @classmethod
    def from_environment(cls) -> "Faults":
        """Read the crash points of `ENGINE_CRASH_AT`, separated by `;`."""
        text = os.environ.get(CRASH_VARIABLE, "")
        return cls({Point.parse(part) for part in text.split(";") if part.strip()})

    def reach(self, instance: str, key: StepKey, point: str) -> None:
        """Kill this process if it is to crash here."""
        here = {Point(key.name, key.count, point, which) for which in (None, instance)}
        if here & self.crashes:
            os.kill(os.getpid(), signal.SIGKILL)

    def replaced(self, key: StepKey) -> Replacement | None:
        """Return what the step's effect is to be replaced with now."""
        found = self.replacements.get((key.name, key.count))
        found = found or self.replacements.get((key.name, None))
        if found is None or found.times == 0:
            return None
        if found.times is not None:
            found.times -= 1
        return found
