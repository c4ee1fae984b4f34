"""The pages about runs: lists, inbox, one run, its publication."""

from sqlmodel import Session

from configs.errors import NotFoundError
from models.documents import Coverage
from review_ui.contexts import InboxPage, RunRow, RunsPage, WaitingReview
from review_ui.queries.access import name_of, visible_run
from review_ui.queries.steps import history_of, progress_view
from review_ui.run_contexts import (
    CallView,
    CostView,
    ProgressView,
    PublicationPage,
    PublicationView,
    PublishedFileView,
    RevisionView,
    RunHead,
    RunPage,
)
from review_ui.visitors import Visitor
from review_ui.web import Web
from storage import ledger, operations, publications, reviews, revisions, run_list
from storage.database import database_now, reading
from storage.decisions import get_decision
from storage.statuses import RunStatus
from storage.tables import ModelCall, Publication, Revision, Run

PAGE_SIZE = 50
_RETURNED = (RunStatus.CHANGES_REQUESTED, RunStatus.EXPIRED)
_REOPENABLE = (RunStatus.EXPIRED, RunStatus.REJECTED, RunStatus.CHANGES_REQUESTED)


def runs_page(web: Web, visitor: Visitor, status: str | None, before: str | None) -> RunsPage:
    """Return one page of the list of runs; an unknown status lists none."""
    chosen = _status(status)
    filters = run_list.RunFilter(
        tenant=visitor.actor.tenant,
        statuses=(chosen,) if chosen else (),
        uploader_id=None if visitor.can_edit else visitor.user.id,
    )
    with reading(web.app.database) as session:
        found = run_list.list_runs(session, filters, limit=PAGE_SIZE + 1, after=before)
        rows = [_row(session, run) for run in found[:PAGE_SIZE]]
    older = rows[-1].id if len(found) > PAGE_SIZE else None
    return RunsPage(rows, status, [s.value for s in RunStatus], older, bool(status or before))


def inbox_page(web: Web, visitor: Visitor) -> InboxPage:
    """Return what waits for an editor."""
    with reading(web.app.database) as session:
        now = database_now(session)
        waiting = [
            WaitingReview(
                run_id=run.id,
                title=run.title,
                file_name=run.file_name,
                language=run.language,
                uploader=name_of(session, run.uploader_id),
                verdict=review.verdict,
                opened_at=review.opened_at,
                deadline=review.deadline,
                duration_s=_duration(run),
                findings=len(review.reasons),
            )
            for review, run in reviews.waiting_reviews(session, visitor.actor.tenant)
        ]
        filters = run_list.RunFilter(tenant=visitor.actor.tenant, statuses=_RETURNED)
        returned = [_row(session, run) for run in run_list.list_runs(session, filters, limit=20)]
    return InboxPage(waiting, returned, now)


def run_page(web: Web, visitor: Visitor, run_id: str) -> RunPage:
    """Return the page of one run.

    Raises:
        NotFoundError: there is none for this visitor (not retryable).
    """
    with reading(web.app.database) as session:
        run = visible_run(session, visitor, run_id)
        head = run_head(session, run)
        made = [
            _revision(session, run_id, r) for r in reversed(revisions.revisions_of(session, run_id))
        ]
        numbers = operations.run_numbers(session, run_id)
        calls = [_call(call) for call in ledger.calls_of(session, run_id)]
        begins_at = revisions.latest_revision(session, run_id).begins_at
    return RunPage(
        run=head,
        progress=progress_view(run, history_of(web.app, run), begins_at),
        revisions=made,
        cost=CostView(
            numbers.calls,
            numbers.audio_s,
            numbers.input_tokens,
            numbers.output_tokens,
            numbers.cost_usd,
        ),
        calls=calls,
        can_reopen=visitor.can_edit and run.status in _REOPENABLE,
    )


def run_progress(web: Web, visitor: Visitor, run_id: str) -> ProgressView:
    """Return the live part of the run page alone.

    Raises:
        NotFoundError: there is none for this visitor (not retryable).
    """
    with reading(web.app.database) as session:
        run = visible_run(session, visitor, run_id)
        begins_at = revisions.latest_revision(session, run_id).begins_at
    return progress_view(run, history_of(web.app, run), begins_at)


def publication_page(web: Web, visitor: Visitor, run_id: str) -> PublicationPage:
    """Return what is published of a run.

    Raises:
        NotFoundError: no such run, or nothing is published (not retryable).
    """
    with reading(web.app.database) as session:
        run = visible_run(session, visitor, run_id)
        row = publications.latest_publication(session, run_id)
        if row is None:
            raise NotFoundError("Nothing of this run is published.")
        return PublicationPage(run_head(session, run), _publication(session, row))


def run_head(session: Session, run: Run) -> RunHead:
    """Return the facts at the top of a run's pages."""
    return RunHead(
        id=run.id,
        title=run.title,
        file_name=run.file_name,
        status=run.status.value,
        language=run.language,
        requested_language=run.requested_language,
        template=run.template,
        uploader=name_of(session, run.uploader_id),
        source_bytes=run.source_bytes,
        media_type=run.media_type,
        created_at=run.created_at,
        revision=run.revision,
        tenant=run.tenant,
        has_publication=publications.latest_publication(session, run.id) is not None,
        has_review=reviews.latest_review(session, run.id) is not None,
    )


def _call(call: ModelCall) -> CallView:
    return CallView(
        call.step,
        call.model,
        call.endpoint,
        call.outcome,
        call.input_tokens,
        call.output_tokens,
        call.cost_usd,
        call.latency_s,
        call.prompt_sha256,
    )


def _row(session: Session, run: Run) -> RunRow:
    return RunRow(
        id=run.id,
        title=run.title,
        file_name=run.file_name,
        status=run.status.value,
        language=run.language,
        uploader=name_of(session, run.uploader_id),
        created_at=run.created_at,
        revision=run.revision,
        duration_s=_duration(run),
        error_code=run.error_code,
    )


def _duration(run: Run) -> float | None:
    coverage = Coverage.model_validate(run.coverage)
    return coverage.decoded_s or coverage.container_s


def _status(name: str | None) -> RunStatus | None:
    if not name:
        return None
    try:
        return RunStatus(name)
    except ValueError:
        raise NotFoundError("There is no such status.") from None


def _revision(session: Session, run_id: str, revision: Revision) -> RevisionView:
    review = reviews.review_of(session, run_id, revision.number)
    return RevisionView(
        number=revision.number,
        reason=revision.reason,
        created_by=name_of(session, revision.created_by),
        created_at=revision.created_at,
        review_status=review.status.value if review else None,
        sha256=review.sha256 if review else None,
    )


def _publication(session: Session, row: Publication) -> PublicationView:
    decision = get_decision(session, row.decision_id)
    files = []
    for name, about in sorted(row.files.items()):
        assert isinstance(about, dict)  # noqa: S101 - written by `record_publication` alone
        files.append(PublishedFileView(name, str(about["sha256"]), int(about["bytes"])))
    return PublicationView(
        revision=row.revision,
        review_sha256=row.review_sha256,
        published_at=row.published_at,
        approver=name_of(session, decision.approver_id),
        comment=decision.comment,
        override_reason=decision.override_reason,
        files=files,
        url=f"/p/{row.run_id}/",
    )
