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


def markdown(sections: Sequence[Section], loads: Sequence[float]) -> str:
    """Return the sections as a page, with the date, the machine and the versions."""
    lines = ["# Measurements", "", "Made by `make bench`, each comparison in one run.", ""]
    lines += [f"- {line}" for line in _circumstances(loads)]
    for section in sections:
        lines += ["", f"## {section.title}", "", *_table(section.rows), ""]
        lines += [f"- {note}" for note in section.notes]
    return "\n".join(lines).rstrip() + "\n"


def _table(rows: Sequence[Row]) -> Iterator[str]:
    yield f"| {' | '.join(COLUMNS)} |"
    yield f"| {' | '.join('---' for _ in COLUMNS)} |"
    for row in rows:
        yield f"| {' | '.join(row.cells())} |"


def _circumstances(loads: Sequence[float]) -> Iterator[str]:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / _GIB
    yield f"date: {utc_now():%Y-%m-%d}"
    yield f"machine: {os.cpu_count()} cores, {memory:.0f} GiB of memory, {platform.machine()}"
    yield f"load average while measuring: {min(loads):.1f} to {max(loads):.1f}"
    versions = ", ".join(f"{name} {version(name)}" for name in _PACKAGES)
    yield f"versions: Python {platform.python_version()}, {versions}"
