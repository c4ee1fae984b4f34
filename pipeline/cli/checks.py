"""`check`: the checks of a run alone, nothing stored."""

from dataclasses import replace

import typer

from pipeline.cli.console import ExitCode, JsonOption, show, table
from pipeline.cli.opening import AsOption, acting, opened
from pipeline.cli.runs import RunArgument


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(check)


def check(run: RunArgument, as_user: AsOption = None, as_json: JsonOption = False) -> None:
    """Check a run's newest revision again, storing nothing; 1 where a finding blocks."""
    from models.documents import Verdict
    from pipeline import commands
    from pipeline.runtime import check_options, load_redactor, policy_of_job
    from pipeline.steps.titles import title_reader

    with opened() as installation:
        actor = acting(installation.app.database, as_user)
        job = commands.newest_job(installation.app, actor, run)
        settings = installation.settings
        read = title_reader(lambda: load_redactor(settings), policy_of_job(settings, job))
        options = replace(check_options(settings, job), titles=read)
        report = commands.check(installation.app, actor, job, options)
    document = {"run": run, "revision": job.revision, **report.model_dump(mode="json")}
    rows = [[f.severity.value, f.check, f.place, f.reason] for f in report.findings]
    columns = ["severity", "check", "place", "reason"]
    show(document, as_json, lambda: table(columns, rows, empty="Nothing was found."))
    if report.verdict is Verdict.BLOCK:
        raise typer.Exit(ExitCode.FAILED)
