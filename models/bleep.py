"""Put a tone over stretches of a normalized recording and encode it for browsers."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from models.documents import Interval
from models.intervals import merge_spans
from models.normalized import AudioWriter, audio_shape, read_blocks
from models.resampling import SAMPLE_RATE_HZ, Samples

_TONE_HZ = 1000
_TONE_LEVEL = 0.12
_BIT_RATE = 32_000
_EFFORT = {
    "compression_level": "5"
}  # of 10: speech at this rate sounds alike in a third of the time


def bleep(normalized: Path, target: Path, intervals: Sequence[Interval]) -> None:
    """Write the recording as Ogg Opus with a tone in place of the given stretches.

    Args:
        normalized: a file that `normalize` wrote.
        target: the Ogg file to write; equal input gives equal bytes.
        intervals: stretches in seconds, already padded; they may overlap and come in any order.

    Raises:
        CorruptInputError: `normalized` cannot be read (not retryable).
    """
    _, channels = audio_shape(normalized)
    stretches = merge_spans((i.start, i.end) for i in intervals)
    bit_rate = _BIT_RATE * channels
    with AudioWriter(
        target, channels, container="ogg", codec="libopus", bit_rate=bit_rate, options=_EFFORT
    ) as writer:
        for block in _bleeped(read_blocks(normalized), stretches):
            writer.write(block)


def _bleeped(
    blocks: Iterator[Samples], stretches: Sequence[tuple[float, float]]
) -> Iterator[Samples]:
    position = 0
    for block in blocks:
        changed = block.copy()
        for start_s, end_s in stretches:
            first = max(int(start_s * SAMPLE_RATE_HZ) - position, 0)
            last = min(int(np.ceil(end_s * SAMPLE_RATE_HZ)) - position, len(block))
            if first < last:
                tone = _tone(position + first, last - first)
                changed[first:last] = tone[:, np.newaxis]
        yield changed
        position += len(block)


def _tone(start: int, length: int) -> npt.NDArray[np.int16]:
    """A sine whose phase depends on the position alone, so that blocks join without a click."""
    phase = (start + np.arange(length)) * (2 * np.pi * _TONE_HZ / SAMPLE_RATE_HZ)
    return np.asarray(np.sin(phase) * _TONE_LEVEL * 32767, dtype=np.int16)
