"""`runs`: list, show, export."""

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from configs.clock import utc_now
from configs.durations import parse_duration
from pipeline.cli.console import ExitCode, JsonOption, UsageProblem, show, table
from pipeline.cli.opening import AsOption, acting, opened, opened_database
from pipeline.cli.waiting import DurationOption, wait_for

if TYPE_CHECKING:
    from storage.statuses import RunStatus

_CALL = ("step", "model", "endpoint", "outcome", "input_tokens", "output_tokens", "cost_usd")
RunArgument = Annotated[str, typer.Argument(metavar="RUN", help="The run's id.")]


def add_to(app: typer.Typer) -> None:
    """Add the group."""
    group = typer.Typer(help="What has been processed.", no_args_is_help=True)
    group.command("list")(list_runs)
    group.command("show")(show_run)
    group.command("export")(export)
    group.command("wait")(wait)
    app.add_typer(group, name="runs")


def list_runs(
    status: Annotated[list[str] | None, typer.Option(help="Only these; repeatable.")] = None,
    tenant: Annotated[str | None, typer.Option(help="Only this tenant's.")] = None,
    since: Annotated[
        str | None, typer.Option(help="Created since: 2026-05-01, or '2 days' ago.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=100_000, help="At most so many.")] = 50,
    as_json: JsonOption = False,
) -> None:
    """List runs, newest first."""
    from pipeline.run_report import run_line
    from storage.database import reading
    from storage.run_list import RunFilter
    from storage.run_list import list_runs as find

    filters = RunFilter(
        tenant=tenant,
        statuses=[_status(name) for name in status or ()],
        created_from=None if since is None else _moment(since),
    )
    with opened_database() as (_, database), reading(database) as session:
        lines = [run_line(run) for run in find(session, filters, limit=limit)]
    columns = ("run", "status", "revision", "language", "created_at", "title")
    rows = [[line[name] for name in columns] for line in lines]
    show({"runs": lines}, as_json, lambda: table(columns, rows, empty="There are no runs."))


def show_run(run: RunArgument, as_json: JsonOption = False) -> None:
    """Show a run: its steps, artifacts, review, publication, cost and coverage."""
    from pipeline.run_report import run_document
    from pipeline.workflow import ProcessSource
    from storage import runs
    from storage.database import reading
    from storage.refs import instance_id

    with opened() as installation:
        with reading(installation.app.database) as session:
            found = runs.get_run(session, run)
        engine = installation.app.engine
        instances = engine.workflows.for_tenant(found.tenant).get(ProcessSource.name)
        history = instances.get(instance_id(run, found.revision)).history()
        base_url = installation.settings.web.base_url or ""
        with reading(installation.app.database) as session:
            document = run_document(session, found, history, base_url)
    show(document, as_json, lambda: _print(document))


def export(
    run: RunArgument,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new or empty folder.")],
    as_user: AsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write the files of a run's publication to a folder; `verify` checks it."""
    from pipeline import commands

    with opened() as installation:
        actor = acting(installation.app.database, as_user)
        paths = commands.export(installation.app, actor, run, folder)
    document = {"run": run, "folder": str(folder), "files": [path.name for path in paths]}
    show(document, as_json, lambda: typer.echo("\n".join(map(str, paths))))


def wait(
    runs: Annotated[list[str], typer.Argument(metavar="RUN...", help="The runs' ids.")],
    timeout: DurationOption = None,
    as_json: JsonOption = False,
) -> None:
    """Wait until each run awaits review or has ended; 1 if one failed."""
    from pipeline.run_report import run_line

    with opened_database() as (_, database):
        lines = [run_line(run) for run in wait_for(database, runs, timeout)]
    rows = [[line["run"], line["status"]] for line in lines]
    show({"runs": lines}, as_json, lambda: table(["run", "status"], rows, empty=""))
    if any(line["status"] == "failed" for line in lines):
        raise typer.Exit(ExitCode.FAILED)


def _status(name: str) -> "RunStatus":
    from storage.statuses import RunStatus

    try:
        return RunStatus(name)
    except ValueError:
        raise UsageProblem(f"{name!r} is no status; use {', '.join(RunStatus)}.") from None


def _moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        try:
            return utc_now() - parse_duration(text)
        except ValueError:
            raise UsageProblem(
                f"{text!r} is neither a date such as 2026-05-01 nor a duration such as '2 days'."
            ) from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _print(document: dict[str, object]) -> None:
    for name in ("run", "status", "revision", "title", "language", "tenant", "cost_usd"):
        typer.echo(f"{name:10} {document[name]}")
    for name in ("error", "review", "publication", "coverage"):
        part = document[name]
        if isinstance(part, dict):
            typer.echo(f"\n{name}")
            for key, value in part.items():
                if key not in {"files", "artifacts"} and value not in (None, [], ""):
                    typer.echo(f"  {key:18} {value}")
    _print_rows(document, "steps", ("name", "count", "status", "attempts", "error_code"))
    _print_rows(document, "model_calls", _CALL)
    _print_rows(document, "artifacts", ("kind", "name", "bytes", "sha256"))


def _print_rows(document: dict[str, object], part: str, columns: tuple[str, ...]) -> None:
    lines = document[part]
    assert isinstance(lines, list)  # noqa: S101 - as `run_document` makes it
    typer.echo("")
    rows = [[line[name] for name in columns] for line in lines]
    table(columns, rows, empty=f"No {part.replace('_', ' ')} yet.")
