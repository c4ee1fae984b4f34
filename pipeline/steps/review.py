"""request_review, close_review: the question to the editors, and what became of it.

These steps are transactions on the review's row; the row is the authority, whatever woke the
workflow.
"""

from dataclasses import dataclass
from datetime import timedelta

from sqlmodel import Session

from models.documents import Finding, QualityReport, Severity, Verdict
from pipeline.engine import Outcome, Status
from pipeline.steps.guard import guarded
from pipeline.steps.job import Job
from pipeline.steps.services import services
from pipeline.version import VERSION
from storage import audit, reviews, runs
from storage.database import database_now
from storage.policy import SYSTEM
from storage.refs import ArtifactRef
from storage.statuses import ReviewStatus, RunStatus

_SHORTEST_WAIT_S = 1.0


@dataclass(frozen=True)
class ReviewTerms:
    """On which terms a review is asked for. `reasons` are the findings that block it."""

    verdict: Verdict
    reasons: tuple[Finding, ...]
    approvals: int
    timeout_s: float


@dataclass(frozen=True)
class ReviewOpened:
    """The open review and how long it waits."""

    review_id: str
    timeout_s: float


@guarded
def review_terms(job: Job, quality_report: ArtifactRef) -> ReviewTerms:
    """Read the verdict and the settings that the review goes by.

    Raises:
        StoreUnavailableError: retryable.

    Effects: none. Personal data: none; findings quote nothing.
    """
    report = QualityReport.model_validate_json(services().store.read_bytes(quality_report))
    options = services().options(job).review
    return ReviewTerms(
        verdict=report.verdict,
        reasons=tuple(f for f in report.findings if f.severity is Severity.BLOCK),
        approvals=options.approvals,
        timeout_s=options.timeout.total_seconds(),
    )


def request_review(job: Job, terms: ReviewTerms, session: Session, _: None) -> ReviewOpened:
    """Open the review of exactly the artifacts that the revision has (commit of the step)."""
    review = reviews.open_review(
        session,
        job.run_id,
        job.revision,
        verdict=terms.verdict,
        timeout=timedelta(seconds=terms.timeout_s),
        program_version=VERSION,
        approvals_needed=terms.approvals,
        reasons=terms.reasons,
    )
    return ReviewOpened(review.id, terms.timeout_s)


@dataclass(frozen=True)
class ReviewState:
    """What became of a review; `remaining_s` is left where it is open still."""

    status: ReviewStatus
    remaining_s: float = 0.0


def close_review(review_id: str, session: Session, _: None) -> ReviewState:
    """Read what became of the review; expire it where nobody decided in time (commit of the step).

    An approved run is `publishing` from here on. An event that nobody's decision stands behind
    changes nothing: the review is open still.
    """
    review = reviews.lock_review(session, review_id)
    remaining_s = (review.deadline - database_now(session)).total_seconds()
    if review.status is ReviewStatus.OPEN and remaining_s > 0:
        return ReviewState(ReviewStatus.OPEN, max(remaining_s, _SHORTEST_WAIT_S))
    status = reviews.expire(session, review_id).status
    if status is ReviewStatus.APPROVED:
        runs.set_status(session, review.run_id, RunStatus.PUBLISHING, revision=review.revision)
    return ReviewState(status)


def record_end(session: Session, job: Job, outcome: Outcome) -> None:
    """Note on the run that its instance ended with an error or was terminated."""
    error = outcome.error
    if error is not None:
        status, action = RunStatus.FAILED, "run.failed"
    elif outcome.status == "terminated":
        status, action = RunStatus.TERMINATED, "run.terminated"
    else:
        return
    changed = runs.set_status(
        session,
        job.run_id,
        status,
        revision=job.revision,
        error_code=error.code if error else None,
        error_message=error.message if error else None,
    )
    if changed:
        details: dict[str, object] = {"revision": job.revision, "code": error.code if error else ""}
        audit.append(session, actor_id=SYSTEM, action=action, run_id=job.run_id, details=details)


def record_move(session: Session, job: Job, status: Status) -> None:
    """Show on the run that its instance was paused, or goes on."""
    review = reviews.review_of(session, job.run_id, job.revision)
    if status is Status.PAUSED:
        shown = RunStatus.PAUSED
    elif review is not None and review.status is ReviewStatus.OPEN:
        shown = RunStatus.AWAITING_REVIEW
    else:
        shown = RunStatus.PROCESSING
    runs.set_status(session, job.run_id, shown, revision=job.revision)


def end_without_speech(job: Job, session: Session, _: None) -> str:
    """Note that nothing is said in the recording (commit of the step)."""
    runs.set_status(session, job.run_id, RunStatus.NO_SPEECH, revision=job.revision)
    details: dict[str, object] = {"revision": job.revision}
    audit.append(
        session, actor_id=SYSTEM, action="run.no_speech", run_id=job.run_id, details=details
    )
    return RunStatus.NO_SPEECH.value


def nothing() -> None:
    """Do nothing: the step is its commit."""
