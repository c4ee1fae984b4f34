"""Resample decoded frames to 16 kHz int16, also where format or layout change in the middle."""

import av.error
import numpy as np
import numpy.typing as npt
from av.audio.frame import AudioFrame
from av.audio.resampler import AudioResampler

SAMPLE_RATE_HZ = 16_000

Samples = npt.NDArray[np.int16]


class Resampler:
    """Takes frames as they come; one or two channels stay as they are, more become two."""

    def __init__(self) -> None:
        self._resampler: AudioResampler | None = None
        self._source: tuple[str, str, int] | None = None
        self._layout: str | None = None
        self._channels = 0

    def resample(self, frame: AudioFrame) -> list[Samples]:
        """Return blocks of shape (samples, channels); the resampler may hold some back.

        Raises:
            av.error.FFmpegError: the frame states a rate or layout that does not exist.
        """
        source = (frame.format.name, frame.layout.name, frame.sample_rate)
        flushed: list[Samples] = []
        if source != self._source or self._resampler is None:
            flushed = self.flush()
            self._layout = self._layout or _target_layout(frame)
            self._resampler = AudioResampler(format="s16", layout=self._layout, rate=SAMPLE_RATE_HZ)
            self._source = source
        frame.pts = None
        return flushed + self._arrays(self._resampler.resample(frame))

    def flush(self) -> list[Samples]:
        """Return what was held back."""
        if self._resampler is None:
            return []
        resampler, self._resampler, self._source = self._resampler, None, None
        try:
            return self._arrays(resampler.resample(None))
        except (av.error.FFmpegError, ValueError):
            # It never took a frame.
            return []

    def _arrays(self, frames: list[AudioFrame]) -> list[Samples]:
        return [
            np.asarray(frame.to_ndarray(), np.int16).reshape(-1, frame.layout.nb_channels)
            for frame in frames
        ]


def _target_layout(frame: AudioFrame) -> str:
    """Keep one or two channels apart; FFmpeg's own downmix to stereo for more."""
    return "mono" if frame.layout.nb_channels == 1 else "stereo"
