from collections.abc import Iterator
from datetime import timedelta

import pytest
import sqlalchemy as sa
from sqlmodel import Session, select

from configs.errors import (
    AlreadyDecidedError,
    BlockedError,
    ConflictError,
    ErasedError,
    NotFoundError,
    PolicyError,
    ReviewExpiredError,
    StaleReviewError,
)
from models.documents import Verdict
from pipeline.run_report import review_document
from storage import audit, decisions, reviews, revisions, runs
from storage.database import reading, transaction
from storage.decisions import Choice, DecisionOutcome, decide
from storage.policy import Actor, ReviewPolicy
from storage.statuses import ReviewStatus, Role, RunStatus
from storage.tables import AuditEvent, Decision, Review
from tests.rows import (
    ADMIN,
    EDITOR,
    OTHER_EDITOR,
    REVIEWED,
    UPLOADER,
    committed_review,
    make_review,
    make_run,
)


@pytest.fixture
def session(rows: sa.Engine) -> Iterator[Session]:
    with transaction(rows) as opened:
        yield opened


def say(
    session: Session,
    review: Review,
    choice: Choice = Choice.APPROVE,
    actor: Actor = EDITOR,
    *,
    sha256: str | None = None,
    own_upload: bool = False,
    override_reason: str | None = None,
) -> DecisionOutcome:
    return decide(
        session,
        run_id=review.run_id,
        sha256=review.sha256 if sha256 is None else sha256,
        choice=choice,
        actor=actor,
        policy=ReviewPolicy(own_upload=own_upload),
        channel="web",
        comment="fine",
        override_reason=override_reason,
    )


@pytest.mark.parametrize(
    ("choice", "review_status", "run_status", "action"),
    [
        (Choice.APPROVE, ReviewStatus.APPROVED, RunStatus.APPROVED, "review.approved"),
        (Choice.REJECT, ReviewStatus.REJECTED, RunStatus.REJECTED, "review.rejected"),
        (
            Choice.REQUEST_CHANGES,
            ReviewStatus.CHANGES_REQUESTED,
            RunStatus.CHANGES_REQUESTED,
            "review.changes_requested",
        ),
    ],
)
def test_decide_when_open_then_review_run_and_audit_say_so(
    session: Session,
    choice: Choice,
    review_status: ReviewStatus,
    run_status: RunStatus,
    action: str,
) -> None:
    review = make_review(session)
    outcome = say(session, review, choice)
    assert outcome.is_final
    assert decisions.get_decision(session, outcome.decision.id).sha256 == review.sha256
    assert reviews.get_review(session, review.id).status is review_status
    assert runs.get_run(session, review.run_id).status is run_status
    last = list(audit.export(session, review.run_id))[-1]
    assert (last["action"], last["actor_id"]) == (action, EDITOR.id)


def test_decide_when_the_words_are_free_text_then_the_audit_log_has_none_of_it(
    session: Session,
) -> None:
    review = make_review(session)
    say(session, review)
    assert "fine" not in str(list(audit.export(session)))


@pytest.mark.parametrize("choice", list(Choice))
def test_decide_when_the_hash_is_another_then_stale_and_nothing_changes(
    session: Session, choice: Choice
) -> None:
    review = make_review(session)
    with pytest.raises(StaleReviewError) as failure:
        say(session, review, choice, sha256="0" * 64)
    assert failure.value.details["sha256"] == review.sha256
    assert session.exec(select(Decision)).all() == []
    assert reviews.get_review(session, review.id).status is ReviewStatus.OPEN


def test_decide_when_a_later_revision_exists_then_the_old_hash_is_stale(
    session: Session,
) -> None:
    review = make_review(session)
    revisions.add_revision(
        session, review.run_id, reason="summary_edit", begins_at="render", actor=EDITOR, carry=()
    )
    with pytest.raises(StaleReviewError) as failure:
        say(session, review)
    assert failure.value.details == {"sha256": None, "revision": 2, "status": "queued"}


def test_decide_when_a_later_review_is_open_then_its_hash_is_named(session: Session) -> None:
    review = make_review(session)
    kinds = {role.split("/")[0] for role in REVIEWED}
    revisions.add_revision(
        session, review.run_id, reason="reopen", begins_at="render", actor=EDITOR, carry=kinds
    )
    newer = reviews.open_review(
        session, review.run_id, 2, verdict=Verdict.PASS, timeout=timedelta(hours=1)
    )
    with pytest.raises(StaleReviewError) as failure:
        say(session, review)
    assert failure.value.details["sha256"] == newer.sha256 != review.sha256


@pytest.mark.parametrize("decided", [True, False])
def test_decide_when_the_run_is_erased_then_that_is_said(session: Session, decided: bool) -> None:
    review = make_review(session)
    if decided:
        say(session, review)
    runs.set_status(session, review.run_id, RunStatus.ERASED)
    with pytest.raises(ErasedError) as failure:
        say(session, review)
    assert failure.value.http_status == 410


def test_decide_when_the_deadline_has_passed_then_expired_although_still_open(
    session: Session,
) -> None:
    review = make_review(session, timeout=timedelta(0))
    with pytest.raises(ReviewExpiredError):
        say(session, review)
    assert session.exec(select(Decision)).all() == []


def test_decide_when_expired_then_expired(session: Session) -> None:
    review = make_review(session, timeout=timedelta(0))
    reviews.expire(session, review.id)
    with pytest.raises(ReviewExpiredError):
        say(session, review)


def test_decide_when_the_same_click_comes_twice_then_once(session: Session) -> None:
    review = make_review(session)
    say(session, review)
    with pytest.raises(AlreadyDecidedError) as failure:
        say(session, review)
    assert failure.value.details["decided_by"] == EDITOR.id
    assert failure.value.details["decision"] == "approve"
    assert len(session.exec(select(Decision)).all()) == 1


def test_decide_when_another_editor_was_faster_then_told_who(session: Session) -> None:
    review = make_review(session)
    say(session, review, Choice.REJECT)
    with pytest.raises(AlreadyDecidedError) as failure:
        say(session, review, Choice.APPROVE, OTHER_EDITOR)
    assert failure.value.details["decided_by"] == EDITOR.id
    assert reviews.get_review(session, review.id).status is ReviewStatus.REJECTED


@pytest.mark.parametrize("choice", list(Choice))
def test_decide_when_only_an_uploader_then_refused(session: Session, choice: Choice) -> None:
    review = make_review(session)
    with pytest.raises(PolicyError) as failure:
        say(session, review, choice, UPLOADER)
    assert failure.value.details["reason"] == "role"


def test_decide_when_policy_asks_for_admins_then_an_editor_is_refused(session: Session) -> None:
    review = make_review(session)
    with pytest.raises(PolicyError):
        decide(
            session,
            run_id=review.run_id,
            sha256=review.sha256,
            choice=Choice.APPROVE,
            actor=EDITOR,
            policy=ReviewPolicy(role=Role.ADMIN),
            channel="api",
        )


def test_decide_when_own_upload_and_the_policy_forbids_it_then_refused(session: Session) -> None:
    review = make_review(session, uploader_id=EDITOR.id)
    with pytest.raises(PolicyError) as failure:
        say(session, review)
    assert failure.value.details["reason"] == "own_upload"
    assert reviews.get_review(session, review.id).status is ReviewStatus.OPEN


def test_decide_when_own_upload_and_the_policy_allows_it_then_recorded(session: Session) -> None:
    review = make_review(session, uploader_id=EDITOR.id)
    assert say(session, review, own_upload=True).is_final


def test_decide_when_own_upload_then_it_can_still_be_rejected(session: Session) -> None:
    review = make_review(session, uploader_id=EDITOR.id)
    assert say(session, review, Choice.REJECT).is_final


def test_decide_when_the_run_is_another_tenants_then_not_found(session: Session) -> None:
    review = make_review(session)
    with pytest.raises(NotFoundError):
        say(session, review, actor=Actor("usr_x", Role.EDITOR, "another"))


def test_decide_when_there_is_no_review_then_not_found(session: Session) -> None:
    run = make_run(session)
    with pytest.raises(NotFoundError):
        decide(
            session,
            run_id=run.id,
            sha256="0" * 64,
            choice=Choice.APPROVE,
            actor=EDITOR,
            policy=ReviewPolicy(),
            channel="cli",
        )


def test_decide_when_blocked_then_refused_with_codes_and_places_only(session: Session) -> None:
    review = make_review(session, verdict=Verdict.BLOCK)
    with pytest.raises(BlockedError) as failure:
        say(session, review, actor=ADMIN)
    assert failure.value.details == {
        "findings": [{"check": "facts.number", "place": "abstract[0]", "segments": [3]}]
    }


@pytest.mark.parametrize("reason", ["", "   "])
def test_decide_when_blocked_and_the_reason_is_empty_then_refused(
    session: Session, reason: str
) -> None:
    review = make_review(session, verdict=Verdict.BLOCK)
    with pytest.raises(BlockedError):
        say(session, review, actor=ADMIN, override_reason=reason)


def test_decide_when_blocked_and_an_editor_overrides_then_refused(session: Session) -> None:
    review = make_review(session, verdict=Verdict.BLOCK)
    with pytest.raises(PolicyError):
        say(session, review, override_reason="I have listened to it")


def test_decide_when_blocked_and_an_admin_overrides_then_the_reason_is_kept(
    session: Session,
) -> None:
    review = make_review(session, verdict=Verdict.BLOCK)
    outcome = say(session, review, actor=ADMIN, override_reason="I have listened to it")
    assert outcome.decision.override_reason == "I have listened to it"
    event = session.exec(select(AuditEvent).where(AuditEvent.action == "review.approved")).one()
    assert event.details["override"] is True


@pytest.mark.parametrize("choice", [Choice.REJECT, Choice.REQUEST_CHANGES])
def test_decide_when_blocked_then_it_can_be_turned_down(session: Session, choice: Choice) -> None:
    review = make_review(session, verdict=Verdict.BLOCK)
    assert say(session, review, choice).is_final


def test_decide_when_not_blocked_then_an_override_reason_is_not_recorded(
    session: Session,
) -> None:
    review = make_review(session, verdict=Verdict.WARN)
    outcome = say(session, review, actor=ADMIN, override_reason="why not")
    assert outcome.decision.override_reason is None


def test_quorum_when_approvals_are_lacking_then_it_stays_open(session: Session) -> None:
    review = make_review(session, approvals_needed=2)
    assert not say(session, review).is_final
    assert reviews.get_review(session, review.id).status is ReviewStatus.OPEN
    assert runs.get_run(session, review.run_id).status is RunStatus.AWAITING_REVIEW
    assert say(session, review, actor=OTHER_EDITOR).is_final
    approval = reviews.approval_of(session, review.run_id, 1)
    assert [d.approver_id for d in approval.decisions] == [EDITOR.id, OTHER_EDITOR.id]


def test_quorum_when_one_person_approves_twice_then_it_counts_once(session: Session) -> None:
    review = make_review(session, approvals_needed=2)
    say(session, review)
    with pytest.raises(AlreadyDecidedError):
        say(session, review)
    assert reviews.get_review(session, review.id).status is ReviewStatus.OPEN


def test_quorum_when_somebody_seconds_it_then_only_the_last_one_decides(session: Session) -> None:
    review = make_review(session, approvals_needed=2)
    say(session, review)
    assert reviews.closing_decision(session, review) is None
    assert review_document(session, review)["decided_by"] is None
    say(session, review, actor=OTHER_EDITOR)
    assert review_document(session, review)["decided_by"] == OTHER_EDITOR.id


def test_quorum_when_it_expires_then_nobody_decided(session: Session) -> None:
    review = make_review(session, approvals_needed=2)
    say(session, review)
    reviews.close(session, review, ReviewStatus.EXPIRED, RunStatus.EXPIRED)
    assert review_document(session, review)["decided_by"] is None


def test_quorum_when_one_approves_again_then_is_told_of_their_own_decision(
    session: Session,
) -> None:
    review = make_review(session, approvals_needed=3)
    for actor in (EDITOR, OTHER_EDITOR):
        say(session, review, actor=actor)
    with pytest.raises(AlreadyDecidedError) as refused:
        say(session, review)
    assert refused.value.details["decided_by"] == EDITOR.id


def test_quorum_when_one_rejects_then_it_is_rejected(session: Session) -> None:
    review = make_review(session, approvals_needed=2)
    say(session, review)
    assert say(session, review, Choice.REJECT, OTHER_EDITOR).is_final
    assert reviews.get_review(session, review.id).status is ReviewStatus.REJECTED


def test_decide_when_the_audit_log_cannot_be_written_then_nothing_was_decided(
    rows: sa.Engine,
) -> None:
    review = committed_review(rows)
    with rows.begin() as connection:
        connection.execute(
            sa.text(
                "CREATE TRIGGER full BEFORE INSERT ON audit_event "
                "BEGIN SELECT RAISE(ABORT, 'disk full'); END"
            )
        )
    with pytest.raises(sa.exc.IntegrityError), transaction(rows) as session:
        say(session, review)
    with reading(rows) as session:
        assert session.exec(select(Decision)).all() == []
        assert reviews.get_review(session, review.id).status is ReviewStatus.OPEN
        assert runs.get_run(session, review.run_id).status is RunStatus.AWAITING_REVIEW


def test_decide_when_what_the_caller_adds_fails_then_nothing_was_decided(
    rows: sa.Engine,
) -> None:
    review = committed_review(rows)

    def decide_and_wake() -> None:
        with transaction(rows) as session:
            say(session, review)
            raise ConflictError("the instance cannot be woken")

    with pytest.raises(ConflictError):
        decide_and_wake()
    with reading(rows) as session:
        assert reviews.get_review(session, review.id).status is ReviewStatus.OPEN
        assert audit.verify(session).ok
