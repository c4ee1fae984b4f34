"""Large files that go straight to the store: real PUTs to the real server's addresses."""

import os
import subprocess
import sys
import threading
import wave
from dataclasses import asdict, replace
from datetime import timedelta
from pathlib import Path

import httpx
import pytest
from fastapi.testclient import TestClient
from httpx2 import Response

from configs.clock import new_id, utc_now
from pipeline import commands
from pipeline.commands import App
from review_ui.app import create_app
from review_ui.web import WebConfig
from storage import pending_uploads, runs, users
from storage.database import reading, transaction
from storage.incoming import IncomingFile
from storage.refs import Area, run_prefix
from storage.statuses import RunStatus
from storage.tables import PendingUpload, Run
from storage.uploads import PART_BYTES
from tests.docs import README, code_blocks
from tests.served import served
from tests.web.conftest import MAX_UPLOAD_BYTES
from tests.web.world import DATA, SPEECH, World

Json = dict[str, object]
SPEECH_BYTES = SPEECH.stat().st_size


@pytest.fixture
def large(app: App, config: WebConfig) -> World:
    """The world with room for files of several parts."""
    made = replace(app, max_upload_bytes=64 * 1024 * 1024)
    client = TestClient(create_app(made, config), follow_redirects=False)
    with reading(app.database) as session:
        people = {user.name: user for user in users.list_users(session)}
    return World(made, client, people)


@pytest.fixture
def long_file(tmp_path: Path) -> Path:
    """A recording of three parts."""
    path = tmp_path / "long.wav"
    with wave.open(str(path), "wb") as file:
        file.setparams((2, 2, 48_000, 0, "NONE", ""))
        file.writeframes(bytes(2 * PART_BYTES + 1000))
    return path


def announce(world: World, file: Path = SPEECH, name: str = "uploader", **said: object) -> Json:
    body = {"file": file.name, "bytes": file.stat().st_size, **said}
    answer = world.client.post("/api/v1/uploads", json=body, headers=world.token(name))
    assert answer.status_code == 201, answer.text
    begun = answer.json()
    assert isinstance(begun, dict)
    return begun


def send(begun: Json, file: Path = SPEECH) -> list[Json]:
    """PUT each part and return what completes the upload."""
    sent: list[Json] = []
    assert isinstance(begun["parts"], list)
    assert isinstance(begun["part_bytes"], int)
    with file.open("rb") as source:
        for part in begun["parts"]:
            answer = httpx.put(part["url"], content=source.read(begun["part_bytes"]))
            assert answer.status_code == 200, answer.text
            sent.append({"number": part["number"], "etag": answer.headers["etag"]})
    return sent


def complete(world: World, begun: Json, parts: list[Json], name: str = "uploader") -> Response:
    address = f"/api/v1/uploads/{begun['upload']}/complete"
    return world.client.post(address, json={"parts": parts}, headers=world.token(name))


def kept(world: World, begun: Json) -> set[str]:
    """Return what is left of an upload: keys in the store, unfinished parts, its row."""
    client, bucket = world.app.store._client, world.app.store.bucket(Area.RAW)
    prefix = run_prefix("default", str(begun["upload"]))
    listed = client.list_object_versions(Bucket=bucket, Prefix=prefix)
    found = {one["Key"].removeprefix(prefix).split("/")[0] for one in listed.get("Versions", [])}
    found |= {"marker" for _ in listed.get("DeleteMarkers", [])}
    uploads = client.list_multipart_uploads(Bucket=bucket, Prefix=prefix)
    found |= {"parts" for _ in uploads.get("Uploads", [])}
    return found | ({"row"} if row_of(world, begun) else set())


def row_of(world: World, begun: Json) -> PendingUpload | None:
    with reading(world.app.database) as session:
        return session.get(PendingUpload, str(begun["upload"]))


def change(world: World, begun: Json, **values: object) -> None:
    with transaction(world.app.database) as session:
        row = session.get_one(PendingUpload, str(begun["upload"]))
        for name, value in values.items():
            setattr(row, name, value)
        session.add(row)


def incoming(world: World, begun: Json) -> tuple[IncomingFile, PendingUpload]:
    row = row_of(world, begun)
    assert row
    return world.app.store.incoming(row.tenant, row.id, row.bytes), row


def join(world: World, begun: Json, parts: list[Json]) -> None:
    """Do what a request did that died right after the store had made one object."""
    file, row = incoming(world, begun)
    file.complete(row.store_upload_id, {int(str(p["number"])): str(p["etag"]) for p in parts})


def submit(world: World, begun: Json, file: Path = SPEECH) -> Run:
    """Do what a request did that died right after it had made the run."""
    upload = commands.Upload(path=file, file_name=file.name)
    actor = world.actor("uploader")
    return commands.submit(world.app, actor, upload, pending_id=str(begun["upload"]))


def count_runs(world: World) -> int:
    answer = world.client.get("/api/v1/runs", headers=world.token("admin"))
    return len(answer.json()["runs"])


def test_upload_when_it_has_several_parts_becomes_a_run_as_any_other(
    large: World, long_file: Path
) -> None:
    begun = announce(large, long_file, title="Council", language="ja", template="lecture")
    assert isinstance(begun["parts"], list)
    assert len(begun["parts"]) == 3
    assert all(long_file.stem not in part["url"] for part in begun["parts"])

    answer = complete(large, begun, send(begun, long_file))

    assert answer.status_code == 201, answer.text
    line = answer.json()
    assert (line["run"], line["status"], line["file"]) == (begun["upload"], "queued", "long.wav")
    assert (line["title"], line["language"], line["template"]) == ("Council", "ja", "lecture")
    with reading(large.app.database) as session:
        source = runs.artifacts_of(session, line["run"], 1)["source"]
    assert b"".join(large.app.store.read_blocks(source)) == long_file.read_bytes()
    assert kept(large, begun) == {"source"}
    web = large.client.app.state.web  # type: ignore[attr-defined]
    assert list(web.config.upload_folder.iterdir()) == []


def test_upload_when_it_has_a_vocabulary_and_a_language_its_run_has_them(world: World) -> None:
    begun = announce(world, vocabulary="Fenwick, Rowan", summary_language="ja")
    assert complete(world, begun, send(begun)).status_code == 201
    with reading(world.app.database) as session:
        revision = runs.artifacts_of(session, str(begun["upload"]), 1)
    assert set(revision) == {"source", "vocabulary"}
    assert kept(world, begun) == {"source", "vocabulary"}


def test_complete_when_repeated_answers_with_the_same_run(world: World) -> None:
    begun = announce(world)
    parts = send(begun)
    first, second = complete(world, begun, parts), complete(world, begun, [])
    assert (first.status_code, second.status_code) == (201, 201)
    assert first.json() == second.json()
    assert count_runs(world) == 1


def test_complete_when_asked_twice_at_once_makes_one_run(world: World) -> None:
    begun = announce(world, vocabulary="Fenwick")
    parts, headers = send(begun), world.token("uploader")
    answers: list[httpx.Response] = []
    address = f"/api/v1/uploads/{begun['upload']}/complete"
    barrier = threading.Barrier(3)

    def work(site: str) -> None:
        barrier.wait()
        answers.append(
            httpx.post(site + address, json={"parts": parts}, headers=headers, timeout=60)
        )

    with served(world.client.app) as site:
        threads = [threading.Thread(target=work, args=(site,)) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert [answer.status_code for answer in answers] == [201, 201, 201]
    assert {answer.json()["run"] for answer in answers} == {begun["upload"]}
    assert count_runs(world) == 1
    assert "incoming" not in kept(world, begun)


@pytest.mark.parametrize("name", ["admin", "editor"])
def test_complete_when_it_is_somebody_elses_is_not_found(world: World, name: str) -> None:
    begun = announce(world)
    parts = send(begun)
    assert complete(world, begun, parts, name).status_code == 404
    assert complete(world, begun, parts).status_code == 201
    assert complete(world, begun, parts, name).status_code == 404


def test_complete_when_there_is_no_such_upload_is_not_found(world: World) -> None:
    assert complete(world, {"upload": new_id("run")}, []).status_code == 404


def test_complete_when_parts_are_wrong_says_which_and_can_be_tried_again(
    large: World, long_file: Path
) -> None:
    begun = announce(large, long_file)
    parts = send(begun, long_file)
    forged = {"number": 2, "etag": parts[0]["etag"]}
    more = {"number": 4, "etag": parts[0]["etag"]}
    for given, wrong in (
        (parts[:2], [3]),
        ([parts[0], forged, parts[2]], [2]),
        ([*parts, more], [4]),
        ([], [1, 2, 3]),
    ):
        answer = complete(large, begun, given)
        assert answer.status_code == 422
        error = answer.json()["error"]
        assert (error["code"], error["details"]) == ("input.parts", {"parts": wrong})
    unquoted = [{**part, "etag": str(part["etag"]).strip('"')} for part in reversed(parts)]
    assert complete(large, begun, unquoted).status_code == 201


def test_complete_when_a_part_was_never_sent_says_so(large: World, long_file: Path) -> None:
    begun = announce(large, long_file)
    assert isinstance(begun["parts"], list)
    begun["parts"], last = begun["parts"][:2], begun["parts"][2:]
    parts = send(begun, long_file)
    assert complete(large, begun, [*parts, {**parts[0], "number": 3}]).status_code == 422
    rest = long_file.read_bytes()[2 * PART_BYTES :]
    answer = httpx.put(last[0]["url"], content=rest)
    third = {"number": 3, "etag": answer.headers["etag"]}
    assert complete(large, begun, [*parts, third]).status_code == 201


def test_part_when_it_is_larger_than_announced_is_refused_by_the_store(world: World) -> None:
    begun = announce(world)
    assert isinstance(begun["parts"], list)
    answer = httpx.put(begun["parts"][0]["url"], content=bytes(SPEECH_BYTES + 1))
    assert answer.status_code == 403


def test_complete_when_the_file_cannot_be_used_is_refused_and_nothing_stays(world: World) -> None:
    file = DATA / "media_odd" / "text_renamed.mp3"
    begun = announce(world, file, title="Marigold Fenwick")
    parts = send(begun, file)
    answer = complete(world, begun, parts)
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "input.not_media")
    assert kept(world, begun) == set()
    assert count_runs(world) == 0
    assert complete(world, begun, parts).status_code == 404


def test_complete_when_the_object_is_not_of_the_announced_size_is_refused(world: World) -> None:
    begun = announce(world)
    file, _ = incoming(world, begun)
    world.app.store._client.put_object(Bucket=file.bucket, Key=file.key, Body=b"RIFF")
    answer = complete(world, begun, [])
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "input.corrupt")
    assert kept(world, begun) == set()


def test_complete_when_it_is_too_late_says_so(world: World) -> None:
    begun = announce(world)
    parts = send(begun)
    change(world, begun, expires_at=utc_now() - timedelta(seconds=1))
    answer = complete(world, begun, parts)
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "conflict.upload_expired")
    assert count_runs(world) == 0


def test_complete_when_the_store_has_lost_the_parts_says_to_begin_again(world: World) -> None:
    begun = announce(world)
    parts = send(begun)
    file, _ = incoming(world, begun)
    file.delete()
    answer = complete(world, begun, parts)
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "conflict.upload_expired")


def test_complete_when_an_earlier_one_died_after_the_store_joined_the_parts_goes_on(
    world: World,
) -> None:
    begun = announce(world)
    parts = send(begun)
    join(world, begun, parts)
    assert complete(world, begun, parts).json()["run"] == begun["upload"]
    assert kept(world, begun) == {"source"}


@pytest.mark.parametrize("is_deleted", [False, True])
def test_complete_when_an_earlier_one_died_after_it_made_the_run_answers_with_that(
    world: World, is_deleted: bool
) -> None:
    begun = announce(world)
    parts = send(begun)
    join(world, begun, parts)
    run = submit(world, begun)
    assert kept(world, begun) == {"incoming", "source", "row"}
    if is_deleted:
        incoming(world, begun)[0].delete()
    assert complete(world, begun, parts).json()["run"] == run.id
    assert (kept(world, begun), count_runs(world)) == ({"source"}, 1)


def test_complete_when_an_earlier_one_died_while_it_refused_the_file_says_to_begin_again(
    world: World,
) -> None:
    begun = announce(world)
    parts = send(begun)
    change(world, begun, announcement=None)
    assert complete(world, begun, parts).status_code == 409
    assert count_runs(world) == 0


def test_erase_when_a_request_died_before_it_deleted_the_file_takes_it_too(world: World) -> None:
    begun = announce(world, title="Marigold Fenwick")
    join(world, begun, send(begun))
    run = submit(world, begun)
    receipt = commands.erase(world.app, world.actor("admin"), run.id)
    assert (receipt.verified, kept(world, begun)) == (True, set())
    assert complete(world, begun, []).json()["status"] == RunStatus.ERASED


@pytest.mark.parametrize(
    ("said", "status", "code"),
    [
        ({"bytes": MAX_UPLOAD_BYTES + 1}, 413, "input.too_large"),
        ({"bytes": 0}, 422, "input.empty"),
        ({"bytes": -1}, 422, "request.invalid"),
        ({"language": "tlh"}, 422, "input.invalid"),
        ({"template": "../x"}, 422, "input.invalid"),
        ({"summary_language": "tlh"}, 422, "input.invalid"),
        ({"vocabulary": "x" * 101}, 422, "input.invalid"),
        ({"title": "x" * 70_000}, 422, "request.invalid"),
        ({"tenant": "school"}, 403, "policy.denied"),
        ({"surplus": 1}, 422, "request.invalid"),
    ],
)
def test_announcement_when_it_cannot_become_a_run_is_refused_before_anything_is_sent(
    world: World, said: Json, status: int, code: str
) -> None:
    body = {"file": "a.wav", "bytes": SPEECH_BYTES, **said}
    answer = world.client.post("/api/v1/uploads", json=body, headers=world.token("uploader"))
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
    with reading(world.app.database) as session:
        assert pending_uploads.tenants_with_uploads(session) == []


def test_announcement_when_sent_by_a_stranger_is_refused(world: World) -> None:
    answer = world.client.post("/api/v1/uploads", json={"file": "a.wav", "bytes": 1})
    assert answer.status_code == 401


def test_announcement_when_kept_holds_all_that_was_said(world: World) -> None:
    begun = announce(world, title="Council", vocabulary="Fenwick")
    row = row_of(world, begun)
    assert row
    said = commands.Announcement(file_name=SPEECH.name, title="Council", vocabulary=("Fenwick",))
    assert row.announcement == {**asdict(said), "vocabulary": ["Fenwick"]}


def test_readme_when_its_example_is_run_uploads_a_file(
    large: World, long_file: Path, tmp_path: Path
) -> None:
    (example,) = code_blocks(README, "python")
    script = tmp_path / "send.py"
    script.write_text(example, encoding="utf-8")
    token = large.token("uploader")["Authorization"].removeprefix("Bearer ")
    with served(large.client.app) as site:
        done = subprocess.run(
            [sys.executable, str(script), f"{site}/api/v1", str(long_file)],
            env={**os.environ, "TOKEN": token},
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    with reading(large.app.database) as session:
        assert runs.get_run(session, done.stdout.strip()).file_name == "long.wav"
