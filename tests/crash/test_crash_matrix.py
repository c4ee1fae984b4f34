"""Kill the worker at every step boundary and compare with an undisturbed run.

The table of (step, point) is made of the journal of the undisturbed run, so that a new step is in
it without anybody adding it. A worker dies on its own run; those of the workers before it, it takes
over and goes on with.
"""

import subprocess

import pytest

from pipeline.engine.faults import POINTS
from tests.deployment import Deployment, Story, was_killed
from tests.waiting import wait_until

pytestmark = pytest.mark.timeout(1500)

NOT_KILLED_AT = {"await_decision"}  # a wait has no effect; see test_crash_waiting.py


def _finish(deployment: Deployment, run_ids: list[str]) -> None:
    worker = deployment.start_worker()
    for run_id in run_ids:
        wait_until(lambda r=run_id: deployment.has_ended(r), f"the end of {run_id}")  # type: ignore[misc]
    worker.terminate()
    worker.wait()


def _die_at(deployment: Deployment, step: tuple[str, int], point: str) -> str:
    """Submit a run and let a worker die on it; return its id."""
    run_id = deployment.submit()
    place = f"{step[0]}:{step[1]}:{point}@{deployment.instance(run_id).id}"
    worker = deployment.start_worker(ENGINE_CRASH_AT=place)

    def died() -> bool:
        deployment.approve_waiting()
        return worker.poll() is not None

    wait_until(died, f"the worker's death at {step} {point}")
    assert was_killed(worker), (step, point, worker.returncode)
    return run_id


def _assert_ran_once(
    deployment: Deployment, run_id: str, victim: tuple[str, int], point: str
) -> None:
    """No finished step ran again: what was tried before had been lost with a killed worker."""
    for step, attempts in deployment.attempts(run_id).items():
        outcomes = [attempt.outcome for attempt in attempts]
        assert outcomes[-1] == "succeeded", (step, attempts)
        assert set(outcomes[:-1]) <= {"lost"}, (step, attempts)
        if step == victim:
            assert (len(outcomes) == 1) == (point == "after commit"), (point, attempts)


@pytest.fixture
def reference(deployment: Deployment) -> Story:
    run_id = deployment.submit()
    _finish(deployment, [run_id])
    story = deployment.story(run_id)
    assert story.status == "published"
    return story


def test_kill_at_every_step_boundary_ends_like_an_undisturbed_run(
    deployment: Deployment, reference: Story
) -> None:
    steps = [(n, c) for n, c, _ in reference.steps if n not in NOT_KILLED_AT]
    victims: dict[str, tuple[tuple[str, int], str]] = {}
    for point in POINTS:
        killed = {_die_at(deployment, s, point): (s, point) for s in reversed(steps)}
        _finish(deployment, list(killed))
        victims |= killed
    assert len(victims) == len(steps) * len(POINTS)
    for run_id, (victim, point) in victims.items():
        assert deployment.story(run_id) == reference, (victim, point)
        _assert_ran_once(deployment, run_id, victim, point)
    keys = [r.headers["idempotency-key"] for r in deployment.receiver.received]
    assert len(set(keys)) == len(victims) + 1


def test_kill_while_files_are_published_publishes_each_once(
    deployment: Deployment, reference: Story
) -> None:
    victims = []
    for files in (1, 3, 5):
        run_id = deployment.submit()
        worker = deployment.start_worker(CRASH_AFTER_PUBLISHED_FILES=str(files))

        def died(worker: "subprocess.Popen[bytes]" = worker) -> bool:
            deployment.approve_waiting()
            return worker.poll() is not None

        wait_until(died, f"the worker's death after {files} files")
        assert was_killed(worker)
        _finish(deployment, [run_id])
        victims.append(run_id)
    assert [deployment.story(run_id) for run_id in victims] == [reference] * 3
