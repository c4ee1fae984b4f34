"""publish: exactly the approved bytes, with their manifest and signed statement.

Everything is read again by key and version and hashed; on any difference nothing is published.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from sqlmodel import Session

from pipeline.provenance import (
    AUDIO_NAME,
    MANIFEST_NAME,
    STATEMENT_NAME,
    Approval,
    FileDigest,
    PublicationFacts,
    StepFacts,
    build_manifest,
    build_statement,
)
from pipeline.steps.guard import guarded
from pipeline.steps.job import Job
from pipeline.steps.rendering import MEDIA_TYPES, PUBLICATION_NAME, published_lines
from pipeline.steps.services import services, unless_erased
from storage import publications, reviews, runs
from storage.database import reading, transaction
from storage.refs import Area, ArtifactRef, PublishedFile, publication_prefix
from storage.search import keep_published_text
from storage.tables import Publication


@dataclass(frozen=True)
class Published:
    """What was written: the folder, and `{name: SHA-256 and size}`."""

    bucket: str
    prefix: str
    files: dict[str, FileDigest]


@guarded
def publish(job: Job) -> Published:
    """Copy the approved artifacts to the publication's folder, then manifest and statement.

    Raises:
        ErasedError: the run was erased meanwhile; what was written goes again (not retryable).
        IntegrityError: not approved, superseded, or an artifact is missing or not what was
            approved; nothing is published (not retryable).
        StoreUnavailableError: retryable.

    Effects: writes each target idempotently under (review hash, name), and the published words for
        the search; repeatable, also by another version of the program: all that is written comes
        from recorded facts.
    Personal data: none; nothing raw is among what was approved.
    """
    with reading(services().database) as session:
        approval = reviews.approval_of(session, job.run_id, job.revision)
        facts = _facts(session, job, approval)
        recorded = publications.find_publication(session, job.run_id, job.revision)
    prefix = publication_prefix(job.tenant, job.run_id, job.revision)
    targets = {_file_name(role): ref for role, ref in approval.artifacts.items() if _is_file(role)}
    for ref in approval.artifacts.values():  # all of them, before the first is published
        _read_again(ref)
    for name, ref in targets.items():
        _unless_erased(job, services().store.publish(prefix, name, ref))
    _keep_text(job, targets[PUBLICATION_NAME])
    files = {name: FileDigest(ref.sha256, ref.bytes) for name, ref in targets.items()}
    manifest = build_manifest(files)
    media_type = MEDIA_TYPES[MANIFEST_NAME]
    _unless_erased(job, services().store.put_published(prefix, MANIFEST_NAME, manifest, media_type))
    proofs = {
        MANIFEST_NAME: FileDigest.of(manifest),
        STATEMENT_NAME: _digest_in(recorded) if recorded else _put_statement(job, facts, files),
    }
    return Published(services().store.bucket(Area.PUBLISHED), prefix, files | proofs)


def record_publication(job: Job, session: Session, published: Published) -> None:
    """Record the publication, the run's status and the audit event (commit of the step)."""
    publications.record_publication(
        session,
        reviews.approval_of(session, job.run_id, job.revision),
        bucket=published.bucket,
        prefix=published.prefix,
        files={
            name: {"sha256": digest.sha256, "bytes": digest.size_bytes}
            for name, digest in published.files.items()
        },
    )


def _keep_text(job: Job, publication: ArtifactRef) -> None:
    """Keep the words for the search, which finds them once the publication is recorded."""
    lines = published_lines(services().store.read_bytes(publication))
    with transaction(services().database) as session:
        keep_published_text(session, job.run_id, job.revision, lines)


def _unless_erased(job: Job, written: PublishedFile) -> None:
    unless_erased(services().database, services().store, job.run_id, written.ref)


def _put_statement(
    job: Job, facts: PublicationFacts, files: Mapping[str, FileDigest]
) -> FileDigest:
    """Sign and write the statement of a publication that is not recorded yet.

    Another one can only stand there from an attempt with an earlier signing key: it is replaced.
    """
    prefix = publication_prefix(job.tenant, job.run_id, job.revision)
    data = build_statement(facts, files, services().signing_key)
    written = services().store.put_published(
        prefix, STATEMENT_NAME, data, MEDIA_TYPES[STATEMENT_NAME], replace=True
    )
    _unless_erased(job, written)
    return FileDigest.of(data)


def _digest_in(publication: Publication) -> FileDigest:
    about = cast("Mapping[str, str | int]", publication.files[STATEMENT_NAME])
    return FileDigest(str(about["sha256"]), int(about["bytes"]))


def _read_again(ref: ArtifactRef) -> None:
    for _ in services().store.read_blocks(ref):
        pass  # the last block raises where the bytes are not the approved ones


def _is_file(role: str) -> bool:
    return role == "redacted_audio" or role.startswith("rendered/")


def _file_name(role: str) -> str:
    return AUDIO_NAME if role == "redacted_audio" else role.partition("/")[2]


def _facts(session: Session, job: Job, approval: reviews.Approval) -> PublicationFacts:
    run = runs.get_run(session, job.run_id)
    return PublicationFacts(
        tenant=run.tenant,
        run=run.id,
        revision=job.revision,
        source_sha256=run.source_sha256,
        review_sha256=approval.review.sha256,
        artifacts=cast("Mapping[str, Mapping[str, str]]", approval.review.artifacts),
        approvals=[
            Approval(d.id, d.approver_id, d.decided_at, d.channel, d.override_reason)
            for d in approval.decisions
        ],
        steps=[
            StepFacts(
                step=record.step,
                count=record.count,
                inputs=record.inputs,
                outputs=record.outputs,
                model=record.model,
                prompt_sha256=record.prompt_sha256,
                config_sha256=record.config_sha256,
            )
            for record in runs.steps_of(session, job.run_id, job.revision)
        ],
        version=approval.review.program_version,
    )
