"""Measure recognition and media handling over a folder of clips with references.

The folder is laid out as `audio/audio.json` and `media_odd/media_odd.json` beside their files;
each entry names its `file`, and `reference`, `reference_kind` and `lang`, or `expect`.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from pydantic import BaseModel, TypeAdapter

from configs.clock import monotonic_s
from configs.errors import AppError, NotMediaError
from models.audio import normalize, probe
from models.documents import Segment, Transcript
from models.extractor import sniff
from models.scoring import ErrorRate, error_rate
from models.transcriber import Transcriber, find_speech, join_transcripts, plan_windows

_TRUSTED_KINDS = frozenset({"published", "script", "published-asr"})
_RIGHT_TEXT_RATE = 0.6
_CODES = {
    "error:corrupt": {"input.corrupt"},
    "error:empty": {"input.empty"},
    "error:not audio": {"input.not_media"},
    "error:no audio": {"input.no_audio_track"},
    "error:type": {"input.unsupported_type", "input.not_media"},
}

Progress = Callable[[int, int, str], None]


class _Clip(BaseModel):
    """An entry of `audio.json` or `media_odd.json`; other keys are for people."""

    file: str
    lang: str = "en"
    reference: str | None = None
    reference_kind: str = "published"
    channels_reference: dict[str, str] | None = None
    expect: str = ""


@dataclass(frozen=True)
class AsrRow:
    """One clip: how far the text is from its reference, and what it took.

    `language` is the clip's own (`en+zh` where it switches), `heard` the one that was recognized,
    `bare` and `bare_text` are faster-whisper's alone, where asked for.
    """

    file: str
    language: str
    reference_kind: str
    errors: ErrorRate
    bare: ErrorRate | None
    text: str
    bare_text: str | None
    heard: str
    suspect_segments: int
    audio_s: float
    elapsed_s: float
    bare_elapsed_s: float | None
    transcribed_ratio: float


@dataclass(frozen=True)
class MediaRow:
    """One odd file: the expected outcome beside the real one."""

    file: str
    expect: str
    outcome: str
    ok: bool
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class SetTotal:
    """All clips of a set: a language, and `approximate` or `constructed` where references are."""

    name: str
    clips: int
    errors: ErrorRate
    bare: ErrorRate | None
    audio_s: float
    elapsed_s: float
    bare_elapsed_s: float | None


def evaluate_asr(
    data: Path,
    transcriber: Transcriber,
    *,
    detect_language: bool = False,
    bare: bool = False,
    progress: Progress | None = None,
) -> list[AsrRow]:
    """Transcribe the clips of `data/audio` and compare with their references.

    Args:
        data: the folder.
        transcriber: the model to measure.
        detect_language: do not say which language is spoken (clips that switch are never told).
        bare: also run faster-whisper alone with the same model and beam.
        progress: called with done, total and the file that comes next.

    Returns:
        One row for each clip that has a reference, in the list's order.
    """
    clips = [clip for clip in _clips(data / "audio" / "audio.json") if clip.reference]
    rows = []
    for done, clip in enumerate(clips):
        if progress:
            progress(done, len(clips), clip.file)
        told = None if detect_language or "+" in clip.lang else clip.lang
        rows.append(_asr_row(data / "audio" / clip.file, clip, transcriber, told, bare=bare))
    return rows


def asr_totals(rows: Iterable[AsrRow]) -> list[SetTotal]:
    """Sum up set by set, by name; where references are approximate no claim can rest on them."""
    sets: defaultdict[str, list[AsrRow]] = defaultdict(list)
    for row in rows:
        sets[_set_of(row)].append(row)
    return [_total(name, own) for name, own in sorted(sets.items())]


def _set_of(row: AsrRow) -> str:
    kind = row.reference_kind.partition("-")[0]
    return row.language if row.reference_kind in _TRUSTED_KINDS else f"{row.language}, {kind}"


def _total(name: str, rows: Sequence[AsrRow]) -> SetTotal:
    bares = [row.bare for row in rows if row.bare is not None]
    times = [row.bare_elapsed_s for row in rows if row.bare_elapsed_s is not None]
    return SetTotal(
        name=name,
        clips=len(rows),
        errors=sum((row.errors for row in rows), ErrorRate(0, 0)),
        bare=sum(bares, ErrorRate(0, 0)) if bares else None,
        audio_s=sum(row.audio_s for row in rows),
        elapsed_s=sum(row.elapsed_s for row in rows),
        bare_elapsed_s=sum(times) if times else None,
    )


def evaluate_media(
    data: Path, transcriber: Transcriber, *, progress: Progress | None = None
) -> list[MediaRow]:
    """Give each file of `data/media_odd` the way of an upload and compare the outcome.

    Args:
        data: the folder.
        transcriber: the model to use.
        progress: called with done, total and the file that comes next.

    Returns:
        One row a file, in the list's order. `outcome` is `transcribe`, `empty`, or `error:` and
        the error's code.
    """
    clips = _clips(data / "media_odd" / "media_odd.json")
    rows = []
    for done, clip in enumerate(clips):
        if progress:
            progress(done, len(clips), clip.file)
        rows.append(_media_row(data / "media_odd" / clip.file, clip, transcriber))
    return rows


def transcribe_file(
    path: Path, transcriber: Transcriber, language: str | None = None
) -> Transcript:
    """Take a recording the whole way from upload to transcript, in this process.

    Raises:
        InputError: the file cannot be used (not retryable).
        ModelError: recognition failed (not retryable).
    """
    with TemporaryDirectory() as folder:
        normalized = Path(folder) / "audio.flac"
        report = normalize(path, normalized)
        speech = find_speech(normalized)
        parts = [
            transcriber.transcribe(normalized, window, speech, language)
            for window in plan_windows(report.duration_s, speech)
        ]
        return join_transcripts(parts, report, speech)


def _asr_row(
    path: Path, clip: _Clip, transcriber: Transcriber, told: str | None, *, bare: bool
) -> AsrRow:
    scored_as = _scored_as(clip.lang)
    began = monotonic_s()
    transcript = transcribe_file(path, transcriber, told)
    elapsed_s = monotonic_s() - began
    reference = _reference(clip)
    bare_text, bare_elapsed_s = None, None
    if bare:
        began = monotonic_s()
        bare_text = transcriber.bare(path, told)
        bare_elapsed_s = monotonic_s() - began
    coverage, text = transcript.coverage, _text(transcript.segments)
    return AsrRow(
        file=clip.file,
        language=clip.lang,
        reference_kind=clip.reference_kind,
        errors=error_rate(reference, text, scored_as),
        bare=None if bare_text is None else error_rate(reference, bare_text, scored_as),
        text=text,
        bare_text=bare_text,
        heard=transcript.language,
        suspect_segments=sum(bool(segment.suspect) for segment in transcript.segments),
        audio_s=transcript.duration_s,
        elapsed_s=elapsed_s,
        bare_elapsed_s=bare_elapsed_s,
        transcribed_ratio=(coverage.transcribed_s or 0.0) / (coverage.speech_s or 1.0),
    )


def _media_row(path: Path, clip: _Clip, transcriber: Transcriber) -> MediaRow:
    try:
        if sniff(path, clip.file) is not None:
            raise NotMediaError
        probe(path)
        transcript = transcribe_file(path, transcriber)
    except AppError as error:
        outcome = f"error:{error.code}"
        return MediaRow(clip.file, clip.expect, outcome, _is_expected(clip, outcome, None))
    outcome = "empty" if transcript.is_empty else "transcribe"
    ok = _is_expected(clip, outcome, transcript)
    return MediaRow(clip.file, clip.expect, outcome, ok, transcript.warnings)


def _is_expected(clip: _Clip, outcome: str, transcript: Transcript | None) -> bool:
    code = outcome.removeprefix("error:")
    for name, codes in _CODES.items():
        if name.removeprefix("error:") in clip.expect and code in codes:
            return True
    if clip.expect.startswith("empty transcript"):
        return outcome == "empty"
    if not clip.expect.startswith("transcribe") or transcript is None:
        return False
    language = "en" if (clip.reference or "").isascii() else "zh"
    believed = [segment for segment in transcript.segments if not segment.suspect]
    rate = error_rate(clip.reference or "", _text(believed), language)
    return outcome == "transcribe" and rate.rate <= _RIGHT_TEXT_RATE


def _clips(path: Path) -> list[_Clip]:
    return TypeAdapter(list[_Clip]).validate_python(json.loads(path.read_text("utf-8")))


def _scored_as(language: str) -> str:
    """Clips that switch to Japanese or Chinese are counted in characters."""
    codes = language.split("+")
    return next((code for code in codes if code in {"ja", "zh"}), codes[0])


def _reference(clip: _Clip) -> str:
    sides = clip.channels_reference or {}
    if set(sides) == {"left", "right"}:
        return f"{sides['left']} {sides['right']}"
    return clip.reference or ""


def _text(segments: Sequence[Segment]) -> str:
    """All text; separate speakers one after the other, as the references have it."""
    ordered = sorted(segments, key=lambda s: (s.speaker or "", s.id))
    return " ".join(segment.text for segment in ordered)
