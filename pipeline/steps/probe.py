"""probe: what the file holds, decoded once into the form that the later steps read."""

from dataclasses import dataclass, field
from pathlib import Path

from models import audio, extractor, transcriber
from models.audio import DecodeReport
from models.documents import Interval
from models.transcriber import Window
from pipeline.steps.job import Job, Made, hashes
from pipeline.steps.services import services
from storage.refs import ArtifactRef


@dataclass(frozen=True)
class Probed(Made):
    """A recording (`report` is set) with its speech and windows, or a document.

    `speech` are the stretches that hold speech, in order; empty where there is none.
    """

    report: DecodeReport | None = None
    speech: tuple[Interval, ...] = ()
    windows: tuple[Window, ...] = ()
    artifacts: dict[str, ArtifactRef] = field(default_factory=dict)

    @property
    def is_document(self) -> bool:
        """True where there is text to extract rather than sound to recognize."""
        return self.report is None

    def speech_of(self, window: Window) -> tuple[Interval, ...]:
        """Return the speech inside a window."""
        return tuple(i for i in self.speech if i.start < window.end and i.end > window.start)


def probe(job: Job, source: ArtifactRef) -> Probed:
    """Decode a recording to 16 kHz, find its speech and plan the windows of recognition.

    Args:
        job: the revision.
        source: the uploaded file.

    Raises:
        InputError: only decoding shows that it is damaged or holds no sound (not retryable).
        StoreUnavailableError: retryable.

    Effects: puts `normalized_audio`; repeatable, the same source gives the same bytes.
    Personal data: reads and writes raw audio.
    """
    with services().workspace() as folder:
        path = folder / "source"
        services().store.download(source, path)
        if extractor.sniff(path) is not None:
            return Probed(inputs=hashes({"source": source}))
        return _probe_recording(job, source, path)


def _probe_recording(job: Job, source: ArtifactRef, path: Path) -> Probed:
    normalized = path.with_name("normalized.flac")
    report = audio.normalize(path, normalized)
    speech = transcriber.find_speech(normalized)
    window_s = services().options(job).asr.window.total_seconds()
    windows = transcriber.plan_windows(report, speech, target_s=window_s)
    ref = services().put_file(job, "normalized_audio", normalized, "flac", "audio/flac")
    return Probed(
        artifacts={"normalized_audio": ref},
        inputs=hashes({"source": source}),
        report=report,
        speech=tuple(speech),
        windows=tuple(windows),
    )
