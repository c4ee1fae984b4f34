"""Recordings: probe what was uploaded, normalize it for recognition, bleep it for publication.

Everything streams: memory does not grow with the length of the recording.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from configs.errors import TooShortError
from models.bleep import bleep
from models.channels import ChannelComparison, Channels
from models.decoding import Decoding
from models.media import MIN_DURATION_S, MediaProbe, probe
from models.normalized import AudioWriter
from models.resampling import SAMPLE_RATE_HZ, Samples

__all__ = ["Channels", "DecodeReport", "MediaProbe", "bleep", "normalize", "probe"]

_LOSS_RATIO = 0.01
_MIN_LOSS_S = 0.5
_COPY_SAMPLES = 1 << 20


@dataclass(frozen=True)
class DecodeReport:
    """What became of a recording's audio.

    `container_s` are the seconds that should be there, `decoded_s` those that could be decoded,
    `duration_s` those of the normalized file (lost stretches are silence in it). `warnings` are
    codes: `lost_audio`, `channel_inverted`, `channel_silent`, `channels_separate`,
    `audio_tracks_ignored`.
    """

    container_s: float
    decoded_s: float
    duration_s: float
    channels: Channels
    warnings: tuple[str, ...] = ()


def normalize(source: Path, target: Path) -> DecodeReport:
    """Decode a recording once into 16 kHz FLAC: one channel, or two with different speakers.

    Args:
        source: the recording as uploaded.
        target: the FLAC file to write; a stereo recording needs a scratch file beside it.

    Returns:
        Seconds expected and decoded, and what was done with the channels.

    Raises:
        EmptyInputError, NotMediaError, CorruptInputError, NoAudioTrackError, TooShortError,
        TooLargeError: for the uploader, not retryable.
    """
    decoding = Decoding(source)
    blocks = decoding.blocks()
    first = next(blocks)
    scratch = target.with_suffix(".pcm")
    try:
        if first.shape[1] == 1:
            channels, inverted = Channels.MONO, False
            samples = _write(target, _chain(first, blocks), 1)
        else:
            channels, inverted = _compare(scratch, _chain(first, blocks))
            stereo = channels is Channels.SEPARATE
            samples = _write(target, _mixed(scratch, channels), 2 if stereo else 1)
    finally:
        scratch.unlink(missing_ok=True)
    if samples < MIN_DURATION_S * SAMPLE_RATE_HZ:
        raise TooShortError
    return _report(decoding, samples, channels, inverted=inverted)


def _report(
    decoding: Decoding, samples: int, channels: Channels, *, inverted: bool
) -> DecodeReport:
    lost_s = decoding.container_s - decoding.decoded_s
    found = {
        "lost_audio": lost_s > max(_MIN_LOSS_S, _LOSS_RATIO * decoding.container_s),
        "channel_inverted": inverted,
        "channel_silent": channels in {Channels.LEFT, Channels.RIGHT} and not inverted,
        "channels_separate": channels is Channels.SEPARATE,
        "audio_tracks_ignored": decoding.tracks > 1,
    }
    return DecodeReport(
        container_s=round(decoding.container_s, 3),
        decoded_s=round(decoding.decoded_s, 3),
        duration_s=round(samples / SAMPLE_RATE_HZ, 3),
        channels=channels,
        warnings=tuple(code for code, is_so in found.items() if is_so),
    )


def _chain(first: Samples, rest: Iterator[Samples]) -> Iterator[Samples]:
    yield first
    yield from rest


def _write(target: Path, blocks: Iterator[Samples], channels: int) -> int:
    samples = 0
    with AudioWriter(target, channels) as writer:
        for block in blocks:
            writer.write(block)
            samples += len(block)
    return samples


def _compare(scratch: Path, blocks: Iterator[Samples]) -> tuple[Channels, bool]:
    comparison = ChannelComparison()
    with scratch.open("wb") as file:
        for block in blocks:
            comparison.add(block)
            file.write(np.ascontiguousarray(block, dtype="<i2").tobytes())
    return comparison.decide()


def _mixed(scratch: Path, channels: Channels) -> Iterator[Samples]:
    with scratch.open("rb") as file:
        while data := file.read(4 * _COPY_SAMPLES):
            block = np.frombuffer(data, dtype="<i2").reshape(-1, 2)
            if channels is Channels.SEPARATE:
                yield block
            elif channels is Channels.MIXED:
                mean = block.astype(np.int32).sum(axis=1, keepdims=True) // 2
                yield mean.astype(np.int16)
            else:
                yield block[:, :1] if channels is Channels.LEFT else block[:, 1:]
