"""Deciding about a review.

The caller composes this with whatever has to happen in the same transaction (waking the workflow):
if any of it fails, nothing was decided.
"""

from dataclasses import dataclass
from enum import StrEnum

from sqlmodel import Session

from configs.clock import new_id
from configs.errors import (
    AlreadyDecidedError,
    BlockedError,
    NotFoundError,
    PolicyError,
    ReviewExpiredError,
    StaleReviewError,
)
from models.documents import Verdict
from storage import reviews, runs
from storage.database import database_now, lock
from storage.policy import Actor, ReviewPolicy
from storage.statuses import ReviewStatus, Role, RunStatus
from storage.tables import Decision, JsonObject, Review, Run


class Choice(StrEnum):
    """What an editor can say about a review."""

    APPROVE = "approve"
    REJECT = "reject"
    REQUEST_CHANGES = "request_changes"


@dataclass(frozen=True)
class DecisionOutcome:
    """A recorded decision; `is_final` is False while a quorum still lacks approvals."""

    decision: Decision
    review: Review
    is_final: bool


_CLOSES_WITH = {
    Choice.APPROVE: (ReviewStatus.APPROVED, RunStatus.APPROVED),
    Choice.REJECT: (ReviewStatus.REJECTED, RunStatus.REJECTED),
    Choice.REQUEST_CHANGES: (ReviewStatus.CHANGES_REQUESTED, RunStatus.CHANGES_REQUESTED),
}


def decide(
    session: Session,
    *,
    run_id: str,
    sha256: str,
    choice: Choice,
    actor: Actor,
    policy: ReviewPolicy,
    channel: str,
    comment: str = "",
    override_reason: str | None = None,
) -> DecisionOutcome:
    """Record one person's decision about exactly the artifacts that `sha256` names.

    Args:
        session: the transaction; a failure of any of it leaves the review as it was.
        run_id: the run.
        sha256: the review hash that the person decides on.
        choice: what they say.
        actor: who they are.
        policy: of the tenant and template.
        channel: where it came from (`web`, `api`, `cli`).
        comment: their words, for the uploader.
        override_reason: an admin's reason to approve although the checks block.

    Raises:
        AlreadyDecidedError: the review is closed, or this person has decided (not retryable).
        ErasedError: the run has been erased (not retryable).
        BlockedError: the checks block it and there is no reason to override (not retryable).
        NotFoundError: no such run, or it has no review yet (not retryable).
        PolicyError: role, tenant or own upload (not retryable).
        ReviewExpiredError: the deadline has passed (not retryable).
        StaleReviewError: the hash is not that of the newest revision (not retryable).
    """
    run = runs.lock_run(session, run_id)
    if not actor.serves(run.tenant):
        raise NotFoundError("There is no run with this id.", {"run": run_id[:100]})
    runs.require_there(run)
    review = _locked_review(session, run)
    _check_open(session, run, review, sha256)
    _check_policy(run, actor, policy, choice)
    reason = _check_block(review, actor, choice, override_reason)
    _check_first(session, review, actor)
    decision = Decision(
        id=new_id("dec"),
        review_id=review.id,
        sha256=review.sha256,
        decision=choice.value,
        approver_id=actor.id,
        comment=comment,
        override_reason=reason,
        channel=channel,
        decided_at=database_now(session),
    )
    session.add(decision)
    session.flush()
    is_final = _close(session, review, choice)
    _record(session, review, decision, is_final=is_final)
    return DecisionOutcome(decision, review, is_final)


def get_decision(session: Session, decision_id: str) -> Decision:
    """Return a decision.

    Raises:
        NotFoundError: there is none with this id (not retryable).
    """
    decision = session.get(Decision, decision_id)
    if decision is None:
        raise NotFoundError("There is no decision with this id.")
    return decision


def _locked_review(session: Session, run: Run) -> Review:
    latest = reviews.latest_review(session, run.id)
    review = None if latest is None else lock(session, Review, latest.id)
    if review is None:
        raise NotFoundError("This run has no review yet.", {"run": run.id, "status": run.status})
    return review


def _check_open(session: Session, run: Run, review: Review, sha256: str) -> None:
    """Refuse what can no longer be decided, saying why: first of all, another hash."""
    about = reviews.current(run, review)
    if sha256 != about["sha256"]:
        raise StaleReviewError(details=about)
    if review.status is ReviewStatus.EXPIRED:
        raise ReviewExpiredError(details=about)
    if review.status is not ReviewStatus.OPEN:
        closing = reviews.closing_decision(session, review)
        raise AlreadyDecidedError(details={**about, **(_who(closing) if closing else {})})
    if review.deadline <= database_now(session):
        raise ReviewExpiredError(details=about)


def _who(made: Decision) -> JsonObject:
    return {
        "decision": made.decision,
        "decided_by": made.approver_id,
        "decided_at": made.decided_at.isoformat(),
    }


def _check_policy(run: Run, actor: Actor, policy: ReviewPolicy, choice: Choice) -> None:
    if not actor.has_role(policy.role):
        details: JsonObject = {"reason": "role", "needed": policy.role.value}
        raise PolicyError(f"Deciding needs the role {policy.role.value}.", details)
    own = run.uploader_id == actor.id
    if own and choice is Choice.APPROVE and not policy.own_upload:
        raise PolicyError("You cannot approve your own upload.", {"reason": "own_upload"})


def _check_block(
    review: Review, actor: Actor, choice: Choice, override_reason: str | None
) -> str | None:
    """Return the reason to record: only an approval against a block has one."""
    if choice is not Choice.APPROVE or review.verdict != Verdict.BLOCK:
        return None
    reason = (override_reason or "").strip()
    if not reason:
        raise BlockedError(details={"findings": [_code_and_place(one) for one in review.reasons]})
    if not actor.has_role(Role.ADMIN):
        raise PolicyError("Only an admin may override the checks.", {"reason": "override"})
    return reason


def _code_and_place(reason: JsonObject) -> JsonObject:
    """Return what an error may say of a finding: no sentence, for it may quote the summary."""
    return {name: reason.get(name) for name in ("check", "place", "segments")}


def _check_first(session: Session, review: Review, actor: Actor) -> None:
    for made in reviews.decisions_of(session, review.id):
        if made.approver_id == actor.id:
            raise AlreadyDecidedError("You have already decided about this review.", _who(made))


def _close(session: Session, review: Review, choice: Choice) -> bool:
    """Close the review unless a quorum still lacks approvals."""
    if choice is Choice.APPROVE:
        given = reviews.decisions_of(session, review.id)
        if len(given) < review.approvals_needed:
            return False
    reviews.close(session, review, *_CLOSES_WITH[choice])
    return True


def _record(session: Session, review: Review, decision: Decision, *, is_final: bool) -> None:
    action = f"review.{_CLOSES_WITH[Choice(decision.decision)][0].value}"
    details: JsonObject = {
        "decision": decision.id,
        "channel": decision.channel,
        "override": decision.override_reason is not None,
    }
    reviews.record(
        session, review, decision.approver_id, action if is_final else "review.seconded", details
    )
