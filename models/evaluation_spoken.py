"""Redaction end to end: recordings with planted personal data, and what is left of it.

What counts is what the recognizer wrote, not what was said: a value that it wrote wrongly is found
less often, and may be worthless all the same. The folder holds `spoken.json`, a list of
`{"file", "language", "text", "values": [{"entity_type", "text"}]}`, and its recordings.
"""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from pathlib import Path

from pydantic import BaseModel, TypeAdapter

from models.documents import LANGUAGES, RedactedSegment, Segment
from models.evaluation import transcribe_file
from models.redactor import RedactionPolicy, Redactor
from models.said import plain, sound, sounds_in, words
from models.scoring import Interval, wilson
from models.summarizer.terms import PSEUDONYM
from models.transcriber import Transcriber

LISTING = "spoken.json"
_LONG_RUN = re.compile(r"\d{4,}")
_ALIKE_RATIO = 0.8
_HALF = 0.5
_GROUPS = {"PERSON": "persons", "ADDRESS": "addresses"} | dict.fromkeys(
    ("AGE", "DATE_OF_BIRTH", "ZIP_CODE"), "dates, ages, postal codes"
)


class _Value(BaseModel):
    entity_type: str
    text: str


class SpokenClip(BaseModel):
    """A recording, what was said in it, and the personal data among that."""

    file: str
    language: str
    text: str
    values: tuple[_Value, ...]


class Heard(StrEnum):
    """What the recognizer made of a value: all of it, enough to recognize it by, or neither."""

    WHOLE = "whole"
    MANGLED = "mangled"
    LOST = "lost"


@dataclass(frozen=True)
class SpokenRow:
    """One planted value: what was heard of it, and whether something usable is left."""

    file: str
    language: str
    entity_type: str
    value: str
    heard: Heard
    survives: bool
    transcript: str
    redacted: str


@dataclass(frozen=True)
class SpokenTotal:
    """The values of a group of classes in a language; the interval is Wilson's at 95 %."""

    language: str
    group: str
    planted: int
    whole: int
    mangled: int
    lost: int
    gone_ratio: float
    gone_interval: Interval | None
    survivors: int
    survivors_mangled: int


def evaluate_spoken(
    folder: Path,
    transcriber: Transcriber,
    redactor: Redactor,
    *,
    progress: Callable[[int, int, str], None] | None = None,
) -> list[SpokenRow]:
    """Transcribe and redact each recording of a folder, and look for what was planted.

    Usable are: of a number, more than three digits in a row; of a name or an electronic address, a
    part of it, spelled or sounding alike; of an address or a date, more than half.

    Args:
        folder: the folder.
        transcriber: the model to measure.
        redactor: the redactor to measure.
        progress: called with done, total and the file that comes next.

    Returns:
        A row for each planted value.

    Raises:
        InputError: a recording cannot be used (not retryable).
        ModelError: recognition or redaction failed (not retryable).
    """
    listing = json.loads((folder / LISTING).read_text(encoding="utf-8"))
    clips = TypeAdapter(list[SpokenClip]).validate_python(listing)
    rows: list[SpokenRow] = []
    for done, clip in enumerate(clips):
        if progress:
            progress(done, len(clips), clip.file)
        transcript = transcribe_file(folder / clip.file, transcriber, clip.language)
        redacted = redactor.redact(transcript, RedactionPolicy()).redacted
        rows += judge(clip, _text(transcript.segments), _text(redacted.segments))
    return rows


def spoken_totals(rows: Iterable[SpokenRow]) -> list[SpokenTotal]:
    """Sum up by language and group of classes, `all` last."""
    groups: defaultdict[tuple[str, str], list[SpokenRow]] = defaultdict(list)
    for row in rows:
        groups[row.language, _GROUPS.get(row.entity_type, "identifiers")].append(row)
        groups[row.language, "all"].append(row)
    order = ("identifiers", *dict.fromkeys(_GROUPS.values()), "all")
    return [
        _total(language, group, groups[language, group])
        for language in LANGUAGES
        for group in order
        if (language, group) in groups
    ]


def _total(language: str, group: str, rows: Sequence[SpokenRow]) -> SpokenTotal:
    heard = [row.heard for row in rows]
    left = [row for row in rows if row.survives]
    gone = len(rows) - len(left)
    return SpokenTotal(
        language,
        group,
        planted=len(rows),
        whole=heard.count(Heard.WHOLE),
        mangled=heard.count(Heard.MANGLED),
        lost=heard.count(Heard.LOST),
        gone_ratio=gone / len(rows),
        gone_interval=wilson(gone, len(rows)),
        survivors=len(left),
        survivors_mangled=sum(row.heard is not Heard.WHOLE for row in left),
    )


def judge(clip: SpokenClip, transcript: str, redacted: str) -> list[SpokenRow]:
    """Tell of each value in a clip what was heard of it and what is left.

    Args:
        clip: what was said.
        transcript: what was recognized.
        redacted: the same after redaction, pseudonyms in it.
    """
    left = PSEUDONYM.sub(" ", redacted)
    return [
        SpokenRow(
            file=clip.file,
            language=clip.language,
            entity_type=value.entity_type,
            value=value.text,
            heard=_heard(value, transcript, clip.language),
            survives=_is_usable(value, left, clip.language),
            transcript=transcript,
            redacted=redacted,
        )
        for value in clip.values
    ]


def _text(segments: Sequence[Segment] | Sequence[RedactedSegment]) -> str:
    return " ".join(segment.text for segment in segments)


def _heard(value: _Value, text: str, language: str) -> Heard:
    if plain(value.text, language) in plain(text, language):
        return Heard.WHOLE
    return Heard.MANGLED if _is_usable(value, text, language) else Heard.LOST


def _is_usable(value: _Value, text: str, language: str) -> bool:
    """Tell whether a text gives away enough of a value to recognize it by."""
    said, left = plain(value.text, language), plain(text, language)
    if value.entity_type == "PERSON":
        return _is_named(value.text, text, language)
    if value.entity_type in {"ADDRESS", "DATE_OF_BIRTH"}:
        return _share(said, left) > _HALF
    if value.entity_type == "AGE":
        return said in re.findall(r"\d+", left)
    if value.entity_type in {"EMAIL_ADDRESS", "USERNAME"} and _has_word_of(value.text, text, left):
        return True
    return said in left or bool(_LONG_RUN.search(left))


def _is_named(name: str, text: str, language: str) -> bool:
    """Tell whether a part of a name is there, spelled or sounding alike."""
    if language == "en":
        return any(_is_alike(part, text) for part in words(name) if len(part) > 2)
    sounds, least = sound(text, language), 3 if language == "ja" else 2
    for part in _parts(name):
        heard = sound(part, language)
        if part in text or (len(heard) >= least and sounds_in(heard, sounds)):
            return True
    return False


def _parts(name: str) -> list[str]:
    """Return a Japanese or Chinese name and what may be its parts, of two characters or more."""
    pieces = [piece for piece in re.split(r"[\s・·]+", name) if len(piece) > 1]
    if len(pieces) > 1 or len(name) < 3:
        return pieces
    return [name, name[:2], name[-2:]]


def _has_word_of(address: str, text: str, left: str) -> bool:
    """Tell whether words before the @, or of a user name, are there, spelled out or not."""
    local = re.split(r"@|\bat\b|アットマーク|アット|艾特", address)[0]
    found = [word for word in words(local.replace("_", " ")) if len(word) > 3]
    found = [word for word in found if word not in {"dash", "underscore"}]
    return any(word in left or (word.isascii() and _is_alike(word, text)) for word in found)


def _is_alike(word: str, text: str) -> bool:
    """Tell whether a word stands in a text, spelled a little otherwise or drawn apart."""
    there = words(text)
    runs = ["".join(there[i : i + n]) for i in range(len(there)) for n in (1, 2, 3)]
    near = [run for run in set(runs) if abs(len(run) - len(word)) < 4]
    return any(SequenceMatcher(None, word, run).ratio() >= _ALIKE_RATIO for run in near)


def _share(said: str, left: str) -> float:
    blocks = SequenceMatcher(None, said, left, autojunk=False).get_matching_blocks()
    return sum(block.size for block in blocks if block.size > 2) / len(said)
