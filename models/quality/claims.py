"""A sentence of a summary beside the evidence that it cites."""

from dataclasses import dataclass

from models.documents import ActionItem, Finding, Sentence, Severity
from models.quality.source import Evidence, Source

BINDING = ("decisions", "action_items")
"""The parts of a summary on which others act, so that they are checked more strictly."""


@dataclass(frozen=True)
class Claim:
    """One sentence of a summary with its place and its evidence."""

    place: str
    sentence: Sentence
    evidence: Evidence
    source: Source
    language: str

    @property
    def is_translated(self) -> bool:
        """Tell whether its words cannot be compared with those of the evidence."""
        return self.language != self.source.redacted.language

    @property
    def text(self) -> str:
        """The sentence; of a task with its date."""
        extra = ""
        if isinstance(self.sentence, ActionItem) and self.sentence.due:
            extra = f" ({self.sentence.due})"
        return self.sentence.text + extra

    def finding(self, check: str, severity: Severity, reason: str) -> Finding:
        """Return a finding about this sentence."""
        segments = tuple(segment.id for segment in self.evidence.segments)
        cited = segments if self.sentence.citations else ()
        return Finding(
            check=check, severity=severity, place=self.place, reason=reason, segments=cited[:20]
        )
