"""Voice activity: speech found, silence and noise not; windows cut in pauses."""

from pathlib import Path

import numpy as np
import pytest

from models.audio import normalize
from models.documents import Interval
from models.intervals import total_s
from models.speech import Speech, Window, find_speech, plan_windows
from tests.recordings import DATA, Samples, decode_audio, noise, silence, stereo, tone, write_audio

CLIP = DATA / "audio" / "en_librivox_austen_0870.wav"


def _speech(tmp_path: Path, samples: Samples) -> Speech:
    source = write_audio(tmp_path / "source.wav", samples)
    normalize(source, tmp_path / "n.flac")
    return find_speech(tmp_path / "n.flac")


def _seconds(speech: Speech) -> float:
    return total_s((i.start, i.end) for i in speech.intervals)


def test_find_speech_when_there_is_speech_then_found_where_it_is(tmp_path: Path) -> None:
    voice = decode_audio(CLIP)
    speech = _speech(tmp_path, np.concatenate([silence(40), voice, silence(40)]))
    (interval,) = speech.intervals
    assert interval.start == pytest.approx(39.7, abs=0.6)
    assert interval.end == pytest.approx(47.2, abs=0.6)


@pytest.mark.parametrize(
    "samples", [silence(20), tone(20), noise(20, seed=5, level=0.05)], ids=["none", "tone", "noise"]
)
def test_find_speech_when_nobody_speaks_then_empty(tmp_path: Path, samples: Samples) -> None:
    speech = _speech(tmp_path, samples)
    assert not speech.found
    assert plan_windows(20.0, speech) == []


def test_find_speech_when_voice_is_band_limited_then_kept_by_a_lower_threshold(
    tmp_path: Path,
) -> None:
    voice = decode_audio(CLIP).astype(np.float64)
    spectrum = np.fft.rfft(voice)
    hz = np.fft.rfftfreq(len(voice), 1 / 16_000)
    spectrum[(hz < 400) | (hz > 2300)] = 0
    narrow = np.fft.irfft(spectrum, len(voice)) + np.random.default_rng(1).normal(0, 60, len(voice))
    speech = _speech(tmp_path, np.clip(narrow, -32768, 32767).astype(np.int16))
    assert _seconds(speech) > 0.8 * len(voice) / 16_000


def test_find_speech_when_channels_are_apart_then_each_has_its_own(tmp_path: Path) -> None:
    voice = decode_audio(CLIP)
    quiet = silence(len(voice) / 16_000)
    left = np.concatenate([voice, quiet])
    right = np.concatenate([quiet, voice[::1]])
    speech = _speech(tmp_path, stereo(left, right))
    first, second = speech.channels
    assert first[0].end < 8.0 < second[0].start + 1.5
    assert len(plan_windows(2 * len(voice) / 16_000, speech)) == 2


def _spoken(*spans: tuple[float, float]) -> Speech:
    intervals = tuple(Interval(start=a, end=b) for a, b in spans)
    return Speech(channels=(intervals,), thresholds=(0.5,))


def test_plan_windows_when_short_then_one() -> None:
    assert plan_windows(800.0, _spoken((1.0, 799.0)), 600.0) == [
        Window(index=0, start=0.0, end=800.0)
    ]


def test_plan_windows_when_long_then_cut_in_the_longest_pause_near_the_target() -> None:
    speech = _spoken((0.0, 560.0), (562.0, 610.0), (630.0, 1300.0))
    windows = plan_windows(1300.0, speech, 600.0)
    assert [(w.start, w.end) for w in windows] == [(0.0, 620.0), (620.0, 1300.0)]


def test_plan_windows_when_nobody_pauses_then_cut_at_the_target() -> None:
    windows = plan_windows(1900.0, _spoken((0.0, 1900.0)), 600.0)
    assert [w.end for w in windows] == [600.0, 1200.0, 1900.0]
    assert [w.index for w in windows] == [0, 1, 2]


def test_plan_windows_when_hours_are_silent_then_only_windows_with_speech() -> None:
    windows = plan_windows(36_000.0, _spoken((20_000.0, 20_010.0)), 600.0)
    assert len(windows) == 1
    assert windows[0].start <= 20_000.0
    assert windows[0].end >= 20_010.0
