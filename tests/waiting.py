"""Waiting for a condition, never for a time."""

import threading
from collections.abc import Callable

_LOOK_S = 0.05


def wait_until(
    condition: Callable[[], bool], what: str = "the condition", timeout_s: float = 120.0
) -> None:
    """Look until the condition holds; fail, naming `what`, where it does not in time."""
    never = threading.Event()
    for _ in range(int(timeout_s / _LOOK_S)):
        if condition():
            return
        never.wait(_LOOK_S)
    raise AssertionError(f"timed out waiting for {what}")
