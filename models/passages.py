"""Speech packed without its pauses, and the way back from packed to original times.

A recognizer given long silence invents text; it gets the speech of a window joined together, and
every time it answers with is mapped back.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from models.intervals import Span
from models.resampling import SAMPLE_RATE_HZ
from models.speech import PAD_S

_LATE_S = 0.3  # that voice activity detection goes on after the last sound of a word


@dataclass(frozen=True)
class Passage:
    """Joined stretches of one language: `audio` float32 at 16 kHz, `spans` where it was cut out."""

    audio: npt.NDArray[np.float32]
    spans: tuple[Span, ...]
    language: str

    def slice(self, start_s: float, end_s: float) -> npt.NDArray[np.float32]:
        """Return the audio between two packed times."""
        return self.audio[round(start_s * SAMPLE_RATE_HZ) : round(end_s * SAMPLE_RATE_HZ)]

    def packed(self, original_s: float) -> float:
        """Return where a time of the recording lies in `audio`."""
        for (start, end), at in zip(self.spans, self._starts(), strict=True):
            if original_s <= end:
                return at + max(original_s - start, 0.0)
        return len(self.audio) / SAMPLE_RATE_HZ

    def original_pair(self, start_s: float, end_s: float) -> Span:
        """Return the times of a word; both ends lie in the stretch that holds its middle."""
        starts = self._starts()
        index = max(bisect_right(starts, (start_s + end_s) / 2) - 1, 0)
        return self._at(index, start_s, starts), self._at(index, end_s, starts)

    def in_padding(self, start_s: float) -> bool:
        """True where a packed time lies in the padding that ends a stretch of speech."""
        starts = self._starts()
        index = max(bisect_right(starts, start_s) - 1, 0)
        start, end = self.spans[index]
        return start_s - starts[index] > end - start - PAD_S - _LATE_S

    def _starts(self) -> list[float]:
        starts, total = [], 0.0
        for start, end in self.spans:
            starts.append(total)
            total += end - start
        return starts

    def _at(self, index: int, packed_s: float, starts: Sequence[float]) -> float:
        start, end = self.spans[index]
        return min(max(start, start + packed_s - starts[index]), end)


def cut(
    audio: npt.NDArray[np.float32], offset_s: float, spans: Sequence[Span]
) -> npt.NDArray[np.float32]:
    """Join stretches of `audio`, which begins at `offset_s` of the recording."""
    parts = [
        audio[round((start - offset_s) * SAMPLE_RATE_HZ) : round((end - offset_s) * SAMPLE_RATE_HZ)]
        for start, end in spans
    ]
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.float32)
