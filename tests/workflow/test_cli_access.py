"""Users, tokens, audit and redaction from the command line, on a real database."""

import json
from pathlib import Path

import pytest

from configs.settings import load_settings
from pipeline.cli.console import ExitCode
from storage import users
from storage.database import create_database, transaction
from tests.installation import Installation


@pytest.fixture
def shell(tmp_path: Path) -> Installation:
    return Installation(tmp_path / "home")


def test_users_when_added_then_listed_and_disabled(shell: Installation) -> None:
    added = shell.run("users", "add", "mia", "--role", "editor", "--no-password", "--json")
    assert added.code == ExitCode.DONE
    token = shell.run("tokens", "create", "--user", "mia", "--json")
    assert len(str(token.json["token"])) > 30
    assert shell.run("users", "disable", "mia").code == ExitCode.DONE
    users = shell.run("users", "list", "--json").json["users"]
    assert isinstance(users, list)
    assert users[0]["name"] == "mia"
    assert users[0]["disabled_at"] is not None


def test_users_when_password_comes_from_stdin_then_not_from_the_command_line(
    shell: Installation,
) -> None:
    finished = shell.run("users", "add", "mia", "--password-stdin", stdin="a long passphrase\n")
    assert finished.code == ExitCode.DONE
    assert shell.run("users", "add", "ben").code == ExitCode.USAGE


def test_users_when_password_is_set_then_only_the_new_one_works(shell: Installation) -> None:
    shell.run("users", "add", "mia", "--password-stdin", stdin="a long passphrase\n")
    finished = shell.run(
        "users", "password", "mia", "--password-stdin", "--json", stdin="another long passphrase\n"
    )
    assert finished.code == ExitCode.DONE, finished
    database = create_database(load_settings({"KIKIGAKI_HOME": str(shell.home)}).database_url)
    with transaction(database) as session:
        assert users.authenticate(session, "mia", "a long passphrase") is None
        assert users.authenticate(session, "mia", "another long passphrase") is not None
    database.dispose()


def test_users_when_there_is_nobody_of_this_name_then_no_password_is_set(
    shell: Installation,
) -> None:
    finished = shell.run(
        "users", "password", "ben", "--password-stdin", stdin="a long passphrase\n"
    )
    assert finished.code == ExitCode.USAGE


def test_users_when_name_is_taken_then_refused(shell: Installation) -> None:
    shell.run("users", "add", "mia", "--no-password")
    assert shell.run("users", "add", "mia", "--no-password").code == ExitCode.REFUSED


def test_runs_when_there_are_none_then_empty_list(shell: Installation) -> None:
    assert shell.run("runs", "list", "--json").json == {"runs": []}
    assert shell.run("review", "show", "run_1", "--json").error_code == "not_found"


def test_audit_when_events_were_recorded_then_chain_is_verified_and_exported(
    shell: Installation,
) -> None:
    shell.run("users", "add", "mia", "--no-password")
    assert shell.run("audit", "verify", "--json").json["ok"] is True
    events = shell.run("audit", "export", "--json").json["events"]
    assert isinstance(events, list)
    assert [(e["action"], e["actor_id"]) for e in events] == [("user.added", "operator")]


def test_redact_when_text_comes_from_stdin_then_offsets_count_code_points(
    shell: Installation,
) -> None:
    finished = shell.run(
        "redact", "-", "--language", "en", "--json", stdin="😀 mail alice@example.com\r\n"
    )
    spans = finished.json["spans"]
    assert isinstance(spans, list)
    assert [(s["start"], s["end"], s["replacement"]) for s in spans] == [
        (7, 24, "[EMAIL_ADDRESS_1]")
    ]
    assert finished.json["text"] == "😀 mail [EMAIL_ADDRESS_1]\r\n"


def test_redact_when_lines_come_from_stdin_then_settings_hold_for_each(
    shell: Installation,
) -> None:
    shell.environ["KIKIGAKI_REDACTION__DENY"] = "Bluebird"
    line = json.dumps({"id": 1, "text": "The project is called Bluebird.", "lang": "en"})
    finished = shell.run("redact", "-", "--jsonl", stdin=line + "\n")
    assert finished.code == ExitCode.DONE, finished
    assert json.loads(finished.stdout)["text"] == "The project is called [PERSON_1]."


def test_redact_when_a_line_is_malformed_then_its_number_and_not_its_text(
    shell: Installation,
) -> None:
    finished = shell.run("redact", "-", "--jsonl", stdin='\n{"text": "Bluebird"\n')
    assert finished.code == ExitCode.FAILED
    assert "Line 2 " in finished.stderr
    assert "Bluebird" not in finished.stdout + finished.stderr
