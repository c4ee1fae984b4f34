"""What `instances list`, `instances show` and the API say of an instance. No payload, no result."""

from pipeline.engine import AttemptHistory, EventHistory, Instance, InstanceStatus, StepHistory
from pipeline.run_report import step_document

Json = dict[str, object]


def instance_line(status: InstanceStatus) -> Json:
    """Return what a list says of each instance."""
    return {
        "id": status.id,
        "workflow": status.workflow,
        "tenant": status.tenant,
        "status": str(status.status),
        "created_at": status.created_at,
        "updated_at": status.updated_at,
    }


def instance_document(instance: Instance) -> Json:
    """Return everything that may be said of an instance; error texts of sensitive steps are empty.

    Raises:
        NotFoundError: there is none (not retryable).
    """
    status = instance.status()
    error = status.error
    return {
        **instance_line(status),
        "ended_at": status.ended_at,
        "generation": status.generation,
        "waiting_for": list(status.waiting_for),
        "due_at": status.due_at,
        "rollback": status.rollback,
        "error": {"code": error.code, "message": error.message} if error else None,
        "steps": [_step(step) for step in instance.history()],
        "attempts": [_attempt(attempt) for attempt in instance.attempts()],
        "events": [_event(event) for event in instance.events()],
    }


def _step(step: StepHistory) -> Json:
    return {
        **step_document(step),
        "branch": step.branch,
        "kind": step.kind,
        "generation": step.generation,
        "waiting_until": step.waiting_until,
    }


def _attempt(attempt: AttemptHistory) -> Json:
    return {
        "name": attempt.name,
        "count": attempt.count,
        "branch": attempt.branch,
        "generation": attempt.generation,
        "number": attempt.number,
        "outcome": attempt.outcome,
        "error_code": attempt.error_code,
        "started_at": attempt.started_at,
        "ended_at": attempt.ended_at,
    }


def _event(event: EventHistory) -> Json:
    return {"type": event.type, "sent_at": event.sent_at, "consumed_by": event.consumed_by}
