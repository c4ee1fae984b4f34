"""A transcript as one text: detection needs it whole, redaction cuts it segment by segment."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace

from models.documents import Segment
from models.redactor.types import Found

JOINT = "\n"


@dataclass(frozen=True)
class JoinedText:
    """The texts of the segments, one a line, and where each begins."""

    text: str
    segments: tuple[Segment, ...]
    offsets: tuple[int, ...]

    @classmethod
    def of(cls, segments: Sequence[Segment]) -> "JoinedText":
        """Join the texts of segments."""
        offsets: list[int] = []
        position = 0
        for segment in segments:
            offsets.append(position)
            position += len(segment.text) + len(JOINT)
        text = JOINT.join(segment.text for segment in segments)
        return cls(text, tuple(segments), tuple(offsets))

    def range_of(self, segment_id: int, start: int, end: int) -> tuple[int, int] | None:
        """Return the place of a segment's stretch in the joined text, None if there is none."""
        for segment, offset in zip(self.segments, self.offsets, strict=True):
            if segment.id == segment_id and 0 <= start < end <= len(segment.text):
                return offset + start, offset + end
        return None

    def split(self, found: Sequence[Found]) -> list[list[Found]]:
        """Return the findings of each segment, in code points of its own text.

        A finding that runs over a border gives one piece to each segment it touches; pieces of
        spaces alone are left out.

        Args:
            found: findings in the joined text, by position, not overlapping.
        """
        pieces: list[list[Found]] = []
        for segment, offset in zip(self.segments, self.offsets, strict=True):
            end = offset + len(segment.text)
            first = bisect_right(found, offset, key=lambda f: f.end)
            last = bisect_left(found, end, key=lambda f: f.start)
            inside = (_piece(f, offset, segment.text) for f in found[first:last])
            pieces.append([piece for piece in inside if piece])
        return pieces


def _piece(found: Found, offset: int, text: str) -> Found | None:
    start, end = max(found.start - offset, 0), min(found.end - offset, len(text))
    surface = text[start:end]
    start += len(surface) - len(surface.lstrip())
    end -= len(surface) - len(surface.rstrip())
    return replace(found, start=start, end=end) if start < end else None
