"""`/api/v1`: runs for scripts."""

from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Header, Query, Request
from fastapi.responses import Response, StreamingResponse
from starlette.concurrency import run_in_threadpool

from configs.errors import InputError
from pipeline import commands
from pipeline.run_report import run_line
from review_ui.api_models import (
    DecisionIn,
    DecisionOut,
    RedactionsIn,
    RevisionOut,
    RunList,
    SummaryIn,
)
from review_ui.events import run_events
from review_ui.queries.access import visible_run
from review_ui.queries.api import (
    artifact_response,
    edits_in_force,
    run_details,
    run_lines,
    shown_hash,
    summary_to_save,
)
from review_ui.receive import ReceivedForm, received_form
from review_ui.uploads import submit_one
from review_ui.visitors import EditorDep, Visitor, VisitorDep
from review_ui.web import RevisionNumber, Web, WebDep
from storage.database import reading
from storage.run_list import RunFilter
from storage.statuses import RunStatus
from storage.tables import Run

router = APIRouter(prefix="/runs", tags=["runs"])

Json = dict[str, object]
IfMatch = Annotated[str | None, Header(alias="If-Match")]


@router.post("", status_code=201, openapi_extra={"requestBody": {"content": {"multipart/form-data": {"schema": {"type": "object", "required": ["file"], "properties": {"file": {"type": "string", "format": "binary"}, "language": {"enum": ["auto", "en", "ja", "zh"]}, "tenant": {"type": "string"}, "template": {"type": "string"}, "summary_language": {"enum": ["source", "en", "ja", "zh"]}, "title": {"type": "string"}, "vocabulary": {"type": "string"}}}}}}})  # fmt: skip  # noqa: E501 - one value
async def create_run(
    request: Request,
    web: WebDep,
    visitor: VisitorDep,
    idempotency_key: Annotated[str | None, Header(max_length=200)] = None,
) -> Json:
    """Upload one file and begin its run."""
    folder, limit = web.config.upload_folder, web.app.max_upload_bytes
    async with received_form(request, folder, limit) as form:
        run = await run_in_threadpool(_submit, web, visitor, form, idempotency_key)
    return run_line(run)


@router.get("")
def list_runs(
    web: WebDep,
    visitor: VisitorDep,
    status: RunStatus | None = None,
    tenant: str | None = None,
    language: str | None = None,
    template: str | None = None,
    since: Annotated[datetime | None, Query(description="Without a time zone: UTC.")] = None,
    after: str | None = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
) -> RunList:
    """List runs, newest first; `next` is the `after` of the next page."""
    filters = RunFilter(
        tenant=visitor.actor.tenant or tenant,
        statuses=(status,) if status else (),
        language=language,
        template=template,
        created_from=since if since is None or since.tzinfo else since.replace(tzinfo=UTC),
        uploader_id=None if visitor.can_edit else visitor.user.id,
    )
    return run_lines(web, filters, limit, after)


@router.get("/{run_id}")
def show_run(request: Request, web: WebDep, visitor: VisitorDep, run_id: str) -> Json:
    """Show one run with its steps, artifacts, review and publication."""
    base_url = web.config.base_url or str(request.base_url)
    return run_details(web, visitor, run_id, base_url)


@router.get("/{run_id}/events")
def follow_run(request: Request, web: WebDep, visitor: VisitorDep, run_id: str) -> Response:
    """Follow one run as server-sent events."""
    with reading(web.app.database) as session:
        visible_run(session, visitor, run_id)
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    events = run_events(request, web, visitor, run_id)
    return StreamingResponse(events, headers=headers, media_type="text/event-stream")


@router.get("/{run_id}/artifacts/{role:path}")
@router.head("/{run_id}/artifacts/{role:path}", include_in_schema=False)
def read_artifact(
    request: Request,
    web: WebDep,
    visitor: VisitorDep,
    run_id: str,
    role: str,
    revision: RevisionNumber | None = None,
) -> Response:
    """Read an artifact by its kind, or `kind/name`; raw kinds are for admins and are audited."""
    return artifact_response(request, web, visitor, run_id, role, revision)


@router.post("/{run_id}/decision")
def decide(web: WebDep, visitor: EditorDep, run_id: str, body: DecisionIn) -> DecisionOut:
    """Decide on exactly the review hash that was seen."""
    made = commands.decide(
        web.app,
        visitor.actor,
        run_id,
        body.decision,
        body.sha256,
        body.comment,
        body.override_reason,
    )
    return DecisionOut(
        run=run_id,
        decision=made.decision,
        sha256=made.sha256,
        decided_at=made.decided_at,
        decided_by=made.approver_id,
    )


@router.put("/{run_id}/summary")
def put_summary(
    web: WebDep, visitor: EditorDep, run_id: str, body: SummaryIn, if_match: IfMatch = None
) -> RevisionOut:
    """Save an edited summary as the next revision; `If-Match` is the review hash it is based on."""
    summary = summary_to_save(web, visitor, run_id, body)
    shown = shown_hash(if_match)
    number = commands.save_summary(web.app, visitor.actor, run_id, shown, summary, body.title)
    return RevisionOut(run=run_id, revision=number)


@router.put("/{run_id}/redactions")
def put_redactions(
    web: WebDep, visitor: EditorDep, run_id: str, body: RedactionsIn, if_match: IfMatch = None
) -> RevisionOut:
    """Save corrections of redactions as the next revision."""
    sha256 = shown_hash(if_match)
    edits = edits_in_force(web, visitor, run_id, body)
    number = commands.save_redactions(web.app, visitor.actor, run_id, sha256, edits)
    return RevisionOut(run=run_id, revision=number)


@router.post("/{run_id}/reopen")
def reopen(web: WebDep, visitor: EditorDep, run_id: str) -> RevisionOut:
    """Begin the next revision of an ended review, with the same content and a new deadline."""
    return RevisionOut(run=run_id, revision=commands.reopen(web.app, visitor.actor, run_id))


def _submit(web: Web, visitor: Visitor, form: ReceivedForm, key: str | None) -> Run:
    if len(form.files) != 1:
        raise InputError("Send exactly one file in the field `file`.")
    title = form.fields.get("title")
    return submit_one(web, visitor, form, form.files[0], title=title, idempotency_key=key)
