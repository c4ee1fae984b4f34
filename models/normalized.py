"""Write and read the normalized recording: 16 kHz FLAC, the same bytes for the same samples."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

import av
import av.error
import numpy as np
import numpy.typing as npt
from av.audio.frame import AudioFrame
from av.audio.stream import AudioStream
from av.codec.context import Flags as CodecFlags
from av.container import InputContainer

from configs.errors import CorruptInputError
from models.resampling import SAMPLE_RATE_HZ, Samples

_FRAME = 4096
_BITEXACT = 0x400  # AVFMT_FLAG_BITEXACT
_BLOCK_SAMPLES = 30 * SAMPLE_RATE_HZ


class AudioWriter:
    """Encodes int16 samples; used as a context manager, a clean exit finishes the file."""

    def __init__(
        self,
        path: Path,
        channels: int,
        *,
        container: str = "flac",
        codec: str = "flac",
        bit_rate: int | None = None,
        options: Mapping[str, str] | None = None,
    ) -> None:
        self._channels = channels
        self._layout = "mono" if channels == 1 else "stereo"
        self._container = av.open(str(path), "w", format=container)
        self._container.flags |= _BITEXACT
        stream = self._container.add_stream(
            codec, rate=SAMPLE_RATE_HZ, layout=self._layout, options=dict(options or {})
        )
        if not isinstance(stream, AudioStream):
            raise TypeError(f"{codec} is no audio codec")
        self._stream = stream
        self._stream.codec_context.flags |= CodecFlags.bitexact.value
        if bit_rate is not None:
            self._stream.bit_rate = bit_rate
        self._position = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if error is None:
                self._container.mux(self._stream.encode(None))
        finally:
            self._container.close()

    def write(self, samples: Samples) -> None:
        """Append samples of shape (n, channels)."""
        for start in range(0, len(samples), _FRAME):
            part = np.ascontiguousarray(samples[start : start + _FRAME])
            frame = AudioFrame.from_ndarray(part.reshape(1, -1), format="s16", layout=self._layout)
            frame.sample_rate = SAMPLE_RATE_HZ
            frame.pts = self._position
            self._position += len(part)
            self._container.mux(self._stream.encode(frame))


def audio_shape(path: Path) -> tuple[float, int]:
    """Return a normalized recording's seconds and number of channels.

    Raises:
        CorruptInputError: the file is no normalized recording (not retryable).
    """
    with _open(path) as container:
        stream = container.streams.audio[0]
        channels = stream.codec_context.layout.nb_channels
        if not stream.duration or stream.codec_context.sample_rate != SAMPLE_RATE_HZ:
            raise CorruptInputError
        # FLAC counts in samples.
        return stream.duration / SAMPLE_RATE_HZ, channels


def read_blocks(path: Path, start_s: float = 0.0, end_s: float | None = None) -> Iterator[Samples]:
    """Yield int16 blocks (about 30 s, channels) of a normalized recording between two times."""
    start = int(start_s * SAMPLE_RATE_HZ)
    end = None if end_s is None else int(end_s * SAMPLE_RATE_HZ)
    parts: list[Samples] = []
    held = 0
    for samples in _frames(path, start, end):
        parts.append(samples)
        held += len(samples)
        if held >= _BLOCK_SAMPLES:
            yield np.concatenate(parts)
            parts, held = [], 0
    if parts:
        yield np.concatenate(parts)


def read_channel(
    path: Path, start_s: float, end_s: float, channel: int = 0
) -> npt.NDArray[np.float32]:
    """Return one channel between two times as float32 samples in -1..1."""
    blocks = [block[:, channel] for block in read_blocks(path, start_s, end_s)]
    if not blocks:
        return np.zeros(0, dtype=np.float32)
    return np.concatenate(blocks).astype(np.float32) / np.float32(32768.0)


def _open(path: Path) -> InputContainer:
    try:
        return av.open(str(path), "r", format="flac")
    except (av.error.FFmpegError, ValueError) as error:
        raise CorruptInputError from error


def _frames(path: Path, start: int, end: int | None) -> Iterator[Samples]:
    with _open(path) as container:
        stream = container.streams.audio[0]
        if start:
            container.seek(start, stream=stream)
        for frame in container.decode(stream):
            at = frame.pts or 0
            samples = np.asarray(frame.to_ndarray(), np.int16).reshape(-1, frame.layout.nb_channels)
            first = max(0, start - at)
            last = len(samples) if end is None else min(len(samples), end - at)
            if first < last:
                yield samples[first:last]
            if end is not None and at + len(samples) >= end:
                return
