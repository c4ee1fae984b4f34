"""What people ask for: submit, decide, edit, reopen, reprocess, erase, export.

Each command is one transaction with the engine's part in it (a created instance, a sent event), so
that either all of it happened or nothing did.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TypeVar

import sqlalchemy as sa
from sqlmodel import Session

from configs.clock import new_id
from configs.errors import (
    ConflictError,
    DatabaseBusyError,
    InputError,
    NotFoundError,
    PolicyError,
    StaleReviewError,
    TooLargeError,
)
from models import audio, extractor
from models.documents import (
    LANGUAGES,
    RedactionEdit,
    Redactions,
    Summary,
    SummaryMethod,
    canonical_json,
)
from pipeline.engine import Engine
from pipeline.steps.job import Job, Overrides
from pipeline.workflow import REVIEW_DECISION, ProcessSource, SourceParams
from storage import (
    decisions,
    idempotency,
    publications,
    retention,
    reviews,
    revisions,
    runs,
)
from storage.artifacts import ArtifactStore
from storage.database import reading, transaction
from storage.decisions import Choice, DecisionOutcome
from storage.policy import Actor as PolicyActor
from storage.policy import ReviewPolicy
from storage.refs import ArtifactRef
from storage.tables import Decision, Revision, Role, Run, RunStatus

ResultT = TypeVar("ResultT")

DOCUMENT_TYPES = {
    "pdf": "application/pdf",
    "text": "text/plain",
    "markdown": "text/markdown",
}
BEGINNINGS: dict[str, frozenset[str]] = {
    "transcribe": frozenset({"source"}),
    "anonymize": frozenset({"source", "normalized_audio", "transcript", "redactions"}),
    "summarize": frozenset(
        {
            "source",
            "normalized_audio",
            "transcript",
            "redactions",
            "pseudonym_map",
            "redacted_transcript",
            "redacted_audio",
        }
    ),
}
BEGINNINGS["probe"] = BEGINNINGS["extract"] = BEGINNINGS["transcribe"]
BEGINNINGS["bleep"] = BEGINNINGS["anonymize"]
BEGINNINGS["render"] = BEGINNINGS["check_quality"] = BEGINNINGS["summarize"] | {"summary"}
"""Artifact kinds that a revision takes over, by the first step that runs again."""

_LOCK_TRIES = 5


@dataclass(frozen=True)
class Actor:
    """Who asks, and through what (`web`, `api`, `cli`)."""

    user_id: str
    name: str
    role: Role
    tenant: str | None
    channel: str

    @property
    def in_policy(self) -> PolicyActor:
        """The actor as the storage's policy knows it."""
        return PolicyActor(self.user_id, self.role, self.tenant)


@dataclass(frozen=True)
class App:
    """What the commands work with; made by the composition root."""

    database: sa.Engine
    store: ArtifactStore
    engine: Engine
    review_policy: Callable[[str], ReviewPolicy]
    max_upload_bytes: int


@dataclass(frozen=True)
class Upload:
    """A file that has arrived; `path` is a local temporary file, `file_name` only a label."""

    path: Path
    file_name: str
    title: str | None = None
    language: str = "auto"
    template: str = "default"
    tenant: str = "default"


@dataclass(frozen=True)
class _Source:
    media_type: str
    sha256: str
    size_bytes: int


def submit(app: App, actor: Actor, upload: Upload, idempotency_key: str | None = None) -> Run:
    """Store an uploaded file and begin its run.

    Args:
        app: the application.
        actor: who uploads; uploaders and above.
        upload: the file.
        idempotency_key: the same key by the same user with the same request gives the same run.

    Returns:
        The run, `queued`.

    Raises:
        InputError: the file cannot be used; no run is made (not retryable).
        ConflictError: the key was used for another request (not retryable).
        TransientError: store or database did not answer (retryable).
    """
    source = inspect(app, upload)
    request = _request_sha256(upload, source)
    known = _known_run(app, actor, idempotency_key, request)
    if known is not None:
        return known
    run_id = new_id("run")
    ref = app.store.put_file(
        upload.tenant, run_id, "source", upload.path, ext="bin", media_type=source.media_type
    )

    def begin(session: Session) -> Run:
        if idempotency_key:
            found = idempotency.run_for(session, actor.user_id, idempotency_key, request)
            if found is not None:
                return runs.get_run(session, found)
        run = _insert_run(session, actor, upload, source, run_id, ref)
        _start(app, session, run, 1, overrides={})
        if idempotency_key:
            idempotency.remember(session, actor.user_id, idempotency_key, request, run_id=run.id)
        return run

    return _in_transaction(app, begin)


def inspect(app: App, upload: Upload) -> _Source:
    """Refuse at once what the first bytes and a probe show to be unusable.

    Raises:
        InputError: with the uploader's message (not retryable).
    """
    size = upload.path.stat().st_size
    if size > app.max_upload_bytes:
        raise TooLargeError(details={"bytes": size, "max_bytes": app.max_upload_bytes})
    if upload.language not in ("auto", *LANGUAGES):
        raise InputError("Choose the language auto, en, ja or zh.")
    document = extractor.sniff(upload.path, upload.file_name)
    if document is not None:
        media_type = DOCUMENT_TYPES[document.value]
    else:
        probe = audio.probe(upload.path)
        media_type = "video/mp4" if probe.has_video else "application/octet-stream"
    with upload.path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return _Source(media_type, digest, size)


def decide(
    app: App,
    actor: Actor,
    run_id: str,
    decision: str,
    sha256: str,
    comment: str = "",
    override_reason: str | None = None,
) -> Decision:
    """Record a decision about exactly what `sha256` names, and wake the waiting workflow.

    Raises:
        ConflictError: stale, decided, expired or blocked; nothing changed (not retryable).
        PolicyError: not allowed to (not retryable).
        InputError: no such decision (not retryable).
    """
    try:
        choice = Choice(decision)
    except ValueError:
        raise InputError("Decide approve, reject or request_changes.") from None

    def record(session: Session) -> DecisionOutcome:
        run = _visible_run(session, actor, run_id)
        outcome = decisions.decide(
            session,
            run_id=run_id,
            sha256=sha256,
            choice=choice,
            actor=actor.in_policy,
            policy=app.review_policy(run.tenant),
            channel=actor.channel,
            comment=comment,
            override_reason=override_reason,
        )
        if outcome.is_final:
            revision = revisions.get_revision(session, run_id, outcome.review.revision)
            _wake(app, session, revision, outcome.decision.id)
        return outcome

    return _in_transaction(app, record).decision


def save_summary(app: App, actor: Actor, run_id: str, base_sha256: str, summary: Summary) -> int:
    """Begin the next revision with an edited summary.

    Args:
        app: the application.
        actor: an editor.
        run_id: the run.
        base_sha256: the review hash that the editor was looking at.
        summary: the edited summary; its method becomes `edited`.

    Returns:
        The number of the new revision.

    Raises:
        StaleReviewError: the review has changed since (not retryable; nothing is lost).
        PolicyError: not an editor (not retryable).
    """
    edited = summary.model_copy(update={"method": SummaryMethod.EDITED, "fallback_reason": None})
    return _edit(app, actor, run_id, base_sha256, "summary_edit", ("summary", edited))


def save_redactions(
    app: App, actor: Actor, run_id: str, base_sha256: str, edits: Sequence[RedactionEdit]
) -> int:
    """Begin the next revision with corrected redactions; summary and audio are made anew.

    Args:
        app: the application.
        actor: an editor.
        run_id: the run.
        base_sha256: the review hash that the editor was looking at.
        edits: all corrections that hold from now on, in offsets of the original text.

    Returns:
        The number of the new revision.

    Raises:
        StaleReviewError: the review has changed since (not retryable; nothing is lost).
        PolicyError: not an editor (not retryable).
    """
    carried = Redactions(segments=(), edits=tuple(edits))
    return _edit(app, actor, run_id, base_sha256, "redaction_edit", ("redactions/edits", carried))


def reopen(app: App, actor: Actor, run_id: str) -> int:
    """Begin the next revision of an ended review: same artifacts, checked again, new deadline.

    Raises:
        ConflictError: the run is not expired, rejected or waiting for changes (not retryable).
        PolicyError: not an editor (not retryable).
    """
    _require_editor(actor)

    def begin(session: Session) -> Revision:
        run = _visible_run(session, actor, run_id)
        reopenable = (RunStatus.EXPIRED, RunStatus.REJECTED, RunStatus.CHANGES_REQUESTED)
        if run.status not in reopenable:
            raise ConflictError(
                f"Only an ended review can be reopened; the run is {run.status.value}."
            )
        return next_revision(app, session, actor, run_id, reason="reopen", begins_at="render")

    return _in_transaction(app, begin).number


def reprocess(
    app: App,
    actor: Actor,
    run_id: str,
    from_step: str,
    overrides: Overrides,
    also: Callable[[Session, Revision], None] = lambda _session, _revision: None,
) -> Revision:
    """Begin the next revision at a step, with changed settings, reusing what came before.

    Args:
        app: the application.
        actor: who asks; editors and above.
        run_id: the run.
        from_step: the first step that runs again, a key of `BEGINNINGS`.
        overrides: settings by dotted name.
        also: what the caller records in the same transaction.

    Raises:
        InputError: no such step to begin from (not retryable).
        ConflictError: the run is being published or erased (not retryable).
    """
    _require_editor(actor)
    if from_step not in BEGINNINGS:
        raise InputError(f"Begin from one of {', '.join(sorted(BEGINNINGS))}.")

    def begin(session: Session) -> Revision:
        _visible_run(session, actor, run_id)
        revision = next_revision(
            app, session, actor, run_id, "reprocess", from_step, overrides=overrides
        )
        also(session, revision)
        return revision

    return _in_transaction(app, begin)


def export(app: App, actor: Actor, run_id: str, folder: Path) -> list[Path]:
    """Write the files of the newest publication to a folder, each checked against its hash.

    Raises:
        NotFoundError: nothing is published (not retryable).
        ConflictError: the folder holds other files (not retryable).
    """
    with reading(app.database) as session:
        _visible_run(session, actor, run_id)
        publication = publications.latest_publication(session, run_id)
    if publication is None:
        raise NotFoundError("Nothing of this run is published.")
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise ConflictError("The folder is not empty; choose a new one.")
    paths = []
    for name in sorted(publication.files):
        path = folder / PurePosixPath(name).name
        path.write_bytes(app.store.read_published(publication.prefix, name))
        paths.append(path)
    return paths


def erase(app: App, actor: Actor, run_id: str) -> retention.Receipt:
    """End what still works on a run, then delete everything of it, in all versions.

    Raises:
        PolicyError: not an admin (not retryable).
        NotFoundError: there is no such run (not retryable).
        TransientError: the store did not answer; call again (retryable).
    """
    if not actor.in_policy.has_role(Role.ADMIN):
        raise PolicyError("Erasing a run needs the role admin.")

    def end(session: Session) -> None:
        _visible_run(session, actor, run_id)
        newest = revisions.latest_revision(session, run_id)
        instance = app.engine.workflows.get(ProcessSource.name).get(newest.instance_id)
        if not instance.status(session=session).is_final:
            instance.terminate(session=session)

    _in_transaction(app, end)
    return retention.erase_run(app.database, app.store, run_id, actor_id=actor.user_id)


def next_revision(
    app: App,
    session: Session,
    actor: Actor,
    run_id: str,
    reason: str,
    begins_at: str,
    *,
    overrides: Overrides | None = None,
    replaced: dict[str, ArtifactRef] | None = None,
) -> Revision:
    """Begin a revision in the caller's transaction; older reviews are superseded and woken."""
    before = revisions.latest_revision(session, run_id)
    inherited: Overrides = {**before.overrides, **(overrides or {})}  # type: ignore[dict-item]
    revision = revisions.add_revision(
        session,
        run_id,
        reason=reason,
        begins_at=begins_at,
        actor=actor.in_policy,
        carry=BEGINNINGS[begins_at],
        overrides=dict(inherited),
    )
    for role, ref in (replaced or {}).items():
        runs.keep(session, run_id, revision.number, role, ref)
    _end_older(app, session, before)
    _start(app, session, runs.get_run(session, run_id), revision.number, overrides=inherited)
    return revision


def _edit(
    app: App,
    actor: Actor,
    run_id: str,
    base_sha256: str,
    reason: str,
    change: tuple[str, Summary | Redactions],
) -> int:
    _require_editor(actor)
    role, document = change
    kind = role.partition("/")[0]
    with reading(app.database) as session:
        tenant = _visible_run(session, actor, run_id).tenant
    ref = app.store.put_bytes(
        tenant, run_id, kind, canonical_json(document), ext="json", media_type="application/json"
    )

    def begin(session: Session) -> Revision:
        run = runs.lock_run(session, run_id)
        review = reviews.latest_review(session, run_id)
        if review is None or (review.sha256, review.revision) != (base_sha256, run.revision):
            details = {"sha256": review.sha256 if review else None, "revision": run.revision}
            raise StaleReviewError(details=details)
        begins_at = _EDIT_BEGINS[reason]
        return next_revision(app, session, actor, run_id, reason, begins_at, replaced={role: ref})

    return _in_transaction(app, begin).number


_EDIT_BEGINS = {"summary_edit": "render", "redaction_edit": "anonymize"}


def _insert_run(
    session: Session, actor: Actor, upload: Upload, source: _Source, run_id: str, ref: ArtifactRef
) -> Run:
    label = display_name(upload.file_name)
    new = runs.NewRun(
        id=run_id,
        tenant=upload.tenant,
        title=(upload.title or "").strip()[:300] or PurePosixPath(label).stem or label,
        file_name=label,
        media_type=source.media_type,
        source_sha256=source.sha256,
        source_bytes=source.size_bytes,
        uploader_id=actor.user_id,
        requested_language=upload.language,
        template=upload.template,
    )
    run = runs.create_run(session, new)
    runs.keep(session, run_id, 1, "source", ref)
    return run


def display_name(file_name: str) -> str:
    """Return the last part of an uploaded file's name, without control characters.

    It is only ever shown (escaped) and offered for downloads; no path or key is made of it.
    """
    last = file_name.replace("\\", "/").rstrip("/").rpartition("/")[2]
    cleaned = "".join(c for c in last if c.isprintable() or c in "\u200d\ufe0f").strip()
    return cleaned[:255] or "unnamed"


def _start(app: App, session: Session, run: Run, number: int, overrides: Overrides) -> None:
    job = Job(
        run_id=run.id,
        revision=number,
        tenant=run.tenant,
        language=run.requested_language,
        template=run.template,
        overrides=overrides,
    )
    made = runs.artifacts_of(session, run.id, number)
    app.engine.workflows.get(ProcessSource.name).create(
        id=job.instance_id, params=SourceParams(job, made), session=session
    )


def _wake(app: App, session: Session, revision: Revision, decision_id: str | None) -> None:
    instance = app.engine.workflows.get(ProcessSource.name).get(revision.instance_id)
    instance.send_event(
        REVIEW_DECISION,
        {"decision_id": decision_id},
        key=decision_id or "superseded",
        session=session,
    )


def _end_older(app: App, session: Session, older: Revision) -> None:
    """Let the older revision's instance end: it is woken from its review, or stopped."""
    instance = app.engine.workflows.get(ProcessSource.name).get(older.instance_id)
    if instance.status(session=session).is_final:
        return
    if reviews.review_of(session, older.run_id, older.number) is not None:
        _wake(app, session, older, None)
    else:
        instance.terminate(session=session)


def _known_run(app: App, actor: Actor, key: str | None, request_sha256: str) -> Run | None:
    if not key:
        return None
    with reading(app.database) as session:
        found = idempotency.run_for(session, actor.user_id, key, request_sha256)
        return runs.get_run(session, found) if found else None


def _request_sha256(upload: Upload, source: _Source) -> str:
    request = canonical_json(
        {
            "file": source.sha256,
            "language": upload.language,
            "template": upload.template,
            "tenant": upload.tenant,
            "title": upload.title,
        }
    )
    return hashlib.sha256(request).hexdigest()


def _visible_run(session: Session, actor: Actor, run_id: str) -> Run:
    run = runs.get_run(session, run_id)
    if not actor.in_policy.serves(run.tenant):
        raise NotFoundError("There is no run with this id.", {"run": run_id[:100]})
    return run


def _require_editor(actor: Actor) -> None:
    if not actor.in_policy.has_role(Role.EDITOR):
        raise PolicyError("This needs the role editor.", {"reason": "role"})


def _in_transaction(app: App, work: Callable[[Session], ResultT]) -> ResultT:
    """Run a command's transaction; a deadlock with a turn's commit is tried again."""
    for _ in range(_LOCK_TRIES - 1):
        try:
            with transaction(app.database) as session:
                return work(session)
        except DatabaseBusyError:
            continue
    with transaction(app.database) as session:
        return work(session)
