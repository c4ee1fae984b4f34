"""`schedules`: what the durable engine does by the clock. Changes are kept in the audit log."""

from dataclasses import asdict
from datetime import datetime
from typing import Annotated

import typer

from pipeline.cli.console import JsonOption, UsageProblem, read_as_usage, show, table
from pipeline.cli.opening import opened, operator

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="The schedule's name.")]


def add_to(app: typer.Typer) -> None:
    """Add the group."""
    group = typer.Typer(help="What happens by the clock.", no_args_is_help=True)
    group.command("list")(list_schedules)
    for command in (pause, resume, trigger, backfill):
        group.command()(command)
    app.add_typer(group, name="schedules")


def list_schedules(as_json: JsonOption = False) -> None:
    """List the schedules; times are in their time zones."""
    with opened() as installation:
        lines = [asdict(schedule) for schedule in installation.app.engine.schedules.list()]
    columns = ("name", "workflow", "cron", "time_zone", "status", "next_at", "last_at")
    rows = [[line[name] for name in columns] for line in lines]
    show(
        {"schedules": lines}, as_json, lambda: table(columns, rows, empty="There are no schedules.")
    )


def pause(name: NameArgument, as_json: JsonOption = False) -> None:
    """Let a schedule rest until `resume`, whatever is restarted."""
    from pipeline import commands

    with opened() as installation:
        changed = commands.pause_schedule(installation.app, operator(installation), name)
    _show_status(name, "paused", changed, as_json)


def resume(name: NameArgument, as_json: JsonOption = False) -> None:
    """Let a paused schedule go on; what it missed stays missed."""
    from pipeline import commands

    with opened() as installation:
        changed = commands.resume_schedule(installation.app, operator(installation), name)
    _show_status(name, "active", changed, as_json)


def trigger(name: NameArgument, as_json: JsonOption = False) -> None:
    """Create an instance now, paused or not."""
    from pipeline import commands

    with opened() as installation:
        instance = commands.trigger_schedule(installation.app, operator(installation), name).id
    show({"name": name, "instance": instance}, as_json, lambda: typer.echo(instance))


def backfill(
    name: NameArgument,
    start: Annotated[str, typer.Option("--from", metavar="TIME", help="ISO 8601; included.")],
    end: Annotated[
        str | None, typer.Option("--to", metavar="TIME", help="ISO 8601; not included (now).")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Create the instances that are missing of a time in the past: 1000 occurrences at most.

    A time without a zone is in the schedule's.
    """
    from configs.clock import utc_now
    from pipeline import commands

    first = _time(start, "--from")
    last = utc_now() if end is None else _time(end, "--to")
    with opened() as installation, read_as_usage():
        actor = operator(installation)
        created = commands.backfill_schedule(installation.app, actor, name, first, last)
    ids = [instance.id for instance in created]
    rows = [[id_] for id_ in ids]
    show(
        {"name": name, "instances": ids},
        as_json,
        lambda: table(["instance"], rows, empty="Nothing is missing."),
    )


def _show_status(name: str, status: str, changed: bool, as_json: bool) -> None:
    text = f"{name} is {status}" if changed else f"{name} was {status} already"
    document = {"name": name, "status": status, "changed": changed}
    show(document, as_json, lambda: typer.echo(text))


def _time(text: str, option: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise UsageProblem(f"{option} is no time; write one as 2026-11-01T03:30.") from None
