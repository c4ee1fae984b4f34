"""How summaries compare with reference summaries, and what evidence they stand on."""

import json
from dataclasses import dataclass
from pathlib import Path

from configs.clock import monotonic_s
from configs.errors import NotFoundError
from models.documents import RedactedTranscript, Segment, Summary, Transcript
from models.evaluation_summary import Rouge, rouge
from models.redactor import RedactionPolicy
from models.summarizer import Summarizer, summarize
from pipeline.steps.services import RedactorPort


@dataclass(frozen=True)
class Meeting:
    """A meeting as text, with a summary that a person wrote."""

    id: str
    transcript: Transcript
    reference: str


@dataclass(frozen=True)
class MeetingScore:
    """What came out for one meeting."""

    meeting: Meeting
    summary: Summary
    rouge: Rouge
    cited_ratio: float
    took_s: float

    def as_dict(self) -> dict[str, object]:
        """Return the form that `eval summary --json` prints; no text."""
        return {
            "id": self.meeting.id,
            "language": self.meeting.transcript.language,
            "method": self.summary.method.value,
            "segments": len(self.meeting.transcript.segments),
            "sentences": len(self.summary.sentences()),
            "rouge_1": round(self.rouge.rouge_1, 4),
            "rouge_2": round(self.rouge.rouge_2, 4),
            "rouge_l": round(self.rouge.rouge_l, 4),
            "cited_ratio": round(self.cited_ratio, 4),
            "model_input_ratio": self.summary.model_input_ratio,
            "took_s": round(self.took_s, 2),
        }


def meetings_of(data: Path, language: str | None = None) -> list[Meeting]:
    """Return the meetings of the data, of one language where it is given.

    Raises:
        NotFoundError: there are none (not retryable).
    """
    paths = sorted((data / "meetings").glob("*.json"))
    if not paths:
        raise NotFoundError(f"There are no files meetings/*.json in {data}.")
    meetings = [_meeting(path) for path in paths]
    return [m for m in meetings if language in {None, m.transcript.language}]


def score_meeting(meeting: Meeting, redactor: RedactorPort, summarizer: Summarizer) -> MeetingScore:
    """Redact and summarize one meeting as a run would, and compare with its reference."""
    redacted = redactor.redact(meeting.transcript, RedactionPolicy()).redacted
    began = monotonic_s()
    summary = summarize(summarizer, redacted)
    took_s = monotonic_s() - began
    text = "\n".join(sentence.text for _, sentence in summary.sentences())
    return MeetingScore(
        meeting, summary, rouge(text, meeting.reference), _cited(summary, redacted), took_s
    )


def _cited(summary: Summary, redacted: RedactedTranscript) -> float:
    return len(summary.cited_segments) / len(redacted.segments) if redacted.segments else 0.0


def _meeting(path: Path) -> Meeting:
    entry = json.loads(path.read_text(encoding="utf-8"))
    segments = tuple(
        Segment(id=i, start=0.0, end=0.0, text=turn["text"], speaker=turn.get("speaker"))
        for i, turn in enumerate(entry["segments"], start=1)
    )
    transcript = Transcript(
        kind="document", language=entry["lang"], duration_s=0.0, segments=segments
    )
    return Meeting(entry["id"], transcript, entry["summary"])
