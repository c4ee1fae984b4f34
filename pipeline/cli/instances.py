"""`instances`: the durable engine itself. What is changed is kept in the audit log."""

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.cli.console import JsonOption, UsageProblem, show, table
from pipeline.cli.opening import opened, operator

if TYPE_CHECKING:
    from pipeline.commands import Actor, App

InstanceArgument = Annotated[str, typer.Argument(metavar="ID", help="The instance's id.")]

_LISTED = ("id", "workflow", "tenant", "status", "created_at", "updated_at")
_STEPS = (
    "name", "count", "branch", "kind", "status", "attempts", "started_at", "ended_at",
    "error_code", "waiting_until",
)  # fmt: skip


def add_to(app: typer.Typer) -> None:
    """Add the group."""
    group = typer.Typer(help="Instances of workflows.", no_args_is_help=True)
    for name, command in (
        ("create", create),
        ("list", list_instances),
        ("show", show_instance),
        ("pause", pause),
        ("resume", resume),
        ("restart", restart),
        ("terminate", terminate),
        ("send-event", send_event),
        ("delete", delete),
    ):
        group.command(name)(command)
    app.add_typer(group, name="instances")


def create(
    workflow: Annotated[str, typer.Argument(metavar="WORKFLOW", help="The workflow's name.")],
    params: Annotated[str, typer.Option(help="Its parameters, as JSON.")] = "null",
    instance_id: Annotated[
        str | None, typer.Option("--id", help="Its id; used ids are refused.")
    ] = None,
    tenant: Annotated[str, typer.Option(help="Whose it is.")] = "default",
    as_json: JsonOption = False,
) -> None:
    """Create an instance."""
    from pipeline import commands

    value = _json(params, "--params")
    with opened() as installation:
        made = commands.create_instance(
            installation.app,
            operator(installation),
            workflow,
            value,
            instance_id=instance_id,
            tenant=tenant,
        )
    show({"id": made.id, "workflow": workflow}, as_json, lambda: typer.echo(made.id))


def list_instances(
    workflow: Annotated[str | None, typer.Option(help="Only of this workflow.")] = None,
    status: Annotated[str | None, typer.Option(help="Only with this status.")] = None,
    tenant: Annotated[str | None, typer.Option(help="Only of this tenant.")] = None,
    search: Annotated[str | None, typer.Option(help="Only with this text in the id.")] = None,
    before: Annotated[
        str | None, typer.Option(metavar="ID", help="Only what comes after this one in the list.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=100_000, help="At most so many.")] = 50,
    as_json: JsonOption = False,
) -> None:
    """List instances, newest first."""
    from pipeline.instance_report import instance_line

    _check_status(status)
    with opened() as installation:
        found = installation.app.engine.instances(
            workflow, status, limit, tenant=tenant, search=search, before=before
        )
    lines = [instance_line(one) for one in found]
    rows = [[line[name] for name in _LISTED] for line in lines]
    show(
        {"instances": lines}, as_json, lambda: table(_LISTED, rows, empty="There are no instances.")
    )


def show_instance(instance: InstanceArgument, as_json: JsonOption = False) -> None:
    """Show an instance: status, steps, attempts and events, never what they carried."""
    from pipeline.instance_report import instance_document

    with opened() as installation:
        document = instance_document(installation.app.engine.instance(instance))
    steps = document["steps"]
    assert isinstance(steps, list)  # noqa: S101 - made by `instance_document`
    rows = [[step[name] for name in _STEPS] for step in steps]

    def text() -> None:
        typer.echo(f"{document['id']}  {document['status']}")
        table(_STEPS, rows, empty="No step has begun.")

    show(document, as_json, text)


def pause(instance: InstanceArgument, as_json: JsonOption = False) -> None:
    """Let what runs come to its end and hold the rest until it is resumed."""
    from pipeline import commands

    _carry_out(instance, lambda app, actor: commands.pause_instance(app, actor, instance), as_json)


def resume(instance: InstanceArgument, as_json: JsonOption = False) -> None:
    """Let a paused instance go on."""
    from pipeline import commands

    _carry_out(instance, lambda app, actor: commands.resume_instance(app, actor, instance), as_json)


def restart(
    instance: InstanceArgument,
    from_step: Annotated[
        str | None,
        typer.Option(metavar="NAME[:COUNT]", help="The first step that is done again (all)."),
    ] = None,
    branch: Annotated[str, typer.Option(help="The branch of that step, if it has one.")] = "",
    as_json: JsonOption = False,
) -> None:
    """Run an instance again under its id."""
    from pipeline import commands

    def work(app: "App", actor: "Actor") -> bool:
        step = None if from_step is None else commands.step_of(from_step, branch)
        commands.restart_instance(app, actor, instance, step)
        return True

    if branch and from_step is None:
        raise UsageProblem("--branch needs --from-step.")
    _carry_out(instance, work, as_json)


def terminate(
    instance: InstanceArgument,
    rollback: Annotated[
        bool, typer.Option("--rollback", help="Undo first what its steps did.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """End an instance whatever it does."""
    from pipeline import commands

    _carry_out(
        instance,
        lambda app, actor: commands.terminate_instance(app, actor, instance, rollback=rollback),
        as_json,
    )


def delete(instance: InstanceArgument, as_json: JsonOption = False) -> None:
    """Delete an ended instance with its history."""
    from pipeline import commands

    with opened() as installation:
        commands.delete_instance(installation.app, operator(installation), instance)
    show({"id": instance, "deleted": True}, as_json, lambda: typer.echo("deleted"))


def send_event(
    instance: InstanceArgument,
    event_type: Annotated[str, typer.Option("--type", help="The event's type.")],
    payload: Annotated[str, typer.Option(help="Its payload, as JSON.")] = "null",
    key: Annotated[str | None, typer.Option(help="The same key again is the same event.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Send an event to an instance; a decision can only be made with `review`."""
    from pipeline import commands

    commands.refuse_decision(event_type)
    value = _json(payload, "--payload")
    with opened() as installation:
        sent = commands.send_event(
            installation.app, operator(installation), instance, event_type, value, key
        )
    document = {"id": instance, "type": event_type, "sent": sent}
    show(document, as_json, lambda: typer.echo("sent" if sent else "sent before"))


def _carry_out(instance: str, work: "Callable[[App, Actor], bool]", as_json: bool) -> None:
    """Do something and say where the instance stands after it."""
    with opened() as installation:
        changed = work(installation.app, operator(installation))
        status = installation.app.engine.instance(instance).status()
    document = {"id": status.id, "status": str(status.status), "changed": changed}
    said = str(status.status) if changed else f"nothing to do, {status.status}"
    show(document, as_json, lambda: typer.echo(said))


def _check_status(status: str | None) -> None:
    from pipeline.engine import Status

    known = [one.value for one in Status]
    if status is not None and status not in known:
        raise UsageProblem(f"There is no status {status!r}; use one of {', '.join(known)}.")


def _json(text: str, option: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        raise UsageProblem(f"{option} is not valid JSON.") from None
