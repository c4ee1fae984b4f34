"""What `runs show`, `runs list` and the API say of a run."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from sqlmodel import Session

from models.documents import Coverage
from storage import costs, ledger, publications, reviews, runs
from storage.refs import ArtifactRef
from storage.tables import ModelCall, Publication, Review, Run

Json = dict[str, object]


class StepLine(Protocol):
    """One step of the engine's history."""

    @property
    def name(self) -> str:
        """The step's name."""

    @property
    def count(self) -> int:
        """How many times the name was used so far."""

    @property
    def status(self) -> str:
        """`running succeeded failed waiting retrying cancelled`."""

    @property
    def attempts(self) -> int:
        """How often it was tried."""

    @property
    def started_at(self) -> datetime | None:
        """When it began."""

    @property
    def ended_at(self) -> datetime | None:
        """When it ended; None while it has not."""

    @property
    def error_code(self) -> str | None:
        """The code of the error that ended it or its last attempt."""


def run_document(session: Session, run: Run, steps: Sequence[StepLine], base_url: str = "") -> Json:
    """Return everything that may be said of a run; no text of the recording.

    Args:
        session: a reading session.
        run: the run.
        steps: the history of its newest revision's instance.
        base_url: what the publication's address begins with.
    """
    review = reviews.review_of(session, run.id, run.revision)
    publication = publications.latest_publication(session, run.id)
    artifacts = runs.artifacts_of(session, run.id, run.revision)
    return {
        **run_line(run),
        "steps": [step_document(step) for step in steps],
        "artifacts": [_artifact(role, ref) for role, ref in sorted(artifacts.items())],
        "review": None if review is None else review_document(session, review),
        "publication": None if publication is None else _publication(run, publication, base_url),
        "cost_usd": costs.run_cost_usd(session, run.id),
        "model_calls": [_model_call(call) for call in ledger.calls_of(session, run.id)],
        "coverage": Coverage.model_validate(run.coverage).model_dump(mode="json"),
    }


def review_document(session: Session, review: Review) -> Json:
    """Say who decided only of a person: an expired review was decided by nobody."""
    last = reviews.closing_decision(session, review)
    return {
        "sha256": review.sha256,
        "artifacts": dict(review.artifacts),
        "revision": review.revision,
        "status": review.status.value,
        "verdict": review.verdict,
        "reasons": list(review.reasons),
        "deadline": review.deadline,
        "approvals_needed": review.approvals_needed,
        "decided_by": last.approver_id if last else None,
        "decided_at": last.decided_at if last else None,
        "comment": last.comment if last else None,
    }


def run_line(run: Run) -> Json:
    """Return what a list of runs says of each."""
    error = {"code": run.error_code, "message": run.error_message} if run.error_code else None
    return {
        "run": run.id,
        "status": run.status.value,
        "revision": run.revision,
        "tenant": run.tenant,
        "language": run.language or run.requested_language,
        "title": run.title,
        "file": run.file_name,
        "template": run.template,
        "error": error,
        "created_at": run.created_at,
        "updated_at": run.updated_at,
    }


def step_document(step: StepLine) -> Json:
    """Return what is said of one step."""
    return {
        "name": step.name,
        "count": step.count,
        "attempts": step.attempts,
        "status": step.status,
        "started_at": step.started_at,
        "ended_at": step.ended_at,
        "error_code": step.error_code,
    }


def _artifact(role: str, ref: ArtifactRef) -> Json:
    kind, _, name = role.partition("/")
    return {
        "kind": kind,
        "name": name,
        "sha256": ref.sha256,
        "version_id": ref.version_id,
        "bytes": ref.bytes,
        "media_type": ref.media_type,
        "key": ref.key,
    }


def _model_call(call: ModelCall) -> Json:
    """Return an entry of the ledger: names, hashes and numbers."""
    return {
        "revision": call.revision,
        "step": call.step,
        "endpoint": call.endpoint or None,
        "model": call.model,
        "outcome": call.outcome,
        "input_tokens": call.input_tokens,
        "output_tokens": call.output_tokens,
        "cost_usd": call.cost_usd,
        "latency_s": round(call.latency_s, 3),
        "prompt_sha256": call.prompt_sha256,
        "at": call.at,
    }


def _publication(run: Run, publication: Publication, base_url: str) -> Json:
    files: list[Json] = []
    for name, digest in sorted(publication.files.items()):
        assert isinstance(digest, dict)  # noqa: S101 - written by `record_publication` alone
        files.append({"name": name, "sha256": digest["sha256"], "bytes": digest["bytes"]})
    return {
        "revision": publication.revision,
        "review_sha256": publication.review_sha256,
        "published_at": publication.published_at,
        "url": f"{base_url.rstrip('/')}/p/{run.id}/",
        "files": files,
    }
