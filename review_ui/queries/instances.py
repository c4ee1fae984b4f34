"""The engine's instances as the API shows them."""

from pipeline.run_report import step_document
from review_ui.api_models import EventIn
from review_ui.web import Web

Json = dict[str, object]


def instance_lines(web: Web, workflow: str | None, status: str | None, limit: int) -> list[Json]:
    """Return instances, newest first."""
    found = web.app.engine.instances(workflow=workflow, status=status, limit=limit)
    return [
        {
            "id": line.id,
            "workflow": line.workflow,
            "status": str(line.status),
            "created_at": line.created_at,
            "updated_at": line.updated_at,
        }
        for line in found
    ]


def instance_details(web: Web, instance_id: str) -> Json:
    """Return one instance with its steps; no payloads, which may hold names.

    Raises:
        NotFoundError: there is none (not retryable).
    """
    instance = web.app.engine.instance(instance_id)
    state = instance.status()
    return {
        "id": instance_id,
        "status": str(state.status),
        "steps": [
            {**step_document(step), "waiting_until": step.waiting_until}
            for step in instance.history()
        ],
    }


def send_event(web: Web, instance_id: str, event: EventIn) -> bool:
    """Send an event; False where its key was used before.

    Raises:
        ConflictError: the instance has ended (not retryable).
        NotFoundError: there is none (not retryable).
    """
    return web.app.engine.instance(instance_id).send_event(event.type, event.payload, event.key)
