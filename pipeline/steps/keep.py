"""The rows that a step commits, in the transaction that records its result."""

from dataclasses import replace
from typing import TypeVar

from sqlmodel import Session

from pipeline.steps.check_quality import Checked
from pipeline.steps.job import Job, Made, ModelUse
from pipeline.steps.transcribe import Transcribed
from storage import costs, runs
from storage.statuses import RunStatus

MadeT = TypeVar("MadeT", bound=Made)


def keep(job: Job, step: str, count: int, session: Session, made: MadeT) -> MadeT:
    """Record what a step made: artifacts, their roles in the revision, provenance and cost.

    The first step of a revision also makes its run `processing`.

    Returns:
        The same, with the version that was committed first where an artifact was put twice.
    """
    if runs.get_run(session, job.run_id).status is RunStatus.QUEUED:
        runs.set_status(session, job.run_id, RunStatus.PROCESSING, revision=job.revision)
    kept = {}
    for role, ref in made.artifacts.items():
        kept[role] = runs.keep(session, job.run_id, job.revision, role, ref)
    use = made.model
    runs.record_step(
        session,
        run_id=job.run_id,
        revision=job.revision,
        step=step,
        count=count,
        inputs=dict(made.inputs),
        outputs={role: ref.sha256 for role, ref in kept.items()},
        model=_model(use) if use else {},
        prompt_sha256=use.prompt_sha256 if use else None,
        config_sha256=use.config_sha256 if use else "",
    )
    if use and use.endpoint is None:
        _record_call(session, job, step, count, use)
    return replace(made, artifacts=kept)


def keep_transcript(job: Job, step: str, session: Session, made: Transcribed) -> Transcribed:
    """Record the whole transcript, and the run's language and coverage."""
    coverage = made.coverage.model_dump(mode="json", exclude_none=True)
    runs.set_facts(session, job.run_id, language=made.language, coverage=coverage)
    return keep(job, step, 1, session, made)


def keep_checked(job: Job, session: Session, made: Checked) -> Checked:
    """Record the quality report, and the run's coverage."""
    coverage = made.coverage.model_dump(mode="json", exclude_none=True)
    runs.set_facts(session, job.run_id, coverage=coverage)
    return keep(job, "check_quality", 1, session, made)


def _model(use: ModelUse) -> dict[str, object]:
    model: dict[str, object] = {"name": use.name, "digest": use.digest}
    return model if use.endpoint is None else {**model, "endpoint": use.endpoint}


def _record_call(session: Session, job: Job, step: str, count: int, use: ModelUse) -> None:
    usage = costs.Usage(
        model=use.name,
        input_tokens=use.input_tokens,
        output_tokens=use.output_tokens,
        audio_s=use.audio_s,
        latency_s=use.latency_s,
        prompt_sha256=use.prompt_sha256,
    )
    costs.record_call(
        session,
        f"{job.instance_id}:{step}:{count}",
        run_id=job.run_id,
        revision=job.revision,
        step=step,
        usage=usage,
    )
