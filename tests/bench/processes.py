"""What the kernel knows of a process: memory, its peak, and processor time (Linux, proc(5))."""

import ctypes
import gc
import os
from contextlib import suppress
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")
_RESET_PEAK = "5"


def resident_bytes(pid: int) -> int:
    """Return the resident memory of a process."""
    return _status_bytes(pid, "VmRSS")


def peak_bytes(pid: int) -> int:
    """Return the largest resident memory since the last `reset_peak`."""
    return _status_bytes(pid, "VmHWM")


def reset_peak(pid: int) -> None:
    """Begin to look for the largest resident memory anew."""
    Path(f"/proc/{pid}/clear_refs").write_text(_RESET_PEAK)


def settled_bytes() -> int:
    """Return this process's resident memory, without what it has freed but not given back."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    return resident_bytes(os.getpid())


def processor_s(pid: int) -> float:
    """Return the processor time of a process, all its threads together."""
    return sum(_stat(pid)[11:13]) / _TICKS


def family_processor_s(pid: int) -> float:
    """Return the processor time of a process and its children, those that have ended among them."""
    children = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    used = sum(_stat(pid)[11:15])
    for child in children:
        with suppress(OSError):  # it ended in between: its parent counts it at the next look
            used += sum(_stat(child)[11:13]) if _stat(child)[1] == pid else 0
    return used / _TICKS


def _stat(pid: int) -> list[int]:
    """Return the fields of proc(5) `stat` after the name; the state, a letter, as 0."""
    _, *fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return [0, *map(int, fields)]


def _status_bytes(pid: int, name: str) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) * 1024
    raise AssertionError(f"process {pid} has no {name}")
