"""Channels are compared before they are mixed."""

from pathlib import Path

import numpy as np
import pytest

from models.audio import Channels, DecodeReport, normalize
from models.normalized import audio_shape, read_channel
from tests.recordings import DATA, Samples, noise, silence, stereo, sweep, write_audio


def _normalized(tmp_path: Path, samples: Samples) -> tuple[DecodeReport, Path]:
    source = write_audio(tmp_path / "source.wav", samples)
    target = tmp_path / "normalized.flac"
    return normalize(source, target), target


def _level(path: Path) -> float:
    return float(np.sqrt(np.mean(read_channel(path, 0.0, 1e9) ** 2)))


def test_normalize_when_right_is_left_inverted_then_the_mix_is_not_silence(tmp_path: Path) -> None:
    voice = sweep(4)
    report, path = _normalized(tmp_path, stereo(voice, -voice))
    assert report.channels is Channels.LEFT
    assert report.warnings == ("channel_inverted",)
    assert _level(path) > 0.1


@pytest.mark.parametrize(("left", "kept"), [(True, Channels.LEFT), (False, Channels.RIGHT)])
def test_normalize_when_one_channel_is_silent_then_the_other_is_kept_whole(
    tmp_path: Path, left: bool, kept: Channels
) -> None:
    voice, nothing = sweep(4), silence(4)
    report, path = _normalized(tmp_path, stereo(voice, nothing) if left else stereo(nothing, voice))
    assert report.channels is kept
    assert report.warnings == ("channel_silent",)
    assert _level(path) == pytest.approx(0.3 / np.sqrt(2), rel=0.05)


def test_normalize_when_one_channel_is_copied_then_mixed(tmp_path: Path) -> None:
    report, path = _normalized(tmp_path, stereo(sweep(4), sweep(4)))
    assert (report.channels, report.warnings) == (Channels.MIXED, ())
    assert audio_shape(path) == (4.0, 1)


def test_normalize_when_speakers_take_turns_on_channels_then_separate(tmp_path: Path) -> None:
    left = np.concatenate([noise(3, seed=1), silence(3)])
    right = np.concatenate([silence(3), noise(3, seed=2)])
    report, path = _normalized(tmp_path, stereo(left, right))
    assert report.channels is Channels.SEPARATE
    assert report.warnings == ("channels_separate",)
    assert audio_shape(path) == (6.0, 2)


def test_normalize_when_speakers_talk_at_once_on_channels_then_separate(tmp_path: Path) -> None:
    source = DATA / "audio" / "en_two_channel_speakers.wav"
    assert normalize(source, tmp_path / "n.flac").channels is Channels.SEPARATE


def test_normalize_when_two_microphones_hear_one_room_then_mixed(tmp_path: Path) -> None:
    voice = noise(6, seed=3)
    later = np.concatenate([silence(0.005), voice])[: len(voice)]
    hiss = noise(6, seed=4, level=0.01)
    report, _ = _normalized(tmp_path, stereo(voice, (later * 0.8 + hiss).astype(np.int16)))
    assert report.channels is Channels.MIXED


def test_normalize_when_both_channels_are_silent_then_one_silent_channel(tmp_path: Path) -> None:
    report, path = _normalized(tmp_path, stereo(silence(2), silence(2)))
    assert report.duration_s == 2.0
    assert _level(path) == 0.0
