"""Find speech in a normalized recording (voice activity detection) and cut it into windows.

Silero's network (it comes with faster-whisper) runs once over the recording, half a minute at a
time with its state carried on, so that hours need no more memory than minutes.
Source: https://github.com/snakers4/silero-vad, faster_whisper/vad.py.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from configs.errors import UnknownModelError
from models.documents import Document, Interval
from models.intervals import merge_spans
from models.normalized import audio_shape, read_blocks
from models.resampling import SAMPLE_RATE_HZ

if TYPE_CHECKING:
    import onnxruntime

_CHUNK = 512
_CONTEXT = 64
_CHUNK_S = _CHUNK / SAMPLE_RATE_HZ
_THRESHOLDS = (0.5, 0.4, 0.3)
_BACKGROUND = 0.2
_KEPT_RATIO = 0.8
_RELEASE = 0.15
_MIN_SPEECH_S = 0.1
_MIN_FAINT_SPEECH_S = 0.5
_MIN_SILENCE_S = 1.0
PAD_S = 0.4


class Speech(Document):
    """Where there is speech, channel by channel (one channel unless speakers are apart).

    `thresholds` are the probabilities above which a channel counted as speech: lower where a
    band-limited telephone voice needs it.
    """

    channels: tuple[tuple[Interval, ...], ...]
    thresholds: tuple[float, ...]

    @property
    def intervals(self) -> tuple[Interval, ...]:
        """The union over all channels, in order."""
        spans = [(i.start, i.end) for channel in self.channels for i in channel]
        return tuple(Interval(start=start, end=end) for start, end in merge_spans(spans))

    @property
    def found(self) -> bool:
        """True where there is any speech at all."""
        return any(self.channels)


class Window(Document):
    """A stretch of one channel that is transcribed in one step, `[start, end)` in seconds."""

    index: int
    start: float
    end: float
    channel: int = 0


def find_speech(normalized: Path) -> Speech:
    """Find the stretches with speech, padded by 0.4 s.

    Args:
        normalized: a file that `normalize` wrote.

    Returns:
        The stretches of each channel, in order; empty where nobody speaks.

    Raises:
        CorruptInputError: the file cannot be read (not retryable).
    """
    duration_s, channels = audio_shape(normalized)
    networks = [_Network() for _ in range(channels)]
    chunks: list[list[npt.NDArray[np.float32]]] = [[] for _ in range(channels)]
    for block in _even_blocks(read_blocks(normalized)):
        for channel, network in enumerate(networks):
            chunks[channel].append(network.probabilities(block[:, channel]))
    found = [
        _speech_of(np.concatenate(parts), duration_s) if parts else ((), _THRESHOLDS[0])
        for parts in chunks
    ]
    return Speech(
        channels=tuple(intervals for intervals, _ in found),
        thresholds=tuple(threshold for _, threshold in found),
    )


def plan_windows(duration_s: float, speech: Speech, target_s: float = 600.0) -> list[Window]:
    """Cut each channel into windows of about `target_s`, in pauses where there are any.

    Args:
        duration_s: seconds of the normalized recording.
        speech: what `find_speech` returned.
        target_s: wished length; a window lasts up to half as long again.

    Returns:
        Windows with speech in them, channel by channel; empty where there is none.
    """
    windows: list[Window] = []
    for channel, intervals in enumerate(speech.channels):
        borders = [0.0, *_cuts(intervals, duration_s, target_s), duration_s]
        for start, end in pairwise(borders):
            if any(i.start < end and i.end > start for i in intervals):
                windows.append(Window(index=len(windows), start=start, end=end, channel=channel))
    return windows


def _cuts(intervals: Sequence[Interval], duration_s: float, target_s: float) -> Iterator[float]:
    """Yield cut times: the longest pause near each multiple of the target, else the target."""
    pauses = [(a.end, b.start) for a, b in pairwise(intervals)]
    start = 0.0
    while duration_s - start > 1.5 * target_s:
        low, high = start + 0.75 * target_s, start + 1.25 * target_s
        near = [pause for pause in pauses if pause[1] > low and pause[0] < high]
        if near:
            longest = max(near, key=lambda pause: pause[1] - pause[0])
            cut = min(max((longest[0] + longest[1]) / 2, low), high)
        else:
            cut = start + target_s
        yield round(cut, 3)
        start = round(cut, 3)


class _Network:
    """Silero VAD over one channel, state carried from block to block."""

    def __init__(self) -> None:
        self._state = (np.zeros((1, 1, 128), np.float32), np.zeros((1, 1, 128), np.float32))
        self._context = np.zeros(_CONTEXT, np.float32)

    def probabilities(self, samples: npt.NDArray[np.int16]) -> npt.NDArray[np.float32]:
        """Return the probability of speech of each 32 ms; the last chunk is filled with zeros."""
        audio = samples.astype(np.float32) / np.float32(32768.0)
        audio = np.pad(audio, (0, -len(audio) % _CHUNK)).reshape(-1, _CHUNK)
        before = np.vstack([self._context, audio[:-1, -_CONTEXT:]])
        self._context = audio[-1, -_CONTEXT:]
        output, *state = _session().run(
            None,
            {
                "input": np.concatenate([before, audio], axis=1),
                "h": self._state[0],
                "c": self._state[1],
            },
        )
        self._state = (state[0], state[1])
        return np.asarray(output, np.float32).ravel()


@cache
def _session() -> "onnxruntime.InferenceSession":
    import onnxruntime  # noqa: PLC0415 - heavy, and the web process never needs it

    options = onnxruntime.SessionOptions()
    options.inter_op_num_threads = 1
    options.intra_op_num_threads = 1
    options.enable_cpu_mem_arena = False
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(
        str(_network_file()), providers=["CPUExecutionProvider"], sess_options=options
    )


def _network_file() -> Path:
    spec = find_spec("faster_whisper")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        return Path(folder) / "assets" / "silero_vad_v6.onnx"
    raise UnknownModelError("The package faster-whisper is not installed.")


def _even_blocks(
    blocks: Iterator[npt.NDArray[np.int16]],
) -> Iterator[npt.NDArray[np.int16]]:
    """Cut blocks to whole chunks, so that only the last one needs filling."""
    rest: npt.NDArray[np.int16] | None = None
    for block in blocks:
        data = block if rest is None else np.concatenate([rest, block])
        full = len(data) // _CHUNK * _CHUNK
        rest = data[full:]
        if full:
            yield data[:full]
    if rest is not None and len(rest):
        yield rest


def _speech_of(
    probabilities: npt.NDArray[np.float32], duration_s: float
) -> tuple[tuple[Interval, ...], float]:
    threshold = _threshold(probabilities)
    spans = list(_runs(probabilities, threshold))
    least_s = _MIN_SPEECH_S if threshold == _THRESHOLDS[0] else _MIN_FAINT_SPEECH_S
    if sum(end - start for start, end in spans) < least_s:
        return (), threshold
    padded = [(max(0.0, start - PAD_S), min(duration_s, end + PAD_S)) for start, end in spans]
    return tuple(
        Interval(start=round(start, 3), end=round(end, 3)) for start, end in merge_spans(padded)
    ), threshold


def _threshold(probabilities: npt.NDArray[np.float32]) -> float:
    """Lower the threshold while much of what may be speech stays below it (telephone voice)."""
    possible = int((probabilities >= _BACKGROUND).sum())
    for threshold in _THRESHOLDS:
        if int((probabilities >= threshold).sum()) >= _KEPT_RATIO * possible:
            return threshold
    return _THRESHOLDS[-1]


def _runs(
    probabilities: npt.NDArray[np.float32], threshold: float
) -> Iterator[tuple[float, float]]:
    """Yield (start, end) of speech with hysteresis; pauses under a second stay inside."""
    start: int | None = None
    last = 0
    for index, probability in enumerate(probabilities):
        if probability >= threshold and start is None:
            start = index
        if start is None:
            continue
        if probability >= threshold - _RELEASE:
            last = index + 1
        elif (index - last) * _CHUNK_S >= _MIN_SILENCE_S:
            if (last - start) * _CHUNK_S >= _MIN_SPEECH_S:
                yield start * _CHUNK_S, last * _CHUNK_S
            start = None
    if start is not None and (last - start) * _CHUNK_S >= _MIN_SPEECH_S:
        yield start * _CHUNK_S, last * _CHUNK_S
