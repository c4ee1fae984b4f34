from datetime import timedelta

import pytest
import sqlalchemy as sa
from sqlmodel import Session

from storage import costs, operations, reviews, runs
from storage.database import database_now, transaction
from storage.decisions import Choice, decide
from storage.policy import ReviewPolicy
from storage.statuses import RunStatus
from storage.tables import Review
from tests.rows import EDITOR, make_review, make_run


def decided(session: Session, waited: timedelta, choice: Choice = Choice.APPROVE) -> Review:
    review = make_review(session)
    review.opened_at = database_now(session) - waited
    session.add(review)
    decide(
        session,
        run_id=review.run_id,
        sha256=review.sha256,
        choice=choice,
        actor=EDITOR,
        policy=ReviewPolicy(),
        channel="web",
    )
    return review


def call(session: Session, run_id: str, key: str, cost_usd: float, *, model: str = "large") -> None:
    usage = costs.Usage(
        model=model, input_tokens=10, output_tokens=2, audio_s=1.5, cost_usd=cost_usd
    )
    costs.record_call(session, key, run_id=run_id, revision=1, step="summarize", usage=usage)


def test_statuses_when_counted_then_by_tenant_or_all(migrated: sa.Engine) -> None:
    with transaction(migrated) as session:
        make_run(session)
        make_run(session, tenant="other")
        make_review(session)
        assert operations.count_by_status(session) == {
            RunStatus.QUEUED: 2,
            RunStatus.AWAITING_REVIEW: 1,
        }
        assert operations.count_by_status(session, "other") == {RunStatus.QUEUED: 1}


def test_reviews_when_decided_then_how_long_people_took(migrated: sa.Engine) -> None:
    with transaction(migrated) as session:
        decided(session, timedelta(seconds=10))
        decided(session, timedelta(seconds=20), Choice.REJECT)
        decided(session, timedelta(seconds=90), Choice.REQUEST_CHANGES)
        make_review(session)
        reviews.expire(session, make_review(session, timeout=timedelta(0)).id)
        numbers = operations.review_numbers(session)
    assert (numbers.waiting, numbers.decided, numbers.expired) == (1, 3, 1)
    assert numbers.median_decision_s == pytest.approx(20, abs=5)
    assert numbers.slowest_decision_s == pytest.approx(90, abs=5)


def test_reviews_when_their_run_was_terminated_then_nobody_waits(migrated: sa.Engine) -> None:
    with transaction(migrated) as session:
        runs.set_status(session, make_review(session).run_id, RunStatus.TERMINATED)
        numbers = operations.review_numbers(session)
    assert (numbers.waiting, numbers.oldest_waiting_s) == (0, None)


def test_reviews_when_there_are_none_then_nothing_is_measured(migrated: sa.Engine) -> None:
    with transaction(migrated) as session:
        numbers = operations.review_numbers(session)
    assert numbers == operations.ReviewNumbers(0, None, 0, None, None, 0)


def test_costs_when_summed_then_per_model_per_run_and_for_one(migrated: sa.Engine) -> None:
    with transaction(migrated) as session:
        first, second = make_run(session), make_run(session, tenant="other")
        call(session, first.id, "a", 0.25, model="small")
        call(session, first.id, "b", 0.5)
        call(session, second.id, "c", 0.5)
        by_model = [
            (n.model, n.calls, n.cost_usd, n.input_tokens)
            for n in operations.numbers_by_model(session)
        ]
        assert by_model == [("large", 2, 1.0, 20), ("small", 1, 0.25, 10)]
        assert [n.calls for n in operations.numbers_by_model(session, "other")] == [1]
        dearest = [(n.run_id, n.cost_usd) for n in operations.dearest_runs(session)]
        assert dearest == [(first.id, 0.75), (second.id, 0.5)]
        numbers = operations.run_numbers(session, first.id)
        assert (numbers.calls, numbers.cost_usd, numbers.audio_s) == (2, 0.75, 3.0)
        assert costs.run_cost_usd(session, first.id) == 0.75


def test_costs_when_a_run_called_nothing_then_zeros(migrated: sa.Engine) -> None:
    with transaction(migrated) as session:
        run = make_run(session)
        numbers = operations.run_numbers(session, run.id)
    assert (numbers.calls, numbers.cost_usd, numbers.output_tokens) == (0, 0, 0)
