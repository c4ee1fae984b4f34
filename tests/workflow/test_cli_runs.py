"""The way of a run on the command line: real database, store, engine and worker process."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pipeline.cli.console import ExitCode
from pipeline.cli.opening import copy_in
from tests.installation import Finished, Installation
from tests.waiting import wait_until

RECORDING = Path(__file__).parents[1] / "data" / "audio" / "zh_funasr_welcome.wav"
PATIENCE = "240"


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    installation = Installation(tmp_path_factory.mktemp("installation"))
    with installation.worker():
        yield installation


def submit(shell: Installation, *options: str) -> str:
    """Submit the recording, wait for its review and return the run's id."""
    finished = shell.run(
        "submit", str(RECORDING), "--language", "zh", "--wait", "--timeout", PATIENCE, "--json",
        *options,
    )  # fmt: skip
    assert finished.code == ExitCode.DONE, finished
    (line,) = lines(finished, "runs")
    assert line["status"] == "awaiting_review", line
    return str(line["run"])


def lines(finished: Finished, name: str) -> list[dict[str, object]]:
    found = finished.json[name]
    assert isinstance(found, list)
    return found


def shown(shell: Installation, run: str) -> dict[str, object]:
    return shell.run("runs", "show", run, "--json").json


def review_hash(shell: Installation, run: str) -> str:
    review = shown(shell, run)["review"]
    assert isinstance(review, dict)
    return str(review["sha256"])


@pytest.fixture(scope="module")
def waiting(shell: Installation) -> str:
    """A run that awaits review and that no test decides about."""
    return submit(shell)


@pytest.fixture(scope="module")
def published(shell: Installation) -> str:
    """A run that was approved and published."""
    run = submit(shell)
    approved = shell.run("review", "approve", run, "--sha256", review_hash(shell, run), "--json")
    assert approved.code == ExitCode.DONE, approved
    settled = shell.run("runs", "wait", run, "--timeout", PATIENCE, "--json")
    assert settled.code == ExitCode.DONE, settled
    return run


def test_run_when_shown_then_has_the_documented_form(shell: Installation, waiting: str) -> None:
    document = shown(shell, waiting)
    assert {
        "run", "status", "tenant", "language", "steps", "artifacts", "review", "revision",
        "publication", "cost_usd", "coverage",
    } <= set(document)  # fmt: skip
    assert document["status"] == "awaiting_review"
    assert document["publication"] is None
    steps, artifacts = document["steps"], document["artifacts"]
    assert isinstance(steps, list)
    assert isinstance(artifacts, list)
    assert {
        "name", "count", "attempts", "status", "started_at", "ended_at", "error_code",
    } == set(steps[0])  # fmt: skip
    assert {"kind", "sha256", "version_id", "bytes", "media_type", "key"} <= set(artifacts[0])
    coverage = document["coverage"]
    assert isinstance(coverage, dict)
    assert set(coverage) == {
        "container_s", "decoded_s", "speech_s", "transcribed_s", "hole", "hole_s",
        "model_input_ratio", "cited_ratio",
    }  # fmt: skip


def test_runs_when_listed_then_filters_hold(shell: Installation, waiting: str) -> None:
    found = lines(shell.run("runs", "list", "--status", "awaiting_review", "--json"), "runs")
    assert waiting in {line["run"] for line in found}
    assert lines(shell.run("runs", "list", "--tenant", "other", "--json"), "runs") == []
    assert waiting in shell.run("runs", "list", "--since", "1 hour").stdout


def test_review_when_its_hash_is_given_in_part_then_is_wrong_usage(
    shell: Installation, waiting: str
) -> None:
    part = review_hash(shell, waiting)[:12]
    refused = shell.run("review", "approve", waiting, "--sha256", part, "--json")
    assert refused.code == ExitCode.USAGE
    assert "all 64 digits" in str(refused.json["error"])


def test_review_when_shown_then_names_hash_deadline_and_artifacts(
    shell: Installation, waiting: str
) -> None:
    review = shell.run("review", "show", waiting, "--json").json["review"]
    assert isinstance(review, dict)
    assert review["sha256"] == review_hash(shell, waiting)
    assert review["status"] == "open"
    assert review["decided_by"] is None
    assert "rendered/index.html" in review["artifacts"]


def test_check_when_a_run_waits_then_the_same_findings_and_nothing_is_stored(
    shell: Installation, waiting: str
) -> None:
    before = shown(shell, waiting)
    finished = shell.run("check", waiting, "--json")
    assert finished.code == ExitCode.DONE, finished
    assert set(finished.json) == {
        "run",
        "revision",
        "verdict",
        "findings",
        "coverage",
        "entailment_model",
    }
    review = before["review"]
    assert isinstance(review, dict)
    assert finished.json["verdict"] == review["verdict"]
    assert shown(shell, waiting) == before


def test_check_when_a_run_is_erased_then_that_is_said(shell: Installation) -> None:
    run = submit(shell)
    shell.run("erase", "--run", run, "--yes")
    assert shell.run("check", run, "--json").error_code == "not_found.erased"


def test_check_when_there_is_no_such_run_then_not_found(shell: Installation) -> None:
    assert shell.run("check", "run_x", "--json").error_code == "not_found"


def test_approve_when_hash_is_another_then_refused_and_still_open(
    shell: Installation, waiting: str
) -> None:
    finished = shell.run("review", "approve", waiting, "--sha256", "0" * 64, "--json")
    assert finished.code == ExitCode.REFUSED
    assert finished.error_code == "conflict.stale_review"
    assert shown(shell, waiting)["status"] == "awaiting_review"


def test_approve_when_acting_as_an_uploader_then_refused(shell: Installation, waiting: str) -> None:
    shell.run("users", "add", "uma", "--role", "uploader", "--no-password")
    finished = shell.run(
        "review", "approve", waiting, "--sha256", review_hash(shell, waiting), "--as", "uma",
        "--json",
    )  # fmt: skip
    assert finished.code == ExitCode.REFUSED
    assert finished.error_code == "policy.denied"


def test_decision_when_sent_as_an_event_then_refused(shell: Installation, waiting: str) -> None:
    finished = shell.run(
        "instances", "send-event", f"{waiting}-r1", "--type", "review-decision",
        "--payload", '{"decision_id": "dec_forged"}', "--json",
    )  # fmt: skip
    assert finished.code == ExitCode.REFUSED
    assert shown(shell, waiting)["status"] == "awaiting_review"


def test_instance_when_shown_then_waits_for_the_decision(shell: Installation, waiting: str) -> None:
    document = shell.run("instances", "show", f"{waiting}-r1", "--json").json
    assert document["status"] == "waiting"
    listed = lines(shell.run("instances", "list", "--json"), "instances")
    assert f"{waiting}-r1" in {line["id"] for line in listed}


def test_approved_when_published_then_exported_files_verify(
    shell: Installation, published: str, tmp_path: Path
) -> None:
    exported = shell.run("runs", "export", published, str(tmp_path / "r1"), "--json")
    assert exported.code == ExitCode.DONE, exported
    assert set(map(str, (p.name for p in (tmp_path / "r1").iterdir()))) == {
        "index.html", "summary.md", "publication.json", "captions.vtt", "audio.opus",
        "manifest.json", "statement.json",
    }  # fmt: skip
    assert shell.run("verify", str(tmp_path / "r1")).code == ExitCode.DONE
    (tmp_path / "r1" / "summary.md").write_bytes(b"# Something else\n")
    assert shell.run("verify", str(tmp_path / "r1")).code == ExitCode.FAILED


def test_approved_when_published_then_run_says_who_and_what(
    shell: Installation, published: str
) -> None:
    document = shown(shell, published)
    assert document["status"] == "published"
    review, publication = document["review"], document["publication"]
    assert isinstance(review, dict)
    assert isinstance(publication, dict)
    assert review["decided_by"] == "operator"
    assert publication["review_sha256"] == review["sha256"]
    assert {"name", "sha256", "bytes"} == set(publication["files"][0])


def test_approve_when_already_decided_then_refused(shell: Installation, published: str) -> None:
    finished = shell.run(
        "review", "reject", published, "--sha256", review_hash(shell, published), "--json"
    )
    assert finished.code == ExitCode.REFUSED
    assert finished.error_code == "conflict.already_decided"


def test_reject_when_decided_then_nothing_is_published(shell: Installation) -> None:
    run = submit(shell)
    rejected = shell.run(
        "review", "reject", run, "--sha256", review_hash(shell, run), "--comment", "No.", "--json"
    )
    assert rejected.code == ExitCode.DONE
    document = shown(shell, run)
    assert document["status"] == "rejected"
    assert document["publication"] is None


def test_submit_when_a_file_is_refused_then_listed_with_its_error_and_1(
    shell: Installation, tmp_path: Path
) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "empty.mp3").write_bytes(b"")
    (tmp_path / "files" / "ok.wav").write_bytes(RECORDING.read_bytes())
    finished = shell.run("submit", str(tmp_path / "files"), "--json")
    assert finished.code == ExitCode.FAILED
    refused, accepted = lines(finished, "runs")
    assert isinstance(refused["error"], dict)
    assert refused["error"]["code"] == "input.empty"
    assert refused["run"] is None
    assert accepted["error"] is None


def test_submit_when_tenant_is_not_ones_own_or_unknown_then_refused(shell: Installation) -> None:
    shell.run("users", "add", "una", "--role", "uploader", "--no-password")
    other = shell.run("submit", str(RECORDING), "--as", "una", "--tenant", "acme", "--json")
    unknown = shell.run("submit", str(RECORDING), "--tenant", "../etc", "--json")
    for finished, code in ((other, "policy.denied"), (unknown, "input.unknown_tenant")):
        (line,) = lines(finished, "runs")
        assert isinstance(line["error"], dict)
        assert line["error"]["code"] == code
        assert line["run"] is None


def test_submit_when_time_to_wait_is_over_then_4(shell: Installation) -> None:
    finished = shell.run("submit", str(RECORDING), "--wait", "--timeout", "0", "--json")
    assert finished.code == ExitCode.TIMED_OUT
    assert finished.error_code == "timed_out"


def test_reprocess_when_dry_then_lists_runs_and_changes_nothing(
    shell: Installation, waiting: str
) -> None:
    finished = shell.run(
        "reprocess", "--select", f"run={waiting}", "--from-step", "check_quality",
        "--set", "quality.min_decoded_ratio=0.5", "--dry-run", "--json",
    )  # fmt: skip
    assert finished.code == ExitCode.DONE
    assert lines(finished, "runs") == [{"run": waiting}]
    assert shown(shell, waiting)["revision"] == 1


def test_reprocess_when_a_run_does_not_have_the_step_then_listed_as_skipped_and_untouched(
    shell: Installation, waiting: str
) -> None:
    given = (
        "reprocess", "--select", f"run={waiting}", "--from-step", "extract",
        "--set", "quality.min_decoded_ratio=0.5", "--json",
    )  # fmt: skip
    for options in (("--dry-run",), ()):
        finished = shell.run(*given, *options)
        assert finished.code == ExitCode.DONE
        (skipped,) = lines(finished, "skipped")
        assert (skipped["run"], skipped["reason"]) == (waiting, "is_recording")
    assert shown(shell, waiting)["revision"] == 1


@pytest.mark.parametrize(
    "wrong",
    [
        ("--select", "colour=red", "--from-step", "summarize", "--set", "llm.model=x"),
        ("--select", "run=x", "--from-step", "polish", "--set", "llm.model=x"),
        ("--select", "run=x", "--from-step", "summarize", "--set", "asr.model=x"),
        ("--select", "run=x", "--from-step", "transcribe", "--set", "asr.model=huge"),
        ("--select", "run=x", "--from-step", "transcribe", "--set", "asr.model=huge", "--dry-run"),
    ],
    ids=["selection", "step", "no effect", "no such model", "no such model, dry"],
)
def test_reprocess_when_it_cannot_be_understood_then_2(
    shell: Installation, wrong: tuple[str, ...]
) -> None:
    assert shell.run("reprocess", *wrong).code == ExitCode.USAGE


def test_reprocess_when_done_then_new_revisions_are_compared_with_the_old(
    shell: Installation,
) -> None:
    run = submit(shell)
    before = review_hash(shell, run)
    finished = shell.run(
        "reprocess", "--select", f"run={run}", "--from-step", "summarize",
        "--set", "llm.context_tokens=4096", "--json",
    )  # fmt: skip
    assert finished.code == ExitCode.DONE, finished
    (line,) = lines(finished, "runs")
    assert line["status"] == "awaiting_review"
    assert line["changed_sentences_ratio"] == 0
    old, new = line["old"], line["new"]
    assert isinstance(old, dict)
    assert isinstance(new, dict)
    assert (old["revision"], new["revision"]) == (1, 2)
    assert old["verdict"] == new["verdict"]
    steps = shown(shell, run)["steps"]
    assert isinstance(steps, list)
    assert not {"probe", "transcribe", "anonymize"} & {step["name"] for step in steps}
    assert review_hash(shell, run) != before

    batch = str(finished.json["batch"])
    assert (
        shell.run("reprocess", "report", batch, "--json").json["totals"]
        == (finished.json["totals"])
    )
    resumed = shell.run("reprocess", "--resume", batch, "--json")
    assert resumed.code == ExitCode.DONE
    assert shown(shell, run)["revision"] == 2, "a finished batch makes no revision again"


def test_reprocess_when_killed_midway_then_resumed_without_a_second_revision(
    shell: Installation,
) -> None:
    runs = sorted(submit(shell) for _ in range(2))
    command = [
        sys.executable, "-m", "pipeline", "reprocess", "--concurrency", "1",
        "--select", f"run in ({', '.join(runs)})", "--from-step", "summarize",
        "--set", "llm.context_tokens=4096",
    ]  # fmt: skip
    process = subprocess.Popen(
        command, env={**os.environ, "KIKIGAKI_HOME": str(shell.home)}, stderr=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    assert process.stderr is not None
    announced = next(line for line in process.stderr if line.startswith("Batch "))
    batch = announced.split()[1].rstrip(":")
    wait_until(lambda: shown(shell, runs[0])["revision"] == 2)
    process.kill()
    process.wait()
    process.stderr.close()
    assert process.returncode == -signal.SIGKILL

    resumed = shell.run("reprocess", "--resume", batch, "--json")
    assert resumed.code == ExitCode.DONE, resumed
    assert [shown(shell, run)["revision"] for run in runs] == [2, 2]
    assert {line["status"] for line in lines(resumed, "runs")} == {"awaiting_review"}


def test_erase_when_confirmed_then_receipt_and_nothing_is_left(shell: Installation) -> None:
    run = submit(shell)
    dry = shell.run("erase", "--run", run, "--dry-run", "--yes", "--json")
    assert dry.json == {"dry_run": True, "run_id": run}
    assert shown(shell, run)["status"] != "erased"
    copy = copy_in(shell.home, run) / "index.html"
    copy.parent.mkdir(parents=True)
    copy.write_text("as the demonstration leaves it", encoding="utf-8")
    finished = shell.run("erase", "--run", run, "--yes", "--json")
    assert finished.code == ExitCode.DONE, finished
    assert finished.json["verified"] is True
    document = shown(shell, run)
    assert document["status"] == "erased"
    assert not copy.parent.exists()
    assert shell.run("audit", "verify").code == ExitCode.DONE


def test_retention_when_nothing_is_old_enough_then_nothing_is_deleted(
    shell: Installation, published: str
) -> None:
    assert lines(shell.run("retention", "run", "--dry-run", "--json"), "runs") == []
    assert shown(shell, published)["status"] == "published"


def test_instance_when_created_with_parameters_that_do_not_fit_then_refused(
    shell: Installation,
) -> None:
    finished = shell.run(
        "instances", "create", "process-source", "--params", '{"job": 1}', "--json"
    )
    assert finished.code == ExitCode.FAILED
    assert finished.error_code == "input.invalid"


def test_erase_when_a_subject_is_named_then_all_its_runs_and_no_others(shell: Installation) -> None:
    # last in this file: everything that the installation heard names this person
    run = submit(shell)
    dry = shell.run("erase", "--subject", "虚构莲", "--dry-run", "--json")
    assert {"run_id": run} in lines(dry, "runs")
    assert shown(shell, run)["status"] == "awaiting_review"
    nobody = shell.run("erase", "--subject", "-", "--yes", "--json", stdin="Rowan Nobody\n")
    assert lines(nobody, "runs") == []
    finished = shell.run("erase", "--subject", "虚构莲", "--yes", "--json")
    assert finished.code == ExitCode.DONE, finished
    assert run in {line["run_id"] for line in lines(finished, "runs")}
    assert "虚构莲" not in shell.run("audit", "export").stdout
    assert shown(shell, run)["status"] == "erased"
