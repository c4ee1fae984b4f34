"""One whole pass on the real models: the worker dies in every step of one run."""

from pathlib import Path

import pytest

from pipeline.engine import StepStatus
from storage.s3 import StoreConfig
from tests.crash.worker import REAL_MODELS
from tests.databases import NewDatabase
from tests.deployment import Deployment, deployed, environment, was_killed
from tests.receivers import Receiver, receiving
from tests.waiting import wait_until

pytestmark = pytest.mark.timeout(1200)

INTERVIEW = Path(__file__).parents[2] / "configs/demo/interview.opus"
_TIMEOUT_S = 300.0
PARALLEL = {"bleep", "plan_summary", "summarize", "validate_summary"}


def _done(made: Deployment, run_id: str) -> set[tuple[str, int]]:
    history = made.instance(run_id).history()
    return {(s.name, s.count) for s in history if s.status is StepStatus.SUCCEEDED}


def test_kill_in_every_step_on_real_models_ends_like_an_undisturbed_run(
    tmp_path: Path, new_database: NewDatabase, store_config: StoreConfig
) -> None:
    with (
        new_database("sqlite") as url,
        receiving(Receiver()) as receiver,
        deployed(environment(tmp_path / "home", url, store_config, receiver), receiver) as made,
    ):
        undisturbed = made.submit(INTERVIEW)
        first = made.start_worker(**{REAL_MODELS: "1"})
        wait_until(lambda: made.has_ended(undisturbed), "the end", _TIMEOUT_S)
        first.terminate()
        first.wait()
        reference = made.story(undisturbed)
        steps = [(s.name, s.count) for s in made.instance(undisturbed).history()]

        run_id = made.submit(INTERVIEW)
        passed = []
        for name, count in steps:
            if (name, count) in _done(made, run_id):  # beside the step at which a worker died
                passed.append(name)
                continue
            point = f"{name}:{count}:after effect"
            worker = made.start_worker(ENGINE_CRASH_AT=point, **{REAL_MODELS: "1"})

            def died() -> bool:
                made.approve_waiting()
                return worker.poll() is not None  # noqa: B023 - called before the next one

            wait_until(died, f"the worker's death at {point}", _TIMEOUT_S)
            assert was_killed(worker), point
        assert set(passed) <= PARALLEL
        made.start_worker(**{REAL_MODELS: "1"})
        wait_until(lambda: made.has_ended(run_id), "the end", _TIMEOUT_S)
        assert made.story(run_id) == reference
