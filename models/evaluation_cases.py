"""Right summaries to plant faults in: invented ones, and reference summaries of meetings."""

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from models.documents import (
    LANGUAGES,
    RedactedSegment,
    RedactedTranscript,
    Sentence,
    Summary,
    SummaryMethod,
)
from models.fictional.minutes import minutes
from models.summarizer.sentences import split_sentences
from models.summarizer.terms import terms

_CITED = 6
_LEAST_GAIN = 0.04
_MAX_PARTS = 12


@dataclass(frozen=True)
class Case:
    """A source and a right summary of it.

    Args:
        id: of the meeting.
        source: `shared` (a folder of meetings) or `generated` (invented here).
        redacted: what is cited.
        summary: right, as far as people are.
        names: of those who took part, as they are written in the summary.
    """

    id: str
    source: str
    redacted: RedactedTranscript
    summary: Summary
    names: tuple[str, ...]

    @property
    def language(self) -> str:
        """The language of both."""
        return self.redacted.language


def invented_cases() -> list[Case]:
    """Return the invented meetings."""
    return [
        Case(
            id=f"{language}-{summary.headline}",
            source="generated",
            redacted=redacted,
            summary=summary,
            names=_names(redacted),
        )
        for language in LANGUAGES
        for redacted, summary in minutes(language)
    ]


def meeting_cases(data: Path) -> list[Case]:
    """Return the meetings of a data folder, whose reference summaries get citations (`cite`).

    Turns are cut into sentences, which are the segments. The reference is the abstract; summaries
    of parts (answers to questions on the whole, or of topics) are the key points. Names stand in
    clear, since nothing is redacted.

    Args:
        data: folder with `meetings/*.json`.

    Returns:
        One case a file, in order of the names; empty where there are none.
    """
    paths = sorted((data / "meetings").glob("*.json"))
    return [_meeting(json.loads(path.read_text(encoding="utf-8"))) for path in paths]


def cite(sentences: Sequence[str], redacted: RedactedTranscript) -> list[Sentence]:
    """Return sentences with the segments that bear them out best, one to six for each.

    Reference summaries come without evidence. Segments are taken one after the other, each the one
    that adds most content words of the sentence to those already found (rare words count more),
    while it adds enough. A speaker's name counts as a word of what they say. Words decide, numbers
    among them, since embeddings do not tell numbers apart.
    """
    held = [terms(f"{segment.speaker or ''} {segment.text}") for segment in redacted.segments]
    spread = Counter(term for found in held for term in found)
    made = []
    for text in sentences:
        wanted = {term: (1 + spread[term]) ** -0.5 for term in terms(text) if spread[term]}
        cited = sorted(redacted.segments[i].id for i in _chosen(wanted, held))
        made.append(Sentence(text=text, citations=tuple(cited)))
    return made


def _chosen(wanted: dict[str, float], held: Sequence[Counter[str]]) -> list[int]:
    whole = sum(wanted.values()) or 1.0
    left, chosen = dict(wanted), list[int]()
    while len(chosen) < _CITED:
        gains = [sum(left[term] for term in found if term in left) for found in held]
        best = max(range(len(held)), key=gains.__getitem__)
        if chosen and gains[best] / whole < _LEAST_GAIN:
            break
        chosen.append(best)
        left = {term: weight for term, weight in left.items() if term not in held[best]}
    return chosen


def _meeting(entry: dict[str, Any]) -> Case:
    redacted = _transcript(entry)
    reference = [s for line in entry["summary"].splitlines() for s in split_sentences(line)]
    parts = [s for text in _parts(entry) for s in split_sentences(text)][:_MAX_PARTS]
    cited = cite([*reference, *parts], redacted)
    summary = Summary(
        method=SummaryMethod.LLM,
        language=entry["lang"],
        headline=re.split(r"[，。,]", reference[0])[0],
        abstract=tuple(cited[: len(reference)]),
        key_points=tuple(cited[len(reference) :]),
    )
    return Case(entry["id"], "shared", redacted, summary, _names(redacted))


def _parts(entry: dict[str, Any]) -> list[str]:
    answers = [query["answer"] for query in entry.get("queries") or ()]
    topics = [topic["summary"] for topic in entry.get("topics") or () if isinstance(topic, dict)]
    return answers + topics


def _transcript(entry: dict[str, Any]) -> RedactedTranscript:
    spoken = [
        (turn["speaker"], sentence)
        for turn in entry["segments"]
        for line in turn["text"].splitlines()
        for sentence in split_sentences(line)
    ]
    segments = tuple(
        RedactedSegment(id=i, start=4.0 * i, end=4.0 * i + 3.9, text=text, speaker=speaker)
        for i, (speaker, text) in enumerate(spoken, start=1)
    )
    return RedactedTranscript(
        kind="speech",
        language=entry["lang"],
        duration_s=4.0 * (len(segments) + 1),
        segments=segments,
    )


def _names(redacted: RedactedTranscript) -> tuple[str, ...]:
    names = {re.split(r"[（(]", s.speaker)[0].strip() for s in redacted.segments if s.speaker}
    return tuple(sorted(name for name in names if len(name) > 1))
