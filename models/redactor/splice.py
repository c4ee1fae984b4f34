"""Cutting spans out of a text, once and from the original."""

from collections.abc import Sequence
from dataclasses import dataclass

from models.documents import RedactionMark, RedactionSpan


@dataclass(frozen=True)
class Splice:
    """A text with spans (sorted, not overlapping) to be replaced."""

    text: str
    spans: tuple[RedactionSpan, ...]

    def __post_init__(self) -> None:
        """Refuse spans that overlap or lie outside of the text."""
        position = 0
        for span in self.spans:
            if not position <= span.start < span.end <= len(self.text):
                raise ValueError("spans must be sorted, inside the text and must not overlap")
            position = span.end

    def result(self) -> tuple[str, tuple[RedactionMark, ...]]:
        """Return the redacted text, and where the pseudonyms stand in it."""
        out: list[str] = []
        marks: list[RedactionMark] = []
        position = length = 0
        for span in self.spans:
            kept = self.text[position : span.start]
            start = length + len(kept)
            length = start + len(span.replacement)
            out += [kept, span.replacement]
            marks.append(RedactionMark(start=start, end=length, entity_type=span.entity_type))
            position = span.end
        return "".join([*out, self.text[position:]]), tuple(marks)

    def widen(self, start: int, end: int) -> tuple[int, int]:
        """Return the stretch together with every span that it touches."""
        touched = [s for s in self.spans if s.start < end and s.end > start]
        return (
            min([start, *(s.start for s in touched)]),
            max([end, *(s.end for s in touched)]),
        )

    def redacted(self, start: int, end: int) -> str:
        """Return the redacted text of a stretch that cuts no span in two."""
        inside: Sequence[RedactionSpan] = [
            s.model_copy(update={"start": s.start - start, "end": s.end - start})
            for s in self.spans
            if start <= s.start and s.end <= end
        ]
        return Splice(self.text[start:end], tuple(inside)).result()[0]
