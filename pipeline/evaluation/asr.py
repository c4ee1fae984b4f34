"""How well speech is recognized: error rates on clips whose text is known."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from configs.clock import monotonic_s
from configs.errors import NotFoundError
from models.documents import Transcript
from pipeline.evaluation.text import ErrorCount, count_errors

# Only texts that were published with a clip or read from a script; the others say themselves that
# they are no measure of error rates.
MEASURED_KINDS = frozenset({"published", "script", "constructed"})

Recognizer = Callable[[Path, str | None], Transcript]


@dataclass(frozen=True)
class Clip:
    """A recording and what is said in it; `language` is `en+ja` where it changes."""

    path: Path
    language: str
    reference: str
    reference_kind: str
    duration_s: float


@dataclass(frozen=True)
class ClipScore:
    """What came out for one clip."""

    clip: Clip
    errors: ErrorCount
    suspect_segments: int
    took_s: float

    def as_dict(self) -> dict[str, object]:
        """Return the form that `eval asr --json` prints; no text of the recording."""
        return {
            "file": self.clip.path.name,
            "language": self.clip.language,
            "reference_kind": self.clip.reference_kind,
            "duration_s": self.clip.duration_s,
            "units": self.errors.units,
            "edits": self.errors.edits,
            "error_rate": round(self.errors.rate, 4),
            "suspect_segments": self.suspect_segments,
            "took_s": round(self.took_s, 2),
        }


@dataclass(frozen=True)
class LanguageScore:
    """The sum over the clips of a language."""

    language: str
    clips: int
    errors: ErrorCount
    duration_s: float
    took_s: float

    def as_dict(self) -> dict[str, object]:
        """Return the form that `eval asr --json` prints."""
        return {
            "language": self.language,
            "clips": self.clips,
            "duration_s": round(self.duration_s, 1),
            "error_rate": round(self.errors.rate, 4),
            "real_time_factor": round(self.took_s / self.duration_s, 3) if self.duration_s else 0.0,
        }


def clips_of(data: Path, language: str | None = None, max_s: float | None = None) -> list[Clip]:
    """Return the clips to measure on: of a language, and no longer than `max_s`, where given.

    Raises:
        NotFoundError: there is no `audio/audio.json` (not retryable).
    """
    listing = data / "audio" / "audio.json"
    if not listing.is_file():
        raise NotFoundError(f"There is no file {listing}.")
    clips = [
        Clip(
            listing.parent / entry["file"],
            entry["lang"],
            entry["reference"],
            entry["reference_kind"],
            float(entry["duration"]),
        )
        for entry in json.loads(listing.read_text(encoding="utf-8"))
        if entry["reference_kind"] in MEASURED_KINDS and entry["reference"]
    ]
    return [
        clip
        for clip in clips
        if language in {None, clip.language} and (max_s is None or clip.duration_s <= max_s)
    ]


def score_clip(clip: Clip, recognize: Recognizer) -> ClipScore:
    """Recognize one clip, telling the language where there is only one, and count the errors."""
    began = monotonic_s()
    transcript = recognize(clip.path, None if "+" in clip.language else clip.language)
    took_s = monotonic_s() - began
    text = " ".join(segment.text for segment in transcript.segments)
    suspect = sum(bool(segment.suspect) for segment in transcript.segments)
    return ClipScore(clip, count_errors(text, clip.reference, clip.language), suspect, took_s)


def by_language(scores: list[ClipScore]) -> Iterator[LanguageScore]:
    """Sum the scores of each language."""
    for language in sorted({score.clip.language for score in scores}):
        chosen = [score for score in scores if score.clip.language == language]
        yield LanguageScore(
            language,
            len(chosen),
            sum((score.errors for score in chosen), ErrorCount(0, 0)),
            sum(score.clip.duration_s for score in chosen),
            sum(score.took_s for score in chosen),
        )
