"""Asking again until there is an answer."""

import threading
from collections.abc import Callable
from typing import TypeVar

from configs.errors import TransientError

T = TypeVar("T")
_PAUSE_S = 0.05


def patiently(stop: threading.Event, ask: Callable[[], T]) -> T | None:
    """Ask while the other side is away; None where the process is to stop before it answers."""
    while not stop.is_set():
        try:
            return ask()
        except TransientError:
            stop.wait(_PAUSE_S)
    return None
