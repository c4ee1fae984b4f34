"""A backup brings a whole installation back: what is published, and what still waits."""

import json
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from configs.clock import new_id
from configs.errors import ConflictError, InputError
from configs.settings import load_settings
from pipeline.backups import back_up, restore
from pipeline.cli.console import ExitCode
from pipeline.engine.testing import without_waits
from storage.embedded_s3 import EmbeddedS3
from storage.statuses import RunStatus
from tests.application import running
from tests.databases import KINDS, NewDatabase
from tests.installation import Installation
from tests.waiting import wait_until


@pytest.mark.parametrize("kind", KINDS)
def test_restore_when_a_run_waits_then_it_can_be_approved_and_what_was_published_stands(
    kind: str, new_database: NewDatabase, s3_server: EmbeddedS3, tmp_path: Path
) -> None:
    store = replace(s3_server.config, bucket_prefix=new_id("b").replace("_", "-"))
    times = without_waits()
    folder, home = tmp_path / "backup", tmp_path / "restored"
    with (
        new_database(kind) as url,
        running(tmp_path / "home", url, store, engine_settings=times) as first,
    ):
        published, waiting = first.submit_for_review(), first.submit_for_review()
        first.decide(published, "approve")
        wait_until(partial(first.has_ended, published), "the notification")
        back_up(first.runtime, folder)
        expected = first.story(published)
        shown = first.review(waiting).sha256
    other = EmbeddedS3(tmp_path / "other", bucket_prefix=store.bucket_prefix)
    with new_database(kind) as url, other:
        settings = load_settings(
            {
                "KIKIGAKI_HOME": str(home),
                "KIKIGAKI_DATABASE__URL": url,
                "KIKIGAKI_S3__ENDPOINT_URL": other.config.endpoint_url,
                "KIKIGAKI_S3__ACCESS_KEY": other.config.access_key,
                "KIKIGAKI_S3__SECRET_KEY": other.config.secret_key,
                "KIKIGAKI_S3__BUCKET_PREFIX": store.bucket_prefix,
            }
        )
        assert restore(settings, folder).objects > 10
        with pytest.raises(ConflictError, match="is not empty"):
            restore(settings, folder)
        elsewhere = settings.model_copy(update={"home": tmp_path / "elsewhere"})
        with pytest.raises(ConflictError, match="store is not empty"):
            restore(elsewhere, folder)
        assert not elsewhere.home.exists()
        with running(home, url, other.config, engine_settings=times) as second:
            assert second.story(published) == expected
            assert second.review(waiting).sha256 == shown
            second.decide(waiting, "approve", shown)
            second.wait_for_run(waiting, RunStatus.PUBLISHED)


@pytest.fixture
def shell(tmp_path: Path) -> Installation:
    shell = Installation(tmp_path / "home")
    assert shell.run("users", "add", "mia", "--no-password").code == ExitCode.DONE
    assert shell.run("backup", str(tmp_path / "backup"), "--json").code == ExitCode.DONE
    return shell


def test_restore_when_the_home_is_new_then_users_and_audit_log_are_there(
    shell: Installation, tmp_path: Path
) -> None:
    new = Installation(tmp_path / "new")
    restored = new.run("restore", str(tmp_path / "backup"), "--json")
    assert restored.code == ExitCode.DONE, restored
    assert restored.json["verified"] is True
    assert new.run("users", "list", "--json").json == shell.run("users", "list", "--json").json
    assert new.run("audit", "verify").code == ExitCode.DONE


def test_restore_when_the_home_is_not_empty_then_refused_and_unchanged(
    shell: Installation, tmp_path: Path
) -> None:
    shell.run("users", "add", "ben", "--no-password")
    before = shell.run("users", "list", "--json").json
    assert shell.run("restore", str(tmp_path / "backup")).code == ExitCode.REFUSED
    assert shell.run("users", "list", "--json").json == before


@pytest.mark.usefixtures("shell")
def test_restore_when_a_file_of_the_backup_was_changed_then_refused_before_anything(
    tmp_path: Path,
) -> None:
    database = tmp_path / "backup" / "database" / "database.sqlite"
    data = bytearray(database.read_bytes())
    data[-1] ^= 1
    database.write_bytes(data)
    new = Installation(tmp_path / "new")
    assert new.run("restore", str(tmp_path / "backup"), "--json").error_code == "integrity"
    assert not (tmp_path / "new").exists()


@pytest.mark.usefixtures("shell")
def test_restore_when_a_listed_name_leaves_the_backup_then_refused(tmp_path: Path) -> None:
    listed = tmp_path / "backup" / "backup.json"
    document = json.loads(listed.read_bytes())
    document["files"]["../home/kikigaki.sqlite"] = "0" * 64
    listed.write_text(json.dumps(document))
    new = Installation(tmp_path / "new")
    assert new.run("restore", str(tmp_path / "backup"), "--json").error_code == "integrity"


def test_restore_when_the_folder_is_no_backup_then_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        restore(load_settings({"KIKIGAKI_HOME": str(tmp_path / "new")}), tmp_path)


def test_backup_when_the_folder_is_not_empty_then_refused(
    shell: Installation, tmp_path: Path
) -> None:
    finished = shell.run("backup", str(tmp_path / "backup"), "--json")
    assert finished.code == ExitCode.FAILED
    assert finished.error_code == "input.invalid"
