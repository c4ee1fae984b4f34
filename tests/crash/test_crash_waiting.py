"""Kills outside the steps: while waiting, in the web process, in the store, for good."""

import os
import signal
import subprocess
import sys

import pytest

from pipeline.engine.testing import wait_for_status
from storage.embedded_s3 import EmbeddedS3
from storage.statuses import RunStatus
from tests.crash import deciding
from tests.deployment import Deployment, was_killed
from tests.waiting import wait_until

pytestmark = pytest.mark.timeout(600)


def _kill(process: "subprocess.Popen[bytes]") -> None:
    process.kill()
    process.wait()
    assert was_killed(process)


def _publish(deployment: Deployment, run_id: str) -> None:
    wait_until(lambda: deployment.has_ended(run_id), "the end")
    assert deployment.run(run_id).status == RunStatus.PUBLISHED
    assert len(deployment.story(run_id).published) == 1


def test_kill_while_waiting_for_a_decision_loses_nothing(deployment: Deployment) -> None:
    worker = deployment.start_worker()
    run_id = deployment.submit_for_review()
    wait_for_status(deployment.instance(run_id), {"waiting"})
    attempts = deployment.attempts(run_id)
    _kill(worker)
    sha256 = deployment.review(run_id).sha256
    deployment.decide(run_id, "approve", sha256)  # nobody works; the decision is kept
    deployment.start_worker()
    _publish(deployment, run_id)
    assert {k: v for k, v in deployment.attempts(run_id).items() if k in attempts} == attempts


def test_web_killed_between_decision_and_answer_has_decided(deployment: Deployment) -> None:
    deployment.start_worker()
    run_id = deployment.submit_for_review()
    sha256 = deployment.review(run_id).sha256
    environ = {**os.environ, **deployment.environ}
    web = subprocess.run(
        [sys.executable, "-m", deciding.__name__, run_id, sha256], env=environ, check=False
    )
    assert web.returncode == -signal.SIGKILL
    _publish(deployment, run_id)


def test_web_killed_before_the_decision_commits_has_decided_nothing(
    deployment: Deployment,
) -> None:
    deployment.start_worker()
    run_id = deployment.submit_for_review()
    sha256 = deployment.review(run_id).sha256
    environ = {**os.environ, **deployment.environ}
    web = subprocess.run(
        [sys.executable, "-m", deciding.__name__, run_id, sha256, "before"],
        env=environ,
        check=False,
    )
    assert web.returncode == -signal.SIGKILL
    assert deployment.review(run_id).status == "open"
    assert deployment.published_names(run_id) == []
    _publish(deployment, run_id)


def test_worker_killed_and_never_restarted_is_taken_over(deployment: Deployment) -> None:
    doomed = deployment.start_worker(ENGINE_CRASH_AT="anonymize:1:after effect")
    run_id = deployment.submit()
    wait_until(lambda: doomed.poll() is not None, "the worker's death")
    assert was_killed(doomed)
    other = deployment.start_worker()
    _publish(deployment, run_id)
    assert other.poll() is None
    executors = {a.executor for steps in deployment.attempts(run_id).values() for a in steps}
    assert len(executors) >= 2


def test_store_killed_in_the_middle_changes_nothing(
    deployment: Deployment, s3_server: EmbeddedS3
) -> None:
    deployment.start_worker()
    run_id = deployment.submit()
    wait_until(lambda: deployment.run(run_id).status == RunStatus.PROCESSING, "the first step")
    assert s3_server.pid is not None
    os.kill(s3_server.pid, signal.SIGKILL)
    _publish(deployment, run_id)
