"""What a measurement found, as a table on the terminal and in Markdown."""

import os
import platform
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version

from rich.console import Console
from rich.table import Table

from configs.clock import utc_now

COLUMNS = ("what", "ours", "theirs", "ratio", "goal", "met")
_PACKAGES = ("faster-whisper", "ctranslate2", "dbos", "sqlalchemy", "uvicorn", "boto3")
_GIB = 1024**3
_HEAD = """# Measurements

`make bench` measures what this costs beside what it is built on: each comparison in one run, as a
ratio. `python -m tests.bench --only NAME --out docs/bench.md` renews one section of this page.
"""


@dataclass(frozen=True)
class Row:
    """One comparison. `ratio` is ours over theirs; `met` is None where there is no goal."""

    what: str
    ours: str
    theirs: str
    ratio: float | None = None
    goal: str = ""
    met: bool | None = None

    def cells(self) -> tuple[str, ...]:
        """Return the row as text, in the order of `COLUMNS`."""
        ratio = "" if self.ratio is None else f"{self.ratio:.3g}"
        met = "" if self.met is None else ("yes" if self.met else "no")
        return (self.what, self.ours, self.theirs, ratio, self.goal, met)


@dataclass(frozen=True)
class Section:
    """The rows of one measurement, with what has to be known to read them."""

    title: str
    rows: Sequence[Row]
    notes: Sequence[str] = ()


def show(console: Console, section: Section) -> None:
    """Print a section as a table with its notes."""
    table = Table(title=section.title, title_justify="left")
    for name in COLUMNS:
        table.add_column(name, justify="left" if name in ("what", "goal") else "right")
    for row in section.rows:
        table.add_row(*row.cells())
    console.print(table)
    for note in section.notes:
        console.print(f"  {note}", markup=False, highlight=False)


def markdown(page: str, section: Section, loads: tuple[float, float]) -> str:
    """Return the page with this section put in, in the place of an older one of its title."""
    kept = dict(_sections(page))
    lines = ["", *_table(section.rows), "", *(f"- {note}" for note in section.notes)]
    kept[section.title] = "\n".join([*lines, f"- {_circumstances(loads)}", ""])
    return _HEAD + "".join(f"\n## {title}\n{text}" for title, text in kept.items())


def _sections(page: str) -> Iterator[tuple[str, str]]:
    for part in page.split("\n## ")[1:]:
        title, _, text = part.partition("\n")
        yield title, text.rstrip("\n") + "\n"


def _table(rows: Sequence[Row]) -> Iterator[str]:
    yield f"| {' | '.join(COLUMNS)} |"
    yield f"| {' | '.join('---' for _ in COLUMNS)} |"
    for row in rows:
        yield f"| {' | '.join(row.cells())} |"


def _circumstances(loads: tuple[float, float]) -> str:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / _GIB
    versions = ", ".join(f"{name} {version(name)}" for name in _PACKAGES)
    return (
        f"measured {utc_now():%Y-%m-%d} on {os.cpu_count()} cores with {memory:.0f} GiB of memory "
        f"({platform.machine()}), load average {loads[0]:.1f} before and {loads[1]:.1f} after; "
        f"Python {platform.python_version()}, {versions}."
    )
