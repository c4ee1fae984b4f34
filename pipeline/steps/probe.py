"""probe: what the file holds, decoded once into the form that the later steps read."""

from dataclasses import dataclass, field
from pathlib import Path

from configs.errors import TooLargeError
from models import audio, extractor, transcriber
from models.audio import DecodeReport
from models.transcriber import Window
from pipeline.engine import Retries, StepTimeoutError
from pipeline.steps.guard import guarded
from pipeline.steps.job import Job, Made, hashes
from pipeline.steps.services import services
from storage import runs
from storage.database import reading
from storage.refs import ArtifactRef


@dataclass(frozen=True)
class Probed(Made):
    """A recording (`report` is set) with the windows to transcribe, or a document."""

    report: DecodeReport | None = None
    windows: tuple[Window, ...] = ()
    artifacts: dict[str, ArtifactRef] = field(default_factory=dict)


@guarded
def probe(job: Job, source: ArtifactRef) -> Probed:
    """Decode a recording to 16 kHz, find its speech and plan the windows of recognition.

    Args:
        job: the revision.
        source: the uploaded file.

    Raises:
        InputError: only decoding shows that it is damaged or holds no sound (not retryable).
        StoreUnavailableError: retryable.

    Effects: puts `normalized_audio` and, beside it, where speech is; repeatable, the same source
        gives the same bytes.
    Personal data: reads and writes raw audio.
    """
    with services().workspace() as folder:
        path = folder / "source"
        services().store.download(source, path)
        if extractor.sniff(path, file_name(job)) is not None:
            return Probed(inputs=hashes({"source": source}))
        return _probe_recording(job, source, path)


def _probe_recording(job: Job, source: ArtifactRef, path: Path) -> Probed:
    normalized = path.with_name("normalized.flac")
    report = audio.normalize(path, normalized)
    speech = transcriber.find_speech(normalized)
    window_s = services().options(job).window.total_seconds()
    kind = "normalized_audio"
    return Probed(
        artifacts={
            kind: services().put_file(job, kind, normalized, "flac", "audio/flac"),
            f"{kind}/speech": services().put_document(job, kind, speech),
        },
        inputs=hashes({"source": source}),
        report=report,
        windows=tuple(transcriber.plan_windows(report.duration_s, speech, target_s=window_s)),
    )


def file_name(job: Job) -> str:
    """Return the uploaded file's name: a hint beside its content, never part of a path."""
    with reading(services().database) as session:
        return runs.get_run(session, job.run_id).file_name


def _wait_or_give_up(attempt: int, error: Exception) -> float:
    """Return 10, 20, 40 ... seconds; a file that takes too long twice would for ever.

    Raises:
        TooLargeError: it did (not retryable).
    """
    if isinstance(error, StepTimeoutError) and attempt > 1:
        raise TooLargeError(
            "The file takes longer to read than any of its size should. Save it anew, in another "
            "form if you can, or in parts, and upload that."
        )
    return 10.0 * 2.0 ** (attempt - 1)


READING = Retries(delay=_wait_or_give_up)
"""How the steps that read what was uploaded are tried again."""
