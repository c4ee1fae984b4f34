"""transcribe, join_transcript: from sound to text, a window of about ten minutes at a time."""

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from configs.clock import monotonic_s
from models.audio import DecodeReport
from models.documents import Coverage, Transcript
from models.transcriber import Speech, Window, join_transcripts
from models.vocabulary import Vocabulary
from models.voices import label_voices
from pipeline.steps.guard import guarded
from pipeline.steps.job import Job, Made, ModelUse, hashes
from pipeline.steps.services import services
from storage.refs import ArtifactRef


@dataclass(frozen=True)
class Transcribed(Made):
    """The whole transcript, with what the run shows of it."""

    language: str = ""
    has_text: bool = True
    coverage: Coverage = Coverage()  # noqa: RUF009 - immutable


@guarded
def transcribe(
    job: Job,
    normalized: ArtifactRef,
    speech: ArtifactRef,
    window: Window,
    is_last: bool,
    vocabulary: ArtifactRef | None = None,
) -> Made:
    """Recognize the speech of one window.

    Args:
        job: the revision.
        normalized: the decoded recording.
        speech: where speech is in it.
        window: the stretch to recognize.
        is_last: whether no window follows, so that the local copy of the recording can go.
        vocabulary: the uploader's names and terms, if any.

    Raises:
        UnknownModelError: the model is not installed (not retryable).
        StoreUnavailableError: retryable.

    Effects: puts `transcript/{n}`; repeatable, the same bytes unless the model is replaced.
    Personal data: reads raw audio and names, writes raw text.
    """
    options = services().options(job)
    model = services().transcriber(job)
    language = None if job.language == "auto" else job.language
    path = local_copy(normalized)
    began = monotonic_s()
    try:
        terms = _terms(options.vocabulary, vocabulary)
        part = model.transcribe(path, window, _speech(speech), language, terms)
    finally:
        if is_last:
            _LastCopy.drop()
    use = ModelUse(
        name=model.name,
        digest=model.digest,
        config_sha256=options.digests["asr"],
        audio_s=window.end - window.start,
        latency_s=monotonic_s() - began,
    )
    ref = services().put_document(job, "transcript", part)
    inputs = {"normalized_audio": normalized, "normalized_audio/speech": speech}
    if vocabulary is not None:
        inputs["vocabulary"] = vocabulary
    made = {f"transcript/{window.index + 1}": ref}
    return Made(artifacts=made, inputs=hashes(inputs), model=use)


@guarded
def join_transcript(
    job: Job,
    parts: list[ArtifactRef],
    report: DecodeReport,
    speech: ArtifactRef,
    normalized: ArtifactRef,
) -> Transcribed:
    """Join the windows to one transcript, with its coverage ledger and, if asked for, voices.

    Raises:
        UnknownModelError: the speaker model is not installed (not retryable).
        StoreUnavailableError: retryable.

    Effects: puts `transcript`; repeatable.
    Personal data: reads raw audio, reads and writes raw text.
    """
    store = services().store
    windows = [Transcript.model_validate_json(store.read_bytes(ref)) for ref in parts]
    transcript = join_transcripts(windows, report, _speech(speech))
    model = services().voices(job)
    if model is not None:
        with services().workspace() as folder:
            services().store.download(normalized, folder / "audio")
            transcript = label_voices(folder / "audio", transcript, model)
    inputs = hashes({f"transcript/{i}": ref for i, ref in enumerate(parts, start=1)})
    return transcribed(job, transcript, inputs)


def transcribed(job: Job, transcript: Transcript, inputs: dict[str, str]) -> Transcribed:
    """Store a whole transcript, of a recording or a document."""
    return Transcribed(
        artifacts={"transcript": services().put_document(job, "transcript", transcript)},
        inputs=inputs,
        language=transcript.language,
        has_text=not transcript.is_empty,
        coverage=transcript.coverage,
    )


def _terms(of_tenant: tuple[str, ...], ref: ArtifactRef | None) -> tuple[str, ...]:
    """Return the uploader's terms first: where there are too many, the last are not read."""
    if ref is None:
        return of_tenant
    own = Vocabulary.model_validate_json(services().store.read_bytes(ref)).terms
    return tuple(dict.fromkeys((*own, *of_tenant)))


def _speech(ref: ArtifactRef) -> Speech:
    return Speech.model_validate_json(services().store.read_bytes(ref))


class _LastCopy:
    """The decoded recording that this process read last: the next window reads it again."""

    folder: TemporaryDirectory[str] | None = None
    sha256 = ""

    @classmethod
    def drop(cls) -> None:
        """Remove it: raw sound does not stay on the worker's disk."""
        if cls.folder is not None:
            cls.folder.cleanup()
        cls.folder, cls.sha256 = None, ""


def local_copy(ref: ArtifactRef) -> Path:
    """Return a verified local copy of an artifact, kept until another one is asked for."""
    if _LastCopy.folder is None or _LastCopy.sha256 != ref.sha256:
        _LastCopy.drop()
        scratch = services().scratch
        scratch.mkdir(parents=True, exist_ok=True)
        _LastCopy.folder = TemporaryDirectory(dir=scratch)
        services().store.download(ref, Path(_LastCopy.folder.name) / "audio")
        _LastCopy.sha256 = ref.sha256
    return Path(_LastCopy.folder.name) / "audio"
