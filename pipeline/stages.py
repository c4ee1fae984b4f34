"""One stage alone, nothing stored: what `transcribe`, `extract` and `summarize` run."""

from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from configs.errors import UnsupportedTypeError
from models import audio, extractor
from models.documents import Transcript
from models.speech import find_speech, plan_windows
from models.transcriber import join_transcripts
from pipeline.steps.services import TranscriberPort

Progress = Callable[[float, float], None]


def transcribe_file(
    path: Path,
    transcriber: Callable[[], TranscriberPort],
    *,
    language: str | None = None,
    vocabulary: Sequence[str] = (),
    window_s: float = 600.0,
    on_window: Progress = lambda _done, _total: None,
) -> Transcript:
    """Transcribe a recording exactly as the workflow's steps do.

    Args:
        path: the recording.
        transcriber: gives the model; asked for each window, so only where there is speech.
        language: ISO code, or None to detect it.
        vocabulary: names and terms to expect.
        window_s: wished length of a window, in seconds.
        on_window: told seconds done and seconds in all, after each window.

    Returns:
        The transcript; without segments where there is no speech.

    Raises:
        InputError: the file is no recording that can be read (not retryable).
    """
    if extractor.sniff(path, path.name) is not None:
        raise UnsupportedTypeError("This is a document, not a recording; use `extract`.")
    audio.probe(path)
    with TemporaryDirectory(prefix="kikigaki-") as folder:
        normalized = Path(folder) / "normalized.flac"
        report = audio.normalize(path, normalized)
        speech = find_speech(normalized)
        windows = plan_windows(report.duration_s, speech, target_s=window_s)
        total, done, parts = sum(w.end - w.start for w in windows), 0.0, []
        for window in windows:
            part = transcriber().transcribe(normalized, window, speech, language, vocabulary)
            parts.append(part)
            done += window.end - window.start
            on_window(done, total)
    return join_transcripts(parts, report, speech)


def extract_file(path: Path, language: str | None = None) -> Transcript:
    """Take the text out of a document.

    Raises:
        InputError: it is no document that can be read (not retryable).
    """
    if extractor.sniff(path, path.name) is None:
        audio.probe(path)  # says what is wrong with it, if it is not a recording either
        raise UnsupportedTypeError("This is a recording, not a document; use `transcribe`.")
    return extractor.extract(path, language, name=path.name)
