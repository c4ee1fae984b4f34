"""The command line without an installation behind it: usage, output, exit codes, verification."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.main import get_command

from configs.errors import (
    AlreadyDecidedError,
    AppError,
    NotFoundError,
    PolicyError,
    StaleReviewError,
    TransientError,
)
from pipeline.cli.app import app
from pipeline.cli.console import ExitCode, TimedOutError, UsageProblem, exit_code
from pipeline.provenance import SigningKey, public_pem
from tests.installation import Installation
from tests.publications import write_publication


@pytest.fixture
def shell(tmp_path: Path) -> Installation:
    return Installation(tmp_path / "home")


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (UsageProblem(), 2),
        (TimedOutError(), 4),
        (StaleReviewError(), 3),
        (AlreadyDecidedError(), 3),
        (PolicyError(), 3),
        (NotFoundError(), 1),
        (TransientError(), 1),
    ],
)
def test_exit_code_when_error_ends_a_command_then_its_class_decides(
    error: AppError, code: int
) -> None:
    assert exit_code(error) == code


@pytest.mark.parametrize(
    "arguments",
    [
        ("frobnicate",),
        ("runs", "frobnicate"),
        ("runs", "show"),
        ("runs", "list", "--limit", "many"),
        ("runs", "list", "--limit", "0"),
        ("runs", "list", "--status", "nearly"),
        ("runs", "list", "--since", "someday"),
        ("review", "approve", "run_1"),
        ("submit", "/nowhere/at/all"),
        ("submit", ".", "--timeout", "5"),
        ("submit", ".", "--wait", "--timeout", "soon"),
        ("verify", "/nowhere/at/all"),
        ("redact", "--language", "tlh"),
        ("transcribe", "/nowhere/at/all"),
        ("worker", "--resources", "gpu"),
        ("reprocess",),
        ("reprocess", "--select", "status=failed", "--from-step", "summarize"),
        ("reprocess", "--resume", "bat_1", "--dry-run"),
        ("reprocess", "--select", "run=x", "--from-step", "summarize", "--set", "asr.modle=x"),
        ("reprocess", "--select", "run=x", "--from-step", "summarize", "--set", "llm.api_key=x"),
        ("instances", "send-event", "i", "--type", "t", "--payload", "{"),
        ("users", "add", "mia", "--role", "emperor", "--no-password"),
        ("users", "password", "mia"),
        ("erase",),
        ("erase", "--run", "run_1"),
    ],
)
def test_command_when_usage_is_wrong_then_exit_code_2(
    shell: Installation, arguments: tuple[str, ...]
) -> None:
    finished = shell.run(*arguments)
    assert finished.code == ExitCode.USAGE
    assert finished.stdout == ""
    assert finished.stderr.startswith("kikigaki: ")


def test_command_when_usage_is_wrong_with_json_then_error_body_on_stdout(
    shell: Installation,
) -> None:
    finished = shell.run("runs", "list", "--status", "nearly", "--json")
    assert finished.code == ExitCode.USAGE
    body = finished.json["error"]
    assert isinstance(body, dict)
    assert set(body) == {"code", "message", "details", "request_id"}


def test_erase_when_json_is_asked_for_then_that_is_no_consent(shell: Installation) -> None:
    finished = shell.run("erase", "--run", "run_1", "--json")
    assert finished.code == ExitCode.USAGE
    assert finished.error_code == "usage"
    assert not shell.home.exists()


def test_command_when_option_is_unknown_with_json_then_error_body_on_stdout(
    shell: Installation,
) -> None:
    assert shell.run("runs", "list", "--json", "--colour").error_code == "usage"


def test_command_when_settings_are_wrong_then_named(shell: Installation) -> None:
    shell.environ["KIKIGAKI_ASR__MODLE"] = "large"
    finished = shell.run("config", "show", "--json")
    assert finished.code == ExitCode.FAILED
    assert "KIKIGAKI_ASR__MODLE" in finished.stdout


def test_config_when_shown_then_secrets_are_hidden(shell: Installation) -> None:
    shell.environ |= {
        "KIKIGAKI_DATABASE__URL": "postgresql://kiki:hush-database@db.example:5432/kikigaki",
        "KIKIGAKI_S3__SECRET_KEY": "hush-store",
        "KIKIGAKI_LLM__API_KEY": "hush-model",
        "KIKIGAKI_WEBHOOK__URL": "https://hooks.example/services/hush-path",
        "KIKIGAKI_WEBHOOK__SECRET": "hush-webhook",
        "KIKIGAKI_SECRETS__SIGNING_KEY": "hush-signing",
        "KIKIGAKI_SECRETS__PSEUDONYM_KEY": "hush-pseudonyms-hush-pseudonyms-hush",
    }
    for finished in (shell.run("config", "show"), shell.run("config", "show", "--json")):
        assert finished.code == ExitCode.DONE
        assert "hush" not in finished.stdout
        assert "db.example" in finished.stdout


def test_tenants_when_listed_then_each_can_be_shown(shell: Installation) -> None:
    tenants = shell.run("tenants", "list", "--json").json["tenants"]
    assert {"tenant": "default"} in (tenants if isinstance(tenants, list) else [])
    assert shell.run("tenants", "show", "default", "--json").json["tenant"] == "default"
    assert shell.run("tenants", "show", "../default", "--json").error_code == "input.unknown_tenant"


def test_verify_when_publication_is_whole_then_0(shell: Installation, tmp_path: Path) -> None:
    key = SigningKey.generate()
    folder = write_publication(tmp_path / "r1", key)
    (tmp_path / "key.pub").write_bytes(public_pem(key.public))
    finished = shell.run("verify", str(folder), "--key", str(tmp_path / "key.pub"), "--json")
    assert finished.code == ExitCode.DONE
    assert finished.json["ok"] is True


def test_verify_when_signed_by_another_key_then_1(shell: Installation, tmp_path: Path) -> None:
    folder = write_publication(tmp_path / "r1", SigningKey.generate())
    (tmp_path / "key.pub").write_bytes(public_pem(SigningKey.generate().public))
    finished = shell.run("verify", str(folder), "--key", str(tmp_path / "key.pub"), "--json")
    assert finished.code == ExitCode.FAILED
    assert finished.json["ok"] is False


def test_verify_when_no_key_is_known_then_says_so_and_makes_none(
    shell: Installation, tmp_path: Path
) -> None:
    folder = write_publication(tmp_path / "r1", SigningKey.generate())
    finished = shell.run("verify", str(folder))
    assert finished.code == ExitCode.FAILED
    assert "--key FILE" in finished.stderr
    assert not shell.home.exists()


def test_send_event_when_it_would_forge_a_decision_then_refused(shell: Installation) -> None:
    finished = shell.run(
        "instances", "send-event", "run_1-r1", "--type", "review-decision",
        "--payload", '{"decision_id": "dec_1"}', "--json",
    )  # fmt: skip
    assert finished.code == ExitCode.REFUSED
    assert finished.error_code == "policy.denied"


def test_help_when_asked_for_then_nothing_heavy_is_imported() -> None:
    heavy = "{'sqlalchemy','numpy','boto3','dbos','spacy','torch','av','uvicorn','cryptography'}"
    code = (
        "import sys; from pipeline.cli import main; main(['runs', 'list', '--help']); "
        f"sys.stderr.write(repr(sorted({heavy} & set(sys.modules))))"
    )
    finished = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert finished.stderr == "[]"


def test_module_when_run_then_is_the_command() -> None:
    finished = subprocess.run(
        [sys.executable, "-m", "pipeline", "runs", "show", "--json"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == ExitCode.USAGE
    assert json.loads(finished.stdout)["error"]["code"] == "usage"


def test_commands_when_listed_then_each_offers_json_but_those_that_run_until_stopped() -> None:
    assert set(_without_json(get_command(app), ())) == {"serve", "web", "worker"}


def _without_json(command: object, path: tuple[str, ...]) -> Iterator[str]:
    subcommands = getattr(command, "commands", {})
    for name, subcommand in subcommands.items():
        yield from _without_json(subcommand, (*path, name))
    options = [option for parameter in getattr(command, "params", ()) for option in parameter.opts]
    if not subcommands and "--json" not in options:
        yield " ".join(path)
