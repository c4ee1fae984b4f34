"""`/api/v1`: the engine's instances, for admins."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import StreamingResponse

from pipeline import commands
from pipeline.engine import Status, StepKey
from pipeline.instance_report import instance_document, instance_line
from review_ui.api_models import EventIn, InstanceIn, RestartIn, TerminateIn
from review_ui.engine_contexts import InstanceFilter
from review_ui.events import instance_events
from review_ui.queries.instance_list import found_instances
from review_ui.visitors import AdminDep
from review_ui.web import Web, WebDep

router = APIRouter(prefix="/instances", tags=["instances"])

Json = dict[str, object]


@router.get("")
def list_instances(
    web: WebDep,
    _: AdminDep,
    workflow: str = "",
    status: Status | None = None,
    tenant: str = "",
    search: Annotated[str, Query(description="Part of the id.")] = "",
    before: Annotated[str | None, Query(description="The `next` of the page before.")] = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
) -> Json:
    """List instances, newest first; `next` is the `before` of the next page."""
    chosen = InstanceFilter(search, workflow, status or "", tenant)
    shown, following = found_instances(web, chosen, before, limit)
    return {"instances": [instance_line(status) for status in shown], "next": following}


@router.post("", status_code=201)
def create(web: WebDep, visitor: AdminDep, body: InstanceIn) -> Json:
    """Create an instance of a workflow."""
    made = commands.create_instance(
        web.app,
        visitor.actor,
        body.workflow,
        body.params,
        instance_id=body.id,
        tenant=body.tenant,
    )
    return instance_line(made.status())


@router.get("/{instance_id}")
def show_instance(web: WebDep, _: AdminDep, instance_id: str) -> Json:
    """Show one instance with its steps, attempts and events."""
    return instance_document(web.app.engine.instance(instance_id))


@router.get("/{instance_id}/events")
def events(request: Request, web: WebDep, _: AdminDep, instance_id: str) -> StreamingResponse:
    """Follow an instance: server-sent events, one at each change."""
    web.app.engine.instance(instance_id)
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    stream = instance_events(request, web, instance_id)
    return StreamingResponse(stream, headers=headers, media_type="text/event-stream")


@router.post("/{instance_id}/pause")
def pause(web: WebDep, visitor: AdminDep, instance_id: str) -> Json:
    """Let what runs come to its end and hold the rest."""
    changed = commands.pause_instance(web.app, visitor.actor, instance_id)
    return _after(web, instance_id, changed=changed)


@router.post("/{instance_id}/resume")
def resume(web: WebDep, visitor: AdminDep, instance_id: str) -> Json:
    """Let a paused instance go on."""
    changed = commands.resume_instance(web.app, visitor.actor, instance_id)
    return _after(web, instance_id, changed=changed)


@router.post("/{instance_id}/restart")
def restart(
    web: WebDep, visitor: AdminDep, instance_id: str, body: RestartIn | None = None
) -> Json:
    """Run an instance again under its id, from its beginning or from a step."""
    chosen = body.from_step if body else None
    step = StepKey(chosen.branch, chosen.name, chosen.count) if chosen else None
    commands.restart_instance(web.app, visitor.actor, instance_id, step)
    return _after(web, instance_id, changed=True)


@router.post("/{instance_id}/terminate")
def terminate(
    web: WebDep, visitor: AdminDep, instance_id: str, body: TerminateIn | None = None
) -> Json:
    """End an instance; with `rollback` undo first what its steps did."""
    rollback = body is not None and body.rollback
    actor = visitor.actor
    changed = commands.terminate_instance(web.app, actor, instance_id, rollback=rollback)
    return _after(web, instance_id, changed=changed)


@router.delete("/{instance_id}")
@router.post("/{instance_id}/delete")
def delete(web: WebDep, visitor: AdminDep, instance_id: str) -> Json:
    """Delete an ended instance with its history."""
    commands.delete_instance(web.app, visitor.actor, instance_id)
    return {"id": instance_id, "deleted": True}


@router.post("/{instance_id}/send-event", status_code=202)
def send(web: WebDep, visitor: AdminDep, instance_id: str, body: EventIn) -> Json:
    """Send an event; a decision cannot be forged this way."""
    sent = commands.send_event(
        web.app, visitor.actor, instance_id, body.type, body.payload, body.key
    )
    return {"sent": sent}


def _after(web: Web, instance_id: str, *, changed: bool) -> Json:
    status = web.app.engine.instance(instance_id).status()
    return {"id": status.id, "status": str(status.status), "changed": changed}
