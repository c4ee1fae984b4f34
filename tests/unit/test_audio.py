"""Normalizing and bleeping: damage salvaged and reported, the same bytes for the same input."""

from pathlib import Path

import av
import numpy as np
import pytest
from av.audio.frame import AudioFrame
from av.audio.stream import AudioStream

from configs.errors import CorruptInputError, TooShortError
from models.audio import bleep, normalize
from models.documents import Interval
from models.normalized import audio_shape, read_blocks, read_channel
from tests.recordings import DATA, decode_audio, silence, stereo, sweep, tone, write_audio

SECONDS = 60


@pytest.fixture(scope="module")
def mp3(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("mp3") / "whole.mp3"
    write_audio(path, sweep(SECONDS), container="mp3", codec="libmp3lame", bit_rate=32_000)
    return path.read_bytes()


@pytest.mark.parametrize("junk", ["zeros", "noise", "text"])
def test_normalize_when_an_mp3_is_damaged_in_the_middle_then_the_rest_is_saved(
    tmp_path: Path, mp3: bytes, junk: str
) -> None:
    third = len(mp3) // 3
    filler = {
        "zeros": bytes(third),
        "noise": np.random.default_rng(0).bytes(third),
        "text": b"damaged " * (third // 8),
    }[junk]
    source = tmp_path / "damaged.mp3"
    source.write_bytes(mp3[:third] + filler + mp3[2 * third :])
    report = normalize(source, tmp_path / "n.flac")
    assert report.container_s == pytest.approx(SECONDS, abs=0.2)
    assert report.decoded_s == pytest.approx(SECONDS * 2 / 3, abs=1.5)
    assert report.warnings == ("lost_audio",)
    assert report.duration_s == pytest.approx(SECONDS, abs=2.5)


@pytest.mark.parametrize(
    ("container", "codec", "rate"),
    [
        ("flac", "flac", 16_000),
        ("ogg", "libopus", 48_000),
        ("matroska", "libopus", 48_000),
        ("mp4", "aac", 16_000),
    ],
)
def test_normalize_when_any_format_has_a_hole_then_the_loss_is_reported_and_filled(
    tmp_path: Path, container: str, codec: str, rate: int
) -> None:
    source = tmp_path / "damaged"
    write_audio(source, sweep(20, rate=rate), rate=rate, container=container, codec=codec)
    data = source.read_bytes()
    start, length = len(data) // 3, len(data) // 4
    source.write_bytes(data[:start] + bytes(length) + data[start + length :])
    report = normalize(source, tmp_path / "n.flac")
    assert "lost_audio" in report.warnings
    assert report.decoded_s < 16.0
    assert report.duration_s == pytest.approx(20.0, abs=0.2)


def test_normalize_when_damaged_then_what_follows_keeps_its_time(
    tmp_path: Path, mp3: bytes
) -> None:
    third = len(mp3) // 3
    source = tmp_path / "damaged.mp3"
    source.write_bytes(mp3[:third] + bytes(third) + mp3[2 * third :])
    normalize(source, tmp_path / "n.flac")
    found = read_channel(tmp_path / "n.flac", 49.0, 51.0)
    spectrum = np.abs(np.fft.rfft(found * np.hanning(len(found))))
    expected_hz = 300 + 2 * 20 * 50
    assert np.argmax(spectrum) / 2 == pytest.approx(expected_hz, abs=60)


def test_normalize_when_the_end_is_missing_then_reported(tmp_path: Path, mp3: bytes) -> None:
    source = tmp_path / "cut.mp3"
    source.write_bytes(mp3[: len(mp3) // 3])
    report = normalize(source, tmp_path / "n.flac")
    assert report.decoded_s == pytest.approx(SECONDS / 3, abs=0.3)
    assert report.container_s == pytest.approx(SECONDS, abs=0.2)
    assert report.warnings == ("lost_audio",)


def test_normalize_when_nothing_states_the_length_then_nothing_is_missed(
    tmp_path: Path, mp3: bytes
) -> None:
    source = tmp_path / "no_header.mp3"
    start = mp3.index(b"\xff", mp3.index(b"Info") if b"Info" in mp3 else mp3.index(b"Xing"))
    source.write_bytes(mp3[start : len(mp3) // 2])
    report = normalize(source, tmp_path / "n.flac")
    assert report.warnings == ()
    assert report.container_s == report.decoded_s


def test_normalize_when_a_truncated_wav_promises_more_then_reported(tmp_path: Path) -> None:
    whole = write_audio(tmp_path / "whole.wav", sweep(10)).read_bytes()
    source = tmp_path / "cut.wav"
    source.write_bytes(whole[: len(whole) // 2])
    report = normalize(source, tmp_path / "n.flac")
    assert report.decoded_s == pytest.approx(5, abs=0.1)
    assert report.container_s == pytest.approx(10, abs=0.1)
    assert report.warnings == ("lost_audio",)


def test_normalize_when_live_webm_states_nothing_then_all_is_decoded(tmp_path: Path) -> None:
    source = DATA / "media_odd" / "mediarecorder_opus_no_duration.webm"
    report = normalize(source, tmp_path / "n.flac")
    assert report.decoded_s == pytest.approx(11.0, abs=0.1)
    assert report.warnings == ()


def test_normalize_when_moov_is_at_the_end_then_decoded(tmp_path: Path) -> None:
    source = write_audio(tmp_path / "a.m4a", sweep(5), container="mp4", codec="aac")
    data = source.read_bytes()
    assert data.index(b"mdat") < data.index(b"moov")
    assert normalize(source, tmp_path / "n.flac").decoded_s == pytest.approx(5, abs=0.2)


def test_normalize_when_video_outlasts_its_sound_then_nothing_is_lost(tmp_path: Path) -> None:
    report = normalize(DATA / "media_odd" / "video_with_speech.mp4", tmp_path / "n.flac")
    assert report.warnings == ()


def test_normalize_when_there_are_two_tracks_then_the_second_is_not_passed_over_in_silence(
    tmp_path: Path,
) -> None:
    source = tmp_path / "two.mka"
    with av.open(str(source), "w", format="matroska") as output:
        streams = [output.add_stream("pcm_s16le", rate=16_000, layout="mono") for _ in range(2)]
        for stream in streams:
            assert isinstance(stream, AudioStream)
            frame = AudioFrame.from_ndarray(sweep(2).reshape(1, -1), format="s16", layout="mono")
            frame.sample_rate = 16_000
            output.mux([*stream.encode(frame), *stream.encode(None)])
    assert normalize(source, tmp_path / "n.flac").warnings == ("audio_tracks_ignored",)


@pytest.mark.parametrize("channels", [1, 2])
def test_normalize_when_repeated_then_the_same_bytes(tmp_path: Path, channels: int) -> None:
    samples = sweep(5) if channels == 1 else stereo(sweep(5), tone(5))
    source = write_audio(tmp_path / "source.wav", samples, rate=44_100)
    first, second = tmp_path / "first.flac", tmp_path / "second.flac"
    normalize(source, first)
    normalize(source, second)
    assert first.read_bytes() == second.read_bytes()


def test_normalize_when_done_then_no_scratch_file_is_left(tmp_path: Path) -> None:
    source = write_audio(tmp_path / "source.wav", stereo(sweep(1), tone(1)))
    normalize(source, tmp_path / "n.flac")
    assert {path.name for path in tmp_path.iterdir()} == {"source.wav", "n.flac"}


def test_normalize_when_sound_is_a_click_then_too_short(tmp_path: Path) -> None:
    with pytest.raises(TooShortError):
        normalize(write_audio(tmp_path / "click.wav", tone(0.05)), tmp_path / "n.flac")


def test_read_channel_when_in_the_middle_then_the_exact_samples(tmp_path: Path) -> None:
    samples = sweep(70)
    normalize(write_audio(tmp_path / "source.wav", samples), tmp_path / "n.flac")
    found = read_channel(tmp_path / "n.flac", 33.0, 64.5)
    assert np.array_equal(np.round(found * 32768), samples[33 * 16_000 : int(64.5 * 16_000)])


def test_audio_shape_when_no_flac_then_corrupt(tmp_path: Path) -> None:
    (tmp_path / "n.flac").write_bytes(b"not flac at all")
    with pytest.raises(CorruptInputError):
        audio_shape(tmp_path / "n.flac")


def _bleeped(tmp_path: Path, intervals: list[tuple[float, float]]) -> Path:
    normalize(write_audio(tmp_path / "source.wav", silence(65)), tmp_path / "n.flac")
    target = tmp_path / "audio.opus"
    bleep(tmp_path / "n.flac", target, [Interval(start=a, end=b) for a, b in intervals])
    return target


def test_bleep_when_given_stretches_then_tone_there_and_only_there(tmp_path: Path) -> None:
    found = decode_audio(_bleeped(tmp_path, [(29.5, 30.5), (10.0, 11.0), (10.5, 12.0)]))
    loud = np.abs(found.astype(np.float64)).reshape(-1, 1600).max(axis=1) > 1000
    expected = {*range(100, 120), *range(295, 305)}
    heard = set(np.flatnonzero(loud).tolist())
    assert expected - heard == set()
    assert heard - {e + d for e in expected for d in (-1, 0, 1)} == set()


def test_bleep_when_repeated_then_the_same_bytes(tmp_path: Path) -> None:
    first = _bleeped(tmp_path, [(1.0, 2.0)]).read_bytes()
    assert _bleeped(tmp_path, [(1.0, 2.0)]).read_bytes() == first


def test_bleep_when_there_is_nothing_to_hide_then_the_whole_recording(tmp_path: Path) -> None:
    assert len(decode_audio(_bleeped(tmp_path, []))) == pytest.approx(65 * 16_000, abs=400)


def test_bleep_when_written_then_ogg_opus(tmp_path: Path) -> None:
    data = _bleeped(tmp_path, []).read_bytes()
    assert data.startswith(b"OggS")
    assert b"OpusHead" in data[:64]


def test_read_blocks_when_long_then_in_pieces(tmp_path: Path) -> None:
    normalize(write_audio(tmp_path / "source.wav", silence(65)), tmp_path / "n.flac")
    lengths = [len(block) for block in read_blocks(tmp_path / "n.flac")]
    assert sum(lengths) == 65 * 16_000
    assert max(lengths) < 31 * 16_000
