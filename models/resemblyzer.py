"""Voice vectors by the weights of the package resemblyzer (Apache-2.0), where it is installed.

Only its weights are used, by torch; the package's own code asks for libraries that this needs not.
Source: https://github.com/resemble-ai/Resemblyzer, after "Generalized End-to-End Loss for Speaker
Verification" (Wan et al., 2018).
"""

from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from configs.errors import UnknownModelError
from models.resampling import SAMPLE_RATE_HZ

if TYPE_CHECKING:
    import torch

_WINDOW = 400
_HOP = 160
_MELS = 40
_FRAMES = 160
_STEP = 77
_LEVEL = 10 ** (-30 / 20)
_SIZE = 256
_LAYERS = 3


class Resemblyzer:
    """A recurrent network over 1.6 s of mel spectrogram; the mean over a stretch is its voice."""

    name = "resemblyzer"
    same = 0.75

    def vector(self, audio: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Return a vector of length 1 for float32 mono sound at 16 kHz.

        Raises:
            UnknownModelError: the package is not installed (not retryable).
        """
        import torch  # noqa: PLC0415 - heavy, and only where voices are told apart

        mels = self._mels(audio)
        starts = range(0, max(len(mels) - _FRAMES, 0) + 1, _STEP)
        parts = np.stack([mels[start : start + _FRAMES] for start in starts])
        lstm, linear = self._network
        with torch.no_grad():
            _, (hidden, _) = lstm(torch.from_numpy(parts))
            found = torch.relu(linear(hidden[-1]))
            found = torch.nn.functional.normalize(found, dim=1).mean(0)
            vector = torch.nn.functional.normalize(found, dim=0)
        return np.asarray(vector.numpy(), np.float32)

    @cached_property
    def _network(self) -> "tuple[torch.nn.LSTM, torch.nn.Linear]":
        import torch  # noqa: PLC0415 - as above

        weights = torch.load(_weights(), map_location="cpu", weights_only=True)["model_state"]
        lstm = torch.nn.LSTM(_MELS, _SIZE, _LAYERS, batch_first=True)
        linear = torch.nn.Linear(_SIZE, _SIZE)
        for name, module in (("lstm.", lstm), ("linear.", linear)):
            own = {k.removeprefix(name): v for k, v in weights.items() if k.startswith(name)}
            module.load_state_dict(own)
        return lstm, linear

    @cached_property
    def _filters(self) -> npt.NDArray[np.float32]:
        from faster_whisper.feature_extractor import FeatureExtractor  # noqa: PLC0415 - heavy

        return np.asarray(FeatureExtractor.get_mel_filters(SAMPLE_RATE_HZ, _WINDOW, _MELS))

    def _mels(self, audio: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Return at least 1.6 s of mel powers, frame by frame, quiet sound made louder."""
        level = float(np.sqrt(np.mean(np.square(audio)))) if len(audio) else 0.0
        audio = audio * max(1.0, _LEVEL / max(level, 1e-6))
        audio = np.pad(audio, (_WINDOW // 2, max(_WINDOW // 2, _FRAMES * _HOP - len(audio))))
        frames = np.lib.stride_tricks.sliding_window_view(audio, _WINDOW)[::_HOP]
        window = np.hanning(_WINDOW + 1)[:-1]
        powers = np.abs(np.fft.rfft(frames * window, axis=1)) ** 2
        return np.asarray(powers @ self._filters.T, np.float32)


def _weights() -> Path:
    spec = find_spec("resemblyzer")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        return Path(folder) / "pretrained.pt"
    raise UnknownModelError(
        "The speaker model resemblyzer is not installed: "
        "`pip install --no-deps resemblyzer==0.1.4`, or leave `asr.speaker_model` out."
    )
