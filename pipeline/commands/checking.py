"""check: what the checks find in a revision now; nothing is stored."""

from configs.errors import NotApplicableError
from models.documents import QualityReport
from models.quality import CheckOptions
from pipeline.commands.context import Actor, App, require, visible_run
from pipeline.commands.revising import job_of
from pipeline.steps.check_quality import report_on
from pipeline.steps.job import Job, Overrides
from storage import revisions, runs
from storage.database import reading
from storage.statuses import Role

_NEEDED = ("summary", "redacted_transcript", "pseudonym_map", "rendered/index.html")


def newest_job(app: App, actor: Actor, run_id: str) -> Job:
    """Return what the newest revision of a run is made with, its changed settings included.

    Raises:
        NotFoundError: there is no such run, or it has been erased (not retryable).
    """
    with reading(app.database) as session:
        run = visible_run(session, actor, run_id)
        runs.require_there(run)
        revision = revisions.latest_revision(session, run_id)
    overrides: Overrides = {**revision.overrides}  # type: ignore[dict-item]
    return job_of(run, revision.number, overrides)


def check(app: App, actor: Actor, job: Job, options: CheckOptions) -> QualityReport:
    """Check a revision again, as the step of the workflow does.

    Args:
        app: the application.
        actor: an editor.
        job: the revision.
        options: thresholds and models.

    Raises:
        NotFoundError: there is no such run (not retryable).
        NotApplicableError: it did not get that far, or what is needed is past its retention (not
            retryable).
        PolicyError: not an editor (not retryable).
        ModelError: the model of entailment cannot be loaded or run (not retryable).
        StoreUnavailableError: the store did not answer (retryable).
    """
    require(actor, Role.EDITOR)
    with reading(app.database) as session:
        run = visible_run(session, actor, job.run_id)
        artifacts = runs.artifacts_of(session, job.run_id, job.revision)
    missing = [role for role in _NEEDED if role not in artifacts]
    if missing:
        raise NotApplicableError(
            f"There is nothing to check: its {missing[0]} is not there.",
            {"reason": "artifact_missing", "missing": missing},
        )
    return report_on(app.store, artifacts, run.title, options)
