"""A worker process: it takes turns and steps from the queues until it is told to stop."""

import signal
import threading
from types import FrameType

from configs.settings import Settings
from pipeline.engine import EngineSettings
from pipeline.runtime import CHILD_SETUP, open_runtime, sweep_scratch


def run_worker(
    settings: Settings,
    resources: set[str] | None = None,
    *,
    child_setup: str = CHILD_SETUP,
    engine_settings: EngineSettings | None = None,
) -> None:
    """Work until SIGTERM or SIGINT; what is in flight then is taken over by another worker.

    Args:
        settings: the effective settings.
        resources: the queues to take heavy steps from (default: all).
        child_setup: what installs the steps' services in the child processes.
        engine_settings: the engine's times, where tests need others.

    Raises:
        RedactionError: a redactor misses what it must find; nothing is processed (not retryable).
    """
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda _number, _frame: _stop(stop, _frame))
    sweep_scratch(settings)
    with open_runtime(
        settings, child_setup=child_setup, engine_settings=engine_settings
    ) as runtime:
        runtime.engine.start(resources=resources)
        stop.wait()


def _stop(stop: threading.Event, _frame: FrameType | None) -> None:
    stop.set()
