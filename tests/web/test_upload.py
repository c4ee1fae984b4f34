"""Uploads: what is taken, what is refused at once and why, and what a name cannot do."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from markupsafe import escape

from models.summarizer.templates import template_names
from review_ui.files import content_disposition
from storage import revisions
from storage.database import reading
from storage.statuses import RunStatus
from tests.web.conftest import MAX_UPLOAD_BYTES
from tests.web.world import DATA, HOSTILE_NAME, SPEECH, World

ODD = DATA / "media_odd"


def upload_folder(world: World) -> Path:
    folder = world.client.app.state.web.config.upload_folder  # type: ignore[attr-defined]
    assert isinstance(folder, Path)
    return folder


def test_form_when_a_recording_is_sent_without_script_leads_to_its_run(world: World) -> None:
    client = world.sign_in("uploader")
    answer = client.post(
        "/upload",
        data={"language": "zh", "template": "default", "title": "Welcome"},
        files={"file": ("welcome.wav", SPEECH.read_bytes())},
    )
    assert answer.status_code == 303
    page = client.get(answer.headers["location"]).text
    assert "Welcome" in page
    assert "welcome.wav" in page
    assert list(upload_folder(world).iterdir()) == []


def test_form_when_template_and_language_of_the_summary_are_chosen_the_run_has_them(
    world: World,
) -> None:
    client = world.sign_in("uploader")
    page = client.get("/upload").text
    assert all(f'<option value="{name}"' in page for name in template_names())
    answer = client.post(
        "/upload",
        data={"template": "lecture", "summary_language": "ja"},
        files={"file": ("welcome.wav", SPEECH.read_bytes())},
    )
    assert answer.status_code == 303
    (run,) = client.get("/api/v1/runs", params={"template": "lecture"}).json()["runs"]
    with reading(world.app.database) as session:
        assert revisions.get_revision(session, run["run"], 1).overrides == {
            "summary.language": "ja"
        }


@pytest.mark.parametrize(
    "field", [{"template": "minutes"}, {"template": "../x"}, {"summary_language": "tlh"}]
)
def test_upload_when_template_or_language_is_unknown_is_refused_with_those_that_there_are(
    world: World, field: dict[str, str]
) -> None:
    client = world.sign_in("uploader")
    files = {"file": ("welcome.wav", SPEECH.read_bytes())}
    answer = client.post("/api/v1/runs", data=field, files=files)
    assert answer.status_code == 422
    message = answer.json()["error"]["message"]
    assert ("meeting" if "template" in field else "source, en, ja or zh") in message
    assert client.get("/api/v1/runs").json()["runs"] == []


@pytest.mark.parametrize(
    ("name", "code", "status"),
    [
        ("zero_byte.mp3", "input.empty", 422),
        ("text_renamed.mp3", "input.not_media", 422),
        ("video_without_audio.mp4", "input.no_audio_track", 422),
        ("truncated_before_moov.m4a", "input.corrupt", 422),
    ],
)
def test_file_when_it_cannot_be_used_is_refused_at_once_and_makes_no_run(
    world: World, name: str, code: str, status: int
) -> None:
    world.sign_in("uploader")
    files = {"file": (name, (ODD / name).read_bytes())}
    answer = world.client.post("/api/v1/runs", files=files)
    assert answer.status_code == status
    error = answer.json()["error"]
    assert error["code"] == code
    assert len(error["message"]) > 10
    assert world.client.get("/api/v1/runs").json()["runs"] == []


def test_form_when_some_files_are_refused_says_which_and_takes_the_others(world: World) -> None:
    client = world.sign_in("uploader")
    answer = client.post(
        "/upload",
        files=[
            ("file", ("good.wav", SPEECH.read_bytes())),
            ("file", ("<img src=x>.mp3", b"")),
        ],
    )
    assert answer.status_code == 422
    assert "input.empty" in answer.text
    assert "&lt;img src=x&gt;.mp3" in answer.text
    assert "<img src=x>" not in answer.text
    assert len(client.get("/api/v1/runs").json()["runs"]) == 1


def test_form_when_no_file_is_chosen_is_shown_again(world: World) -> None:
    client = world.sign_in("uploader")
    answer = client.post("/upload", data={"language": "en"}, files={"file": ("", b"")})
    assert answer.status_code == 422
    assert "Choose at least one file" in answer.text


def test_file_when_larger_than_the_limit_is_refused_without_being_kept(world: World) -> None:
    client = world.sign_in("uploader")
    answer = client.post("/api/v1/runs", files={"file": ("big.wav", b"0" * (MAX_UPLOAD_BYTES + 1))})
    assert answer.status_code == 413
    assert answer.json()["error"]["code"] == "input.too_large"
    assert list(upload_folder(world).iterdir()) == []


def test_upload_when_it_breaks_off_is_refused_and_makes_no_run(world: World) -> None:
    def cut() -> Iterator[bytes]:
        yield b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\nRIFF'

    client = world.sign_in("uploader")
    kind = {"Content-Type": "multipart/form-data; boundary=b"}
    answer = client.post("/api/v1/runs", content=cut(), headers=kind)
    assert answer.status_code == 422
    assert client.get("/api/v1/runs").json()["runs"] == []


def test_upload_when_its_boundary_is_no_boundary_is_refused(world: World) -> None:
    kind = {"Content-Type": f"multipart/form-data; boundary={'a' * 300}"}
    answer = world.sign_in("uploader").post("/api/v1/runs", content=b"x", headers=kind)
    assert answer.status_code == 422


def test_upload_when_sent_by_a_stranger_is_refused_unread(world: World) -> None:
    world.client.cookies.clear()
    answer = world.client.post("/api/v1/runs", files={"file": ("a.wav", SPEECH.read_bytes())})
    assert answer.status_code == 401


def test_upload_when_repeated_with_its_key_is_one_run(world: World) -> None:
    headers = {**world.token("uploader"), "Idempotency-Key": "k1"}
    files = {"file": ("call.wav", SPEECH.read_bytes())}
    first, second = (
        world.client.post("/api/v1/runs", files=files, headers=headers).json() for _ in range(2)
    )
    assert first["run"] == second["run"]
    assert first["status"] == RunStatus.QUEUED
    other = {"file": ("call.flac", (DATA / "media_odd" / "phone_8k_mulaw.wav").read_bytes())}
    assert world.client.post("/api/v1/runs", files=other, headers=headers).status_code == 409


def test_hostile_file_name_when_shown_and_downloaded_stays_a_name(world: World) -> None:
    run_id = world.submit(file_name=HOSTILE_NAME, title="<script>alert(1)</script>")
    client = world.sign_in("admin")
    page = client.get(f"/runs/{run_id}").text
    assert "<script>alert" not in page
    assert "<img src=x" not in page
    answer = client.get(f"/api/v1/runs/{run_id}/artifacts/source")
    assert answer.content == SPEECH.read_bytes()
    assert "x-evil" not in answer.headers
    disposition = answer.headers["content-disposition"]
    assert disposition.startswith('attachment; filename="')
    assert "filename*=UTF-8''%E4%BC%9A%E8%AD%B0" in disposition
    assert disposition.count('"') == 2


def test_content_disposition_when_the_name_has_controls_and_quotes_has_none() -> None:
    value = content_disposition('a"b\r\nSet-Cookie: x=1;\x00/../ü.wav')
    assert "\r" not in value
    assert "\n" not in value
    assert value.count('"') == 2
    assert not {"%0D", "%0A", "%00"} & {value[i : i + 3] for i in range(len(value))}


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("a%22b%22.wav", 'a"b".wav'),
        ("line%0Abreak%0D%0Aagain.wav", "linebreakagain.wav"),
        ("100%25%20sure.wav", "100%25%20sure.wav"),
        ("%22%0D%0AX-Evil: 1%22.wav", '"X-Evil: 1".wav'),
        ("..%2F%22up.wav", '..%2F"up.wav'),
    ],
)
def test_file_name_when_the_browser_escaped_it_is_kept_as_it_was_and_harmless(
    world: World, sent: str, kept: str
) -> None:
    client = world.sign_in("admin")
    head = f'--b\r\nContent-Disposition: form-data; name="file"; filename="{sent}"\r\n\r\n'
    answer = client.post(
        "/api/v1/runs",
        content=head.encode() + SPEECH.read_bytes() + b"\r\n--b--\r\n",
        headers={"Content-Type": "multipart/form-data; boundary=b"},
    )
    assert answer.status_code == 201, answer.text
    assert answer.json()["file"] == kept
    page = client.get(f"/runs/{answer.json()['run']}").text
    assert f'<span class="filename">{escape(kept)}</span>' in page
    download = client.get(f"/api/v1/runs/{answer.json()['run']}/artifacts/source")
    disposition = download.headers["content-disposition"]
    assert disposition.endswith(f"filename*=UTF-8''{quote(kept, safe='')}")
    assert "x-evil" not in download.headers


def test_refused_file_when_its_name_has_a_line_break_is_named_on_one_line(world: World) -> None:
    client = world.sign_in("uploader")
    answer = client.post("/upload", files={"file": ('two\nlines".mp3', b"")})
    assert "twolines&#34;.mp3" in answer.text
