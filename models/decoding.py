"""Decode recordings to 16 kHz, whole or damaged, in bounded memory.

A damaged packet is skipped and decoding goes on behind it; what is missing is filled with silence,
so that times stay those of the original, and counted as lost.
"""

from collections.abc import Iterator
from pathlib import Path

import av.error
import numpy as np
import numpy.typing as npt
from av.audio.frame import AudioFrame
from av.audio.resampler import AudioResampler
from av.audio.stream import AudioStream
from av.container import InputContainer
from av.packet import Packet
from av.stream import Stream

from configs.errors import CorruptInputError, TooLargeError
from models.media import audio_stream, open_media, stated_duration

SAMPLE_RATE_HZ = 16_000
MAX_DURATION_S = 24 * 3600.0
_BARE_FORMATS = frozenset({"mp3", "aac", "ac3", "eac3", "amr", "amrnb", "amrwb", "gsm"})
_MIN_GAP_S = 0.25
_MAX_UNSTATED_GAP_S = 600.0
_MAX_RESTARTS = 1000
_HEADER_TAIL_BYTES = 4096

Samples = npt.NDArray[np.int16]


_Decoded = tuple["Packet[Stream]", list[AudioFrame]]


class Decoding:
    """One pass over a recording's audio.

    Iterate `blocks()` to its end; then `decoded_s` are the seconds really decoded, `container_s`
    the seconds that should have been there, `channels` the number of channels and `tracks` of
    audio tracks, the first of which is decoded.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._errors = 0
        self._damaged = False
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
            bare = container.format.name in _BARE_FORMATS
            resampler = _Resampler()
            for packet, frames in self._packets(container, stream):
                yield from self._fill_by_bytes(packet, frames) if bare else ()
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

    def _resampled(self, resampler: "_Resampler", frame: AudioFrame) -> list[Samples]:
        try:
            return resampler.resample(frame)
        except av.error.FFmpegError:
            # A damaged header may state a rate or layout that does not exist.
            self._damage()
            return []

    def _damage(self) -> None:
        self._errors += 1
        self._damaged = True

    def _take(self, blocks: list[Samples]) -> Iterator[Samples]:
        for block in blocks:
            self.channels = self.channels or block.shape[1]
            self._position += len(block)
            if self._position > MAX_DURATION_S * SAMPLE_RATE_HZ:
                raise TooLargeError("The recording is longer than 24 hours.")
            yield block

    def _fill_by_bytes(
        self, packet: "Packet[Stream]", frames: list[AudioFrame]
    ) -> Iterator[Samples]:
        """Bare streams have no times: skipped bytes tell how much is missing."""
        if not frames or packet.pos is None:
            return
        if self._expected_byte is None:
            self._trusted = _states_frames(self._path, packet.pos)
        elif self._good_s and self._damaged:
            skipped = packet.pos - self._expected_byte
            yield from self._fill(skipped * self._good_s / self._good_bytes)
        self._damaged = False
        self._expected_byte = packet.pos + packet.size
        self._good_bytes += packet.size
        self._good_s += sum(frame.samples / frame.sample_rate for frame in frames)

    def _fill_by_time(self, frame: AudioFrame) -> Iterator[Samples]:
        if frame.pts is None or frame.time_base is None:
            return
        at_s = float(frame.pts * frame.time_base)
        if self._start_s is None:
            self._start_s = at_s
        gap_s = at_s - self._start_s - self._position / SAMPLE_RATE_HZ
        damaged, self._damaged = self._damaged, False
        yield from self._fill(gap_s, lost=damaged)

    def _fill(self, gap_s: float, *, lost: bool = True) -> Iterator[Samples]:
        """Yield silence for a gap; a pause that the recorder left out (DTX) is not lost."""
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


class _Resampler:
    """Resample to 16 kHz int16, also where format or layout change in the middle."""

    def __init__(self) -> None:
        self._resampler: AudioResampler | None = None
        self._source: tuple[str, str, int] | None = None
        self._layout: str | None = None
        self._channels = 0

    def resample(self, frame: AudioFrame) -> list[Samples]:
        source = (frame.format.name, frame.layout.name, frame.sample_rate)
        flushed: list[Samples] = []
        if source != self._source or self._resampler is None:
            flushed = self.flush()
            self._layout = self._layout or _target_layout(frame)
            self._resampler = AudioResampler(format="s16", layout=self._layout, rate=SAMPLE_RATE_HZ)
            self._source = source
        frame.pts = None
        return flushed + self._arrays(self._resampler.resample(frame))

    def flush(self) -> list[Samples]:
        if self._resampler is None:
            return []
        resampler, self._resampler, self._source = self._resampler, None, None
        try:
            return self._arrays(resampler.resample(None))
        except (av.error.FFmpegError, ValueError):
            # It never took a frame.
            return []

    def _arrays(self, frames: list[AudioFrame]) -> list[Samples]:
        return [
            np.asarray(frame.to_ndarray(), np.int16).reshape(-1, frame.layout.nb_channels)
            for frame in frames
        ]


def _target_layout(frame: AudioFrame) -> str:
    """Keep one or two channels apart; FFmpeg's own downmix to stereo for more."""
    return "mono" if frame.layout.nb_channels == 1 else "stereo"


def _states_frames(path: Path, first_packet: int) -> bool:
    """True where an MP3 states its number of frames (Xing, Info or VBRI header)."""
    with path.open("rb") as file:
        file.seek(max(0, first_packet - _HEADER_TAIL_BYTES))
        head = file.read(min(first_packet, _HEADER_TAIL_BYTES))
    return any(mark in head for mark in (b"Xing", b"Info", b"VBRI"))
