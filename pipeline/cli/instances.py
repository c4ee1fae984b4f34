"""`instances`: the durable engine itself."""

import json
from typing import Annotated

import typer

from pipeline.cli.console import JsonOption, UsageProblem, show, table
from pipeline.cli.opening import opened

InstanceArgument = Annotated[str, typer.Argument(metavar="ID", help="The instance's id.")]
WorkflowOption = Annotated[str, typer.Option("--workflow", help="Its workflow.")]


def add_to(app: typer.Typer) -> None:
    """Add the group."""
    group = typer.Typer(help="Instances of workflows.", no_args_is_help=True)
    group.command("create")(create)
    group.command("list")(list_instances)
    group.command("show")(show_instance)
    group.command("send-event")(send_event)
    app.add_typer(group, name="instances")


def create(
    workflow: Annotated[str, typer.Argument(metavar="WORKFLOW", help="The workflow's name.")],
    params: Annotated[str, typer.Option(help="Its parameters, as JSON.")],
    instance_id: Annotated[
        str | None, typer.Option("--id", help="Its id; used ids are refused.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Create an instance."""
    from configs.clock import new_id

    chosen = instance_id or new_id("ins")
    with opened() as installation:
        workflows = installation.app.engine.workflows
        workflows.get(workflow).create_json(id=chosen, params=_json(params, "--params"))
    show({"id": chosen, "workflow": workflow}, as_json, lambda: typer.echo(chosen))


def list_instances(
    workflow: Annotated[str | None, typer.Option(help="Only of this workflow.")] = None,
    status: Annotated[str | None, typer.Option(help="Only with this status.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=100_000, help="At most so many.")] = 50,
    as_json: JsonOption = False,
) -> None:
    """List instances, newest first."""
    with opened() as installation:
        found = installation.app.engine.instances(workflow=workflow, status=status, limit=limit)
    columns = ("id", "workflow", "status", "created_at", "updated_at")
    lines = [{name: getattr(one, name) for name in columns} for one in found]
    rows = [list(line.values()) for line in lines]
    show(
        {"instances": lines}, as_json, lambda: table(columns, rows, empty="There are no instances.")
    )


def show_instance(instance: InstanceArgument, as_json: JsonOption = False) -> None:
    """Show an instance's status and the history of its steps."""
    with opened() as installation:
        found = installation.app.engine.instance(instance)
        status, history = found.status(), found.history()
    columns = (
        "name", "count", "status", "attempts", "started_at", "ended_at", "error_code",
        "waiting_until",
    )  # fmt: skip
    steps = [{name: getattr(step, name) for name in columns} for step in history]
    document: dict[str, object] = {"id": instance, "status": status.status, "steps": steps}
    rows = [list(step.values()) for step in steps]

    def text() -> None:
        typer.echo(f"{instance}  {status.status}")
        table(columns, rows, empty="No step has begun.")

    show(document, as_json, text)


def send_event(
    instance: InstanceArgument,
    event_type: Annotated[str, typer.Option("--type", help="The event's type.")],
    payload: Annotated[str, typer.Option(help="Its payload, as JSON.")] = "null",
    key: Annotated[str | None, typer.Option(help="The same key again is the same event.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Send an event to an instance; a decision can only be made with `review`."""
    from configs.errors import PolicyError
    from pipeline.workflow import REVIEW_DECISION

    if event_type == REVIEW_DECISION:
        raise PolicyError(
            "A decision cannot be sent as an event; use `review approve`, `reject` or "
            "`request-changes`."
        )
    value = _json(payload, "--payload")
    with opened() as installation:
        installation.app.engine.instance(instance).send_event(event_type, value, key=key)
    show({"id": instance, "type": event_type}, as_json, lambda: typer.echo("sent"))


def _json(text: str, option: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        raise UsageProblem(f"{option} is not valid JSON.") from None
