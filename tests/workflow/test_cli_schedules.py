"""Schedules from the command line; nothing executes here."""

from pathlib import Path

import pytest

from pipeline.cli.console import ExitCode
from tests.installation import Finished, Installation


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    home: Path = tmp_path_factory.mktemp("home")
    return Installation(home, {"KIKIGAKI_SCHEDULES__TIME_ZONE": "Asia/Tokyo"})


def only(finished: Finished) -> dict[str, object]:
    """Return the one schedule that is listed."""
    assert finished.code == ExitCode.DONE, finished
    schedules = finished.json["schedules"]
    assert isinstance(schedules, list)
    assert len(schedules) == 1
    assert isinstance(schedules[0], dict)
    return schedules[0]


def test_schedules_when_listed_then_show_when_they_come_next(shell: Installation) -> None:
    schedule = only(shell.run("schedules", "list", "--json"))
    next_at = schedule.pop("next_at")
    assert schedule == {
        "name": "retention",
        "workflow": "retention",
        "cron": "30 3 * * *",
        "time_zone": "Asia/Tokyo",
        "status": "active",
        "last_at": None,
    }
    assert str(next_at).endswith("T03:30:00+09:00")


def test_schedules_when_listed_for_a_person_then_are_a_table(shell: Installation) -> None:
    finished = shell.run("schedules", "list")
    assert finished.stdout.startswith("name\tworkflow\tcron\ttime_zone\tstatus\tnext_at\tlast_at")
    assert "03:30:00" in finished.stdout


def test_schedule_when_paused_then_rests_until_it_is_resumed(shell: Installation) -> None:
    paused = [shell.run("schedules", "pause", "retention", "--json") for _ in range(2)]
    shown = only(shell.run("schedules", "list", "--json"))
    resumed = shell.run("schedules", "resume", "retention", "--json")
    said = shell.run("schedules", "resume", "retention")
    assert [finished.json for finished in paused] == [
        {"name": "retention", "status": "paused", "changed": True},
        {"name": "retention", "status": "paused", "changed": False},
    ]
    assert (shown["status"], shown["next_at"]) == ("paused", None)
    assert resumed.json == {"name": "retention", "status": "active", "changed": True}
    assert (said.code, said.stdout) == (ExitCode.DONE, "retention was active already\n")


def test_schedule_when_triggered_then_its_instance_is_queued(shell: Installation) -> None:
    instance = shell.run("schedules", "trigger", "retention", "--json").json["instance"]
    assert shell.run("instances", "show", str(instance), "--json").json["status"] == "queued"


def test_schedule_when_changed_then_the_audit_log_says_who_did_what(tmp_path: Path) -> None:
    shell = Installation(tmp_path)
    for command in (("pause",), ("pause",), ("trigger",), ("backfill", "--from", "2026-01-01")):
        shell.run("schedules", command[0], "retention", *command[1:])
    events = shell.run("audit", "export", "--json").json["events"]
    assert isinstance(events, list)
    assert [(event["action"], event["actor_id"]) for event in events] == [
        ("schedule.paused", "operator"),
        ("schedule.triggered", "operator"),
        ("schedule.backfilled", "operator"),
    ]


def test_schedule_when_backfilled_twice_then_creates_what_is_missing(shell: Installation) -> None:
    command = ("schedules", "backfill", "retention", "--json", "--from", "2025-06-01")
    first = shell.run(*command, "--to", "2025-06-03")
    again = shell.run(*command, "--to", "2025-06-03T18:30:00Z")
    assert first.json["instances"] == ["retention-20250531T183000Z", "retention-20250601T183000Z"]
    assert again.json["instances"] == ["retention-20250602T183000Z"]


@pytest.mark.parametrize(
    "times",
    [
        ("--from", "yesterday"),
        ("--from", "2025-06-02", "--to", "2025-06-01"),
        ("--from", "2025-06-01", "--to", "2999-01-01"),
        ("--from", "2020-01-01", "--to", "2025-01-01"),
        ("--from", "0001-01-01"),
        (),
    ],
)
def test_backfill_when_the_time_is_none_then_is_wrong_usage(
    shell: Installation, times: tuple[str, ...]
) -> None:
    finished = shell.run("schedules", "backfill", "retention", "--json", *times)
    assert (finished.code, finished.error_code) == (ExitCode.USAGE, "usage")


@pytest.mark.parametrize("command", ["pause", "resume", "trigger", "backfill"])
def test_schedule_when_unknown_then_says_so(shell: Installation, command: str) -> None:
    more = ("--from", "2025-06-01") if command == "backfill" else ()
    finished = shell.run("schedules", command, "nothing", "--json", *more)
    assert (finished.code, finished.error_code) == (ExitCode.FAILED, "not_found.schedule")


def test_settings_when_a_schedule_is_none_then_are_refused(tmp_path: Path) -> None:
    for name, value in (("RETENTION", "often"), ("TIME_ZONE", "Mars/Olympus")):
        shell = Installation(tmp_path, {f"KIKIGAKI_SCHEDULES__{name}": value})
        finished = shell.run("config", "show", "--json")
        assert (finished.code, finished.error_code) == (ExitCode.FAILED, "settings.invalid")
