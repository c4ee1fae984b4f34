"""Edit, reopen, reprocess: each begins the next revision of a run."""

import re
from collections.abc import Callable, Sequence

from sqlmodel import Session

from configs.errors import (
    ConflictError,
    InputError,
    NotApplicableError,
    NotFoundError,
    StaleReviewError,
)
from models.documents import RedactionEdit, Redactions, Summary, SummaryMethod, canonical_json
from pipeline.commands.beginnings import (
    BEGINNINGS,
    REDACTING,
    require_beginning,
    require_known,
)
from pipeline.commands.carrying import edited_summary
from pipeline.commands.context import (
    Actor,
    App,
    in_transaction,
    instance_of,
    require,
    require_whole_hash,
    visible_run,
)
from pipeline.engine import FINAL
from pipeline.steps.job import Job, Overrides
from pipeline.steps.services import unless_erased
from pipeline.workflow import REVIEW_DECISION, ProcessSource, SourceParams
from storage import reviews, revisions, runs
from storage.database import reading
from storage.refs import ArtifactRef
from storage.statuses import Role, RunStatus
from storage.tables import Revision, Run

_UNSHOWN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Control characters, and marks that turn the direction of reading."""
_EDIT_BEGINS = {"summary_edit": "render", "redaction_edit": "anonymize"}


def save_summary(
    app: App,
    actor: Actor,
    run_id: str,
    base_sha256: str,
    summary: Summary,
    title: str | None = None,
) -> int:
    """Begin the next revision with an edited summary, and another title if one is given.

    Args:
        app: the application.
        actor: an editor.
        run_id: the run.
        base_sha256: the review hash that the editor was looking at.
        summary: the edited summary; its method becomes `edited`.
        title: the new title, as readers will see it.

    Returns:
        The number of the new revision.

    Raises:
        InputError: it holds characters that cannot be shown (not retryable).
        StaleReviewError: the review has changed since (not retryable; nothing is lost).
        NotApplicableError: what it is made from is past its retention (not retryable).
        PolicyError: not an editor (not retryable).
    """
    if any(_UNSHOWN.search(text) for text in summary.texts()):
        raise InputError("The summary holds control characters or marks that turn the reading.")
    edited = summary.model_copy(update={"method": SummaryMethod.EDITED, "fallback_reason": None})
    change = ("summary", edited)
    return _edit(app, actor, run_id, base_sha256, "summary_edit", change, title)


def save_redactions(
    app: App, actor: Actor, run_id: str, base_sha256: str, edits: Sequence[RedactionEdit]
) -> int:
    """Begin the next revision with corrected redactions; the audio is made anew.

    So is the summary, unless a person edited it: that one is kept and follows the redactions.

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
        NotApplicableError: what it is made from is past its retention, or the tenant's lists of
            names are gone (not retryable).
        PolicyError: not an editor (not retryable).
    """
    carried = Redactions(segments=(), edits=tuple(edits))
    return _edit(app, actor, run_id, base_sha256, "redaction_edit", ("redactions/edits", carried))


def reopen(app: App, actor: Actor, run_id: str) -> int:
    """Begin the next revision of an ended review: same artifacts, checked again, new deadline.

    Raises:
        ConflictError: the run is not expired, rejected or waiting for changes, or what it is made
            from is past its retention (not retryable).
        ErasedError: it has been erased (not retryable).
        PolicyError: not an editor (not retryable).
    """
    require(actor, Role.EDITOR)

    def begin(session: Session) -> Revision:
        run = visible_run(session, actor, run_id)
        runs.require_there(run)
        reopenable = (RunStatus.EXPIRED, RunStatus.REJECTED, RunStatus.CHANGES_REQUESTED)
        if run.status not in reopenable:
            raise ConflictError(
                f"Only an ended review can be reopened; the run is {run.status.value}."
            )
        return next_revision(app, session, actor, run_id, reason="reopen", begins_at="render")

    return in_transaction(app, begin).number


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
        NotApplicableError: this run cannot begin there (not retryable).
    """
    require(actor, Role.EDITOR)
    require_known(from_step)

    def begin(session: Session) -> Revision:
        visible_run(session, actor, run_id)
        revision = next_revision(
            app, session, actor, run_id, "reprocess", from_step, overrides=overrides
        )
        also(session, revision)
        return revision

    return in_transaction(app, begin)


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
    """Begin a revision in the caller's transaction; older reviews are superseded and woken.

    Raises:
        NotApplicableError: this run cannot begin there, and nothing has begun (not retryable).
    """
    _require_beginning(app, session, runs.lock_run(session, run_id), begins_at)
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
    start_revision(
        app, session, runs.get_run(session, run_id), revision.number, overrides=inherited
    )
    return revision


def start_revision(app: App, session: Session, run: Run, number: int, overrides: Overrides) -> None:
    """Create the engine instance of a revision, with the artifacts that it takes over."""
    job = job_of(run, number, overrides)
    made = runs.artifacts_of(session, run.id, number)
    instances = app.engine.workflows.for_tenant(run.tenant).get(ProcessSource.name)
    instances.create(id=job.instance_id, params=SourceParams(job, made), session=session)


def job_of(run: Run, number: int, overrides: Overrides) -> Job:
    """Return what the steps of a revision are told."""
    return Job(
        run_id=run.id,
        revision=number,
        tenant=run.tenant,
        language=run.requested_language,
        template=run.template,
        overrides=overrides,
    )


def wake(app: App, session: Session, revision: Revision, decision_id: str | None) -> None:
    """Wake the instance that waits for a review; what was decided stands in the database."""
    instance_of(app, session, revision).send_event(
        REVIEW_DECISION,
        {"decision_id": decision_id},
        key=decision_id or "superseded",
        session=session,
    )


def _end_older(app: App, session: Session, older: Revision) -> None:
    """Let the older revision's instance end: it is woken from its review, or stopped."""
    instance = instance_of(app, session, older)
    try:
        has_ended = instance.status(session).status in FINAL
    except NotFoundError:  # it was deleted, which only ended ones can be
        has_ended = True
    if has_ended:
        return
    if reviews.review_of(session, older.run_id, older.number) is not None:
        wake(app, session, older, None)
    else:
        instance.terminate(session=session)


def _edit(
    app: App,
    actor: Actor,
    run_id: str,
    base_sha256: str,
    reason: str,
    change: tuple[str, Summary | Redactions],
    title: str | None = None,
) -> int:
    require(actor, Role.EDITOR)
    require_whole_hash(base_sha256)
    role, document = change
    kind, begins_at = role.partition("/")[0], _EDIT_BEGINS[reason]
    with reading(app.database) as session:
        run = visible_run(session, actor, run_id)
        _require_shown(session, run, base_sha256)  # again below, before anything is changed
        _require_beginning(app, session, run, begins_at)
        shown = runs.artifacts_of(session, run_id, run.revision)
    kept = edited_summary(app.store, shown) if begins_at == "anonymize" else {}
    data = canonical_json(document)
    ref = app.store.put_bytes(
        run.tenant, run_id, kind, data, ext="json", media_type="application/json"
    )
    unless_erased(app.database, app.store, run_id, ref)

    def begin(session: Session) -> Revision:
        _require_shown(session, runs.lock_run(session, run_id), base_sha256)
        if title is not None:
            runs.set_title(session, run_id, title)
        replaced = {**kept, role: ref}
        return next_revision(app, session, actor, run_id, reason, begins_at, replaced=replaced)

    return in_transaction(app, begin).number


def _require_beginning(app: App, session: Session, run: Run, begins_at: str) -> None:
    """Refuse a beginning that the run lacks, or that redacts without the tenant's own lists."""
    require_beginning(session, run, begins_at)
    if begins_at in REDACTING and not app.has_tenant(run.tenant):
        raise NotApplicableError(
            "The settings of its tenant are gone, and with them the names to redact. Put the "
            "tenant's file back, or begin at a later step.",
            {"reason": "tenant_gone"},
        )


def _require_shown(session: Session, run: Run, sha256: str) -> None:
    """Refuse an edit of anything but the newest review, of a run that is there."""
    runs.require_there(run)
    about = reviews.current(run, reviews.latest_review(session, run.id))
    if sha256 != about["sha256"]:
        raise StaleReviewError(details=about)
