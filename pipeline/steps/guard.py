"""What keeps text of a recording out of the engine's journal when something unforeseen fails."""

import traceback
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import ParamSpec, TypeVar

import structlog

from configs.errors import AppError, UnexpectedError

P = ParamSpec("P")
ResultT = TypeVar("ResultT")

_log = structlog.get_logger(__name__)


def guarded(step: Callable[P, ResultT]) -> Callable[P, ResultT]:
    """Let only the application's own errors leave a step.

    The message of any other error may quote what was being worked on, so it becomes an
    `UnexpectedError` that names its type and the line it came from.
    """

    @wraps(step)
    def run(*args: P.args, **kwargs: P.kwargs) -> ResultT:
        try:
            return step(*args, **kwargs)
        except AppError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, its text must not get out
            details = {"type": type(error).__name__, "at": _place(error)}
            _log.error("step.unexpected_error", step=step.__name__, **details)
            raise UnexpectedError(details=details) from None

    return run


def _place(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    return f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
