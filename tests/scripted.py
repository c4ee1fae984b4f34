"""Models that follow a script, for tests of what happens around them.

They stand beside contract suites that run against the real models too (`tests/contract`). Each call
leaves a line in the file that `SCRIPTED_CALLS` names, so that tests can count what ran.
"""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from configs.settings import load_settings
from models.documents import (
    Interval,
    Pseudonym,
    PseudonymMap,
    RedactedSegment,
    RedactedTranscript,
    RedactedWord,
    RedactionEdit,
    RedactionMark,
    Redactions,
    RedactionSpan,
    Segment,
    SegmentRedactions,
    Transcript,
    Word,
)
from models.redactor import RedactionPolicy, RedactionResult
from models.transcriber import Speech, Window
from pipeline import runtime
from pipeline.steps import services as step_services
from pipeline.steps.services import Services

CALLS = "SCRIPTED_CALLS"
SENTENCES = {
    "en": (
        "Marigold Fenwick opened the meeting on Monday.",
        "The budget for the new library is forty thousand dollars.",
        "We decided to order the shelves in March.",
        "Marigold Fenwick will call the supplier at 020 7946 0991 by Friday.",
    ),
    "ja": (
        "月曜日の会議は架空田花子が始めました。",
        "新しい図書館の予算は四万ドルです。",
        "三月に棚を注文することに決めました。",
        "架空田花子が金曜日までに 090-0000-1234 へ電話します。",
    ),
    "zh": (
        "星期一的会议由虚构莲主持。",
        "新图书馆的预算是四万美元。",
        "我们决定三月订购书架。",
        "虚构莲将在星期五之前致电 13800001234。",
    ),
}
PLANTED = {
    "Marigold Fenwick": "PERSON",
    "架空田花子": "PERSON",
    "虚构莲": "PERSON",
    "020 7946 0991": "PHONE_NUMBER",
    "090-0000-1234": "PHONE_NUMBER",
    "13800001234": "PHONE_NUMBER",
}


def record_call(name: str) -> None:
    """Leave a line for whoever counts, whole even when several processes write."""
    path = os.environ.get(CALLS)
    if path:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.write(descriptor, f"{name} {os.getpid()}\n".encode())
        os.close(descriptor)


class ScriptedTranscriber:
    """Hears the script of a language in any speech, its sentences spread over the window."""

    name = "scripted"
    digest = "0" * 64

    def transcribe(
        self,
        normalized: Path,
        window: Window,
        speech: Speech,
        language: str | None,
        vocabulary: Sequence[str] = (),
    ) -> Transcript:
        record_call("transcribe")
        for term in vocabulary:
            record_call(f"expected:{term.replace(' ', '_')}")
        assert normalized.stat().st_size > 0
        language = language or "en"
        sentences = SENTENCES[language] if speech.found else ()
        step_s = (window.end - window.start) / max(len(sentences), 1)
        return Transcript(
            kind="speech",
            language=language,
            duration_s=window.end - window.start,
            segments=tuple(
                _segment(i, text, window.start + (i - 1) * step_s, step_s)
                for i, text in enumerate(sentences, start=1)
            ),
        )


class ScriptedRedactor:
    """Finds exactly what is planted, and what an editor asks for."""

    name = "scripted"
    digest = "0" * 64

    def redact(
        self,
        transcript: Transcript,
        policy: RedactionPolicy,  # noqa: ARG002 - the port's signature
        edits: Sequence[RedactionEdit] = (),
    ) -> RedactionResult:
        record_call("redact")
        planted = _planted(transcript, edits)
        names = _pseudonyms(transcript, planted)
        pairs = [_redacted(segment, names, planted) for segment in transcript.segments]
        return RedactionResult(
            redacted=RedactedTranscript(
                kind=transcript.kind,
                language=transcript.language,
                duration_s=transcript.duration_s,
                segments=tuple(segment for segment, _ in pairs),
                coverage=transcript.coverage,
                warnings=transcript.warnings,
            ),
            redactions=Redactions(segments=tuple(found for _, found in pairs), edits=tuple(edits)),
            pseudonyms=PseudonymMap(
                entries=tuple(
                    Pseudonym(replacement=new, entity_type=planted[old], surfaces=(old,))
                    for old, new in names.items()
                )
            ),
        )


def scripted_services(services: Services) -> Services:
    """Return services whose models follow the script; the summarizer stays the real one."""
    return replace(
        services,
        transcriber=lambda _job: ScriptedTranscriber(),
        redactor=ScriptedRedactor,
    )


def install_in_child(resource: str) -> None:
    """Set up an engine's child process with scripted models (`child_setup`)."""
    runtime.install_in_child(resource)
    step_services.install(scripted_services(step_services.services()))


CHILD_SETUP = "tests.scripted:install_in_child"


def scripted_settings_environment(home: Path) -> dict[str, str]:
    """Return what a process needs to find the same installation; a check that it loads."""
    environ = {"KIKIGAKI_HOME": str(home)}
    load_settings(environ)
    return environ


def _segment(number: int, text: str, start: float, length_s: float) -> Segment:
    tokens = text.split() if " " in text else list(text)
    step_s = length_s / len(tokens)
    words = tuple(
        Word(
            word=token,
            start=round(start + i * step_s, 3),
            end=round(start + (i + 1) * step_s, 3),
            probability=0.9,
        )
        for i, token in enumerate(tokens)
    )
    return Segment(
        id=number, start=words[0].start, end=words[-1].end, text=text, avg_logprob=-0.2,
        no_speech_prob=0.01, words=words,
    )  # fmt: skip


def _planted(transcript: Transcript, edits: Sequence[RedactionEdit]) -> dict[str, str]:
    planted = dict(PLANTED)
    texts = {segment.id: segment.text for segment in transcript.segments}
    for edit in edits:
        surface = texts[edit.segment_id][edit.start : edit.end]
        planted.pop(surface, None)
        if edit.action == "add":
            planted[surface] = edit.entity_type
    return planted


def _pseudonyms(transcript: Transcript, planted: dict[str, str]) -> dict[str, str]:
    text = "\n".join(segment.text for segment in transcript.segments)
    found = sorted((s for s in planted if s in text), key=text.index)
    numbers: dict[str, int] = {}
    names = {}
    for surface in found:
        kind = planted[surface]
        numbers[kind] = numbers.get(kind, 0) + 1
        names[surface] = f"[{kind}_{numbers[kind]}]"
    return names


def _redacted(
    segment: Segment, names: dict[str, str], planted: dict[str, str]
) -> tuple[RedactedSegment, SegmentRedactions]:
    spans = sorted(
        (
            RedactionSpan(
                start=segment.text.index(old),
                end=segment.text.index(old) + len(old),
                entity_type=planted[old],
                score=1.0,
                replacement=new,
                recognizer="scripted",
            )
            for old, new in names.items()
            if old in segment.text
        ),
        key=lambda span: span.start,
    )
    text, marks, at = "", [], 0
    for span in spans:
        text += segment.text[at : span.start]
        marks.append(
            RedactionMark(
                start=len(text),
                end=len(text) + len(span.replacement),
                entity_type=span.entity_type,
            )
        )
        text += span.replacement
        at = span.end
    text += segment.text[at:]
    kept = RedactedSegment(
        id=segment.id,
        start=segment.start,
        end=segment.end,
        text=text,
        marks=tuple(marks),
        words=(RedactedWord(word=text, start=segment.start, end=segment.end),),
        location=segment.location,
    )
    audio = (Interval(start=segment.start, end=segment.end),) if spans else ()
    return kept, SegmentRedactions(segment_id=segment.id, spans=tuple(spans), audio=audio)
