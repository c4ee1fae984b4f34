"""Decode recordings to 16 kHz, whole or damaged, in bounded memory.

A damaged packet is skipped and decoding goes on behind it; what is missing is filled with silence,
so that times stay those of the original, and counted as lost.
"""

from collections.abc import Iterator
from pathlib import Path

import av.error
import numpy as np
from av.audio.frame import AudioFrame
from av.audio.stream import AudioStream
from av.container import InputContainer
from av.packet import Packet
from av.stream import Stream

from configs.errors import CorruptInputError, TooLargeError
from models.media import audio_stream, open_media, promised_by_wav, stated_duration
from models.resampling import SAMPLE_RATE_HZ, Resampler, Samples

MAX_DURATION_S = 24 * 3600.0
_BARE_FORMATS = frozenset({"mp3", "aac", "ac3", "eac3", "amr", "amrnb", "amrwb", "gsm"})
_MIN_GAP_S = 0.25
_MAX_UNSTATED_GAP_S = 600.0
_MAX_RESTARTS = 1000
_HEADER_TAIL_BYTES = 4096
_SWOLLEN_PACKET_BYTES = 8192  # more than an MPEG or AAC frame may have
_SWOLLEN_PACKET_S = 1.5
_DAMAGE_REACH_S = 2.0
_TAGS = (b"ID3", b"APETAGEX", b"TAG")


_Decoded = tuple["Packet[Stream]", list[AudioFrame]]


class Decoding:
    """One pass over a recording's audio.

    Iterate `blocks()` to its end; then `decoded_s` are the seconds really decoded, `container_s`
    the seconds that should have been there, `channels` the number of channels and `tracks` of
    audio tracks, the first of which is decoded.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._damage_s = -_DAMAGE_REACH_S
        self._position = 0
        self._lost = 0
        self._end_s = 0.0
        self._expected_byte: int | None = None
        self._good_bytes = 0
        self._good_s = 0.0
        self._start_s: float | None = None
        self._stated_s: float | None = None
        self._trusted = True
        self.channels = 0
        self.tracks = 0
        self.container_s = 0.0

    @property
    def decoded_s(self) -> float:
        """Seconds decoded, without the silence that stands for lost stretches."""
        return (self._position - self._lost) / SAMPLE_RATE_HZ

    def blocks(self) -> Iterator[Samples]:
        """Yield int16 blocks of shape (samples, channels) at 16 kHz, in order.

        Raises:
            EmptyInputError, NotMediaError, CorruptInputError, NoAudioTrackError, TooLargeError:
                for the uploader, not retryable.
        """
        with open_media(self._path) as container:
            stream = audio_stream(container)
            self.tracks = len(container.streams.audio)
            self._stated_s = stated_duration(container, stream)
            if (promised_s := promised_by_wav(self._path)) is not None:
                self._stated_s = max(promised_s, self._stated_s or 0.0)
            bare = container.format.name in _BARE_FORMATS
            pictures = bool(container.streams.video)
            resampler = Resampler()
            for packet, frames in self._packets(container, stream):
                skipped_s = self._skipped_s(packet, frames)
                if bare:
                    yield from self._fill(skipped_s)
                elif skipped_s > _MIN_GAP_S and not pictures:
                    self._damage()
                for frame in frames:
                    yield from () if bare else self._fill_by_time(frame)
                    yield from self._take(self._resampled(resampler, frame))
            yield from self._take(resampler.flush())
            self.container_s = self._expected_s(container, stream, bare=bare)
        if not self._position:
            raise CorruptInputError

    def _packets(self, container: InputContainer, stream: AudioStream) -> Iterator[_Decoded]:
        """Demux to the end; where the demuxer stops at damage, ask it to go on."""
        for _ in range(_MAX_RESTARTS):
            before = self._position
            try:
                for packet in container.demux(*self._streams(container, stream)):
                    if packet.pts is not None and packet.time_base is not None:
                        end = float((packet.pts + (packet.duration or 0)) * packet.time_base)
                        self._end_s = max(self._end_s, end)
                    if packet.stream.index == stream.index:
                        yield packet, self._decode(packet)
            except av.error.FFmpegError:
                self._damage()
                if self._position > before:
                    continue
            return

    def _streams(self, container: InputContainer, stream: AudioStream) -> list[Stream]:
        """Without a duration of its own the audio's end is judged against the pictures' end."""
        return [stream] if stream.duration else [stream, *container.streams.video]

    def _decode(self, packet: "Packet[Stream]") -> list[AudioFrame]:
        try:
            return [frame for frame in packet.decode() if isinstance(frame, AudioFrame)]
        except av.error.FFmpegError:
            self._damage()
            return []

    def _resampled(self, resampler: Resampler, frame: AudioFrame) -> list[Samples]:
        try:
            return resampler.resample(frame)
        except av.error.FFmpegError:
            # A damaged header may state a rate or layout that does not exist.
            self._damage()
            return []

    def _damage(self) -> None:
        self._damage_s = self._position / SAMPLE_RATE_HZ

    def _take(self, blocks: list[Samples]) -> Iterator[Samples]:
        for block in blocks:
            self.channels = self.channels or block.shape[1]
            self._position += len(block)
            if self._position > MAX_DURATION_S * SAMPLE_RATE_HZ:
                raise TooLargeError("The recording is longer than 24 hours.")
            yield block

    def _skipped_s(self, packet: "Packet[Stream]", frames: list[AudioFrame]) -> float:
        """Return the playing time of bytes that no good packet holds, up to this packet."""
        if not frames or packet.pos is None:
            return 0.0
        skipped_s = 0.0
        if self._expected_byte is None:
            self._trusted = _states_frames(self._path, packet.pos)
        elif packet.pos > self._expected_byte and not _is_tag(self._path, self._expected_byte):
            skipped_s = (packet.pos - self._expected_byte) * self._good_s / self._good_bytes
        swollen_s = packet.size * self._good_s / max(self._good_bytes, 1)
        if packet.size >= _SWOLLEN_PACKET_BYTES and swollen_s > _SWOLLEN_PACKET_S:
            # A parser that finds no border makes the damage a part of the packet before it.
            skipped_s += swollen_s
        else:
            self._good_bytes += packet.size
            self._good_s += sum(frame.samples / frame.sample_rate for frame in frames)
        self._expected_byte = packet.pos + packet.size
        return skipped_s

    def _fill_by_time(self, frame: AudioFrame) -> Iterator[Samples]:
        """Fill a gap in the container's times; next to damage, sound is lost in it.

        Elsewhere it is a pause that the recorder left out (DTX, a muted microphone).
        """
        if frame.pts is None or frame.time_base is None:
            return
        at_s = float(frame.pts * frame.time_base)
        if self._start_s is None:
            self._start_s = at_s
        position_s = self._position / SAMPLE_RATE_HZ
        lost = position_s - self._damage_s < _DAMAGE_REACH_S
        yield from self._fill(at_s - self._start_s - position_s, lost=lost)

    def _fill(self, gap_s: float, *, lost: bool = True) -> Iterator[Samples]:
        """Yield silence for a gap."""
        position_s = self._position / SAMPLE_RATE_HZ
        limit = _MAX_UNSTATED_GAP_S
        if self._stated_s is not None:
            limit = max(self._stated_s - position_s, 0.0)
        samples = int(min(gap_s, limit) * SAMPLE_RATE_HZ)
        if samples < _MIN_GAP_S * SAMPLE_RATE_HZ or not self.channels:
            return
        self._lost += samples if lost else 0
        for start in range(0, samples, SAMPLE_RATE_HZ):
            length = min(SAMPLE_RATE_HZ, samples - start)
            yield from self._take([np.zeros((length, self.channels), np.int16)])

    def _expected_s(self, container: InputContainer, stream: AudioStream, *, bare: bool) -> float:
        """Seconds that should be there; an estimate from a bit rate says nothing."""
        present_s = self._position / SAMPLE_RATE_HZ
        if self._stated_s is None or (bare and not self._trusted):
            return present_s
        if not stream.duration and container.streams.video and self._end_s > self._stated_s - 1:
            return present_s
        return max(self._stated_s, present_s)


def _states_frames(path: Path, first_packet: int) -> bool:
    """True where an MP3 states its number of frames (Xing, Info or VBRI header)."""
    with path.open("rb") as file:
        file.seek(max(0, first_packet - _HEADER_TAIL_BYTES))
        head = file.read(min(first_packet, _HEADER_TAIL_BYTES))
    return any(mark in head for mark in (b"Xing", b"Info", b"VBRI"))


def _is_tag(path: Path, at: int) -> bool:
    """True where a block of titles and covers begins, as between joined MP3 files."""
    with path.open("rb") as file:
        file.seek(at)
        return file.read(8).startswith(_TAGS)
