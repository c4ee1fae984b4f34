"""Parts of a transcript that fit a model: equal in size, whole segments, nothing left out."""

import math
import re
from collections.abc import Callable, Iterator, Sequence

from configs.errors import ContextTooLongError
from models.documents import RedactedTranscript
from models.summarizer.port import Part
from models.summarizer.terms import PSEUDONYM

_SENTENCE_END = re.compile(r"[。！？]|[.!?…]\s|\n")
_LINE_TOKENS = 8
_SMALLEST = 80


def plan_parts(
    redacted: RedactedTranscript, budget: int, count_tokens: Callable[[str], int]
) -> tuple[Part, ...]:
    """Cut a transcript into parts of at most `budget` tokens each, as equal as segments allow.

    Args:
        redacted: the transcript.
        budget: tokens of transcript that one call takes.
        count_tokens: text -> tokens.

    Returns:
        The parts in order; empty where there is no text.
    """
    pieces = [
        piece
        for segment in redacted.segments
        if segment.text.strip()
        for piece in _pieces(segment.id, segment.text, budget, count_tokens)
    ]
    total = sum(tokens for _, tokens in pieces)
    target = total / max(1, math.ceil(total / budget))
    parts: list[Part] = []
    group: list[Part] = []
    size = 0
    for piece, tokens in pieces:
        full = size + tokens > budget or size + tokens / 2 > target
        if group and full:
            parts.append(_spanning(group))
            group, size = [], 0
        group.append(piece)
        size += tokens
    return tuple([*parts, _spanning(group)] if group else parts)


def halve(redacted: RedactedTranscript, part: Part) -> tuple[Part, ...]:
    """Halve a part by its characters.

    Raises:
        ContextTooLongError: it is a few words only (not retryable).
    """
    lengths = [len(text) for _, text, _ in part_lines(redacted, part)]
    if sum(lengths) < _SMALLEST:
        raise ContextTooLongError
    half = math.ceil(sum(lengths) / 2)
    ids = [segment_id for segment_id, _, _ in part_lines(redacted, part)]
    if len(ids) == 1:
        segment = redacted.segment(ids[0])
        text = segment.text if segment else ""
        end = part.last_offset if part.last_offset is not None else len(text)
        cut = _cut(text, part.first_offset, part.first_offset + half)
        first = part.model_copy(update={"last_offset": cut})
        return first, part.model_copy(update={"first_offset": cut, "last_offset": end})
    size, at = 0, 0
    while at < len(ids) - 1 and (size + lengths[at] <= half or at == 0):
        size += lengths[at]
        at += 1
    first = part.model_copy(update={"last_segment": ids[at - 1], "last_offset": None})
    return first, part.model_copy(update={"first_segment": ids[at], "first_offset": 0})


def part_lines(redacted: RedactedTranscript, part: Part) -> tuple[tuple[int, str, str | None], ...]:
    """Return (segment id, text, speaker) of the segments of a part that have text."""
    lines = []
    for segment in redacted.segments:
        if part.first_segment <= segment.id <= part.last_segment:
            start = part.first_offset if segment.id == part.first_segment else 0
            end = part.last_offset if segment.id == part.last_segment else None
            text = " ".join(segment.text[start:end].split())
            if text:
                lines.append((segment.id, text, segment.speaker))
    return tuple(lines)


def _pieces(
    segment_id: int, text: str, budget: int, count_tokens: Callable[[str], int]
) -> Iterator[tuple[Part, int]]:
    """Yield a segment whole, or in pieces where it alone is more than a call takes."""
    tokens = count_tokens(text) + _LINE_TOKENS
    if tokens <= budget:
        yield Part(first_segment=segment_id, last_segment=segment_id), tokens
        return
    step = max(_SMALLEST, len(text) * (budget - _LINE_TOKENS) // tokens)
    start = 0
    while start < len(text):
        end = len(text) if start + step >= len(text) else _cut(text, start, start + step)
        yield (
            Part(
                first_segment=segment_id,
                last_segment=segment_id,
                first_offset=start,
                last_offset=None if end == len(text) else end,
            ),
            count_tokens(text[start:end]) + _LINE_TOKENS,
        )
        start = end


def _cut(text: str, start: int, end: int) -> int:
    """Return where to cut before `end`: after a sentence, else a space, never in a pseudonym."""
    window = text[start:end]
    ends = [match.end() for match in _SENTENCE_END.finditer(window)]
    if ends and ends[-1] > len(window) // 2:
        return start + ends[-1]
    space = window.rfind(" ")
    cut = start + space + 1 if space > len(window) // 2 else end
    for match in PSEUDONYM.finditer(text):
        if match.start() < cut < match.end():
            return match.start() if match.start() > start else match.end()
    return cut


def _spanning(group: Sequence[Part]) -> Part:
    return Part(
        first_segment=group[0].first_segment,
        last_segment=group[-1].last_segment,
        first_offset=group[0].first_offset,
        last_offset=group[-1].last_offset,
    )
