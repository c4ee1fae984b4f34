"""Stale, late, double and forged approvals publish nothing, each with its message."""

import hashlib
from collections.abc import Callable
from datetime import timedelta

import pytest
import sqlalchemy as sa
from sqlmodel import col

from configs.errors import (
    AlreadyDecidedError,
    AppError,
    InputError,
    ReviewExpiredError,
    StaleReviewError,
)
from models.documents import Summary
from pipeline import commands
from pipeline.steps import publish
from pipeline.steps import review as review_steps
from pipeline.steps.job import Job
from pipeline.workflow import REVIEW_DECISION
from storage.database import database_now, transaction
from storage.refs import ArtifactRef
from storage.statuses import RunStatus
from storage.tables import Artifact, Review, RevisionArtifact
from tests.deployment import OPERATOR, Deployment
from tests.waiting import wait_until


def test_approval_of_the_shown_hash_publishes_exactly_those_files(application: Deployment) -> None:
    run_id = application.submit_for_review()
    review = application.review(run_id)
    application.decide(run_id, "approve", review.sha256)
    application.wait_for_run(run_id, RunStatus.PUBLISHED)
    store, prefix = application.runtime.store, f"default/{run_id}/r1/"
    named = {role: ref["sha256"] for role, ref in review.artifacts.items()}  # type: ignore[index]
    approved = {r.partition("/")[2]: h for r, h in named.items() if r.startswith("rendered/")}
    approved["audio.opus"] = named["redacted_audio"]
    for name, sha256 in approved.items():
        assert hashlib.sha256(store.read_published(prefix, name)).hexdigest() == sha256
    proofs = {"manifest.json", "statement.json"}
    assert {n.removeprefix("r1/") for n in application.published_names(run_id)} == (
        set(approved) | proofs
    )


def test_publish_when_repeated_by_another_version_of_the_program_writes_the_same(
    application: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = application.submit_for_review()
    application.decide(run_id, "approve")
    application.wait_for_run(run_id, RunStatus.PUBLISHED)
    job = Job(run_id, 1, "default", "en", "default")
    first = publish.publish(job)
    for module in (publish, review_steps):
        monkeypatch.setattr(module, "VERSION", "99.0.0", raising=False)
    assert publish.publish(job) == first


def test_approval_of_another_hash_changes_nothing(application: Deployment) -> None:
    run_id = application.submit_for_review()
    with pytest.raises(StaleReviewError):
        application.decide(run_id, "approve", "0" * 64)
    assert application.run(run_id).status == RunStatus.AWAITING_REVIEW
    assert application.published_names(run_id) == []


def test_approval_of_a_superseded_revision_publishes_nothing(application: Deployment) -> None:
    run_id = application.submit_for_review()
    shown = application.review(run_id).sha256
    edited = _edited(application, run_id)
    commands.save_summary(application.runtime.app, OPERATOR, run_id, shown, edited)
    with pytest.raises(StaleReviewError):
        application.decide(run_id, "approve", shown)
    application.wait_for_run(run_id, RunStatus.AWAITING_REVIEW)
    wait_until(lambda: _is_final(application, run_id, 1), "the end of the first revision")
    assert application.published_names(run_id) == []


@pytest.mark.parametrize("hidden", ["\x00", "\x1b", "\u202e"])
def test_summary_with_characters_that_cannot_be_shown_is_refused(
    application: Deployment, hidden: str
) -> None:
    run_id = application.submit_for_review()
    edited = _edited(application, run_id).model_copy(update={"headline": f"New{hidden}shelves"})
    shown = application.review(run_id).sha256
    with pytest.raises(InputError):
        commands.save_summary(application.runtime.app, OPERATOR, run_id, shown, edited)


def test_approval_twice_is_decided_once(application: Deployment) -> None:
    run_id = application.submit_for_review()
    sha256 = application.review(run_id).sha256
    application.decide(run_id, "approve", sha256)
    with pytest.raises(AlreadyDecidedError):
        application.decide(run_id, "approve", sha256)
    wait_until(lambda: application.has_ended(run_id), "the end")
    assert len(application.story(run_id).published) == 1
    about = [r for r in application.receiver.received if run_id.encode() in r.body]
    assert len(about) == 1


def test_approval_after_the_deadline_is_refused_and_expires_in_nobodys_name(
    application: Deployment,
) -> None:
    run_id = application.submit_for_review()
    review = application.review(run_id)
    _move_deadline(application, review.id, timedelta(seconds=-1))
    with pytest.raises(ReviewExpiredError):
        application.decide(run_id, "approve", review.sha256)
    application.instance(run_id).send_event(REVIEW_DECISION, {"decision_id": None})
    application.wait_for_run(run_id, RunStatus.EXPIRED)
    assert application.published_names(run_id) == []


def test_forged_event_is_no_approval(application: Deployment) -> None:
    run_id = application.submit_for_review()
    forged = {"decision_id": "dec_forged", "decision": "approve"}
    application.instance(run_id).send_event(REVIEW_DECISION, forged)
    wait_until(lambda: _waits_again(application, run_id), "the second wait")
    assert application.run(run_id).status == RunStatus.AWAITING_REVIEW
    assert application.published_names(run_id) == []
    application.decide(run_id, "approve")
    application.wait_for_run(run_id, RunStatus.PUBLISHED)


def test_duplicate_event_changes_nothing(application: Deployment) -> None:
    run_id = application.submit_for_review()
    decision = application.decide(run_id, "approve")
    instance = application.instance(run_id)
    payload = {"decision_id": decision.id}
    assert instance.send_event(REVIEW_DECISION, payload, key=decision.id) is False
    wait_until(lambda: application.has_ended(run_id), "the end")
    assert len(application.story(run_id).published) == 1


@pytest.mark.parametrize(("choice", "status"), [
    ("reject", RunStatus.REJECTED), ("request_changes", RunStatus.CHANGES_REQUESTED),
])  # fmt: skip
def test_other_decision_ends_the_instance_and_publishes_nothing(
    application: Deployment, choice: str, status: RunStatus
) -> None:
    run_id = application.submit_for_review()
    application.decide(run_id, choice)
    wait_until(lambda: application.has_ended(run_id), "the end")
    assert application.run(run_id).status == status
    assert application.published_names(run_id) == []


def test_reopen_of_a_rejected_run_asks_again_for_the_same_artifacts(
    application: Deployment,
) -> None:
    run_id = application.submit_for_review()
    before = application.review(run_id)
    application.decide(run_id, "reject")
    commands.reopen(application.runtime.app, OPERATOR, run_id)
    application.wait_for_run(run_id, RunStatus.AWAITING_REVIEW)
    after = application.review(run_id)
    assert after.artifacts == before.artifacts
    assert after.sha256 != before.sha256
    application.decide(run_id, "approve")
    application.wait_for_run(run_id, RunStatus.PUBLISHED)


def _delete(application: Deployment, ref: ArtifactRef) -> None:
    application.runtime.store.delete_all_versions(ref)


def _repoint(application: Deployment, ref: ArtifactRef) -> None:
    """Let the row name another object of the same kind, as a forger of the database would."""
    tenant, _, run_id, kind, _ = ref.key.split("/")
    other = application.runtime.store.put_bytes(
        tenant, run_id, kind, b"forged", ext="html", media_type=ref.media_type
    )
    with transaction(application.runtime.database) as session:
        session.connection().execute(
            sa.update(Artifact)
            .where(col(Artifact.key) == ref.key)
            .values(key=other.key, version_id=other.version_id)
        )


def _drop_row(application: Deployment, ref: ArtifactRef) -> None:
    with transaction(application.runtime.database) as session:
        ids = sa.select(col(Artifact.id)).where(col(Artifact.key) == ref.key)
        session.connection().execute(
            sa.delete(RevisionArtifact).where(col(RevisionArtifact.artifact_id).in_(ids))
        )


@pytest.mark.parametrize("tamper", [_delete, _repoint, _drop_row])
@pytest.mark.parametrize("role", ["rendered/index.html", "quality_report", "redacted_audio"])
def test_artifact_that_is_not_what_was_approved_publishes_nothing(
    application: Deployment, role: str, tamper: Callable[[Deployment, ArtifactRef], None]
) -> None:
    run_id = application.submit_for_review()
    sha256, ref = application.review(run_id).sha256, application.artifacts(run_id)[role]
    tamper(application, ref)
    application.decide(run_id, "approve", sha256)
    run = application.wait_for_run(run_id, RunStatus.FAILED)
    assert str(run.error_code).startswith("integrity")
    assert run.error_message
    assert application.published_names(run_id) == []


def test_audit_log_that_cannot_be_written_leaves_the_review_open(application: Deployment) -> None:
    run_id = application.submit_for_review()
    database = application.runtime.database
    with database.begin() as connection:
        connection.execute(sa.text("ALTER TABLE audit_event RENAME TO audit_event_gone"))
    try:
        with pytest.raises((AppError, sa.exc.SQLAlchemyError)):
            application.decide(run_id, "approve")
    finally:
        with database.begin() as connection:
            connection.execute(sa.text("ALTER TABLE audit_event_gone RENAME TO audit_event"))
    assert application.review(run_id).status == "open"
    assert application.published_names(run_id) == []


def _edited(application: Deployment, run_id: str) -> Summary:
    summary = Summary.model_validate(application.document(run_id, "summary"))
    return summary.model_copy(update={"headline": "The library gets new shelves"})


def _is_final(application: Deployment, run_id: str, revision: int) -> bool:
    return application.instance(run_id, revision).status().status == "complete"


def _waits_again(application: Deployment, run_id: str) -> bool:
    history = application.instance(run_id).history()
    return ("await_decision", 2, "waiting") in [(s.name, s.count, s.status) for s in history]


def _move_deadline(application: Deployment, review_id: str, by: timedelta) -> None:
    with transaction(application.runtime.database) as session:
        review = session.get_one(Review, review_id)
        review.deadline = database_now(session) + by
        session.add(review)
