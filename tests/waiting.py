"""Waiting for a condition, never for a time."""

import threading
from collections.abc import Callable


def wait_until(condition: Callable[[], bool], timeout_s: float = 120) -> None:
    """Look until the condition holds; fail where it does not in time."""
    never = threading.Event()
    looks = int(timeout_s / 0.05)
    for _ in range(looks):
        if condition():
            return
        never.wait(0.05)
    raise AssertionError("the condition did not come true in time")
