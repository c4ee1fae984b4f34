"""The review of a revision and the decision about it: the only authority to publish.

A review names exact bytes: its hash covers the hash and version of every artifact that is to be
published. Deciding is one transaction with the audit event, and with whatever the caller adds to it
(the event that wakes the workflow).
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

import sqlalchemy as sa
from sqlmodel import Session, col, select

from configs.clock import new_id
from configs.errors import IntegrityError, NotFoundError, TransientError
from models.documents import Finding, Verdict, canonical_json
from storage import audit, runs
from storage.database import database_now, lock
from storage.policy import SYSTEM
from storage.refs import RAW_KINDS, ArtifactRef
from storage.statuses import DECIDED, ENDED, ReviewStatus, RunStatus
from storage.tables import Decision, JsonObject, Review, Run

_REQUIRED = ("redacted_transcript", "summary", "quality_report")
_OPTIONAL = ("redacted_audio",)
_RENDERED = "rendered/"
IS_WAITING = sa.and_(col(Review.status) == ReviewStatus.OPEN, col(Run.status).not_in(ENDED))
"""Of a review and its run: an answer is waited for. Nobody waits where the run was terminated."""


@dataclass(frozen=True)
class Approval:
    """A review that was approved, by whom, and exactly what may be published."""

    review: Review
    decisions: tuple[Decision, ...]
    artifacts: Mapping[str, ArtifactRef]

    @property
    def decision(self) -> Decision:
        """The decision that completed the approval."""
        return self.decisions[-1]


def review_hash(
    run_id: str, revision: int, artifacts: Mapping[str, ArtifactRef]
) -> tuple[str, bytes]:
    """Return the review hash and the canonical JSON it is the SHA-256 of.

    Args:
        run_id: the run.
        revision: the revision.
        artifacts: by role; roles that are not reviewed (raw ones, say) are left out.

    Raises:
        IntegrityError: an artifact that a publication needs is missing (not retryable).
    """
    return _hash(run_id, revision, _named(reviewed(artifacts)))


def reviewed(artifacts: Mapping[str, ArtifactRef]) -> dict[str, ArtifactRef]:
    """Return the artifacts that a review is about, by role.

    Raises:
        IntegrityError: one that a publication needs is missing (not retryable).
    """
    chosen = {
        role: ref
        for role, ref in artifacts.items()
        if role in _REQUIRED + _OPTIONAL or role.startswith(_RENDERED)
    }
    missing = [role for role in _REQUIRED if role not in chosen]
    if not any(role.startswith(_RENDERED) for role in chosen):
        missing.append(_RENDERED.rstrip("/"))
    if missing:
        raise IntegrityError("Artifacts for the review are missing.", {"missing": missing})
    return chosen


def open_review(
    session: Session,
    run_id: str,
    revision: int,
    *,
    verdict: Verdict,
    timeout: timedelta,
    program_version: str = "",
    approvals_needed: int = 1,
    reasons: Sequence[Finding] = (),
) -> Review:
    """Open the review of a revision; a repeated call returns the first, its deadline unmoved.

    Args:
        session: the transaction that commits the step's result.
        run_id: the run, which becomes `awaiting_review`.
        revision: the revision; where a newer one exists, the review is `superseded` at once.
        verdict: of the checks; `block` bars approval without an override.
        timeout: from now, on the database's clock, to the deadline.
        program_version: of the program that asks; the statement of a publication names it.
        approvals_needed: how many different people must approve.
        reasons: the findings that block, quoting no personal data.

    Raises:
        IntegrityError: an artifact is missing, or the revision has another review (not retryable).
        NotFoundError: there is no such run (not retryable).
    """
    run = runs.lock_run(session, run_id)
    chosen = reviewed(runs.artifacts_of(session, run_id, revision))
    sha256, _ = _hash(run_id, revision, _named(chosen))
    existing = review_of(session, run_id, revision)
    if existing is not None:
        return _same(existing, sha256)
    now = database_now(session)
    is_newest = run.revision == revision and run.status is not RunStatus.ERASED
    review = Review(
        id=new_id("rev"),
        run_id=run_id,
        revision=revision,
        sha256=sha256,
        artifacts=dict(_named(chosen)),
        verdict=verdict.value,
        reasons=[finding.model_dump(mode="json", exclude={"severity"}) for finding in reasons],
        approvals_needed=approvals_needed,
        program_version=program_version,
        deadline=now + timeout,
        status=ReviewStatus.OPEN if is_newest else ReviewStatus.SUPERSEDED,
        opened_at=now,
        closed_at=None if is_newest else now,
    )
    session.add(review)
    session.flush()
    runs.set_status(session, run_id, RunStatus.AWAITING_REVIEW, revision=revision)
    record(session, review, SYSTEM, "review.opened", {"verdict": verdict.value})
    return review


def get_review(session: Session, review_id: str) -> Review:
    """Return a review.

    Raises:
        NotFoundError: there is none with this id (not retryable).
    """
    review = session.get(Review, review_id)
    if review is None:
        raise NotFoundError("There is no review with this id.")
    return review


def review_of(session: Session, run_id: str, revision: int) -> Review | None:
    """Return the review of a revision, if it has one yet."""
    query = select(Review).where(Review.run_id == run_id, Review.revision == revision)
    return session.exec(query).one_or_none()


def latest_review(session: Session, run_id: str) -> Review | None:
    """Return the review of the newest revision that has one."""
    query = select(Review).where(Review.run_id == run_id).order_by(col(Review.revision).desc())
    return session.exec(query.limit(1)).first()


def current(run: Run, latest: Review | None) -> JsonObject:
    """Return what there is to decide on now, for an answer to whoever decided on something else.

    Args:
        run: the run.
        latest: its latest review.

    Returns:
        `sha256` of the newest revision's review, None where that has not been opened yet, with
        `revision` and `status` of the run.
    """
    is_current = (
        latest is not None
        and latest.revision == run.revision
        and latest.status is not ReviewStatus.SUPERSEDED
    )
    sha256 = latest.sha256 if latest is not None and is_current else None
    return {"sha256": sha256, "revision": run.revision, "status": run.status.value}


def decisions_of(session: Session, review_id: str) -> list[Decision]:
    """Return the decisions about a review, in order."""
    query = select(Decision).where(Decision.review_id == review_id)
    return list(session.exec(query.order_by(col(Decision.decided_at), col(Decision.id))))


def closing_decision(session: Session, review: Review) -> Decision | None:
    """Return the decision that closed a review; None where no person did, or not yet."""
    made = decisions_of(session, review.id) if review.status in DECIDED else ()
    return made[-1] if made else None


def waiting_reviews(
    session: Session, tenant: str | None = None, *, limit: int = 100
) -> list[tuple[Review, Run]]:
    """Return open reviews with their runs, the nearest deadline first.

    Those of runs that were terminated are left out: nothing waits for the answer. A review whose
    deadline has passed is listed until it is expired: compare with the deadline.
    """
    query = select(Review, Run).join(Run, col(Run.id) == Review.run_id).where(IS_WAITING)
    if tenant is not None:
        query = query.where(Run.tenant == tenant)
    return list(session.exec(query.order_by(col(Review.deadline), col(Review.id)).limit(limit)))


def expire(session: Session, review_id: str) -> Review:
    """Close an open review whose deadline has passed, in nobody's name.

    Returns:
        The review as it is now: `expired`, or as it was where it was closed before.

    Raises:
        NotFoundError: there is no such review (not retryable).
        TransientError: the deadline has not come on the database's clock (retryable, with
            `retry_after_s`).
    """
    review = lock_review(session, review_id)
    if review.status is not ReviewStatus.OPEN:
        return review
    remaining_s = (review.deadline - database_now(session)).total_seconds()
    if remaining_s > 0:
        details: JsonObject = {"retry_after_s": remaining_s}
        raise TransientError("The review's deadline has not come yet.", details)
    close(session, review, ReviewStatus.EXPIRED, RunStatus.EXPIRED)
    record(session, review, SYSTEM, "review.expired")
    return review


def supersede(
    session: Session, run_id: str, *, actor_id: str, newest: int | None = None
) -> list[Review]:
    """Close the open reviews of revisions older than `newest` (of all, without it)."""
    query = select(Review).where(Review.run_id == run_id, Review.status == ReviewStatus.OPEN)
    if newest is not None:
        query = query.where(Review.revision < newest)
    found = list(session.exec(query.with_for_update()))
    for review in found:
        review.status, review.closed_at = ReviewStatus.SUPERSEDED, database_now(session)
        session.add(review)
        session.flush()
        record(session, review, actor_id, "review.superseded")
    return found


def approval_of(session: Session, run_id: str, revision: int) -> Approval:
    """Return what was approved for a revision: what publishing starts from.

    Raises:
        IntegrityError: it was not approved, a newer revision exists, an artifact is missing, raw,
            or another than the decision names (not retryable).
    """
    run = runs.get_run(session, run_id)
    review = review_of(session, run_id, revision)
    if review is None or review.status is not ReviewStatus.APPROVED:
        raise IntegrityError("This revision is not approved.", {"revision": revision})
    if run.revision != revision:
        raise IntegrityError("A newer revision exists.", {"revision": run.revision})
    given = tuple(
        d for d in decisions_of(session, review.id) if (d.decision, d.sha256) == _yes(review)
    )
    if len(given) < review.approvals_needed:
        raise IntegrityError("Decisions that approve this revision are missing.")
    artifacts = reviewed(runs.artifacts_of(session, run_id, revision))
    if _hash(run_id, revision, _named(artifacts))[0] != review.sha256:
        raise IntegrityError("The artifacts are not the ones that were approved.")
    if any(ref.key.split("/")[-2] in RAW_KINDS for ref in artifacts.values()):
        raise IntegrityError("A raw artifact is among what was approved.")
    return Approval(review, given, artifacts)


def lock_review(session: Session, review_id: str) -> Review:
    """Return a review, its run and itself held until the transaction ends.

    Raises:
        NotFoundError: there is none with this id (not retryable).
    """
    runs.lock_run(session, get_review(session, review_id).run_id)
    review = lock(session, Review, review_id)
    if review is None:
        raise NotFoundError("There is no review with this id.")
    return review


def close(session: Session, review: Review, status: ReviewStatus, run_status: RunStatus) -> None:
    """Close a locked review and set its run's status."""
    review.status, review.closed_at = status, database_now(session)
    session.add(review)
    session.flush()
    runs.set_status(session, review.run_id, run_status, revision=review.revision)


def record(
    session: Session,
    review: Review,
    actor_id: str,
    action: str,
    details: JsonObject | None = None,
) -> None:
    """Append an audit event about a review."""
    about: JsonObject = {
        "review": review.id,
        "revision": review.revision,
        "sha256": review.sha256,
        **(details or {}),
    }
    audit.append(session, actor_id=actor_id, action=action, run_id=review.run_id, details=about)


def _yes(review: Review) -> tuple[str, str]:
    return ("approve", review.sha256)


def _named(artifacts: Mapping[str, ArtifactRef]) -> dict[str, dict[str, str]]:
    return {
        role: {"sha256": ref.sha256, "version_id": ref.version_id}
        for role, ref in artifacts.items()
    }


def _hash(
    run_id: str, revision: int, artifacts: Mapping[str, Mapping[str, str]]
) -> tuple[str, bytes]:
    canonical = canonical_json(
        {
            "run": run_id,
            "revision": revision,
            "artifacts": {k: dict(v) for k, v in artifacts.items()},
        }
    )
    return hashlib.sha256(canonical).hexdigest(), canonical


def _same(existing: Review, sha256: str) -> Review:
    if existing.sha256 != sha256:
        raise IntegrityError("The revision already has a review of other artifacts.")
    return existing
