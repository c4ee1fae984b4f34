"""check_quality: what the checks find in exactly the bytes that would be published."""

from dataclasses import dataclass

from models.documents import (
    Coverage,
    PseudonymMap,
    RedactedTranscript,
    Summary,
    Verdict,
)
from models.quality import check_quality as run_checks
from pipeline.steps.guard import guarded
from pipeline.steps.job import Job, Made, ModelUse, hashes
from pipeline.steps.services import services
from storage import runs
from storage.database import reading
from storage.refs import ArtifactRef


@dataclass(frozen=True)
class Checked(Made):
    """The report, its verdict, and the coverage from container to citation."""

    verdict: Verdict = Verdict.BLOCK
    coverage: Coverage = Coverage()  # noqa: RUF009 - immutable


@guarded
def check_quality(
    job: Job,
    summary: ArtifactRef,
    redacted: ArtifactRef,
    pseudonyms: ArtifactRef,
    rendered: dict[str, ArtifactRef],
) -> Checked:
    """Check coverage, leaks, facts against evidence, form and language.

    Raises:
        StoreUnavailableError: retryable.

    Effects: puts `quality_report`; repeatable.
    Personal data: reads the pseudonym map to look for what must not be there; findings quote
        nothing.
    """
    store, options = services().store, services().options(job)
    with reading(services().database) as session:
        run = runs.get_run(session, job.run_id)
    report = run_checks(
        summary=Summary.model_validate_json(store.read_bytes(summary)),
        redacted=RedactedTranscript.model_validate_json(store.read_bytes(redacted)),
        rendered={role.partition("/")[2]: store.read_bytes(r) for role, r in rendered.items()},
        titles=(run.title,),
        pseudonyms=PseudonymMap.model_validate_json(store.read_bytes(pseudonyms)),
        thresholds=options.quality,
        allowed=options.redaction.allow,
    )
    ref = services().put_document(job, "quality_report", report)
    return Checked(
        artifacts={"quality_report": ref},
        inputs=hashes({"summary": summary, "redacted_transcript": redacted, **rendered}),
        model=ModelUse("checks", config_sha256=options.digests["quality"]),
        verdict=report.verdict,
        coverage=report.coverage,
    )
