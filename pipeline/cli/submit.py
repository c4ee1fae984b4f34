"""`submit`: files and folders to runs, and waiting for them."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from configs.errors import AppError
from pipeline.cli.console import (
    ExitCode,
    JsonOption,
    UsageProblem,
    error_document,
    progress,
    say,
    show,
    table,
)
from pipeline.cli.opening import AsOption, Opened, acting, opened
from pipeline.cli.stages import SummaryLanguageOption, VocabularyOption
from pipeline.cli.waiting import DurationOption, wait_for

if TYPE_CHECKING:
    from pipeline.commands import Actor


@dataclass
class _Line:
    """What became of one file."""

    file: Path
    run: str | None = None
    status: str | None = None
    error: AppError | None = None

    def as_dict(self) -> dict[str, object]:
        error = None if self.error is None else error_document(self.error)["error"]
        return {"run": self.run, "file": str(self.file), "status": self.status, "error": error}


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(submit)


def submit(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH...", help="Files or folders.")],
    language: Annotated[str, typer.Option(help="en, ja, zh, or auto to detect it.")] = "auto",
    tenant: Annotated[str | None, typer.Option(help="Whose run it is (default).")] = None,
    template: Annotated[
        str, typer.Option(help="Template of the summary, as meeting or lecture (the tenant's).")
    ] = "default",
    summary_language: SummaryLanguageOption = None,
    title: Annotated[str | None, typer.Option(help="Title (of a single file).")] = None,
    vocabulary: VocabularyOption = None,
    wait: Annotated[
        bool, typer.Option("--wait", help="Wait for review, or for the end of the run.")
    ] = False,
    timeout: DurationOption = None,
    as_user: AsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make a run of each file and print its id; folders are searched for files."""
    if timeout is not None and not wait:
        raise UsageProblem("--timeout needs --wait.")
    files = list(_files(paths))
    if title is not None and len(files) != 1:
        raise UsageProblem("--title needs exactly one file.")
    with opened() as installation:
        actor = acting(installation.app.database, as_user)
        lines = []
        with progress("Submitting", len(files)) as bar:
            for file in files:
                options = {
                    "language": language,
                    "tenant": tenant or actor.tenant or "default",
                    "template": template,
                    "summary_language": summary_language,
                }
                lines.append(_submit(installation, actor, file, title, options, vocabulary or []))
                bar.advance(note=file.name)
        if wait:
            _wait(installation, lines, timeout)
    show({"runs": [line.as_dict() for line in lines]}, as_json, lambda: _print(lines))
    if any(line.error is not None or line.status == "failed" for line in lines):
        raise typer.Exit(ExitCode.FAILED)


def _files(paths: Sequence[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            found = sorted(p for p in path.rglob("*") if p.is_file() and not _hidden(p, path))
            if not found:
                raise UsageProblem(f"There are no files in {path}.")
            yield from found
        elif path.is_file():
            yield path
        else:
            raise UsageProblem(f"There is no file {path}.")


def _hidden(path: Path, below: Path) -> bool:
    return any(part.startswith(".") for part in path.relative_to(below).parts)


def _submit(
    installation: Opened,
    actor: "Actor",
    file: Path,
    title: str | None,
    options: dict[str, Any],
    vocabulary: Sequence[str],
) -> _Line:
    from pipeline import commands

    line = _Line(file)
    try:
        upload = commands.Upload(
            path=file, file_name=file.name, title=title, vocabulary=tuple(vocabulary), **options
        )
        run = commands.submit(installation.app, actor, upload)
    except AppError as error:
        line.error = error
        say(f"{file}: {error.message}")
    else:
        line.run, line.status = run.id, run.status.value
    return line


def _wait(installation: Opened, lines: Sequence[_Line], timeout: float | None) -> None:
    waiting = {line.run: line for line in lines if line.run is not None}
    if waiting and not installation.app.engine.workers():
        say("No worker is running; nothing happens until one does (kikigaki serve).")
    for run in wait_for(installation.app.database, list(waiting), timeout):
        waiting[run.id].status = run.status.value


def _print(lines: Sequence[_Line]) -> None:
    rows = [(line.run, line.status, line.file) for line in lines if line.run]
    if not sys.stdout.isatty():
        typer.echo("".join(f"{run}\n" for run, _, _ in rows), nl=False)  # as a script reads them
        return
    table(["run", "status", "file"], rows, empty="No file became a run.")
