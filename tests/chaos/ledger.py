"""The outside world: what happened there, a file for each instance, a line for each effect.

A file and not a table of the database under test: an effect must neither fail nor wait with it. A
line is one `write` with `O_APPEND`, whole even when its process is killed in the next moment.
"""

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Happened:
    """One effect: of which step, in which worker process, when, under which idempotency key."""

    label: str
    pid: int
    at: float
    key: str


def append(path: Path, *words: object) -> None:
    """Add one line."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(descriptor, (" ".join(map(str, words)) + "\n").encode())
    finally:
        os.close(descriptor)


def happen(folder: str, instance: str, label: str, pid: int, key: str) -> int:
    """Have an effect; return how many times it has happened by now."""
    path = Path(folder, instance)
    append(path, label, pid, f"{time.time():.6f}", key or "-")
    return sum(effect.label == label for effect in read(path))


def read(path: Path) -> Iterator[Happened]:
    """Yield the effects of one instance, in the order in which they happened."""
    for line in path.read_text().splitlines() if path.exists() else ():
        label, pid, at, key = line.split(" ")
        yield Happened(label, int(pid), float(at), "" if key == "-" else key)
