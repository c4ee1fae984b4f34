"""Speech recognition with faster-whisper: windows of a normalized recording to text with times."""

import os
from collections.abc import Sequence
from pathlib import Path

from models.audio import DecodeReport
from models.documents import Transcript
from models.speech import Speech, Window, find_speech, plan_windows

__all__ = ["Speech", "Transcriber", "Window", "find_speech", "join_transcripts", "plan_windows"]

os.environ.setdefault("OMP_WAIT_POLICY", "passive")


class Transcriber:
    """A Whisper model in memory."""

    def __init__(
        self,
        model: Path,
        *,
        name: str = "base",
        device: str = "cpu",
        compute_type: str = "int8",
        threads: int = 2,
        beam_size: int = 5,
    ) -> None:
        """Load the model (folder of `weights.whisper_path`)."""
        raise NotImplementedError

    @property
    def digest(self) -> str:
        """SHA-256 of the weights."""
        raise NotImplementedError

    def transcribe(
        self,
        normalized: Path,
        window: Window,
        speech: Speech,
        language: str | None = None,
        vocabulary: Sequence[str] = (),
    ) -> Transcript:
        """Transcribe one window; times are those of the whole recording."""
        raise NotImplementedError


def join_transcripts(
    parts: Sequence[Transcript], report: DecodeReport, speech: Speech
) -> Transcript:
    """Put windows together: segment ids from 1, speakers of separate channels, coverage."""
    raise NotImplementedError
