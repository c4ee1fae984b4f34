"""What has to hold before anybody relies on it: each step's failure and time-out."""

from collections.abc import Iterator

import pytest

from configs.errors import (
    AppError,
    CorruptInputError,
    IntegrityError,
    ModelError,
    RedactionError,
    TransientError,
    UnexpectedError,
)
from pipeline.engine import testing
from storage.statuses import RunStatus
from tests.deployment import Deployment
from tests.waiting import wait_until

FAILURES: dict[str, AppError] = {
    "probe": CorruptInputError(),
    "transcribe": ModelError("The recognizer failed."),
    "join_transcript": ModelError("The windows do not fit."),
    "anonymize": RedactionError(),
    "bleep": ModelError("The encoder failed."),
    "render": IntegrityError(),
    "check_quality": ModelError("The checks failed."),
    "review_terms": IntegrityError(),
}
AFTER_REVIEW: dict[str, AppError] = {"publish": IntegrityError()}


@pytest.fixture(autouse=True)
def no_replacements(application: Deployment) -> Iterator[None]:
    yield
    application.runtime.engine.faults.replacements.clear()


@pytest.mark.parametrize("step", FAILURES)
def test_step_that_fails_for_good_ends_the_run_with_its_message(
    application: Deployment, step: str
) -> None:
    error = FAILURES[step]
    testing.replace(application.runtime.engine.faults, step, error=error)
    run = application.wait_for_run(application.submit(), RunStatus.FAILED)
    assert (run.error_code, run.error_message) == (error.code, error.message)
    assert application.published_names(run.id) == []


@pytest.mark.parametrize("step", AFTER_REVIEW)
def test_step_that_fails_after_the_approval_publishes_nothing(
    application: Deployment, step: str
) -> None:
    error = AFTER_REVIEW[step]
    testing.replace(application.runtime.engine.faults, step, error=error)
    run_id = application.submit_for_review()
    application.decide(run_id, "approve")
    run = application.wait_for_run(run_id, RunStatus.FAILED)
    assert (run.error_code, run.error_message) == (error.code, error.message)
    assert application.published_names(run_id) == []


@pytest.mark.parametrize(
    "step",
    [*FAILURES, "plan_summary", "summarize", "validate_summary", "request_review", "close_review"],
)
def test_step_that_times_out_is_tried_again(application: Deployment, step: str) -> None:
    testing.time_out(application.runtime.engine.faults, step, times=1)
    run_id = application.submit_for_review()
    application.decide(run_id, "approve")
    wait_until(lambda: application.has_ended(run_id), "the end")
    assert application.run(run_id).status == RunStatus.PUBLISHED
    attempts = application.attempts(run_id)[step, 1]
    assert [a.error_code for a in attempts] == ["engine.step_timeout", None]


def test_file_that_takes_too_long_to_read_twice_is_given_up(application: Deployment) -> None:
    testing.time_out(application.runtime.engine.faults, "probe")
    run = application.wait_for_run(application.submit(), RunStatus.FAILED)
    assert run.error_code == "input.too_large"
    assert len(application.attempts(run.id)["probe", 1]) == 2


@pytest.mark.parametrize("step", ["publish", "notify"])
def test_step_after_the_approval_that_times_out_is_tried_again(
    application: Deployment, step: str
) -> None:
    testing.time_out(application.runtime.engine.faults, step, times=1)
    run_id = application.submit_for_review()
    application.decide(run_id, "approve")
    wait_until(lambda: application.has_ended(run_id), "the end")
    assert application.run(run_id).status == RunStatus.PUBLISHED
    assert len(application.attempts(run_id)[step, 1]) == 2


@pytest.mark.parametrize("step", ["plan_summary", "summarize"])
@pytest.mark.parametrize("error", [ModelError(), TransientError(), UnexpectedError()])
def test_summary_that_fails_for_good_falls_back_to_quotation_and_says_so(
    application: Deployment, error: AppError, step: str
) -> None:
    testing.replace(application.runtime.engine.faults, step, error=error, count=1)
    run_id = application.submit_for_review()
    summary = application.document(run_id, "summary")
    assert summary["method"] == "extractive"
    assert summary["fallback_reason"] == error.code


def test_notification_that_fails_for_good_leaves_the_run_published(
    application: Deployment,
) -> None:
    testing.replace(application.runtime.engine.faults, "notify", error=ModelError("refused"))
    run_id = application.submit_for_review()
    application.decide(run_id, "approve")
    wait_until(lambda: application.has_ended(run_id), "the end")
    assert application.run(run_id).status == RunStatus.PUBLISHED
    failed = [s for s in application.instance(run_id).history() if s.name == "notify"]
    assert [(s.status, s.error_code) for s in failed] == [("failed", "model.failed")]
