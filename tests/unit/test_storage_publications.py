from collections.abc import Iterator

import pytest
import sqlalchemy as sa
from sqlmodel import Session

from configs.errors import ConflictError, DatabaseBusyError
from storage import audit, costs, idempotency, publications, reviews, revisions, runs
from storage.database import transaction
from storage.decisions import Choice, decide
from storage.policy import ReviewPolicy
from storage.reviews import Approval
from storage.statuses import RunStatus
from storage.tables import Publication
from tests.rows import EDITOR, make_review, make_run

FILES: dict[str, object] = {"index.html": {"sha256": "1" * 64, "bytes": 5}}


@pytest.fixture
def session(rows: sa.Engine) -> Iterator[Session]:
    with transaction(rows) as opened:
        yield opened


@pytest.fixture
def approval(session: Session) -> Approval:
    review = make_review(session)
    decide(
        session,
        run_id=review.run_id,
        sha256=review.sha256,
        choice=Choice.APPROVE,
        actor=EDITOR,
        policy=ReviewPolicy(),
        channel="web",
    )
    return reviews.approval_of(session, review.run_id, 1)


def publish(session: Session, approval: Approval) -> Publication:
    return publications.record_publication(
        session, approval, bucket="kikigaki-published", prefix="default/r/r1/", files=FILES
    )


def test_publication_when_recorded_then_the_run_is_published(
    session: Session, approval: Approval
) -> None:
    row = publish(session, approval)
    assert row.review_sha256 == approval.review.sha256
    assert row.decision_id == approval.decision.id
    assert runs.get_run(session, row.run_id).status is RunStatus.PUBLISHED
    assert publications.latest_publication(session, row.run_id) == row


def test_publication_when_recorded_again_then_it_is_one_with_one_audit_event(
    session: Session, approval: Approval
) -> None:
    first = publish(session, approval)
    again = publish(session, approval)
    assert again.published_at == first.published_at
    assert len(publications.publications_of(session, first.run_id)) == 1
    actions = [event["action"] for event in audit.export(session, first.run_id)]
    assert actions.count("publication.published") == 1


def test_publication_when_a_new_revision_begins_then_the_old_one_stays_live(
    session: Session, approval: Approval
) -> None:
    row = publish(session, approval)
    revisions.add_revision(
        session, row.run_id, reason="reprocess", begins_at="summarize", actor=EDITOR, carry=()
    )
    assert runs.get_run(session, row.run_id).status is RunStatus.QUEUED
    assert publications.latest_publication(session, row.run_id) == row


def test_publication_when_the_run_is_erased_then_nothing_is_live(
    session: Session, approval: Approval
) -> None:
    row = publish(session, approval)
    runs.set_status(session, row.run_id, RunStatus.ERASED)
    assert publications.latest_publication(session, row.run_id) is None


def notify(session: Session, run_id: str, host: str) -> str:
    return publications.record_notification(
        session,
        key="key_1",
        run_id=run_id,
        revision=1,
        host=host,
    ).host


def test_notification_when_recorded_again_then_the_first_counts(session: Session) -> None:
    run = make_run(session)
    assert notify(session, run.id, "hooks.example") == "hooks.example"
    assert notify(session, run.id, "other.example") == "hooks.example"
    assert len(publications.notifications_of(session, run.id)) == 1


def test_idempotency_when_the_key_is_used_again_then_the_same_run(session: Session) -> None:
    run = make_run(session)
    assert idempotency.run_for(session, "usr_1", "key", "a" * 64) is None
    idempotency.remember(session, "usr_1", "key", "a" * 64, run_id=run.id)
    assert idempotency.run_for(session, "usr_1", "key", "a" * 64) == run.id
    assert idempotency.run_for(session, "usr_2", "key", "a" * 64) is None


def test_idempotency_when_the_request_is_another_then_refused(session: Session) -> None:
    run = make_run(session)
    idempotency.remember(session, "usr_1", "key", "a" * 64, run_id=run.id)
    with pytest.raises(ConflictError):
        idempotency.run_for(session, "usr_1", "key", "b" * 64)


def test_idempotency_when_two_requests_race_then_the_second_has_to_look_again(
    session: Session,
) -> None:
    first, second = make_run(session), make_run(session)
    idempotency.remember(session, "usr_1", "key", "a" * 64, run_id=first.id)
    with pytest.raises(DatabaseBusyError):
        idempotency.remember(session, "usr_1", "key", "a" * 64, run_id=second.id)


def call(session: Session, key: str, run_id: str, cost_usd: float, model: str = "large") -> bool:
    usage = costs.Usage(
        model=model, input_tokens=10, output_tokens=2, audio_s=1.5, cost_usd=cost_usd, latency_s=0.5
    )
    return costs.record_call(session, key, run_id=run_id, revision=1, step="summarize", usage=usage)


def test_cost_when_a_call_is_replayed_then_it_counts_once(session: Session) -> None:
    assert call(session, "run_1-r1:summarize:1", "run_1", 0.25)
    assert not call(session, "run_1-r1:summarize:1", "run_1", 0.25)
    assert costs.run_cost_usd(session, "run_1") == 0.25


def test_cost_when_nothing_was_called_then_zero(session: Session) -> None:
    assert costs.run_cost_usd(session, "run_1") == 0.0
