"""Runs and what belongs to them: status, artifacts, provenance of steps."""

import unicodedata
from dataclasses import dataclass

import sqlalchemy as sa
from sqlmodel import Session, col, select

from configs.clock import new_id
from configs.errors import ErasedError, InputError, NotFoundError
from storage import audit
from storage.database import database_now, lock
from storage.refs import ArtifactRef, area_of, instance_id
from storage.statuses import RunStatus
from storage.tables import Artifact, JsonObject, Revision, RevisionArtifact, Run, StepRecord
from storage.upsert import insert_if_absent

_NAME_LENGTH = 255
_NOT_KEPT = frozenset({"Cc", "Cs"})  # control characters, halves of surrogate pairs
_DIRECTIONS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


@dataclass(frozen=True)
class NewRun:
    """What is known of a source when it has been uploaded."""

    id: str
    tenant: str
    title: str
    file_name: str
    media_type: str
    source_sha256: str
    source_bytes: int
    uploader_id: str
    requested_language: str = "auto"
    template: str = "default"


def create_run(session: Session, new: NewRun, overrides: JsonObject | None = None) -> Run:
    """Insert a run (`queued`) with its first revision, and the audit event `run.created`.

    Args:
        session: the transaction.
        new: the run.
        overrides: settings that the uploader chose; later revisions inherit them.
    """
    now = database_now(session)
    names = {"title": _printable(new.title), "file_name": _printable(new.file_name)}
    run = Run(**{**vars(new), **names}, created_at=now, updated_at=now)
    session.add(run)
    session.flush()
    session.add(
        Revision(
            run_id=new.id,
            number=1,
            instance_id=instance_id(new.id, 1),
            reason="upload",
            begins_at="probe",
            overrides=overrides or {},
            created_by=new.uploader_id,
            created_at=now,
        )
    )
    details: JsonObject = {"source_sha256": new.source_sha256, "bytes": new.source_bytes}
    audit.append(
        session, actor_id=new.uploader_id, action="run.created", run_id=new.id, details=details
    )
    return run


def get_run(session: Session, run_id: str) -> Run:
    """Return a run.

    Raises:
        NotFoundError: there is none with this id (not retryable).
    """
    run = session.get(Run, run_id)
    if run is None:
        raise NotFoundError("There is no run with this id.", {"run": run_id[:100]})
    return run


def lock_run(session: Session, run_id: str) -> Run:
    """Return a run, held until the transaction ends.

    Raises:
        NotFoundError: there is none with this id (not retryable).
    """
    session.flush()
    run = lock(session, Run, run_id)
    if run is None:
        raise NotFoundError("There is no run with this id.", {"run": run_id[:100]})
    return run


def require_there(run: Run) -> None:
    """Refuse to work on what was erased.

    Raises:
        ErasedError: not retryable.
    """
    if run.status is RunStatus.ERASED:
        raise ErasedError(details={"run": run.id})


def set_status(
    session: Session,
    run_id: str,
    status: RunStatus,
    *,
    revision: int | None = None,
    error_code: str | None = None,
    error_message: str | None = None,
) -> bool:
    """Set a run's status, which is that of its newest revision.

    Args:
        session: the transaction.
        run_id: the run.
        status: the new status.
        revision: the revision that speaks; an older one than the newest changes nothing.
        error_code: the code of the error that ended it (`failed`).
        error_message: its message, which holds no text of a recording.

    Returns:
        False where nothing was changed: an older revision spoke, or the run is erased.

    Raises:
        NotFoundError: there is no such run (not retryable).
    """
    run = lock_run(session, run_id)
    if run.status is RunStatus.ERASED or revision not in (None, run.revision):
        return False
    run.status, run.error_code, run.error_message = status, error_code, error_message
    run.updated_at = database_now(session)
    session.add(run)
    session.flush()
    return True


def set_facts(
    session: Session,
    run_id: str,
    *,
    language: str | None = None,
    media_type: str | None = None,
    coverage: JsonObject | None = None,
) -> None:
    """Note what steps found out: the language, the media type, coverage (merged by key).

    Raises:
        NotFoundError: there is no such run (not retryable).
    """
    run = lock_run(session, run_id)
    run.language = language or run.language
    run.media_type = media_type or run.media_type
    if coverage:
        run.coverage = {**run.coverage, **coverage}
    run.updated_at = database_now(session)
    session.add(run)
    session.flush()


def set_title(session: Session, run_id: str, title: str) -> None:
    """Give a run another title; what is published keeps the one it was approved with.

    Raises:
        InputError: the title is empty (not retryable).
        NotFoundError: there is no such run (not retryable).
    """
    printable = _printable(title)
    if not printable:
        raise InputError("A title cannot be empty.")
    run = lock_run(session, run_id)
    run.title, run.updated_at = printable, database_now(session)
    session.add(run)
    session.flush()


def record_artifact(
    session: Session, run_id: str, kind: str, name: str, ref: ArtifactRef
) -> ArtifactRef:
    """Record a stored object once; the first committed version of the same bytes is kept.

    Args:
        session: the transaction that commits the step's result.
        run_id: the run.
        kind: the artifact's kind.
        name: tells several of a kind apart (`index.html`, `2`), else empty.
        ref: what the store returned.

    Returns:
        The reference to use from now on: `ref`, or that of the first version.

    Raises:
        ErasedError: the run has been erased (not retryable).
        NotFoundError: there is no such run (not retryable).
        ValueError: there is no such kind (not retryable).
    """
    area_of(kind)
    require_there(lock_run(session, run_id))
    insert_if_absent(
        session,
        Artifact(
            id=new_id("art"),
            run_id=run_id,
            kind=kind,
            name=name,
            created_at=database_now(session),
            **vars(ref),
        ),
    )
    row = _artifact_row(session, run_id, kind, name, ref.sha256)
    if row.deleted_at is not None:  # stored again after its retention: the new version counts
        row.bucket, row.key, row.version_id, row.deleted_at = (
            ref.bucket,
            ref.key,
            ref.version_id,
            None,
        )
        session.add(row)
        session.flush()
    return as_ref(row)


def assign(session: Session, run_id: str, revision: int, role: str, ref: ArtifactRef) -> None:
    """Say which recorded artifact plays `role` in a revision, in place of any before.

    Args:
        session: the transaction.
        run_id: the run.
        revision: the revision.
        role: the artifact's kind, or `kind/name`.
        ref: what `record_artifact` returned.

    Raises:
        NotFoundError: the artifact is not recorded (not retryable).
    """
    kind, _, name = role.partition("/")
    artifact = _artifact_row(session, run_id, kind, name, ref.sha256)
    row = session.get(RevisionArtifact, (run_id, revision, role))
    if row is None:
        row = RevisionArtifact(run_id=run_id, revision=revision, role=role, artifact_id=artifact.id)
    row.artifact_id = artifact.id
    session.add(row)
    session.flush()


def keep(session: Session, run_id: str, revision: int, role: str, ref: ArtifactRef) -> ArtifactRef:
    """Record an artifact and assign it its role (`kind` or `kind/name`): what a step commits.

    Returns:
        The reference to use from now on (see `record_artifact`).

    Raises:
        ErasedError: the run has been erased (not retryable).
        NotFoundError: there is no such run (not retryable).
    """
    kind, _, name = role.partition("/")
    kept = record_artifact(session, run_id, kind, name, ref)
    assign(session, run_id, revision, role, kept)
    return kept


def artifacts_of(session: Session, run_id: str, revision: int) -> dict[str, ArtifactRef]:
    """Return the artifacts of a revision by role, without those deleted since."""
    rows = session.exec(
        select(RevisionArtifact.role, Artifact)
        .join(Artifact, col(Artifact.id) == RevisionArtifact.artifact_id)
        .where(RevisionArtifact.run_id == run_id, RevisionArtifact.revision == revision)
        .where(col(Artifact.deleted_at).is_(None))
        .order_by(col(RevisionArtifact.role))
    )
    return {role: as_ref(artifact) for role, artifact in rows}


def as_ref(row: Artifact) -> ArtifactRef:
    """Return the reference that a row holds."""
    return ArtifactRef(row.bucket, row.key, row.sha256, row.version_id, row.bytes, row.media_type)


def record_step(
    session: Session,
    *,
    run_id: str,
    revision: int,
    step: str,
    count: int = 1,
    inputs: JsonObject,
    outputs: JsonObject,
    model: JsonObject,
    prompt_sha256: str | None,
    config_sha256: str,
) -> None:
    """Note the provenance of a step; a repeated step replaces its own.

    Args:
        session: the transaction that commits the step's result.
        run_id: the run.
        revision: the revision.
        step: the step's name.
        count: which of the steps of this name.
        inputs: role -> SHA-256.
        outputs: role -> SHA-256.
        model: `{"name", "digest", ...}`, empty where no model worked.
        prompt_sha256: of the prompt, if any.
        config_sha256: of the settings that matter to the step.
    """
    row = StepRecord(
        run_id=run_id,
        revision=revision,
        step=step,
        count=count,
        inputs=inputs,
        outputs=outputs,
        model=model,
        prompt_sha256=prompt_sha256,
        config_sha256=config_sha256,
        created_at=database_now(session),
    )
    session.merge(row)
    session.flush()


def steps_of(session: Session, run_id: str, revision: int) -> list[StepRecord]:
    """Return the provenance that holds for a revision.

    Of each step all records of the newest revision up to this one in which it ran: where it ran
    less often than before, nothing of the older revision is left.
    """
    newest = (
        select(StepRecord.step, sa.func.max(StepRecord.revision).label("revision"))
        .where(StepRecord.run_id == run_id, StepRecord.revision <= revision)
        .group_by(col(StepRecord.step))
        .subquery()
    )
    query = (
        select(StepRecord)
        .join(
            newest,
            sa.and_(
                col(StepRecord.step) == newest.c.step,
                col(StepRecord.revision) == newest.c.revision,
            ),
        )
        .where(StepRecord.run_id == run_id)
    )
    return list(session.exec(query.order_by(col(StepRecord.step), col(StepRecord.count))))


def _printable(name: str) -> str:
    """Return a name without what a database or a page cannot hold, on one line."""
    shown = (c for c in name if c.isspace() or unicodedata.category(c) not in _NOT_KEPT)
    kept = "".join(c for c in shown if c not in _DIRECTIONS)
    return " ".join(kept.split())[:_NAME_LENGTH]


def _artifact_row(session: Session, run_id: str, kind: str, name: str, sha256: str) -> Artifact:
    row = session.exec(
        select(Artifact).where(
            Artifact.run_id == run_id,
            Artifact.kind == kind,
            Artifact.name == name,
            Artifact.sha256 == sha256,
        )
    ).one_or_none()
    if row is None:
        details: JsonObject = {"run": run_id, "kind": kind, "sha256": sha256}
        raise NotFoundError("This artifact is not recorded.", details)
    return row
