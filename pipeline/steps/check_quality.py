"""check_quality: what the checks find in exactly the bytes that would be published."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from models.documents import (
    Coverage,
    PseudonymMap,
    QualityReport,
    RedactedTranscript,
    Redactions,
    Summary,
    Verdict,
)
from models.quality import CheckOptions
from models.quality import check_quality as run_checks
from pipeline.steps.guard import guarded
from pipeline.steps.job import Job, Made, ModelUse, hashes
from pipeline.steps.services import services
from pipeline.steps.titles import title_reader
from storage import runs
from storage.artifacts import ArtifactStore
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
    redactions: ArtifactRef | None = None,
) -> Checked:
    """Check coverage, leaks, facts against evidence, form and language.

    Raises:
        StoreUnavailableError: retryable.
        ModelError: a model cannot be loaded or run (not retryable).
        UnknownTenantError: the tenant's lists of names are gone (not retryable).

    Effects: puts `quality_report`; repeatable.
    Personal data: reads the pseudonym map to look for what must not be there, and the redactions
        to say what was lifted; findings quote nothing.
    """
    read = title_reader(services().redactor, services().redaction_policy(job))
    options = replace(services().check_options(job), titles=read)
    with reading(services().database) as session:
        title = runs.get_run(session, job.run_id).title
    made = {
        "summary": summary, "redacted_transcript": redacted, "pseudonym_map": pseudonyms, **rendered
    }  # fmt: skip
    if redactions is not None:
        made["redactions"] = redactions
    report = report_on(services().store, made, title, options)
    ref = services().put_document(job, "quality_report", report)
    return Checked(
        artifacts={"quality_report": ref},
        inputs=hashes({"summary": summary, "redacted_transcript": redacted, **rendered}),
        model=ModelUse("checks", config_sha256=services().options(job).digests["quality"]),
        verdict=report.verdict,
        coverage=report.coverage,
    )


def report_on(
    store: ArtifactStore,
    artifacts: Mapping[str, ArtifactRef],
    title: str,
    options: CheckOptions,
) -> QualityReport:
    """Check exactly the bytes of a revision.

    Args:
        store: where they are.
        artifacts: by role; the summary, the redacted transcript, the pseudonym map, the rendered
            files and, where they are there, the redactions are read.
        title: of the run.
        options: thresholds and models.

    Raises:
        ModelError: the model of entailment cannot be loaded or run (not retryable).
        IntegrityError: other bytes than recorded, or none (not retryable).
        StoreUnavailableError: retryable.
    """
    rendered = {r.partition("/")[2]: a for r, a in artifacts.items() if r.startswith("rendered/")}
    redacted = store.read_bytes(artifacts["redacted_transcript"])
    redactions = artifacts.get("redactions")
    return run_checks(
        summary=Summary.model_validate_json(store.read_bytes(artifacts["summary"])),
        redacted=RedactedTranscript.model_validate_json(redacted),
        rendered={name: store.read_bytes(ref) for name, ref in rendered.items()},
        titles=(title,),
        pseudonyms=PseudonymMap.model_validate_json(store.read_bytes(artifacts["pseudonym_map"])),
        redactions=Redactions.model_validate_json(store.read_bytes(redactions))
        if redactions
        else None,
        options=options,
    )
