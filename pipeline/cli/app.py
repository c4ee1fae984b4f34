"""All commands in one tree, and how a run of one of them ends."""

import logging
import sys
from collections.abc import Sequence
from typing import TextIO

import typer

from configs.errors import AppError, UnexpectedError
from pipeline.cli import (
    access,
    application,
    backups,
    batches,
    checks,
    evaluate,
    instances,
    review,
    runs,
    schedules,
    stages,
    submit,
    upkeep,
)
from pipeline.cli.console import ExitCode, UsageProblem, error_document, exit_code, print_json, say
from pipeline.logs import configure_logs

app = typer.Typer(
    name="kikigaki",
    help="Turn recordings and documents into published summaries that a person has approved.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for group in (
    application, submit, runs, review, batches, stages, checks, evaluate, instances, schedules,
    access, upkeep, backups,
):  # fmt: skip
    group.add_to(app)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    as_json = "--json" in given
    for stream in (sys.stdout, sys.stderr):
        _write_any_text(stream)
    configure_logs()
    try:
        result = app(args=given, prog_name="kikigaki", standalone_mode=False)
    except AppError as error:
        return _failed(error, as_json=as_json)
    except typer.Abort:
        return ExitCode.INTERRUPTED
    except KeyboardInterrupt:
        return ExitCode.INTERRUPTED
    except BrokenPipeError:
        return _reader_gone()
    except Exception as error:  # noqa: BLE001 - the last line of defence: a body, not a traceback
        return _ended_unexpectedly(error, as_json=as_json)
    return result if isinstance(result, int) else ExitCode.DONE


def _ended_unexpectedly(error: Exception, *, as_json: bool) -> int:
    usage = _usage_message(error)
    if usage is not None:
        return _failed(UsageProblem(usage), as_json=as_json)
    logging.getLogger(__name__).debug("unexpected", exc_info=error)
    return _failed(UnexpectedError(details={"type": type(error).__name__}), as_json=as_json)


def _usage_message(error: Exception) -> str | None:
    """Return what is wrong with the command line, if that is what the error says.

    typer keeps its usage errors in a private module; they all have `format_message` and exit code 2
    (3 of them also the help text as message, when a group is called without a command).
    """
    if getattr(error, "exit_code", None) != ExitCode.USAGE or not hasattr(error, "format_message"):
        return None
    context = getattr(error, "ctx", None)
    hint = f" See `{context.command_path} --help`." if context is not None else ""
    return f"{error.format_message()}{hint}"


def _failed(error: AppError, *, as_json: bool) -> int:
    if as_json:
        print_json(error_document(error))
    say(f"kikigaki: {error.message}")
    for name, value in error.details.items():
        for one in value if isinstance(value, list) else [value]:
            say(f"  {name}: {_told(one)}")
    return exit_code(error)


def _told(detail: object) -> str:
    """Return a detail on one line, an object as its parts."""
    if isinstance(detail, dict):
        return ", ".join(f"{name} {value}" for name, value in detail.items() if value)
    return str(detail)


def _reader_gone() -> int:
    """End quietly when the reader of a pipe (`| head`) has gone."""
    sys.stderr.close()
    return ExitCode.FAILED


def _write_any_text(stream: TextIO) -> None:
    """Let a terminal of another encoding show what it can instead of ending the command."""
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(encoding="utf-8", errors="backslashreplace")
