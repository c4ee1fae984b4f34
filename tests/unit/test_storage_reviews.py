import hashlib
import json
from collections.abc import Iterator
from datetime import timedelta

import pytest
import sqlalchemy as sa
from sqlmodel import Session, select

from configs.errors import IntegrityError, NotFoundError, TransientError
from models.documents import Verdict
from storage import audit, reviews, runs
from storage.database import database_now, transaction
from storage.statuses import ReviewStatus, RunStatus
from storage.tables import Artifact, AuditEvent, Decision, Review
from tests.rows import EDITOR, REVIEWED, keep_artifacts, make_ref, make_review, make_run


@pytest.fixture
def session(rows: sa.Engine) -> Iterator[Session]:
    with transaction(rows) as opened:
        yield opened


def test_review_hash_when_computed_then_it_is_of_the_documented_json() -> None:
    artifacts = {role: make_ref("run_1", role) for role in REVIEWED}
    sha256, canonical = reviews.review_hash("run_1", 2, artifacts)
    named = {r: {"sha256": a.sha256, "version_id": a.version_id} for r, a in artifacts.items()}
    expected = json.dumps(
        {"run": "run_1", "revision": 2, "artifacts": named},
        sort_keys=True,
        separators=(",", ":"),
        ensure_ascii=False,
    ).encode()
    assert canonical == expected
    assert sha256 == hashlib.sha256(expected).hexdigest()


@pytest.mark.parametrize("change", ["sha256", "version", "run", "revision", "fewer", "more"])
def test_review_hash_when_anything_changes_then_it_is_another(change: str) -> None:
    artifacts = {role: make_ref("run_1", role) for role in REVIEWED}
    before, _ = reviews.review_hash("run_1", 1, artifacts)
    run_id, revision = ("run_2", 1) if change == "run" else ("run_1", 1)
    if change == "sha256":
        artifacts["summary"] = make_ref("run_1", "summary", sha256="9" * 64)
    elif change == "version":
        artifacts["summary"] = make_ref("run_1", "summary", version="v2")
    elif change == "fewer":
        del artifacts["redacted_audio"]
    elif change == "more":
        artifacts["rendered/captions.vtt"] = make_ref("run_1", "rendered/captions.vtt")
    elif change == "revision":
        revision = 2
    assert reviews.review_hash(run_id, revision, artifacts)[0] != before


def test_review_hash_when_raw_artifacts_are_given_then_they_are_left_out() -> None:
    artifacts = {role: make_ref("run_1", role) for role in REVIEWED}
    raw = {role: make_ref("run_1", role) for role in ("source", "transcript", "pseudonym_map")}
    assert reviews.review_hash("run_1", 1, artifacts | raw) == reviews.review_hash(
        "run_1", 1, artifacts
    )


@pytest.mark.parametrize("role", ["redacted_transcript", "summary", "quality_report"])
def test_review_hash_when_a_needed_artifact_is_missing_then_it_fails(role: str) -> None:
    artifacts = {r: make_ref("run_1", r) for r in REVIEWED if r != role}
    with pytest.raises(IntegrityError) as failure:
        reviews.review_hash("run_1", 1, artifacts)
    assert failure.value.details["missing"] == [role]


def test_review_hash_when_nothing_was_rendered_then_it_fails() -> None:
    artifacts = {r: make_ref("run_1", r) for r in REVIEWED if not r.startswith("rendered")}
    with pytest.raises(IntegrityError) as failure:
        reviews.review_hash("run_1", 1, artifacts)
    assert failure.value.details["missing"] == ["rendered"]


def test_open_when_artifacts_are_there_then_the_run_waits_for_review(session: Session) -> None:
    review = make_review(session, timeout=timedelta(hours=72))
    assert review.status is ReviewStatus.OPEN
    assert review.deadline - review.opened_at == timedelta(hours=72)
    assert sorted(review.artifacts) == sorted(REVIEWED)
    assert runs.get_run(session, review.run_id).status is RunStatus.AWAITING_REVIEW


def test_open_when_repeated_then_it_is_one_review_with_its_first_deadline(
    session: Session,
) -> None:
    first = make_review(session)
    again = reviews.open_review(
        session, first.run_id, 1, verdict=Verdict.PASS, timeout=timedelta(hours=999)
    )
    assert (again.id, again.deadline) == (first.id, first.deadline)
    assert len(session.exec(select(Review)).all()) == 1


def test_open_when_repeated_with_other_artifacts_then_it_fails(session: Session) -> None:
    review = make_review(session)
    other = make_ref(review.run_id, "summary", sha256="9" * 64)
    runs.keep(session, review.run_id, 1, "summary", other)
    with pytest.raises(IntegrityError):
        reviews.open_review(
            session, review.run_id, 1, verdict=Verdict.PASS, timeout=timedelta(hours=1)
        )


def test_open_when_a_newer_revision_exists_then_it_is_superseded_at_once(
    session: Session,
) -> None:
    run = make_run(session)
    keep_artifacts(session, run.id)
    run.revision = 2
    session.add(run)
    review = reviews.open_review(
        session, run.id, 1, verdict=Verdict.PASS, timeout=timedelta(hours=1)
    )
    assert review.status is ReviewStatus.SUPERSEDED
    assert runs.get_run(session, run.id).status is RunStatus.QUEUED


def test_expire_when_the_deadline_has_passed_then_nobody_is_named(session: Session) -> None:
    review = make_review(session, timeout=timedelta(0))
    assert reviews.expire(session, review.id).status is ReviewStatus.EXPIRED
    assert runs.get_run(session, review.run_id).status is RunStatus.EXPIRED
    assert session.exec(select(Decision)).all() == []
    events = list(audit.export(session, review.run_id))
    assert [(e["action"], e["actor_id"]) for e in events][-1] == ("review.expired", "system")


def test_expire_when_the_deadline_has_not_come_then_it_says_when_to_try_again(
    session: Session,
) -> None:
    review = make_review(session, timeout=timedelta(hours=1))
    with pytest.raises(TransientError) as failure:
        reviews.expire(session, review.id)
    assert 3500 < (failure.value.retry_after_s or 0) <= 3600
    assert reviews.get_review(session, review.id).status is ReviewStatus.OPEN


@pytest.mark.parametrize(
    "status", [ReviewStatus.APPROVED, ReviewStatus.REJECTED, ReviewStatus.SUPERSEDED]
)
def test_expire_when_it_is_closed_already_then_it_stays_as_it_was(
    session: Session, status: ReviewStatus
) -> None:
    review = make_review(session, timeout=timedelta(0))
    review.status = status
    session.add(review)
    assert reviews.expire(session, review.id).status is status


def test_waiting_when_several_are_open_then_the_nearest_deadline_is_first(
    session: Session,
) -> None:
    late = make_review(session, timeout=timedelta(hours=9))
    soon = make_review(session, timeout=timedelta(hours=1))
    closed = make_review(session)
    reviews.supersede(session, closed.run_id, actor_id=EDITOR.id)
    assert [review.id for review, _ in reviews.waiting_reviews(session)] == [soon.id, late.id]
    assert reviews.waiting_reviews(session, "another") == []


def _approved(session: Session) -> Review:
    review = make_review(session)
    session.add(
        Decision(
            id="dec_1",
            review_id=review.id,
            sha256=review.sha256,
            decision="approve",
            approver_id=EDITOR.id,
            channel="web",
            decided_at=database_now(session),
        )
    )
    reviews.close(session, review, ReviewStatus.APPROVED, RunStatus.APPROVED)
    return review


def test_approval_when_approved_then_it_holds_exactly_the_reviewed_artifacts(
    session: Session,
) -> None:
    review = _approved(session)
    approval = reviews.approval_of(session, review.run_id, 1)
    assert approval.decision.approver_id == EDITOR.id
    assert sorted(approval.artifacts) == sorted(REVIEWED)


def test_approval_when_there_is_no_decision_row_then_the_status_alone_is_not_enough(
    session: Session,
) -> None:
    review = make_review(session)
    reviews.close(session, review, ReviewStatus.APPROVED, RunStatus.APPROVED)
    with pytest.raises(IntegrityError, match="missing"):
        reviews.approval_of(session, review.run_id, 1)


def test_approval_when_the_decision_names_another_hash_then_it_fails(session: Session) -> None:
    review = _approved(session)
    decision = session.get_one(Decision, "dec_1")
    decision.sha256 = "9" * 64
    session.add(decision)
    with pytest.raises(IntegrityError, match="missing"):
        reviews.approval_of(session, review.run_id, 1)


def test_approval_when_it_was_only_opened_then_it_fails(session: Session) -> None:
    review = make_review(session)
    with pytest.raises(IntegrityError, match="not approved"):
        reviews.approval_of(session, review.run_id, 1)


def test_approval_when_a_newer_revision_exists_then_it_fails(session: Session) -> None:
    review = _approved(session)
    run = runs.get_run(session, review.run_id)
    run.revision = 2
    session.add(run)
    with pytest.raises(IntegrityError, match="newer"):
        reviews.approval_of(session, review.run_id, 1)


def test_approval_when_an_artifact_was_exchanged_since_then_it_fails(session: Session) -> None:
    review = _approved(session)
    other = make_ref(review.run_id, "summary", sha256="9" * 64)
    runs.keep(session, review.run_id, 1, "summary", other)
    with pytest.raises(IntegrityError, match="not the ones"):
        reviews.approval_of(session, review.run_id, 1)


@pytest.mark.parametrize("column", ["version_id", "sha256"])
def test_approval_when_an_artifact_row_was_changed_then_it_fails(
    session: Session, column: str
) -> None:
    review = _approved(session)
    row = session.exec(select(Artifact).where(Artifact.kind == "summary")).one()
    setattr(row, column, "7" * 64)
    session.add(row)
    with pytest.raises(IntegrityError):
        reviews.approval_of(session, review.run_id, 1)


def test_approval_when_an_artifact_was_deleted_then_it_fails(session: Session) -> None:
    review = _approved(session)
    row = session.exec(select(Artifact).where(Artifact.kind == "summary")).one()
    row.deleted_at = database_now(session)
    session.add(row)
    with pytest.raises(IntegrityError, match="missing"):
        reviews.approval_of(session, review.run_id, 1)


def test_approval_when_a_row_points_at_a_raw_object_then_it_fails(session: Session) -> None:
    review = _approved(session)
    row = session.exec(select(Artifact).where(Artifact.kind == "summary")).one()
    row.key = row.key.replace("/summary/", "/transcript/")
    session.add(row)
    with pytest.raises(IntegrityError, match="raw"):
        reviews.approval_of(session, review.run_id, 1)


def test_get_when_there_is_none_then_not_found(session: Session) -> None:
    with pytest.raises(NotFoundError):
        reviews.get_review(session, "rev_none")


def test_audit_when_a_review_was_opened_then_it_names_the_hash(session: Session) -> None:
    review = make_review(session)
    event = session.exec(select(AuditEvent).where(AuditEvent.action == "review.opened")).one()
    assert event.details["sha256"] == review.sha256
