"""What a process holds of the system: threads, processes, open files (Linux, proc(5))."""

import gc
import os
import threading
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Footprint:
    """Names of threads, numbers of child processes, and open files by kind."""

    threads: dict[str, int] = field(default_factory=dict)
    children: int = 0
    files: dict[str, int] = field(default_factory=dict)

    def grown(self, before: "Footprint") -> list[str]:
        """Say what there is more of than before."""
        more = [
            f"{now.get(what, 0) - then.get(what, 0)} more {kind} {what!r}"
            for kind, now, then in (
                ("thread", self.threads, before.threads),
                ("file", self.files, before.files),
            )
            for what in now
            if now.get(what, 0) > then.get(what, 0)
        ]
        if self.children > before.children:
            more.append(f"{self.children - before.children} more processes")
        return more


def footprint() -> Footprint:
    """Return what this process holds now; garbage is not held."""
    gc.collect()
    threads = Counter(_kind(thread.name) for thread in threading.enumerate())
    return Footprint(dict(threads), len(children_of(os.getpid())), dict(_open_files()))


def children_of(pid: int) -> list[int]:
    """Return the processes that a process has started and that are still there."""
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        found += map(int, task.read_text().split())
    return found


def _open_files() -> Counter[str]:
    kinds: Counter[str] = Counter()
    for link in Path("/proc/self/fd").iterdir():
        try:
            target = str(link.readlink())
        except FileNotFoundError:  # the one that lists the folder
            continue
        kinds[target.partition(":[")[0]] += 1
    return kinds


def _kind(name: str) -> str:
    """Return a thread's name without its number."""
    return name.rstrip("0123456789").rstrip("-_ (") or name
