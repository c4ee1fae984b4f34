"""Who speaks when, in recordings whose speakers share a channel: the port and the labels.

A speaker model turns sound into a vector; stretches with near vectors are one voice. Voices are
numbered by their first word and never named.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from models.documents import Segment, Transcript
from models.normalized import read_channel

Vector = npt.NDArray[np.float32]

_MIN_S = 1.0
_MAX_S = 20.0
_LEAST_OF_A_VOICE_S = 3.0
_PASSES = 3


class VoiceModel(Protocol):
    """What tells voices apart; `same` is the cosine from which on two vectors are one voice."""

    @property
    def name(self) -> str:
        """The model's name, for records."""

    @property
    def same(self) -> float:
        """The cosine, 0..1."""

    def vector(self, audio: npt.NDArray[np.float32]) -> Vector:
        """Return a vector of length 1 for a second or more of float32 mono sound at 16 kHz."""


def label_voices(normalized: Path, transcript: Transcript, model: VoiceModel) -> Transcript:
    """Say of each segment which voice it is.

    Args:
        normalized: the recording, as `normalize` wrote it.
        transcript: the whole transcript.
        model: tells voices apart.

    Returns:
        The transcript with `speaker` set to `speaker 1`, `speaker 2`, ...; unchanged where its
        speakers have channels of their own, or only one voice is heard. Segments under a second
        and suspect ones have the voice of the segment before them, None before the first.

    Raises:
        CorruptInputError: the recording cannot be read (not retryable).
    """
    if any(segment.speaker for segment in transcript.segments):
        return transcript
    long = [s for s in transcript.segments if s.end - s.start >= _MIN_S and not s.suspect]
    vectors = [
        model.vector(read_channel(normalized, s.start, min(s.end, s.start + _MAX_S))) for s in long
    ]
    voices = _voices(vectors, [s.end - s.start for s in long], model.same)
    if len(set(voices)) < 2:
        return transcript
    found = dict(zip((s.id for s in long), voices, strict=True))
    return transcript.model_copy(update={"segments": _labelled(transcript.segments, found)})


def _labelled(segments: Sequence[Segment], voices: dict[int, int]) -> tuple[Segment, ...]:
    numbers: dict[int, int] = {}
    labelled = []
    speaker: str | None = None
    for segment in segments:
        if segment.id in voices:
            number = numbers.setdefault(voices[segment.id], len(numbers) + 1)
            speaker = f"speaker {number}"
        labelled.append(segment.model_copy(update={"speaker": speaker}))
    return tuple(labelled)


def _voices(vectors: Sequence[Vector], seconds: Sequence[float], same: float) -> list[int]:
    """Return a voice for each vector: begun one after the other, then joined and assigned anew."""
    if not vectors:
        return []
    data, weights = np.stack(vectors), np.asarray(seconds, np.float32)
    voices = _begun(data, same)
    for _ in range(_PASSES):
        centers = _joined(_centers(data, weights, voices), same)
        voices = [int(np.argmax(centers @ vector)) for vector in data]
    spoken = np.bincount(voices, weights, minlength=len(centers))
    kept = np.flatnonzero(spoken >= _LEAST_OF_A_VOICE_S)
    if len(kept) < 2:
        return [0] * len(voices)
    return [int(kept[np.argmax(centers[kept] @ vector)]) for vector in data]


def _begun(data: Vector, same: float) -> list[int]:
    sums: list[Vector] = []
    voices = []
    for vector in data:
        likeness = [float(total @ vector / np.linalg.norm(total)) for total in sums]
        if likeness and max(likeness) >= same:
            voice = int(np.argmax(likeness))
            sums[voice] = sums[voice] + vector
        else:
            voice = len(sums)
            sums.append(vector)
        voices.append(voice)
    return voices


def _centers(data: Vector, weights: Vector, voices: Sequence[int]) -> Vector:
    places = np.asarray(voices)
    sums = [(data[places == v] * weights[places == v, None]).sum(0) for v in sorted(set(voices))]
    return np.stack([total / max(float(np.linalg.norm(total)), 1e-9) for total in sums])


def _joined(centers: Vector, same: float) -> Vector:
    """Join the two nearest centers while they are one voice."""
    while len(centers) > 1:
        likeness = centers @ centers.T - 2 * np.eye(len(centers), dtype=np.float32)
        first, second = np.unravel_index(int(np.argmax(likeness)), likeness.shape)
        if likeness[first, second] < same:
            break
        total = centers[first] + centers[second]
        rest = np.delete(centers, [first, second], axis=0)
        centers = np.vstack([rest, total / np.linalg.norm(total)])
    return centers
