"""Voices told apart by a scripted model: what is numbered, and what stays without a label."""

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from models.documents import Segment, Transcript
from models.voices import label_voices
from tests.hearing import write_normalized

LOUD, QUIET = 20_000, 2_000


class ByLoudness:
    """Takes loud sound for one voice and quiet sound for another."""

    name = "by loudness"
    same = 0.8

    def vector(self, audio: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        loud = float(np.abs(audio).max()) > 0.3
        vector = np.array([1.0, 0.1 * (len(audio) % 3)] if loud else [0.0, 1.0], np.float32)
        return np.asarray(vector / np.linalg.norm(vector), np.float32)


def _recording(path: Path, *turns: tuple[float, int]) -> tuple[Path, Transcript]:
    segments, at = [], 0.0
    for number, (seconds, _) in enumerate(turns, start=1):
        segments.append(Segment(id=number, start=at, end=at + seconds, text=f"Turn {number}."))
        at += seconds
    transcript = Transcript(kind="speech", language="en", duration_s=at, segments=tuple(segments))
    return write_normalized(path, *turns), transcript


@pytest.mark.parametrize(
    ("turns", "speakers"),
    [
        ([(4.0, QUIET), (5.0, LOUD), (4.0, QUIET), (0.5, QUIET)], [1, 2, 1, 1]),
        ([(4.0, LOUD), (5.0, QUIET), (4.0, LOUD), (2.0, LOUD)], [1, 2, 1, 1]),
    ],
    ids=["quiet first", "loud first"],
)
def test_label_when_two_voices_speak_then_numbered_by_their_first_word(
    tmp_path: Path, turns: list[tuple[float, int]], speakers: list[int]
) -> None:
    path, transcript = _recording(tmp_path / "n.flac", *turns)
    found = label_voices(path, transcript, ByLoudness())
    assert [segment.speaker for segment in found.segments] == [f"speaker {n}" for n in speakers]


def test_label_when_one_voice_speaks_then_nobody_is_numbered(tmp_path: Path) -> None:
    path, transcript = _recording(tmp_path / "n.flac", (4.0, LOUD), (5.0, LOUD), (1.5, QUIET))
    assert label_voices(path, transcript, ByLoudness()) == transcript


def test_label_when_speakers_have_channels_then_those_names_stay(tmp_path: Path) -> None:
    path, transcript = _recording(tmp_path / "n.flac", (4.0, LOUD), (5.0, QUIET))
    named = transcript.model_copy(
        update={
            "segments": tuple(s.model_copy(update={"speaker": "left"}) for s in transcript.segments)
        }
    )
    assert label_voices(path, named, ByLoudness()) == named
