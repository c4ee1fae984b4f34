"""Compare the two channels of a recording before they are mixed.

A mix of a signal with its inverted copy is silence, a mix with an empty channel is half as loud,
and a mix of two speakers who were recorded apart throws their separation away.
"""

from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
import numpy.typing as npt

_BLOCK = 8_000
_ACTIVE_DBFS = -50.0
_SILENT_DBFS = -60.0
_FAR_BELOW_DB = 35.0
_DOMINANT_DB = 10.0
_SAME_CORRELATION = 0.9
_RELATED_CORRELATION = 0.35
_MAX_LAG = 400
_SEPARATE_RATIO = 0.5


class Channels(StrEnum):
    """What becomes of a recording's channels."""

    MONO = "mono"
    MIXED = "mixed"
    LEFT = "left"
    RIGHT = "right"
    SEPARATE = "separate"


@dataclass
class ChannelComparison:
    """Collects, half a second at a time, how two channels relate."""

    _rest: npt.NDArray[np.float32] = field(
        default_factory=lambda: np.zeros((0, 2), dtype=np.float32)
    )
    _levels: list[tuple[float, float]] = field(default_factory=list)
    _products: list[tuple[float, float, float]] = field(default_factory=list)
    _related: list[float] = field(default_factory=list)

    def add(self, samples: npt.NDArray[np.int16]) -> None:
        """Take int16 samples of shape (n, 2)."""
        data = np.concatenate([self._rest, samples.astype(np.float32) / 32768.0])
        full = len(data) // _BLOCK * _BLOCK
        for block in data[:full].reshape(-1, _BLOCK, 2):
            self._add_block(block)
        self._rest = data[full:]

    def decide(self) -> tuple[Channels, bool]:
        """Return what to do, and whether one channel is the inverted copy of the other."""
        if len(self._rest):
            self._add_block(self._rest)
            self._rest = self._rest[:0]
        left_db, right_db = (self._loudness_db(channel) for channel in (0, 1))
        if max(left_db, right_db) < _SILENT_DBFS:
            return Channels.LEFT, False
        if right_db < max(_SILENT_DBFS, left_db - _FAR_BELOW_DB):
            return Channels.LEFT, False
        if left_db < max(_SILENT_DBFS, right_db - _FAR_BELOW_DB):
            return Channels.RIGHT, False
        correlation = self._correlation()
        if correlation < -_SAME_CORRELATION:
            return Channels.LEFT, True
        if correlation > _SAME_CORRELATION:
            return Channels.MIXED, False
        return (Channels.SEPARATE if self._separate() else Channels.MIXED), False

    def _add_block(self, block: npt.NDArray[np.float32]) -> None:
        left, right = block[:, 0].astype(np.float64), block[:, 1].astype(np.float64)
        n = len(block)
        power = float(left @ left), float(right @ right)
        self._products.append((*power, float(left @ right)))
        levels = _db(power[0] / n), _db(power[1] / n)
        self._levels.append(levels)
        both = min(levels) > _ACTIVE_DBFS and abs(levels[0] - levels[1]) <= _DOMINANT_DB
        self._related.append(_peak_correlation(left, right) if both else 0.0)

    def _loudness_db(self, channel: int) -> float:
        """Level of the louder tenth of the blocks."""
        return float(np.percentile([level[channel] for level in self._levels], 95))

    def _correlation(self) -> float:
        left, right, product = (float(sum(p[i] for p in self._products)) for i in range(3))
        return float(product / max(np.sqrt(left * right), 1e-12))

    def _separate(self) -> bool:
        """Speakers apart: now one channel dominates and now the other, or both unrelated."""
        left = right = unrelated = active = 0
        for (left_db, right_db), related in zip(self._levels, self._related, strict=True):
            if max(left_db, right_db) < _ACTIVE_DBFS:
                continue
            active += 1
            if left_db - right_db > _DOMINANT_DB:
                left += 1
            elif right_db - left_db > _DOMINANT_DB:
                right += 1
            elif related < _RELATED_CORRELATION:
                unrelated += 1
        evidence = 2 * min(left, right) + unrelated
        return active > 0 and evidence / active >= _SEPARATE_RATIO


def _db(power: float) -> float:
    return float(10 * np.log10(max(power, 1e-12)))


def _peak_correlation(left: npt.NDArray[np.float64], right: npt.NDArray[np.float64]) -> float:
    """Return the greatest normalised correlation within 25 ms: microphones stand apart."""
    size = 2 * len(left)
    spectrum = np.fft.rfft(left, size) * np.conj(np.fft.rfft(right, size))
    lags = np.fft.irfft(spectrum, size)
    near = np.concatenate([lags[: _MAX_LAG + 1], lags[-_MAX_LAG:]])
    norm = max(float(np.sqrt((left @ left) * (right @ right))), 1e-12)
    return float(np.abs(near).max() / norm)
