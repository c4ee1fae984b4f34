"""`verify`, `doctor`, `erase`, `retention`, `db`, `config`, `audit`: what operators look after."""

import shutil
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.cli.console import (
    ExitCode,
    JsonOption,
    UsageProblem,
    existing_file,
    existing_folder,
    progress,
    say,
    show,
    table,
)
from pipeline.cli.opening import AsOption, Opened, acting, copy_in, opened, opened_database
from pipeline.cli.shown_settings import shown_settings

if TYPE_CHECKING:
    from configs.settings import Settings
    from pipeline.commands import Actor
    from storage.retention import Receipt

_NOT_DUE = "Nothing is due."


def add_to(app: typer.Typer) -> None:
    """Add the commands and groups."""
    app.command()(verify)
    app.command()(doctor)
    app.command()(erase)
    retention = _group(app, "retention", "How long raw artifacts stay.")
    retention.command("run")(retention_run)
    _group(app, "db", "The database.").command("upgrade")(db_upgrade)
    _group(app, "config", "The settings.").command("show")(config_show)
    audit = _group(app, "audit", "Who did what.")
    audit.command("verify")(audit_verify)
    audit.command("export")(audit_export)


def _group(app: typer.Typer, name: str, help_text: str) -> typer.Typer:
    group = typer.Typer(help=help_text, no_args_is_help=True)
    app.add_typer(group, name=name)
    return group


def verify(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The publication's folder.")],
    key: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The publisher's public key (PEM) to trust instead."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Check a publication's hashes and signature, offline, against a trusted key."""
    from configs.settings import load_settings
    from pipeline.keys import trusted_key
    from pipeline.verify import verify as check

    settings, checked = load_settings(), existing_folder(folder)
    key_file = None if key is None else existing_file(key)
    result = check(checked, trusted_key(settings.home, _signing_secret(settings), key_file))
    lines = [(c.name, "ok" if c.ok else "FAILED", c.detail) for c in result.checks]
    show(result.as_dict(), as_json, lambda: table(["check", "result", "detail"], lines, empty=""))
    if not result.ok:
        raise typer.Exit(ExitCode.FAILED)


def doctor(as_json: JsonOption = False) -> None:
    """Check database, store, models and the redaction of each language."""
    from configs.settings import load_settings
    from pipeline.health import examine

    checks = []
    with progress("Examining", 14) as bar:
        for check in examine(load_settings()):
            checks.append(check)
            bar.advance(note=check.name)
    lines = [(c.name, "ok" if c.ok else "FAILED", c.detail) for c in checks]
    ok = all(check.ok for check in checks)
    document: dict[str, object] = {
        "ok": ok,
        "checks": [{"name": c.name, "ok": c.ok, "detail": c.detail} for c in checks],
    }
    show(document, as_json, lambda: table(["check", "result", "detail"], lines, empty=""))
    if not ok:
        raise typer.Exit(ExitCode.FAILED)


def erase(
    run: Annotated[str | None, typer.Option(metavar="RUN", help="The run to erase.")] = None,
    subject: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT",
            help="Erase every run that holds this name, number or address; - reads it from stdin.",
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Erase nothing; only say which runs it would be.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    as_user: AsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Delete everything of a run, or of all runs about a person, in all versions; with receipt."""
    if (run is None) == (subject is None):
        raise UsageProblem("Say what to erase: --run RUN or --subject TEXT.")
    if subject is not None:
        given = sys.stdin.readline().rstrip("\n") if subject == "-" else subject
        _erase_subject(given, as_user, dry_run=dry_run, yes=yes, as_json=as_json)
    elif run is not None:
        _erase_run(run, as_user, dry_run=dry_run, yes=yes, as_json=as_json)


def _erase_run(run: str, as_user: str | None, *, dry_run: bool, yes: bool, as_json: bool) -> None:
    from pipeline import commands

    if not dry_run:
        _confirm(f"Delete all artifacts of {run}, in all versions?", yes=yes)
    with opened() as installation:
        actor = acting(installation.app.database, as_user)
        if dry_run:
            found = commands.erasable(installation.app, actor, run)
            show(
                {"dry_run": True, "run_id": found.id},
                as_json,
                lambda: table(["run"], [[run]], empty=""),
            )
            return
        receipt = _erase(installation, actor, run)
    document = asdict(receipt)
    show(document, as_json, lambda: _print_lines(document))
    if not receipt.verified:
        raise typer.Exit(ExitCode.FAILED)


def _erase(installation: Opened, actor: "Actor", run: str) -> "Receipt":
    """Delete a run, and the copy of it that the demonstration made."""
    from pipeline import commands

    receipt = commands.erase(installation.app, actor, run)
    copy = copy_in(installation.settings.home, run)
    if copy.exists():
        shutil.rmtree(copy)
    return receipt


def _erase_subject(
    subject: str, as_user: str | None, *, dry_run: bool, yes: bool, as_json: bool
) -> None:
    from pipeline import commands

    with opened() as installation:
        actor = acting(installation.app.database, as_user)
        found = commands.find_subject(installation.app, actor, subject)
        if dry_run:
            lines: list[dict[str, object]] = [{"run_id": run_id} for run_id in found.run_ids]
        else:
            if found.run_ids:
                _confirm(f"Delete {len(found.run_ids)} runs, in all versions?", yes=yes)
            erased = [_erase(installation, actor, run) for run in found.run_ids]
            lines = [asdict(receipt) for receipt in erased]
    document: dict[str, object] = {
        "dry_run": dry_run,
        "runs": lines,
        "searched": found.searched,
        "without_raw": list(found.without_raw),
    }
    columns = ("run_id", "versions", "verified")
    rows = [[line.get(name) for name in columns] for line in lines]
    show(document, as_json, lambda: table(columns, rows, empty="No run holds it."))
    if found.without_raw:
        say(f"{len(found.without_raw)} runs have no raw text any more; what is left was searched.")
    if not all(line.get("verified", True) for line in lines):
        raise typer.Exit(ExitCode.FAILED)


def _confirm(question: str, *, yes: bool) -> None:
    if yes:
        return
    if not sys.stdin.isatty():
        raise UsageProblem("Give --yes; there is no terminal to ask whether to erase.")
    typer.confirm(question, abort=True, err=True)


def retention_run(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what is due.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Delete raw artifacts whose tenant's retention period has passed, and expired uploads."""
    from pipeline.steps import retain

    lines: list[dict[str, object]] = []
    with opened():
        for tenant in retain.raw_tenants():
            done = retain.past_period(tenant, dry_run=dry_run)
            lines += [{"tenant": tenant, **_due_or_deleted(one)} for one in done]
    columns = ("tenant", "run_id", "versions", "verified")
    rows = [[line.get(name) for name in columns] for line in lines]
    show(
        {"dry_run": dry_run, "runs": lines},
        as_json,
        lambda: table(["tenant", "run", "deleted versions", "verified"], rows, empty=_NOT_DUE),
    )
    if not all(line.get("verified", True) for line in lines):
        raise typer.Exit(ExitCode.FAILED)


def db_upgrade(as_json: JsonOption = False) -> None:
    """Bring the database's tables to this version."""
    with opened_database():
        pass  # opening it upgrades it
    show({"upgraded": True}, as_json, lambda: say("The database is up to date."))


def config_show(as_json: JsonOption = False) -> None:
    """Show the effective settings; secrets are hidden."""
    from configs.settings import load_settings

    document = shown_settings(load_settings())
    show(document, as_json, lambda: _print_settings(document))


def audit_verify(as_json: JsonOption = False) -> None:
    """Check that no entry of the audit log was changed or removed."""
    from storage import audit
    from storage.database import reading

    with opened_database() as (_, database), reading(database) as session:
        report = audit.verify(session)
    document: dict[str, object] = {
        "ok": report.ok,
        "events": report.events,
        "broken_at": report.broken_at,
        "detail": report.detail,
    }
    text = f"{report.events} events, none changed" if report.ok else f"FAILED: {report.detail}"
    show(document, as_json, lambda: typer.echo(text))
    if not report.ok:
        raise typer.Exit(ExitCode.FAILED)


def audit_export(
    run: Annotated[str | None, typer.Option(metavar="RUN", help="Only this run's.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Print the audit log, oldest first: one JSON object a line, or one document with --json."""
    import json

    from storage import audit
    from storage.database import reading

    with opened_database() as (_, database), reading(database) as session:
        if as_json:
            show({"events": list(audit.export(session, run))}, True, lambda: None)
            return
        for event in audit.export(session, run):
            typer.echo(json.dumps(event, ensure_ascii=False, sort_keys=True))


def _due_or_deleted(one: "Receipt | str") -> dict[str, object]:
    return {"run_id": one} if isinstance(one, str) else asdict(one)


def _signing_secret(settings: "Settings") -> str | None:
    secret = settings.secrets.signing_key
    return None if secret is None else secret.get_secret_value()


def _print_lines(document: dict[str, object]) -> None:
    for name, value in document.items():
        typer.echo(f"{name:18} {value}")


def _print_settings(document: dict[str, object], prefix: str = "") -> None:
    for name, value in document.items():
        if isinstance(value, dict):
            _print_settings(value, f"{prefix}{name}.")
        else:
            typer.echo(f"{prefix}{name} = {value}")
