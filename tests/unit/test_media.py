"""Probing: the content decides, and nothing else is opened."""

import shutil
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from configs.errors import (
    AppError,
    CorruptInputError,
    EmptyInputError,
    InputError,
    NoAudioTrackError,
    NotMediaError,
    TooShortError,
)
from models.audio import normalize, probe
from tests.recordings import DATA, silence, tone, write_audio

ODD = DATA / "media_odd"


@pytest.mark.parametrize(
    ("name", "container", "codec"),
    [
        ("mediarecorder_opus_no_duration.webm", "matroska,webm", "opus"),
        ("video_with_speech.mp4", "mov,mp4,m4a,3gp,3g2,mj2", "aac"),
        ("phone_8k_mulaw.wav", "wav", "pcm_mulaw"),
        ("hires_96k_24bit.wav", "wav", "pcm_s24le"),
        ("hires_24bit.flac", "flac", "flac"),
        ("voice_memo.amr", "amr", "amrnb"),
        ("gsm_fullrate.gsm", "gsm", "gsm"),
    ],
)
def test_probe_when_odd_but_whole_then_names_container_and_codec(
    name: str, container: str, codec: str
) -> None:
    found = probe(ODD / name)
    assert (found.container, found.codec) == (container, codec)


def test_probe_when_live_webm_then_duration_is_unknown() -> None:
    assert probe(ODD / "mediarecorder_opus_no_duration.webm").duration_s is None


def test_probe_when_video_has_sound_then_the_sounds_duration_counts() -> None:
    found = probe(ODD / "video_with_speech.mp4")
    assert found.has_video
    assert found.duration_s == pytest.approx(11.0, abs=0.1)


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("zero_byte.mp3", EmptyInputError),
        ("text_renamed.mp3", NotMediaError),
        ("truncated_before_moov.m4a", CorruptInputError),
        ("video_without_audio.mp4", NoAudioTrackError),
    ],
)
def test_probe_when_unusable_then_refused_for_good(name: str, error: type[AppError]) -> None:
    with pytest.raises(error) as caught:
        probe(ODD / name)
    assert not caught.value.retryable


@pytest.mark.parametrize("name", ["talk.txt", "talk.mp3", "talk.exe", "talk"])
def test_probe_when_the_suffix_is_wrong_then_content_decides(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    shutil.copyfile(ODD / "voice_memo.amr", path)
    assert probe(path).codec == "amrnb"


def test_probe_when_the_header_stands_alone_then_corrupt(tmp_path: Path) -> None:
    whole = write_audio(tmp_path / "whole.wav", tone(1))
    header = tmp_path / "header.wav"
    header.write_bytes(whole.read_bytes()[:44])
    with pytest.raises(CorruptInputError):
        probe(header)


def test_probe_when_too_short_then_refused(tmp_path: Path) -> None:
    with pytest.raises(TooShortError):
        probe(write_audio(tmp_path / "click.wav", tone(0.05)))


def test_probe_when_silent_then_accepted(tmp_path: Path) -> None:
    assert probe(write_audio(tmp_path / "silence.wav", silence(1))).duration_s == 1.0


@pytest.mark.parametrize("seed", range(10))
def test_probe_when_bytes_are_random_then_never_taken_for_media(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "random"
    path.write_bytes(np.random.default_rng(seed).bytes(40_000))
    with pytest.raises((NotMediaError, CorruptInputError)):
        probe(path)


@pytest.mark.parametrize(
    "text",
    [
        "#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\n{secret}\n#EXT-X-ENDLIST\n",
        "ffconcat version 1.0\nfile '{secret}'\n",
        "[playlist]\nFile1={secret}\n",
        "RTSPtext\nrtsp://127.0.0.1/a\n",
        "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nm=audio 5004 RTP/AVP 0\n",
    ],
)
def test_probe_when_a_playlist_names_another_file_then_refused(tmp_path: Path, text: str) -> None:
    secret = write_audio(tmp_path / "secret.wav", tone(1))
    path = tmp_path / "list.m3u8"
    path.write_text(text.format(secret=secret), encoding="utf-8")
    with pytest.raises(NotMediaError):
        probe(path)


@pytest.mark.parametrize("name", ["concat:a|b.mp3", "http:__127.0.0.1_a.mp3", "%03d.wav", "-i.wav"])
def test_probe_when_the_name_looks_like_a_protocol_then_it_is_only_a_name(
    tmp_path: Path, name: str
) -> None:
    path = write_audio(tmp_path / "plain.wav", tone(1)).rename(tmp_path / name)
    assert probe(path).codec == "pcm_s16le"


def _mutations(data: bytes, seed: int) -> bytes:
    random = np.random.default_rng(seed)
    changed = bytearray(data)
    for place in random.integers(0, min(len(changed), 600), size=12):
        changed[place] = int(random.integers(0, 256))
    start = int(random.integers(0, len(changed)))
    del changed[start : start + int(random.integers(0, len(changed) // 3))]
    return bytes(changed)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    "name",
    [
        "mediarecorder_opus_no_duration.webm",
        "voice_memo.amr",
        "video_with_speech.mp4",
        "stereo_right_channel_silent.wav",
        "noise_brown_30s.mp3",
    ],
)
def test_normalize_when_bytes_are_mangled_then_it_works_or_says_why(
    tmp_path: Path, name: str, seed: int
) -> None:
    source = tmp_path / "mangled"
    source.write_bytes(_mutations((ODD / name).read_bytes(), seed))
    with suppress(InputError):
        probe(source)
        assert normalize(source, tmp_path / "n.flac").duration_s > 0
