"""What operators do to instances: create, pause, resume, restart, terminate, delete, send an event.

Each is recorded in the audit log in the transaction that does it; where there was nothing to do,
nothing is recorded.
"""

from collections.abc import Callable

from sqlmodel import Session

from configs.errors import InputError, NotFoundError, PolicyError
from pipeline.commands.context import Actor, App, in_transaction, require
from pipeline.engine import Instance, NotSerializableError, StepKey
from pipeline.engine.handles import DEFAULT_TENANT
from pipeline.workflow import REVIEW_DECISION, ProcessSource
from storage import audit
from storage.statuses import Role

_LONGEST_KEY = 256


def create_instance(
    app: App,
    actor: Actor,
    workflow: str,
    params: object,
    *,
    instance_id: str | None = None,
    tenant: str = DEFAULT_TENANT,
) -> Instance:
    """Create an instance from parameters as plain JSON.

    Raises:
        PolicyError: not an admin (not retryable).
        NotFoundError: there is no such workflow (not retryable).
        InputError: id, tenant or parameters do not fit; it names the fields (not retryable).
        ConflictError: the id is in use (not retryable).
    """
    require(actor, Role.ADMIN)
    workflows = app.engine.workflows.for_tenant(tenant)
    if workflow not in workflows.names():
        details = {"workflow": workflow[:100], "known": workflows.names()}
        raise NotFoundError("There is no workflow with this name.", details)

    def carry_out(session: Session) -> Instance:
        made = workflows.get(workflow).create_json(instance_id, params, session=session)
        _record(session, actor, made.id, workflow, "instance.created")
        return made

    return in_transaction(app, carry_out)


def pause_instance(app: App, actor: Actor, instance_id: str) -> bool:
    """Let what runs come to its end and hold the rest; False where it is held already.

    Raises:
        PolicyError: not an admin (not retryable).
        NotFoundError: there is no such instance (not retryable).
        InstanceStateError: it has ended or rolls back (not retryable).
    """
    return _operate(app, actor, instance_id, "instance.paused", lambda i, s: i.pause(session=s))


def resume_instance(app: App, actor: Actor, instance_id: str) -> bool:
    """Let a paused instance go on; False where it was not paused.

    Raises:
        PolicyError: not an admin (not retryable).
        NotFoundError: there is no such instance (not retryable).
        InstanceStateError: it has ended (not retryable).
    """
    return _operate(app, actor, instance_id, "instance.resumed", lambda i, s: i.resume(session=s))


def restart_instance(
    app: App, actor: Actor, instance_id: str, from_step: StepKey | None = None
) -> None:
    """Run an instance again under its id, from its beginning or from a step.

    Raises:
        PolicyError: not an admin (not retryable).
        NotFoundError: there is no such instance or step (not retryable).
    """

    def work(instance: Instance, session: Session) -> bool:
        instance.restart(from_step, session=session)
        return True

    chosen = str(from_step) if from_step else None
    _operate(app, actor, instance_id, "instance.restarted", work, from_step=chosen)


def terminate_instance(app: App, actor: Actor, instance_id: str, *, rollback: bool = False) -> bool:
    """End an instance whatever it does; with `rollback` undo first what its steps did.

    Returns:
        False where it had ended already.

    Raises:
        PolicyError: not an admin (not retryable).
        NotFoundError: there is no such instance (not retryable).
    """
    return _operate(
        app,
        actor,
        instance_id,
        "instance.terminated",
        lambda i, s: i.terminate(rollback=rollback, session=s),
        rollback=rollback,
    )


def delete_instance(app: App, actor: Actor, instance_id: str) -> None:
    """Delete an ended instance with its history; the audit log keeps that it was there.

    Raises:
        PolicyError: not an admin (not retryable).
        NotFoundError: there is no such instance (not retryable).
        InstanceStateError: it has not ended (not retryable).
    """

    def work(instance: Instance, session: Session) -> bool:
        instance.delete(session=session)
        return True

    _operate(app, actor, instance_id, "instance.deleted", work)


def send_event(
    app: App,
    actor: Actor,
    instance_id: str,
    event_type: str,
    payload: object = None,
    key: str | None = None,
) -> bool:
    """Send an event to an instance; False where its key was used before.

    Raises:
        PolicyError: not an admin, or the event would forge a decision (not retryable).
        NotFoundError: there is no such instance (not retryable).
        ConflictError: it has ended (not retryable).
        InputError: type, key or payload cannot be taken (not retryable).
    """
    refuse_decision(event_type)
    if key is not None and not (key.isprintable() and 0 < len(key) <= _LONGEST_KEY):
        raise InputError(f"A key has 1 to {_LONGEST_KEY} characters that can be printed.")

    def work(instance: Instance, session: Session) -> bool:
        try:
            return instance.send_event(event_type, payload, key=key, session=session)
        except NotSerializableError as error:
            raise InputError(error.message, error.details) from None

    return _operate(app, actor, instance_id, "instance.event_sent", work, type=event_type)


def refuse_decision(event_type: str) -> None:
    """Refuse an event that would forge a decision.

    Raises:
        PolicyError: not retryable.
    """
    if event_type == REVIEW_DECISION:
        raise PolicyError(
            "A decision cannot be sent as an event; decide through the run's review, or with"
            " `review approve`, `reject` or `request-changes`.",
            {"reason": "decision"},
        )


def step_of(text: str, branch: str = "") -> StepKey:
    """Read a step as people write it: `NAME` or `NAME:COUNT`, the first of its name without one."""
    name, _, count = text.rpartition(":")
    if name and count.isdecimal():
        return StepKey(branch, name, int(count))
    return StepKey(branch, text, 1)


def run_of(workflow: str, instance_id: str) -> str | None:
    """Return the id of the run that an instance works on, None for other workflows."""
    name = instance_id.rpartition(".")[2]  # without its tenant
    run_id, _, revision = name.rpartition("-r")
    is_run = workflow == ProcessSource.name and revision.isdecimal()
    return run_id if is_run and run_id else None


def _operate(
    app: App,
    actor: Actor,
    instance_id: str,
    action: str,
    work: Callable[[Instance, Session], bool],
    **details: object,
) -> bool:
    require(actor, Role.ADMIN)
    instance = app.engine.instance(instance_id)

    def carry_out(session: Session) -> bool:
        workflow = instance.status(session).workflow
        changed = work(instance, session)
        if changed:
            _record(session, actor, instance.id, workflow, action, **details)
        return changed

    return in_transaction(app, carry_out)


def _record(
    session: Session, actor: Actor, instance_id: str, workflow: str, action: str, **details: object
) -> None:
    audit.append(
        session,
        actor_id=actor.user_id,
        action=action,
        run_id=run_of(workflow, instance_id),
        details={"instance": instance_id, "channel": actor.channel, **details},
    )
