"""A worker process: it takes turns and steps from the queues until it is told to stop."""

import signal
import threading
from collections.abc import Callable
from multiprocessing import get_context
from types import FrameType

from configs.errors import RedactionError
from configs.settings import Settings
from pipeline.engine import EngineSettings
from pipeline.logs import configure_logs
from pipeline.runtime import CHILD_SETUP, load_redactor, open_runtime, sweep_scratch
from pipeline.summarizers import load_entailment


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
        UnknownModelError: there is no such model of entailment or for names; nothing is processed
            (not retryable).
    """
    configure_logs()
    load_entailment(settings)
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda _number, _frame: _stop(stop, _frame))
    sweep_scratch(settings)
    test = _test_redactor(settings) if _uses_redactor(resources, child_setup) else None
    with open_runtime(
        settings, child_setup=child_setup, engine_settings=engine_settings
    ) as runtime:
        if test is not None:
            test()
        runtime.engine.start(resources=resources)
        stop.wait()


def _uses_redactor(resources: set[str] | None, child_setup: str) -> bool:
    return child_setup == CHILD_SETUP and (resources is None or "redact" in resources)


def _test_redactor(settings: Settings) -> Callable[[], None]:
    """Start the redactor's self-test in a process of its own; return what waits for its verdict.

    The models are loaded there and not here, where they would stay.

    Raises:
        UnknownModelError: `redaction.ner_model` is no model for names (not retryable).
    """
    load_redactor(settings)
    process = get_context("spawn").Process(target=prove_redactor, args=(settings,), daemon=True)
    process.start()

    def verdict() -> None:
        process.join()
        if process.exitcode != 0:
            raise RedactionError(
                "The redactor's self-test failed; nothing is processed. See `kikigaki doctor`."
            )

    return verdict


def prove_redactor(settings: Settings) -> None:
    """Let the redactor find known strings in each language.

    Raises:
        RedactionError: it misses one (not retryable).
    """
    load_redactor(settings).self_test()


def _stop(stop: threading.Event, _frame: FrameType | None) -> None:
    stop.set()
