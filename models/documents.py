"""The typed documents that models return and that artifacts hold.

All of them are canonical: `canonical_json` of equal documents gives equal bytes, and none holds a
clock time or the id of a run, so that a step that runs twice writes the same artifact. Times are
seconds from the start of the recording; text offsets are Unicode code points, end exclusive.
"""

import json
from enum import StrEnum
from typing import Literal

from pydantic import BaseModel, ConfigDict

Language = Literal["en", "ja", "zh"]
LANGUAGES: tuple[Language, ...] = ("en", "ja", "zh")
SOUNDS_LIKE = "sounds_like_"
"""Begins a warning; the code of the language that is heard where another was told follows."""
BETWEEN_CELLS = " | "
"""Stands between the cells of a table's row."""


class Document(BaseModel):
    """Base of all documents: immutable, unknown fields refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def canonical_json(document: BaseModel | dict[str, object]) -> bytes:
    """Return UTF-8 JSON with sorted keys, no spaces and non-ASCII characters unescaped."""
    data = document.model_dump(mode="json") if isinstance(document, BaseModel) else document
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


class Interval(Document):
    """A stretch of the recording, `[start, end)` in seconds."""

    start: float
    end: float


class Coverage(Document):
    """How much of the source went through each stage (seconds; ratios 0..1; None: not known yet).

    `speech_s` is what voice activity detection kept, `transcribed_s` the speech that text was
    written for, `hole` the stretch with most speech and no text, `hole_s` the speech in it,
    `model_input_ratio` the share of the transcript given to the summarizer and `cited_ratio` the
    share of segments that the summary cites.
    """

    container_s: float | None = None
    decoded_s: float | None = None
    speech_s: float | None = None
    transcribed_s: float | None = None
    hole: Interval | None = None
    hole_s: float | None = None
    model_input_ratio: float | None = None
    cited_ratio: float | None = None


class Word(Document):
    """One word as the recognizer wrote it, with its time and probability (0..1)."""

    word: str
    start: float
    end: float
    probability: float


class Segment(Document):
    """A sentence or phrase of a recording, or a paragraph of a document.

    `id` counts from 1 in reading order. A document's segment has `start == end == 0.0`, no words,
    and its place in `location` ("paragraph 12", "row 2"; "page 3, paragraph 1"). `suspect` holds
    reasons why the text may be invented (`no_speech_prob`, `avg_logprob`, `compression_ratio`,
    `known_phrase`, `repetition`); such text is kept and labelled.
    """

    id: int
    start: float
    end: float
    text: str
    language: str | None = None
    speaker: str | None = None
    avg_logprob: float | None = None
    no_speech_prob: float | None = None
    suspect: tuple[str, ...] = ()
    words: tuple[Word, ...] = ()
    location: str | None = None


class Transcript(Document):
    """What was said or written, in order. `kind` tells a recording from a document.

    `speech` are the stretches that voice activity detection kept (empty for a document);
    `warnings` are codes (`lost_audio`, `channels_separate`, `language_unsupported`, ...).
    """

    kind: Literal["speech", "document"]
    language: str
    duration_s: float
    segments: tuple[Segment, ...]
    speech: tuple[Interval, ...] = ()
    coverage: Coverage = Coverage()
    warnings: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """True where there is no text at all."""
        return not any(segment.text.strip() for segment in self.segments)


def place_parts(location: str) -> list[tuple[str, str]]:
    """Take a place in a document apart.

    Args:
        location: as in a segment. In transcripts of earlier versions all of a page's paragraphs
            have only its number (`page 3`).

    Returns:
        Kinds and numbers, the widest first: `[("page", "3"), ("row", "2")]`.
    """
    parts = (part.partition(" ") for part in location.split(", "))
    return [(kind, number) for kind, _, number in parts]


class RedactionSpan(Document):
    """One found piece of personal data: code points of the *original* text, end exclusive.

    `replacement` is the pseudonym, as `[PERSON_1]`; `score` is 0..1.
    """

    start: int
    end: int
    entity_type: str
    score: float
    replacement: str
    recognizer: str = ""


class SegmentRedactions(Document):
    """The spans of one segment's original text, by `start`, not overlapping.

    `audio` are the stretches to bleep, padded, in seconds.
    """

    segment_id: int
    spans: tuple[RedactionSpan, ...]
    audio: tuple[Interval, ...] = ()


class RedactionEdit(Document):
    """An editor's correction: redact a stretch of a segment's original text, or lift a redaction.

    Offsets are in the *original* text for both actions.
    """

    action: Literal["add", "remove"]
    segment_id: int
    start: int
    end: int
    entity_type: str = "PERSON"


class Redactions(Document):
    """All redactions of a transcript (raw: offsets into raw text) and the editor's corrections."""

    segments: tuple[SegmentRedactions, ...]
    edits: tuple[RedactionEdit, ...] = ()

    @property
    def audio(self) -> tuple[Interval, ...]:
        """All stretches to bleep, in order."""
        return tuple(interval for segment in self.segments for interval in segment.audio)


class Pseudonym(Document):
    """A pseudonym and the surface forms that it replaces (raw)."""

    replacement: str
    entity_type: str
    surfaces: tuple[str, ...]


class PseudonymMap(Document):
    """Which pseudonym stands for what (raw; erasable on its own)."""

    entries: tuple[Pseudonym, ...]


class RedactionMark(Document):
    """Where a pseudonym stands in the *redacted* text of a segment."""

    start: int
    end: int
    entity_type: str


class RedactedWord(Document):
    """A word of the redacted text with its time; a redacted stretch is one word, its pseudonym."""

    word: str
    start: float
    end: float


class RedactedSegment(Document):
    """A segment after redaction; same `id`, `start`, `end` as the original."""

    id: int
    start: float
    end: float
    text: str
    marks: tuple[RedactionMark, ...] = ()
    words: tuple[RedactedWord, ...] = ()
    speaker: str | None = None
    suspect: tuple[str, ...] = ()
    location: str | None = None

    @property
    def form(self) -> str:
        """What it is in a document (`heading`, `row`, `quote`, ...); empty for speech."""
        return place_parts(self.location or "")[-1][0]


class RedactedTranscript(Document):
    """The transcript that models, editors and readers may see."""

    kind: Literal["speech", "document"]
    language: str
    duration_s: float
    segments: tuple[RedactedSegment, ...]
    coverage: Coverage = Coverage()
    warnings: tuple[str, ...] = ()

    def segment(self, segment_id: int) -> RedactedSegment | None:
        """Return the segment with this id, or None."""
        return next((s for s in self.segments if s.id == segment_id), None)


class Sentence(Document):
    """A sentence of a summary and the ids of the segments that are its evidence."""

    text: str
    citations: tuple[int, ...]


class ActionItem(Sentence):
    """Something to do; `owner` is a pseudonym or a role, `due` as it was said."""

    owner: str | None = None
    due: str | None = None


class Chapter(Document):
    """A stretch of the source under one heading, by segment ids (both included)."""

    title: str
    first_segment: int
    last_segment: int


class SummaryMethod(StrEnum):
    """How the summary came to be; `edited` once a person has changed it."""

    EXTRACTIVE = "extractive"
    LLM = "llm"
    LOCAL_LLM = "local_llm"
    EDITED = "edited"


class Heading(Document):
    """What stands above a part of a summary (`key_points`, ...) on the published page."""

    part: str
    text: str


class SummaryTemplate(Document):
    """The template that a summary follows.

    `name` is its file's (`meeting.v1`), `sha256` the file's, `title` and `headings` are in the
    summary's language; a part without a heading is none of the template's.
    """

    name: str
    sha256: str
    title: str
    headings: tuple[Heading, ...]

    @property
    def parts(self) -> frozenset[str]:
        """The parts that it has."""
        return frozenset(heading.part for heading in self.headings)


SENTENCE_PARTS = ("abstract", "key_points", "decisions", "action_items")
"""The parts of a summary that are sentences, in order."""


class Summary(Document):
    """A summary in which each sentence cites its evidence.

    `fallback_reason` is set where a written summary failed its checks and the extractive one took
    its place: an error code such as `model.schema`. `language` is what it is written in; a quoted
    one is in its source's.
    """

    method: SummaryMethod
    language: str
    headline: str
    abstract: tuple[Sentence, ...]
    key_points: tuple[Sentence, ...] = ()
    decisions: tuple[Sentence, ...] = ()
    action_items: tuple[ActionItem, ...] = ()
    chapters: tuple[Chapter, ...] = ()
    template: SummaryTemplate | None = None
    fallback_reason: str | None = None
    model_input_ratio: float = 1.0

    def sentences(self) -> tuple[tuple[str, Sentence], ...]:
        """Return every sentence with its place, as `("key_points[2]", sentence)`, in order."""
        return tuple(
            (f"{part}[{i}]", sentence)
            for part in SENTENCE_PARTS
            for i, sentence in enumerate(getattr(self, part))
        )

    def texts(self) -> tuple[str, ...]:
        """Return every text that a reader of the summary reads."""
        items = (text for item in self.action_items for text in (item.owner, item.due) if text)
        return (
            self.headline,
            *(sentence.text for _, sentence in self.sentences()),
            *(chapter.title for chapter in self.chapters),
            *items,
        )

    @property
    def cited_segments(self) -> frozenset[int]:
        """The ids of all segments that some sentence cites."""
        return frozenset(c for _, sentence in self.sentences() for c in sentence.citations)


class Severity(StrEnum):
    """How much a finding weighs."""

    INFO = "info"
    WARN = "warn"
    BLOCK = "block"


class Verdict(StrEnum):
    """What the checks say of a revision."""

    PASS = "pass"  # noqa: S105 - a verdict, not a password
    WARN = "warn"
    BLOCK = "block"


class Finding(Document):
    """One thing that a check found.

    `place` names what it is about ("abstract[0]", "segment 12", "audio"); `reason` is a
    sentence for the editor that quotes no personal data. `values` are the numbers and codes in it,
    by name, for pages that say it in another language.
    """

    check: str
    severity: Severity
    place: str
    reason: str
    segments: tuple[int, ...] = ()
    values: tuple[tuple[str, str], ...] = ()


class QualityReport(Document):
    """All findings and the verdict: `block` if any finding blocks, else `warn`, else `pass`.

    `entailment_model` names the model of entailment that read the sentences too, if one did.
    """

    verdict: Verdict
    findings: tuple[Finding, ...]
    coverage: Coverage
    entailment_model: str | None = None
