"""How summaries compare with reference summaries, and what evidence they stand on."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from configs.clock import monotonic_s
from configs.errors import NotFoundError
from models.documents import RedactedTranscript, Segment, Summary, Transcript
from models.evaluation_summary import (
    Rouge,
    draw,
    is_exact,
    lead,
    mean_rouge,
    reach,
    rouge,
    tokens,
)
from models.redactor import RedactionPolicy
from models.summarizer import Summarizer, summarize
from models.summarizer.sentences import quotes_of
from pipeline.steps.services import RedactorPort

_DRAWS = 10


@dataclass(frozen=True)
class Meeting:
    """A meeting as text, with a summary that a person wrote."""

    id: str
    transcript: Transcript
    reference: str


@dataclass(frozen=True)
class MeetingScore:
    """What came out for one meeting.

    `rouge` is of abstract and key points, `lead` and `drawn` of the source's first sentences and of
    random ones (the mean of ten draws) of the same length.
    """

    meeting: Meeting
    summary: Summary
    rouge: Rouge
    lead: Rouge
    drawn: Rouge
    exact_ratio: float
    reach_ratio: float
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
            **_figures("", self.rouge),
            **_figures("lead_", self.lead),
            **_figures("random_", self.drawn),
            "exact_ratio": round(self.exact_ratio, 4),
            "reach_ratio": round(self.reach_ratio, 4),
            "cited_ratio": round(self.cited_ratio, 4),
            "model_input_ratio": self.summary.model_input_ratio,
            "took_s": round(self.took_s, 2),
        }


def meetings_of(data: Path, language: str | None = None) -> list[Meeting]:
    """Return the meetings of the data, of one language where it is given.

    Raises:
        NotFoundError: there are none (not retryable).
    """
    meetings = [_meeting(path) for path in sorted((data / "meetings").glob("*.json"))]
    found = [m for m in meetings if language in {None, m.transcript.language}]
    if not found:
        of_language = f" in “{language}”" if meetings else ""
        raise NotFoundError(f"There are no files meetings/*.json{of_language} in {data}.")
    return found


def score_meeting(meeting: Meeting, redactor: RedactorPort, summarizer: Summarizer) -> MeetingScore:
    """Redact and summarize one meeting as a run would, and compare with its reference."""
    redacted = redactor.redact(meeting.transcript, RedactionPolicy()).redacted
    began = monotonic_s()
    summary = summarize(summarizer, redacted)
    took_s = monotonic_s() - began
    text = "\n".join(sentence.text for sentence in (*summary.abstract, *summary.key_points))
    source, length = [quote.text for quote in quotes_of(redacted)], len(tokens(text))
    draws = [rouge(draw(source, length, seed), meeting.reference) for seed in range(_DRAWS)]
    sentences = [sentence for _, sentence in summary.sentences()]
    return MeetingScore(
        meeting=meeting,
        summary=summary,
        rouge=rouge(text, meeting.reference),
        lead=rouge(lead(source, length), meeting.reference),
        drawn=mean_rouge(draws),
        exact_ratio=sum(is_exact(s, redacted) for s in sentences) / len(sentences),
        reach_ratio=reach(summary.cited_segments, redacted),
        cited_ratio=_cited(summary, redacted),
        took_s=took_s,
    )


def language_means(scores: Sequence[MeetingScore]) -> list[dict[str, object]]:
    """Return the means over the meetings of each language, and over all."""
    languages = sorted({score.meeting.transcript.language for score in scores})
    groups = [
        (code, [s for s in scores if s.meeting.transcript.language == code]) for code in languages
    ]
    return [_mean(name, group) for name, group in [*groups, ("all", list(scores))]]


def _mean(name: str, group: Sequence[MeetingScore]) -> dict[str, object]:
    count = len(group)
    return {
        "language": name,
        "meetings": count,
        **_figures("", mean_rouge([score.rouge for score in group])),
        **_figures("lead_", mean_rouge([score.lead for score in group])),
        **_figures("random_", mean_rouge([score.drawn for score in group])),
        "exact_ratio": round(sum(score.exact_ratio for score in group) / count, 4),
        "reach_ratio": round(sum(score.reach_ratio for score in group) / count, 4),
        "took_s": round(sum(score.took_s for score in group) / count, 2),
    }


def _figures(prefix: str, scores: Rouge) -> dict[str, object]:
    return {f"{prefix}{name}": round(value, 4) for name, value in asdict(scores).items()}


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
