"""Writes programs at random: mostly small ones, so that there can be thousands."""

import itertools

from tests.chaos.chance import Chance
from tests.chaos.programs import Node

_LEAVES = {
    "do": 40,
    "heavy": 5,
    "keyed": 7,
    "sleep": 6,
    "event": 9,
    "either": 3,
    "contest": 3,
    "silence": 2,
    "caught": 4,
}
_COMBINATIONS = {"all": 4, "group": 3, "shared": 3, "race": 3, "seq": 1}
_ENDS = {"": 93, "refuse": 5, "forever": 2}
_UNDONE = ("heavy", "keyed", "caught")
_KEEPS_RATIO = 0.3


class Author:
    """Writes one program."""

    def __init__(self, chance: Chance) -> None:
        self._chance = chance
        self._ids = itertools.count(1)

    def program(self) -> Node:
        """Return a sequence of a few parts: most of one or two steps, a few much longer."""
        kind = self._chance.choices(("short", "mixed", "long"), (75, 19, 6))[0]
        if kind == "short":
            parts = [self._step(0.7) for _ in range(self._chance.choice((1, 1, 2)))]
        elif kind == "mixed":
            parts = [self._part(2) for _ in range(self._chance.randint(1, 3))]
        else:
            parts = [self._step(0.6) for _ in range(self._chance.randint(6, 14))]
        end = self._pick(_ENDS)
        if end:
            how = self._chance.choice(("event", "sleep")) if end == "forever" else ""
            parts.append(Node(end, next(self._ids), how=how))
        return Node("seq", next(self._ids), parts=tuple(parts))

    def _part(self, depth: int) -> Node:
        if depth == 0 or self._chance.random() < 0.5:
            return self._leaf(self._pick(_LEAVES), is_parallel=depth < 2)
        kind = self._pick(_COMBINATIONS)
        number, size = next(self._ids), self._chance.randint(2, 4)
        if kind == "shared":
            parts = [self._do(how="shared") for _ in range(size)]
        elif kind == "race":
            parts = [self._do() for _ in range(size)]
        else:
            parts = [self._part(depth - 1) for _ in range(size)]
        value = self._value() if kind == "race" else 0
        return Node(kind, number, value, parts=tuple(parts))

    def _step(self, plain_ratio: float) -> Node:
        """Return a leaf of the outermost sequence."""
        if self._chance.random() < plain_ratio:
            return self._do()
        return self._leaf(self._pick(_LEAVES), is_parallel=False)

    def _leaf(self, kind: str, *, is_parallel: bool) -> Node:
        if kind == "do":
            return self._do()
        chance, number, value = self._chance, next(self._ids), self._value()
        how, fails, takes_s = "", 0, 0.0
        if kind == "heavy":
            how = chance.choice(("raise", "die", "hang"))
            fails, takes_s = chance.choice((0, 0, 0, 1)), chance.uniform(0.0, 0.8)
        elif kind == "event":
            how = "" if is_parallel else chance.choice(("in order", ""))
        elif kind == "caught":
            how = chance.choice(("refuse", "exhaust"))
        elif kind in ("contest", "silence"):
            takes_s = chance.uniform(1.0, 3.0)
        elif kind == "sleep":
            takes_s = chance.choice((0.1, 0.5, 1.5, 4.0))
        else:
            takes_s = self._moment()
        keeps = kind == "heavy" and chance.random() < _KEEPS_RATIO
        undo = self._undo() if kind in _UNDONE else ""
        return Node(kind, number, value, how, fails, takes_s, keeps, undo)

    def _do(self, how: str = "") -> Node:
        chance = self._chance
        how = how or chance.choice(("thread", "thread", "loop", "hang"))
        fails = chance.choice((0, 0, 0, 0, 0, 1, 2))
        keeps = chance.random() < _KEEPS_RATIO
        return Node(
            "do", next(self._ids), self._value(), how, min(fails, 1) if how == "hang" else fails,
            self._moment(), keeps, self._undo(),
        )  # fmt: skip

    def _undo(self) -> str:
        """Return whether a step can be undone: of every hundred one never."""
        return self._chance.choices(("", "ok", "flaky", "refuse"), (60, 30, 9, 1))[0]

    def _moment(self) -> float:
        """Return how long a call takes: mostly nothing, now and then long enough to be hit."""
        return self._chance.choice((0.0, 0.0, 0.0, 0.02, 0.1, 0.7))

    def _value(self) -> int:
        return self._chance.randint(1, 1_000_000)

    def _pick(self, weights: dict[str, int]) -> str:
        return self._chance.choices(list(weights), list(weights.values()))[0]
