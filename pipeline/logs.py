"""One log for the whole process, ours and the libraries': JSON lines on stderr, each with a level.

Libraries may put what they work on into their messages. So of their records only those of level
warning and above are written, without the values of their placeholders and with an exception's type
in place of its text.
"""

import logging
import sys
from contextlib import suppress

import structlog
from structlog.types import EventDict, Processor, WrappedLogger

_OURS = ("configs", "models", "pipeline", "review_ui", "storage")
_KEEP_THEIR_OWN = ("dbos", "uvicorn", "uvicorn.error", "uvicorn.access", "faster_whisper")
"""Loggers of libraries that give themselves a handler unless they find one."""


def configure_logs() -> None:
    """Send every log record of this process through one handler; calling it again is harmless."""
    shared: list[Processor] = [
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )
    root = logging.getLogger()
    for handler in [h for h in root.handlers if isinstance(h, _StderrHandler)]:
        root.removeHandler(handler)
    root.addHandler(_StderrHandler(shared))
    root.setLevel(logging.WARNING)
    for name in _OURS:
        logging.getLogger(name).setLevel(logging.INFO)
    for name in _KEEP_THEIR_OWN:
        _adopt(logging.getLogger(name))


class _StderrHandler(logging.Handler):
    """Writes to whatever `sys.stderr` is at the time."""

    def __init__(self, shared: list[Processor]) -> None:
        super().__init__()
        self._of_ours = _formatter(shared, with_values=True)
        self._of_theirs = _formatter(shared, with_values=False)

    def format(self, record: logging.LogRecord) -> str:
        ours = record.name.partition(".")[0] in _OURS
        return (self._of_ours if ours else self._of_theirs).format(record)

    def emit(self, record: logging.LogRecord) -> None:
        with suppress(Exception):  # a line that cannot be written stops no work
            sys.stderr.write(f"{self.format(record)}\n")


def _formatter(shared: list[Processor], *, with_values: bool) -> logging.Formatter:
    rendered: Processor = structlog.processors.JSONRenderer(ensure_ascii=False)
    if sys.stderr.isatty():
        rendered = structlog.dev.ConsoleRenderer()
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=[*shared, _without_text_of_errors],
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, rendered],
        use_get_message=with_values,
    )


def _without_text_of_errors(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Keep the type of an exception; its text and its stack may quote a recording."""
    error = event.pop("exc_info", None)
    event.pop("stack_info", None)
    if isinstance(error, tuple) and error[0] is not None:
        event["error"] = error[0].__name__
    return event


def _adopt(logger: logging.Logger) -> None:
    """Let a library's records come to the root, and keep it from adding a handler of its own."""
    logger.handlers = [logging.NullHandler()]
    logger.propagate = True
