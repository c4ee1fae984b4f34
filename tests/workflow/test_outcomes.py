"""What becomes of recordings and documents that are not as one would wish."""

from pathlib import Path

import docx
import pytest

from configs.errors import (
    AppError,
    CorruptInputError,
    EmptyInputError,
    InputError,
    NoAudioTrackError,
    NotApplicableError,
    NotMediaError,
    TooLargeError,
)
from models.documents import RedactedTranscript
from models.quality import CheckOptions
from pipeline import commands
from pipeline.commands import Upload
from storage import retention
from storage.database import reading
from storage.run_list import count_runs
from storage.statuses import RunStatus
from tests.deployment import OPERATOR, Deployment
from tests.waiting import wait_until

ODD = Path(__file__).parent.parent / "data/media_odd"
DOCUMENTS = Path(__file__).parent.parent / "data/documents"


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("zero_byte.mp3", EmptyInputError),
        ("text_renamed.mp3", NotMediaError),
        ("video_without_audio.mp4", NoAudioTrackError),
        ("truncated_before_moov.m4a", CorruptInputError),
    ],
)
def test_submit_of_what_is_no_recording_is_refused_and_makes_no_run(
    application: Deployment, name: str, error: type[AppError]
) -> None:
    before = _count(application)
    with pytest.raises(error):
        application.submit(ODD / name)
    assert _count(application) == before


@pytest.mark.parametrize("name", ["silence_30s.wav", "noise_brown_30s.mp3"])
def test_recording_without_speech_ends_as_no_speech(application: Deployment, name: str) -> None:
    run_id = application.submit(ODD / name)
    application.wait_for_run(run_id, RunStatus.NO_SPEECH)
    assert "summary" not in application.artifacts(run_id)


@pytest.mark.parametrize(
    "name",
    [
        "mediarecorder_opus_no_duration.webm",
        "video_with_speech.mp4",
        "stereo_right_channel_silent.wav",
        "phone_8k_mulaw.wav",
        "hires_24bit.flac",
        "voice_memo.amr",
    ],
)
def test_odd_recording_reaches_the_review(application: Deployment, name: str) -> None:
    run_id = application.submit_for_review(ODD / name)
    assert application.run(run_id).coverage["decoded_s"]


def test_document_reaches_the_review_without_audio(application: Deployment) -> None:
    run_id = application.submit_for_review(DOCUMENTS / "ja_minutes_shift_jis.txt", "ja")
    assert "redacted_audio" not in application.artifacts(run_id)
    steps = [s.name for s in application.instance(run_id).history()]
    assert "extract" in steps
    assert "transcribe" not in steps


def test_word_document_reaches_the_review_with_its_places(
    application: Deployment, tmp_path: Path
) -> None:
    document = docx.Document()
    document.add_heading("Budget", 1)
    document.add_paragraph("We agreed to pay for the new server in April.")
    document.save(str(tmp_path / "minutes.docx"))
    run_id = application.submit_for_review(tmp_path / "minutes.docx", "en")
    assert commands.is_document(application.run(run_id).media_type)
    found = application.document(run_id, "redacted_transcript")
    transcript = RedactedTranscript.model_validate(found)
    assert [segment.location for segment in transcript.segments] == ["heading 1", "paragraph 1"]


def test_submit_of_a_file_over_the_limit_is_refused(
    application: Deployment, tmp_path: Path
) -> None:
    path = tmp_path / "long.wav"
    with path.open("wb") as file:
        file.truncate(application.runtime.app.max_upload_bytes + 1)
    with pytest.raises(TooLargeError):
        application.submit(path)


@pytest.mark.parametrize(
    "name", ["../../etc/passwd.mp3", "会議録音 😀 (最終).wav", "-rf.mp3", "a\x00b\n.wav", ""]
)
def test_submit_under_a_hostile_name_never_makes_it_part_of_a_key(
    application: Deployment, name: str
) -> None:
    path = ODD / "voice_memo.amr"
    run = commands.submit(application.runtime.app, OPERATOR, Upload(path=path, file_name=name))
    assert "/" not in run.file_name
    assert run.file_name.isprintable() or "\u200d" in run.file_name
    key = application.artifacts(run.id)["source"].key
    assert key == f"default/runs/{run.id}/source/{run.source_sha256}.bin"


def test_submit_twice_with_one_idempotency_key_is_one_run(application: Deployment) -> None:
    upload = Upload(path=ODD / "voice_memo.amr", file_name="memo.amr")
    first = commands.submit(application.runtime.app, OPERATOR, upload, "key-1")
    assert commands.submit(application.runtime.app, OPERATOR, upload, "key-1").id == first.id


def test_erase_of_a_run_deletes_its_objects_and_ends_its_instance(application: Deployment) -> None:
    run_id = application.submit_for_review()
    refs = application.artifacts(run_id).values()
    receipt = commands.erase(application.runtime.app, OPERATOR, run_id)
    assert receipt.verified
    assert not any(application.runtime.store.exists(ref) for ref in refs)
    assert application.run(run_id).status == RunStatus.ERASED
    assert application.instance(run_id).status().status == "terminated"


def test_subject_is_found_in_what_was_said_written_and_replaced(application: Deployment) -> None:
    said = application.submit_for_review()
    app, elsewhere = application.runtime.app, application.submit_for_review(language="ja")
    for wanted in ("Marigold Fenwick", "marigold  fenwick", "020-7946-0991"):
        found = commands.find_subject(app, OPERATOR, wanted)
        assert said in found.run_ids
        assert elsewhere not in found.run_ids
    assert elsewhere in commands.find_subject(app, OPERATOR, "架空田花子").run_ids
    assert commands.find_subject(app, OPERATOR, "Rowan Nobody").run_ids == ()
    retention.delete_raw(application.runtime.database, application.runtime.store, said)
    after = commands.find_subject(app, OPERATOR, "Marigold Fenwick")
    assert said in after.without_raw
    assert said not in after.run_ids


@pytest.mark.parametrize("subject", ["", "a", "12", "x" * 300])
def test_subject_that_tells_nobody_apart_is_refused(application: Deployment, subject: str) -> None:
    with pytest.raises(InputError):
        commands.find_subject(application.runtime.app, OPERATOR, subject)


def test_check_of_a_run_whose_raw_artifacts_are_gone_is_refused(application: Deployment) -> None:
    run_id = application.submit_for_review()
    runtime = application.runtime
    retention.delete_raw(runtime.database, runtime.store, run_id)
    job = commands.newest_job(runtime.app, OPERATOR, run_id)
    with pytest.raises(NotApplicableError) as refused:
        commands.check(runtime.app, OPERATOR, job, CheckOptions())
    assert refused.value.details["missing"] == ["pseudonym_map"]


def test_reprocess_from_the_summary_reuses_what_came_before(application: Deployment) -> None:
    run_id = application.submit_for_review()
    app, before = application.runtime.app, application.artifacts(run_id)
    revision = commands.reprocess(app, OPERATOR, run_id, "summarize", {"review.approvals": 2})
    wait_until(lambda: application.review(run_id).revision == 2, "the second review")
    after = application.artifacts(run_id, revision.number)
    assert after["redacted_transcript"] == before["redacted_transcript"]
    steps = [s.name for s in application.instance(run_id, 2).history()]
    assert steps[0] == "plan_summary"
    assert application.review(run_id).approvals_needed == 2


def _count(application: Deployment) -> int:
    with reading(application.runtime.database) as session:
        return count_runs(session)
