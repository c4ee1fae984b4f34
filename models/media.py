"""Open recordings of unknown origin safely, and say what they are.

The content decides, never the name: PyAV gets a nameless file object, a list of plain audio and
video containers (no playlists, no `concat`, no image sequences), no protocol and no way to open a
second file. `av` is used in this file, `decoding.py`, `flac.py` and `bleep.py` only.
"""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import av
import av.error
from av.audio.frame import AudioFrame
from av.audio.stream import AudioStream
from av.container import InputContainer

from configs.errors import (
    CorruptInputError,
    EmptyInputError,
    NoAudioTrackError,
    NotMediaError,
    TooShortError,
)

_FORMATS = (
    "aac,ac3,aiff,amr,amrnb,amrwb,asf,au,avi,caf,eac3,flac,flv,gsm,matroska,webm,"
    "mov,mp4,m4a,3gp,3g2,mj2,mp3,mpegts,mpeg,ogg,tta,wav,w64,wv"
)
_SIGNATURES = (
    (0, b"ID3"),
    (0, b"OggS"),
    (0, b"fLaC"),
    (0, b"RIFF"),
    (0, b"RF64"),
    (0, b"riff"),
    (0, b"FORM"),
    (0, b"caff"),
    (0, b".snd"),
    (0, b"#!AMR"),
    (0, b"FLV\x01"),
    (0, b"wvpk"),
    (0, b"TTA1"),
    (0, b"\x1aE\xdf\xa3"),
    (0, b"0&\xb2u\x8ef\xcf\x11"),
    (4, b"ftyp"),
    (4, b"moov"),
    (4, b"mdat"),
    (4, b"wide"),
    (4, b"skip"),
)
_HEAD_BYTES = 64
_PROBE_PACKETS = 400
_STREAMED_WAV_BYTES = 0x7FFF0000
MIN_DURATION_S = 0.2


@dataclass(frozen=True)
class MediaProbe:
    """What a recording is: container and codec by FFmpeg's names, `duration_s` None if unknown."""

    container: str
    codec: str
    duration_s: float | None
    sample_rate_hz: int
    channels: int
    has_video: bool


class _Nameless:
    """A file for PyAV without a name, so that neither suffix nor path can steer it."""

    def __init__(self, file: io.BufferedReader) -> None:
        self._file = file

    def read(self, size: int) -> bytes:
        return self._file.read(size)

    def seek(self, offset: int, whence: int = 0) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()


def _refuse_open(*_: object) -> object:
    """Refuse a second file that the content of the first asks for."""
    raise PermissionError("a recording may not open other files")


@contextmanager
def open_media(path: Path) -> Iterator[InputContainer]:
    """Open a recording for demuxing.

    Args:
        path: the file; only its content matters.

    Raises:
        EmptyInputError, NotMediaError, CorruptInputError: not retryable.
    """
    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
        if not head:
            raise EmptyInputError
        file.seek(0)
        try:
            container = av.open(
                _Nameless(file),
                mode="r",
                container_options={"format_whitelist": _FORMATS, "protocol_whitelist": "none"},
                metadata_errors="ignore",
                io_open=_refuse_open,
            )
        except (av.error.FFmpegError, PermissionError, ValueError) as error:
            raise _unreadable(head) from error
        with container:
            yield container


def audio_stream(container: InputContainer) -> AudioStream:
    """Return the first audio stream that can be decoded.

    Raises:
        NoAudioTrackError: there is none (not retryable).
    """
    for stream in container.streams.audio:
        if stream.codec_context is not None:
            return stream
    raise NoAudioTrackError


def probe(path: Path) -> MediaProbe:
    """Say what a recording is, from its first bytes and first decoded audio frame.

    Args:
        path: the file; its name and suffix are not looked at.

    Returns:
        The container's and codec's names and the basic numbers.

    Raises:
        EmptyInputError, NotMediaError, CorruptInputError, NoAudioTrackError, TooShortError:
            for the uploader, not retryable.
    """
    with open_media(path) as container:
        stream = audio_stream(container)
        frame = _first_frame(container, stream)
        if frame is None:
            raise _undecodable(path)
        duration_s = stated_duration(container, stream)
        if duration_s is not None and 0 < duration_s < MIN_DURATION_S:
            raise TooShortError
        return MediaProbe(
            container=container.format.name,
            codec=stream.codec_context.name,
            duration_s=duration_s,
            sample_rate_hz=frame.sample_rate,
            channels=frame.layout.nb_channels,
            has_video=_has_video(container),
        )


def stated_duration(container: InputContainer, stream: AudioStream) -> float | None:
    """Return the seconds that the container states for its audio, or None."""
    if stream.duration is not None and stream.time_base is not None and stream.duration > 0:
        return float(stream.duration * stream.time_base)
    if container.duration is not None and container.duration > 0:
        return float(container.duration / av.time_base)
    return None


def promised_by_wav(path: Path) -> float | None:
    """Return the seconds that a WAV file's header promises, where its data end before that.

    FFmpeg believes the size of a cut file; recorders that stream write no real size at all.
    """
    with path.open("rb") as file:
        head = file.read(12)
        if head[:4] != b"RIFF" or head[8:] != b"WAVE":
            return None
        bytes_per_s = 0
        while len(chunk := file.read(8)) == 8:
            size = int.from_bytes(chunk[4:], "little")
            if chunk[:4] == b"data":
                present = path.stat().st_size - file.tell()
                cut = bytes_per_s and present < size < _STREAMED_WAV_BYTES
                return size / bytes_per_s if cut else None
            body = file.read(min(size, 16))
            if chunk[:4] == b"fmt " and len(body) == 16:
                bytes_per_s = int.from_bytes(body[8:12], "little")
            file.seek(size - len(body) + size % 2, io.SEEK_CUR)
    return None


def has_signature(head: bytes) -> bool:
    """True where the first bytes are those of a known audio or video container."""
    return any(head[at : at + len(mark)] == mark for at, mark in _SIGNATURES)


def _has_video(container: InputContainer) -> bool:
    """True for moving pictures; a cover picture inside a music file is no video."""
    return any(
        not (stream.disposition & stream.disposition.attached_pic)
        for stream in container.streams.video
    )


def _first_frame(container: InputContainer, stream: AudioStream) -> AudioFrame | None:
    packets = 0
    try:
        for packet in container.demux(stream):
            packets += 1
            try:
                frames = packet.decode()
            except av.error.FFmpegError:
                frames = []
            if frames:
                return frames[0]
            if packets > _PROBE_PACKETS:
                return None
    except av.error.FFmpegError:
        return None
    return None


def _unreadable(head: bytes) -> CorruptInputError | NotMediaError:
    return CorruptInputError() if has_signature(head) else NotMediaError()


def _undecodable(path: Path) -> CorruptInputError | NotMediaError:
    """Random bytes may look like a bare MPEG or GSM stream: without a signature, no media."""
    with path.open("rb") as file:
        return _unreadable(file.read(_HEAD_BYTES))
