"""A recording of any length, joined from the freely licensed clips of the tests and the demo."""

from itertools import cycle
from pathlib import Path

import numpy as np

from tests.recordings import DATA, decode_audio, silence, write_audio

LANGUAGE = "en"
_PAUSE_S = 1.5
_RATE = 16_000
_CLIPS = (
    DATA.parents[1] / "configs/demo/interview.opus",
    DATA / "audio/en_phone_call_order_8k.wav",
    DATA / "audio/en_librivox_austen_0870.wav",
    DATA / "audio/en_two_channel_speakers.wav",
)


def write_speech(path: Path, seconds: float) -> Path:
    """Write English clips one after the other, with pauses, again and again until it is full."""
    clips, parts, wanted = [decode_audio(clip) for clip in _CLIPS], [], round(seconds * _RATE)
    for clip in cycle(clips):
        parts += [clip, silence(_PAUSE_S)]
        if sum(map(len, parts)) >= wanted:
            break
    return write_audio(path, np.concatenate(parts)[:wanted])
