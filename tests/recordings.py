"""Small recordings made for a test: tones, silence, and any container and codec."""

from collections.abc import Iterator
from pathlib import Path

import av
import numpy as np
import numpy.typing as npt
from av.audio.frame import AudioFrame
from av.audio.stream import AudioStream

DATA = Path(__file__).parent / "data"

Samples = npt.NDArray[np.int16]


def tone(seconds: float, *, hz: float = 440.0, rate: int = 16_000, level: float = 0.3) -> Samples:
    """A sine, int16."""
    time = np.arange(round(seconds * rate)) / rate
    return np.asarray(np.sin(2 * np.pi * hz * time) * level * 32767, dtype=np.int16)


def sweep(seconds: float, *, rate: int = 16_000) -> Samples:
    """A rising tone: every stretch of it sounds different."""
    time = np.arange(round(seconds * rate)) / rate
    return np.asarray(np.sin(2 * np.pi * (300 + 20 * time) * time) * 0.3 * 32767, dtype=np.int16)


def noise(seconds: float, *, seed: int, rate: int = 16_000, level: float = 0.1) -> Samples:
    """White noise, int16, the same for the same seed."""
    values = np.random.default_rng(seed).standard_normal(round(seconds * rate)) * level
    return np.asarray(np.clip(values, -1, 1) * 32767, dtype=np.int16)


def silence(seconds: float, *, rate: int = 16_000) -> Samples:
    return np.zeros(round(seconds * rate), dtype=np.int16)


def stereo(left: Samples, right: Samples) -> Samples:
    return np.stack([left, right], axis=1)


def write_audio(
    path: Path,
    samples: Samples,
    *,
    rate: int = 16_000,
    container: str = "wav",
    codec: str = "pcm_s16le",
    bit_rate: int | None = None,
) -> Path:
    """Encode int16 samples of shape (n,) or (n, 2)."""
    layout = "mono" if samples.ndim == 1 else "stereo"
    with av.open(str(path), "w", format=container) as output:
        stream = output.add_stream(codec, rate=rate, layout=layout)
        assert isinstance(stream, AudioStream)
        if bit_rate is not None:
            stream.bit_rate = bit_rate
        for part in _parts(samples):
            frame = AudioFrame.from_ndarray(part.reshape(1, -1), format="s16", layout=layout)
            frame.sample_rate = rate
            output.mux(stream.encode(frame))
        output.mux(stream.encode(None))
    return path


def decode_audio(path: Path, *, rate: int = 16_000) -> Samples:
    """Decode a file by plain PyAV, mixed to one channel: the tests' own reading."""
    resampler = av.AudioResampler(format="s16", layout="mono", rate=rate)
    parts: list[Samples] = []
    with av.open(str(path)) as container:
        for frame in container.decode(audio=0):
            assert isinstance(frame, AudioFrame)
            frame.pts = None
            parts += [np.asarray(f.to_ndarray(), np.int16)[0] for f in resampler.resample(frame)]
        parts += [np.asarray(f.to_ndarray(), np.int16)[0] for f in resampler.resample(None)]
    return np.concatenate(parts)


def _parts(samples: Samples) -> Iterator[Samples]:
    for start in range(0, len(samples), 1152):
        yield np.ascontiguousarray(samples[start : start + 1152])
