"""What every command has in common: output, progress, errors and exit codes.

With `--json` exactly one JSON document is written to stdout, an error's body included; everything
that is meant for a person goes to stderr or, without `--json`, to stdout.
"""

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, datetime
from enum import IntEnum
from pathlib import Path
from typing import Annotated, Protocol

import typer

from configs.clock import new_id
from configs.errors import AppError, ConflictError, PolicyError

JsonOption = Annotated[
    bool, typer.Option("--json", help="Print one JSON document on stdout and nothing else.")
]


class ExitCode(IntEnum):
    """What the command's exit code means."""

    DONE = 0
    FAILED = 1
    USAGE = 2
    REFUSED = 3
    TIMED_OUT = 4
    INTERRUPTED = 130


class UsageProblem(AppError):  # noqa: N818 - it is a problem of the command line, told as such
    """The command line cannot be understood."""

    code = "usage"
    http_status = 400


class TimedOutError(AppError):
    """The time to wait has passed; the work goes on."""

    code = "timed_out"
    http_status = 504


def show(document: Mapping[str, object], as_json: bool, text: Callable[[], object]) -> None:
    """Print a command's result: the document as JSON, or what `text` prints for a person."""
    if as_json:
        print_json(document)
    else:
        text()


def print_json(document: Mapping[str, object]) -> None:
    """Write one JSON document to stdout."""
    sys.stdout.write(json.dumps(document, ensure_ascii=False, indent=2, default=_plain) + "\n")


def say(message: str) -> None:
    """Write a message for a person to stderr."""
    typer.echo(message, err=True)


def table(columns: Sequence[str], rows: Sequence[Sequence[object]], *, empty: str) -> None:
    """Print rows as a table, or the sentence `empty` where there are none.

    On a terminal it is framed; otherwise columns are separated by tabs and nothing is shortened.
    """
    if not rows:
        say(empty)
        return
    cells = [[_cell(value) for value in row] for row in rows]
    if not sys.stdout.isatty():
        typer.echo("\n".join("\t".join(row) for row in [list(columns), *cells]))
        return
    from rich import box
    from rich.console import Console
    from rich.table import Table

    framed = Table(*columns, box=box.SIMPLE_HEAD, pad_edge=False)
    for row in cells:
        framed.add_row(*row)
    Console(markup=False, highlight=False).print(framed)


class Bar(Protocol):
    """A progress bar that a command moves on."""

    def advance(self, amount: float = 1.0, note: str = "") -> None:
        """Add to what is done; `note` says what is being worked on."""


class _NoBar:
    def advance(self, amount: float = 1.0, note: str = "") -> None:
        """Show nothing: nobody is looking at a terminal."""


@contextmanager
def progress(title: str, total: float) -> Iterator[Bar]:
    """Show a progress bar on stderr while the block runs, if that is a terminal."""
    if not sys.stderr.isatty():
        yield _NoBar()
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.percentage:3.0f} %"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[note]}", markup=False),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task(title, total=total, note="")

        class _RichBar:
            def advance(self, amount: float = 1.0, note: str = "") -> None:
                shown.update(task, advance=amount, note=note)

        yield _RichBar()


@contextmanager
def read_as_usage() -> Iterator[None]:
    """Tell what is wrong with an argument as wrong usage, wherever it is found out.

    Raises:
        UsageProblem: instead of the block's error of input, settings or model (not retryable).
    """
    try:
        yield
    except AppError as error:
        if error.code.startswith(("input.", "settings.", "model.unknown")):
            raise UsageProblem(error.message, error.details) from None
        raise


def existing_file(path: Path) -> Path:
    """Return the path of a file that exists.

    Raises:
        UsageProblem: there is none (not retryable).
    """
    if not path.is_file():
        raise UsageProblem(f"There is no file {path}.")
    return path


def existing_folder(path: Path) -> Path:
    """Return the path of a folder that exists.

    Raises:
        UsageProblem: there is none (not retryable).
    """
    if not path.is_dir():
        raise UsageProblem(f"There is no folder {path}.")
    return path


def error_document(error: AppError) -> dict[str, object]:
    """Return the error body, the same as the API's."""
    return {"error": {**error.body(), "request_id": new_id("req")}}


def exit_code(error: AppError) -> ExitCode:
    """Return the exit code that an error means."""
    if isinstance(error, UsageProblem):
        return ExitCode.USAGE
    if isinstance(error, TimedOutError):
        return ExitCode.TIMED_OUT
    if isinstance(error, ConflictError | PolicyError):
        return ExitCode.REFUSED
    return ExitCode.FAILED


def _cell(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%d %H:%M:%S")
    if isinstance(value, float):
        return f"{value:.3f}".rstrip("0").rstrip(".")
    # a control character in a title could move a terminal's cursor
    return "".join(c if _is_shown(c) else "\N{REPLACEMENT CHARACTER}" for c in str(value))


def _is_shown(character: str) -> bool:
    return character.isprintable() or character in "\u200d\ufe0f"  # these join emoji


def _plain(value: object) -> object:
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, Path):
        return str(value)
    raise TypeError(f"{type(value).__name__} is not JSON")
