"""The unit that stands after a number, and how much it is in another unit of its kind."""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from models.summarizer.variants import fold

_SAME_RATIO = 0.005
_ALSO = frozenset({frozenset({"gbp", "pound"})})
"""Units that are written alike."""


@dataclass(frozen=True)
class Unit:
    """A unit: its name, its kind (`mass`, `currency`) and its size in the kind's first unit.

    `size` is None where the kind has no conversion.
    """

    name: str
    kind: str
    size: float | None

    def is_alike(self, other: "Unit") -> bool:
        """Tell whether two units may be the same."""
        return self.name == other.name or frozenset({self.name, other.name}) in _ALSO


def unit_at(text: str, place: int) -> Unit | None:
    """Return the unit that stands in a folded lower-case text at a place, or a space after it."""
    match = _pattern().match(text, place)
    return _units()[match.lastgroup] if match and match.lastgroup else None


def unit_named(name: str) -> Unit:
    """Return the unit of this name."""
    return _units()[name]


def is_same_quantity(value: float, unit: Unit, other_value: float, other: Unit) -> bool:
    """Tell whether two quantities are equal, as 5,000 micrograms and 5 mg; rounding is let pass."""
    if unit.kind != other.kind or unit.size is None or other.size is None:
        return False
    mine, theirs = value * unit.size, other_value * other.size
    return abs(mine - theirs) <= _SAME_RATIO * max(abs(mine), abs(theirs))


@cache
def _table() -> dict[str, dict[str, list[float | str] | str]]:
    source = files("models.quality").joinpath("units.toml").read_text(encoding="utf-8")
    return tomllib.loads(source)


@cache
def _units() -> dict[str, Unit]:
    return {
        name: Unit(name, kind, float(told[0]) if isinstance(told, list) else None)
        for kind, units in _table().items()
        for name, told in units.items()
    }


@cache
def _pattern() -> re.Pattern[str]:
    written = {
        name: str(told[1] if isinstance(told, list) else told)
        for units in _table().values()
        for name, told in units.items()
    }
    parts = (f"(?P<{name}>(?:{pattern})(?![a-z0-9]))" for name, pattern in written.items())
    return re.compile(r"(?:\s*|-)(?:" + fold("|".join(parts)) + ")")
