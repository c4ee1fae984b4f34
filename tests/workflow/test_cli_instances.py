"""`instances` on the command line: what operators do, its exit codes, and the audit log."""

import json
from pathlib import Path

import pytest

from pipeline.cli.console import ExitCode
from tests.installation import Installation

RECORDING = Path(__file__).parents[1] / "data" / "audio" / "zh_funasr_welcome.wav"


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """An installation without a worker: instances stay where they are put."""
    return Installation(tmp_path_factory.mktemp("installation"))


@pytest.fixture(scope="module")
def instance(shell: Installation) -> str:
    finished = shell.run("submit", str(RECORDING), "--json")
    (run,) = json.loads(finished.stdout)["runs"]
    return f"{run['run']}-r1"


def test_instance_when_operated_then_says_where_it_stands(
    shell: Installation, instance: str
) -> None:
    said = []
    for arguments in (
        ("pause", instance),
        ("pause", instance),
        ("resume", instance),
        ("restart", instance),
        ("terminate", instance, "--rollback"),
    ):
        finished = shell.run("instances", *arguments, "--json")
        assert finished.code == ExitCode.DONE, finished
        said.append((finished.json["status"], finished.json["changed"]))
    assert said == [
        ("paused", True), ("paused", False), ("queued", True), ("queued", True),
        ("terminated", True),
    ]  # fmt: skip
    log = shell.run("audit", "export").stdout
    assert '"instance.terminated"' in log
    assert '"operator"' in log


def test_instances_when_listed_then_filters_hold(shell: Installation, instance: str) -> None:
    def ids(*options: str) -> set[str]:
        found = shell.run("instances", "list", *options, "--json").json["instances"]
        assert isinstance(found, list)
        return {line["id"] for line in found}

    assert instance in ids("--search", instance[-9:], "--workflow", "process-source")
    assert ids("--tenant", "acme") == set()
    assert ids("--before", instance) == set()


@pytest.mark.parametrize(
    ("arguments", "code", "error"),
    [
        (("pause", "none"), ExitCode.FAILED, "not_found.instance"),
        (("list", "--status", "nearly"), ExitCode.USAGE, "usage"),
        (("create", "none"), ExitCode.FAILED, "not_found"),
        (("create", "process-source", "--params", '{"job": {}}'), ExitCode.FAILED, "input.invalid"),
        (("restart", "x", "--branch", "left"), ExitCode.USAGE, "usage"),
    ],
)
def test_command_when_it_cannot_be_done_then_error_body_and_exit_code(
    shell: Installation, arguments: tuple[str, ...], code: ExitCode, error: str
) -> None:
    finished = shell.run("instances", *arguments, "--json")
    assert (finished.code, finished.error_code) == (code, error)


def test_create_when_parameters_do_not_fit_then_the_field_is_named(shell: Installation) -> None:
    params = '{"job": {"run_id": 7}, "mdae": {}}'
    finished = shell.run("instances", "create", "process-source", "--params", params)
    assert "job.run_id: Input should be a valid string" in finished.stderr


def test_delete_when_it_still_runs_then_refused(shell: Installation) -> None:
    (run,) = json.loads(shell.run("submit", str(RECORDING), "--json").stdout)["runs"]
    running = f"{run['run']}-r1"
    refused = shell.run("instances", "delete", running, "--json")
    assert (refused.code, refused.error_code) == (ExitCode.REFUSED, "conflict.instance_state")
    shell.run("instances", "terminate", running)
    assert shell.run("instances", "delete", running, "--json").json["deleted"] is True
    gone = shell.run("instances", "show", running, "--json")
    assert (gone.code, gone.error_code) == (ExitCode.FAILED, "not_found.instance")


def test_restart_when_the_step_is_none_then_failed_and_named(
    shell: Installation, instance: str
) -> None:
    finished = shell.run("instances", "restart", instance, "--from-step", "none:2", "--json")
    assert (finished.code, finished.error_code) == (ExitCode.FAILED, "not_found.step")
    assert "none (2)" in finished.stdout
