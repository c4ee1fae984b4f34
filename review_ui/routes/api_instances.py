"""`/api/v1`: the engine's instances, for admins."""

from typing import Annotated

from fastapi import APIRouter, Query

from configs.errors import PolicyError
from pipeline.workflow import REVIEW_DECISION
from review_ui.api_models import EventIn
from review_ui.queries.instances import instance_details, instance_lines, send_event
from review_ui.visitors import AdminDep
from review_ui.web import WebDep

router = APIRouter(prefix="/instances", tags=["instances"])

Json = dict[str, object]


@router.get("")
def list_instances(
    web: WebDep,
    _: AdminDep,
    workflow: str | None = None,
    status: str | None = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
) -> Json:
    """List instances, newest first."""
    return {"instances": instance_lines(web, workflow, status, limit)}


@router.get("/{instance_id}")
def show_instance(web: WebDep, _: AdminDep, instance_id: str) -> Json:
    """Show one instance with its steps."""
    return instance_details(web, instance_id)


@router.post("/{instance_id}/send-event", status_code=202)
def send(web: WebDep, _: AdminDep, instance_id: str, body: EventIn) -> Json:
    """Send an event; a decision cannot be forged this way."""
    if body.type == REVIEW_DECISION:
        raise PolicyError("Decide through the run's review; this event cannot be sent.")
    return {"sent": send_event(web, instance_id, body)}
