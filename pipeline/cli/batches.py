"""`reprocess`: batches as experiments."""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.cli.console import (
    ExitCode,
    JsonOption,
    UsageProblem,
    progress,
    read_as_usage,
    say,
    show,
    table,
)
from pipeline.cli.opening import AsOption, Opened, acting, opened

if TYPE_CHECKING:
    from pipeline.batch_plan import Change, Plan, TenantCheck
    from pipeline.commands import Actor

_POLL_S = 0.5
_SelectOption = Annotated[
    str | None,
    typer.Option(
        "--select", metavar="EXPR", help="Which runs: 'status=published and language=ja'."
    ),
]
_StepOption = Annotated[
    str | None, typer.Option("--from-step", metavar="STEP", help="The first step to run again.")
]
_SetOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="The one setting to change (asr.model=...)."),
]
_PromptOption = Annotated[
    Path | None, typer.Option("--prompt", metavar="FILE", help="The prompt to change instead.")
]


def add_to(app: typer.Typer) -> None:
    """Add the command and its report."""
    group = typer.Typer(invoke_without_command=True)
    group.callback()(reprocess)
    group.command("report")(report)
    app.add_typer(group, name="reprocess")


def reprocess(
    context: typer.Context,
    select: _SelectOption = None,
    from_step: _StepOption = None,
    setting: _SetOption = None,
    prompt: _PromptOption = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only list the runs.")] = False,
    concurrency: Annotated[int, typer.Option(min=1, help="Runs at work at a time.")] = 4,
    resume: Annotated[
        str | None, typer.Option(metavar="BATCH", help="Go on with a batch that was broken off.")
    ] = None,
    as_user: AsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make new revisions of many runs with one thing changed; compare old with new."""
    if context.invoked_subcommand is not None:
        return
    if resume is not None and (select or from_step or setting or prompt or dry_run):
        raise UsageProblem("--resume goes on with what the batch was begun with; give it alone.")
    if resume is None and (select is None or from_step is None):
        raise UsageProblem("--select and --from-step are needed.")
    with read_as_usage():
        change = None if resume is not None else _change(setting, prompt)
    with opened() as installation:
        actor = acting(installation.app.database, as_user)
        batch_id = resume
        if select is not None and from_step is not None and change is not None:
            batch_id = _begin(installation, actor, (select, from_step, change), dry_run, as_json)
        if batch_id is not None:
            _carry_out(installation, actor, batch_id, concurrency, as_json=as_json)


def report(
    batch: Annotated[str, typer.Argument(metavar="BATCH", help="The batch's id.")],
    as_json: JsonOption = False,
) -> None:
    """Compare old and new of each run of a batch."""
    from pipeline.batch_report import report as compare

    with opened() as installation:
        document = compare(installation.app, batch)
    show(document, as_json, lambda: _print_report(document))


def _change(setting: list[str] | None, prompt: Path | None) -> "Change":
    from configs.settings import load_settings
    from pipeline.cli.changes import prompt_change, setting_change

    if len(setting or ()) + (prompt is not None) != 1:
        raise UsageProblem("A batch changes one thing: give one --set or one --prompt.")
    if prompt is not None:
        return prompt_change(prompt)
    return setting_change(load_settings(), (setting or [""])[0])


def _begin(
    installation: Opened,
    actor: "Actor",
    wanted: "tuple[str, str, Change]",
    dry_run: bool,
    as_json: bool,
) -> str | None:
    """Record the batch and return its id; None for a dry run, or where no run is selected."""
    from pipeline import batch, batch_plan

    with read_as_usage():
        planned = batch_plan.plan(
            installation.app.database, actor, *wanted, _allows(installation, wanted)
        )
    if dry_run or not planned.run_ids:
        show(_plan_document(planned), as_json, lambda: _print_plan(planned))
        return None
    for one in planned.skipped:
        say(f"{one.run_id} is skipped: {one.message}")
    batch_id = batch.begin(installation.app.database, actor, planned)
    say(f"Batch {batch_id}: {len(planned.run_ids)} runs")
    return batch_id


def _allows(installation: Opened, wanted: "tuple[str, str, Change]") -> "TenantCheck":
    """Check the change once, its model included; return what checks it for each tenant.

    Raises:
        UnknownModelError: the model is not there (not retryable).
        InputError: nothing would read the change (not retryable).
    """
    from pipeline.commands.beginnings import REDACTING
    from pipeline.model_check import require_model

    settings, (_, from_step, change) = installation.settings, wanted
    of_tenant = settings.for_tenant if from_step in REDACTING else settings.for_runs_of
    require_model(settings.with_overrides({change.variable: change.value}), change.variable)

    def allows(tenant: str, overrides: "Mapping[str, object]") -> None:
        of_tenant(tenant).with_overrides(overrides)

    return allows


def _plan_document(planned: "Plan") -> dict[str, object]:
    return {
        "batch": None,
        "from_step": planned.from_step,
        "variable": planned.change.variable,
        "value": planned.change.value,
        "runs": [{"run": run_id} for run_id in planned.run_ids],
        "skipped": [one.as_dict() for one in planned.skipped],
    }


def _print_plan(planned: "Plan") -> None:
    rows = [[run_id, "would run", ""] for run_id in planned.run_ids]
    rows += [[one.run_id, "skipped", one.message] for one in planned.skipped]
    table(["run", "outcome", "reason"], rows, empty="No run is selected.")


def _carry_out(
    installation: Opened, actor: "Actor", batch_id: str, concurrency: int, *, as_json: bool
) -> None:
    from pipeline import batch
    from pipeline.batch_report import report as compare
    from storage.database import reading

    with reading(installation.app.database) as session:
        batch.get_batch(session, batch_id)
        total = len(batch.items_of(session, batch_id))
    failed = False
    try:
        with progress("Reprocessing", total) as bar:
            for done in batch.carry_out(
                installation.app,
                actor,
                batch_id,
                concurrency=concurrency,
                pause=lambda: time.sleep(_POLL_S),
            ):
                failed |= done.status == "failed"
                bar.advance(note=f"{done.run_id} {done.status}")
                if done.error is not None:
                    say(f"{done.run_id}: {done.error.message}")
    except KeyboardInterrupt:
        say(f"Broken off. Go on with: kikigaki reprocess --resume {batch_id}")
        raise
    document = compare(installation.app, batch_id)
    show(document, as_json, lambda: _print_report(document))
    if failed:
        raise typer.Exit(ExitCode.FAILED)


def _print_report(document: dict[str, object]) -> None:
    lines, totals = document["runs"], document["totals"]
    assert isinstance(lines, list)  # noqa: S101 - as `batch_report.report` makes them
    assert isinstance(totals, dict)  # noqa: S101
    typer.echo(f"{document['batch']}: {document['variable']}={document['value']}")
    columns = ("verdict", "findings", "length", "cost_usd")
    header = ["run", "status", *(f"{side} {c}" for c in columns for side in ("old", "new"))]
    rows = [
        [
            line["run"],
            line["error"] or line["status"],
            *((line[side] or {}).get(c) for c in columns for side in ("old", "new")),
            line["changed_sentences_ratio"],
        ]
        for line in lines
    ]
    table([*header, "changed sentences"], rows, empty="The batch has no runs.")
    skipped = document["skipped"]
    assert isinstance(skipped, list)  # noqa: S101
    for one in skipped:
        typer.echo(f"{one['run']} skipped: {one['message']}")
    for name, value in totals.items():
        typer.echo(f"{name:24} {value}")
