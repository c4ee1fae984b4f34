"""Every log line of a process has one form, whoever wrote it."""

import json
import logging
from collections.abc import Iterator

import pytest
import structlog
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser

from pipeline.logs import configure_logs


@pytest.fixture(autouse=True)
def configured() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    configure_logs()
    configure_logs()
    yield
    root.handlers, root.level = handlers, level
    structlog.reset_defaults()


def written(capsys: pytest.CaptureFixture[str]) -> list[dict[str, object]]:
    captured = capsys.readouterr()
    assert captured.out == ""
    return [json.loads(line) for line in captured.err.splitlines()]


def test_log_when_ours_then_one_json_line_with_level_and_values(
    capsys: pytest.CaptureFixture[str],
) -> None:
    structlog.get_logger("pipeline.steps.guard").info("step.done", step="probe")
    (line,) = written(capsys)
    assert (line["event"], line["level"], line["logger"], line["step"]) == (
        "step.done", "info", "pipeline.steps.guard", "probe",
    )  # fmt: skip
    assert "timestamp" in line


def test_log_when_a_form_is_malformed_then_the_parsers_line_is_json_too(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(FormParserError):
        MultipartParser(b"b", {}).write(b"--Marigold Fenwick")
    (line,) = written(capsys)
    assert line["level"] == "warning"
    assert str(line["logger"]).startswith("python_multipart")
    assert "Marigold" not in str(line)


@pytest.mark.parametrize("name", ["some.library", "dbos", "uvicorn.error", "faster_whisper"])
def test_log_when_a_librarys_then_without_values_and_the_errors_text(
    capsys: pytest.CaptureFixture[str], name: str
) -> None:
    try:
        int("Marigold Fenwick")
    except ValueError:
        logging.getLogger(name).exception("could not read %s", "Marigold Fenwick")
    (line,) = written(capsys)
    assert (line["event"], line["level"], line["logger"], line["error"]) == (
        "could not read %s", "error", name, "ValueError",
    )  # fmt: skip
    assert "Marigold" not in str(line)


def test_log_when_a_library_chats_then_it_is_not_written(
    capsys: pytest.CaptureFixture[str],
) -> None:
    logging.getLogger("some.library").info("hello")
    assert written(capsys) == []


def test_log_when_our_code_uses_the_standard_logger_then_its_values_are_kept(
    capsys: pytest.CaptureFixture[str],
) -> None:
    logging.getLogger("review_ui.errors").error("unexpected %s (%s)", "ValueError", "req_1")
    (line,) = written(capsys)
    assert line["event"] == "unexpected ValueError (req_1)"
