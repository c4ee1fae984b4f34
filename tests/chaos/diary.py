"""What the web process was answered, line by line: what it knows after it was killed, and what the
checks hold against the database.

A line is written after the answer. So what is in the diary has happened; what is not may have.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from time import time

from tests.chaos import ledger


@dataclass(frozen=True)
class Entry:
    """One answer: about what, number of the action in its plan, and what was answered."""

    at: float
    what: str
    subject: str
    number: int
    answer: str


@dataclass(frozen=True)
class Diary:
    """The file of answers; several threads write it."""

    path: Path

    def note(self, what: str, subject: str, number: int = 0, answer: str = "ok") -> None:
        """Write down one answer."""
        ledger.append(self.path, f"{time():.6f}", what, subject, number, answer)

    def read(self) -> Iterator[Entry]:
        """Yield all answers, oldest first."""
        lines = self.path.read_text().splitlines() if self.path.exists() else []
        for line in lines:
            at, what, subject, number, answer = line.split(" ")
            yield Entry(float(at), what, subject, int(number), answer)
