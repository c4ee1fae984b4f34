"""A worker with short times, for tests that kill it: scripted models, or the real ones."""

import os
import signal
import threading

from configs.settings import load_settings
from pipeline import runtime as runtime_module
from pipeline.engine.testing import quick
from pipeline.runtime import open_runtime
from pipeline.steps import services as step_services
from storage.refs import ArtifactRef, PublishedFile
from tests import scripted

KILL_AFTER_FILES = "CRASH_AFTER_PUBLISHED_FILES"
REAL_MODELS = "CRASH_WITH_REAL_MODELS"


def main() -> None:
    """Work until SIGTERM."""
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    settings = load_settings()
    is_real = REAL_MODELS in os.environ
    setup = runtime_module.CHILD_SETUP if is_real else scripted.CHILD_SETUP
    with open_runtime(settings, child_setup=setup, engine_settings=quick()) as runtime:
        if not is_real:
            step_services.install(scripted.scripted_services(step_services.services()))
        if KILL_AFTER_FILES in os.environ:
            _die_while_publishing(int(os.environ[KILL_AFTER_FILES]))
        runtime.engine.start()
        stop.wait()


def _die_while_publishing(after: int) -> None:
    """Kill this process when it has written so many files of a publication."""
    store = step_services.services().store
    publish, written = store.publish, iter(range(1, 100))

    def publish_and_count(prefix: str, name: str, ref: ArtifactRef) -> PublishedFile:
        published = publish(prefix, name, ref)
        if next(written) == after:
            os.kill(os.getpid(), signal.SIGKILL)
        return published

    store.publish = publish_and_count  # type: ignore[method-assign]


if __name__ == "__main__":
    main()
