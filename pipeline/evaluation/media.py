"""Whether odd, damaged and hostile files get the outcome that their list expects."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from configs.errors import AppError, NotFoundError
from models.documents import Transcript

TRANSCRIBED = "transcribed"
NO_SPEECH = "no_speech"

Reader = Callable[[Path], Transcript]

_REFUSALS = {
    "corrupt": {"input.corrupt"},
    "empty": {"input.empty"},
    "not audio": {"input.not_media"},
    "no audio": {"input.no_audio_track"},
    "type": {"input.unsupported_type", "input.not_media"},
    "too short": {"input.too_short"},
    "password": {"input.encrypted"},
}


@dataclass(frozen=True)
class OddFile:
    """A file, what is odd about it, and the outcomes that are right."""

    path: Path
    expect: str
    tests: str

    @property
    def outcomes(self) -> frozenset[str]:
        """The outcomes that are right: `transcribed`, `no_speech` or an error code."""
        return frozenset().union(*(_outcomes(part) for part in self.expect.split("-or-")))


@dataclass(frozen=True)
class MediaScore:
    """What became of a file."""

    file: OddFile
    outcome: str

    @property
    def ok(self) -> bool:
        """True where the outcome is one of those that are right."""
        return self.outcome in self.file.outcomes

    def as_dict(self) -> dict[str, object]:
        """Return the form that `eval media --json` prints."""
        return {
            "file": self.file.path.name,
            "expected": self.file.expect,
            "outcome": self.outcome,
            "ok": self.ok,
            "tests": self.file.tests,
        }


def files_of(data: Path) -> list[OddFile]:
    """Return the odd files of the data.

    Raises:
        NotFoundError: there is no `media_odd/media_odd.json` (not retryable).
    """
    listing = data / "media_odd" / "media_odd.json"
    if not listing.is_file():
        raise NotFoundError(f"There is no file {listing}.")
    entries = json.loads(listing.read_text(encoding="utf-8"))
    return [OddFile(listing.parent / e["file"], e["expect"], e["tests"]) for e in entries]


def score_file(file: OddFile, read: Reader) -> MediaScore:
    """Read one file as an upload and its first steps would."""
    try:
        transcript = read(file.path)
    except AppError as error:
        return MediaScore(file, error.code)
    return MediaScore(file, NO_SPEECH if transcript.is_empty else TRANSCRIBED)


def _outcomes(expected: str) -> set[str]:
    if expected == "transcribe":
        return {TRANSCRIBED}
    if expected.startswith("empty transcript"):
        return {NO_SPEECH}
    return _REFUSALS[expected.removeprefix("error:")]
