"""Whole sentences of a redacted transcript, joined across segments, with their evidence.

Recognizers cut at pauses, not at sentences, and often write Japanese and Chinese without
punctuation. A sentence ends at a terminator, where the speaker changes, or, where there are no
terminators, at a segment's end that sounds like an end or is followed by a pause.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from models.documents import RedactedSegment, RedactedTranscript
from models.summarizer.forms import form_of
from models.summarizer.terms import PSEUDONYM

_CJK = r"\u3040-\u30ff\u3400-\u9fff\uff01-\uffee\u3000-\u303f"
_END = re.compile(
    rf"""(?P<cjk>[。！？．]+[」』）”’\])]*)              # a terminator of Japanese and Chinese
    | (?P<latin>[.!?…]+["'”’)\]]*)(?=\s|[{_CJK}]|\Z)   # or of Latin text, followed by space
    | (?P<break>\n\s*)                                  # or a line break inside a segment""",
    re.VERBOSE,
)
_ABBREVIATION = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|prof|st|vs|etc|e\.g|i\.e|inc|ltd|co|no|fig|dept|approx|jr|sr)|"
    r"\b[a-z](?:\.[a-z])*)\.$",
    re.IGNORECASE,
)
_SPOKEN_END = re.compile(
    r"(?:です|ます|ました|ません|でした|でしょう|ください|ましょう|だった|である|ですね|ですよ|ますね|"
    r"ますよ|ですか|ますか|吧|吗|呢|了|啊)$"
)
_PAUSE_S = 0.7
_BLOCK_PAUSE_S = 3.0
_LONG_CHARS = 280
_LONG_CJK_CHARS = 90
_MAX_CHARS = 1000
_CLAUSE = re.compile(r"[、，,;；]|\s")


@dataclass(frozen=True)
class Quote:
    """One sentence, word for word, and where it stands.

    Args:
        text: without surrounding space.
        segments: ids of the segments that it lies in, in order.
        speaker: of those segments.
        suspect: whether any of them may be invented.
        form: what it is in a document (`heading`, `quote`, `label`, ...); empty for speech.
        opens: whether a paragraph begins with it.
    """

    text: str
    segments: tuple[int, ...]
    speaker: str | None = None
    suspect: bool = False
    form: str = ""
    opens: bool = False


def quotes_of(redacted: RedactedTranscript) -> tuple[Quote, ...]:
    """Return every sentence of a transcript in order; empty where there is no text."""
    if redacted.kind == "speech":
        return tuple(q for block in _blocks(redacted) for q in _split(block, spoken=True))
    return tuple(
        replace(q, form=form_of(q.form, q.text))
        for block in _blocks(redacted)
        for q in _split(block, spoken=False)
    )


def split_sentences(text: str) -> tuple[str, ...]:
    """Return the sentences of a text, without surrounding space."""
    found = (text[start:end].strip() for start, end in _ranges(text, frozenset()))
    return tuple(sentence for sentence in found if sentence)


def joined(segments: Sequence[RedactedSegment]) -> str:
    """Return the text of neighbouring segments, with a space between Latin ones only."""
    return _join(segments)[0]


def _blocks(redacted: RedactedTranscript) -> Iterator[list[RedactedSegment]]:
    block: list[RedactedSegment] = []
    for segment in redacted.segments:
        if not segment.text.strip():
            continue
        if block and not _belongs(block[-1], segment, spoken=redacted.kind == "speech"):
            yield block
            block = []
        block.append(segment)
    if block:
        yield block


def _belongs(last: RedactedSegment, segment: RedactedSegment, *, spoken: bool) -> bool:
    if spoken:
        near = segment.start - last.end < _BLOCK_PAUSE_S
        return near and segment.speaker == last.speaker
    # A paragraph that runs over a page goes on with a small letter or after a CJK comma.
    text = last.text.rstrip()
    goes_on = segment.text.lstrip()[:1].islower() and text[-1:].isalpha()
    return goes_on or text.endswith(("、", "，"))


def _split(block: Sequence[RedactedSegment], *, spoken: bool) -> Iterator[Quote]:
    text, starts = _join(block)
    soft = frozenset(_soft_ends(block, starts, text)) if spoken else frozenset()
    for start, end in _ranges(text, soft):
        inside = [
            segment
            for segment, begin in zip(block, starts, strict=True)
            if begin < end and begin + len(segment.text.strip()) > start
        ]
        sentence = text[start:end].strip()
        if sentence and inside:
            yield Quote(
                text=sentence,
                segments=tuple(segment.id for segment in inside),
                speaker=inside[0].speaker,
                suspect=any(segment.suspect for segment in inside),
                form=inside[0].form,
                opens=start in starts,
            )


def _join(segments: Sequence[RedactedSegment]) -> tuple[str, list[int]]:
    text = ""
    starts = []
    for segment in segments:
        piece = segment.text.strip()
        if text and _needs_space(text[-1], piece[:1]):
            text += " "
        starts.append(len(text))
        text += piece
    return text, starts


def _needs_space(before: str, after: str) -> bool:
    return not (re.match(f"[{_CJK}]", before) or re.match(f"[{_CJK}]", after))


def _soft_ends(block: Sequence[RedactedSegment], starts: Sequence[int], text: str) -> Iterator[int]:
    """Yield segment ends at which a sentence without terminator may end."""
    since = 0
    for i in range(1, len(block)):
        piece = text[since : starts[i]].rstrip()
        cjk = sum(1 for char in piece if re.match(f"[{_CJK}]", char)) * 2 > len(piece)
        spoken_end = cjk and _SPOKEN_END.search(piece) is not None
        paused = block[i].start - block[i - 1].end >= _PAUSE_S
        if spoken_end or paused or len(piece) > (_LONG_CJK_CHARS if cjk else _LONG_CHARS):
            since = starts[i]
            yield since


def _ranges(text: str, soft: frozenset[int]) -> Iterator[tuple[int, int]]:
    covered = [match.span() for match in PSEUDONYM.finditer(text)]
    ends = {
        match.end()
        for match in _END.finditer(text)
        if not any(a <= match.start() < b for a, b in covered) and _is_end(text, match)
    }
    start = 0
    for end in sorted(ends | soft | {len(text)}):
        while end - start > _MAX_CHARS:
            cut = _forced_end(text, start, covered)
            yield start, cut
            start = cut
        if end > start:
            yield start, end
            start = end


def _forced_end(text: str, start: int, covered: Sequence[tuple[int, int]]) -> int:
    """Return where to cut text that goes on for a thousand characters without an end."""
    places = [match.end() for match in _CLAUSE.finditer(text, start + 1, start + _MAX_CHARS)]
    end = places[-1] if places else start + _MAX_CHARS
    return next((a for a, b in covered if a < end < b and a > start), end)


def _is_end(text: str, match: re.Match[str]) -> bool:
    if match.group("latin") != ".":
        return True
    return _ABBREVIATION.search(text[max(0, match.start() - 12) : match.end()]) is None
