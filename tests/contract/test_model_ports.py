"""What the pipeline asks of its models, of the scripted ones and of the real ones alike."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from configs.settings import load_settings
from models import audio
from models.documents import Segment, Transcript, Word, canonical_json
from models.redactor import RedactionPolicy, RedactionResult
from models.transcriber import Speech, Window, find_speech, plan_windows
from pipeline.runtime import load_redactor, load_transcriber
from pipeline.steps.services import RedactorPort, TranscriberPort
from tests.scripted import PLANTED, SENTENCES, ScriptedRedactor, ScriptedTranscriber

DATA = Path(__file__).parent.parent / "data"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with pytest.MonkeyPatch.context() as patch:
        home = tmp_path_factory.mktemp("models")
        patch.setenv("KIKIGAKI_HOME", str(home))
        yield home


@pytest.fixture(scope="module", params=["scripted", "real"])
def transcriber(request: pytest.FixtureRequest, home: Path) -> TranscriberPort:  # noqa: ARG001
    real: Callable[[], TranscriberPort] = lambda: load_transcriber(load_settings())  # noqa: E731
    return ScriptedTranscriber() if request.param == "scripted" else real()


@pytest.fixture(scope="module", params=["scripted", "real"])
def redactor(request: pytest.FixtureRequest, home: Path) -> RedactorPort:  # noqa: ARG001
    return ScriptedRedactor() if request.param == "scripted" else load_redactor(load_settings())


@pytest.fixture(scope="module")
def recording(home: Path) -> tuple[Path, Speech, Window]:
    path = home / "normalized.flac"
    report = audio.normalize(DATA / "audio/en_librivox_austen_0870.wav", path)
    speech = find_speech(path)
    (window,) = plan_windows(report.duration_s, speech)
    return path, speech, window


def test_transcriber_gives_segments_in_order_inside_the_window(
    transcriber: TranscriberPort, recording: tuple[Path, Speech, Window]
) -> None:
    path, speech, window = recording
    transcript = transcriber.transcribe(path, window, speech, "en")
    assert [s.id for s in transcript.segments] == list(range(1, len(transcript.segments) + 1))
    assert transcript.language == "en"
    for segment in transcript.segments:
        assert window.start <= segment.start < segment.end <= window.end + 0.5
        assert segment.text.strip()
        assert all(segment.start <= w.start <= w.end <= segment.end for w in segment.words)


def test_transcriber_twice_gives_the_same_bytes(
    transcriber: TranscriberPort, recording: tuple[Path, Speech, Window]
) -> None:
    path, speech, window = recording
    first = transcriber.transcribe(path, window, speech, "en")
    assert canonical_json(transcriber.transcribe(path, window, speech, "en")) == canonical_json(
        first
    )


def test_transcriber_names_its_model(transcriber: TranscriberPort) -> None:
    assert transcriber.name
    assert len(transcriber.digest) == 64


def _spoken(language: str) -> Transcript:
    segments = []
    for number, text in enumerate(SENTENCES[language], start=1):
        tokens = text.split() if " " in text else list(text)
        words = tuple(
            Word(word=f"{token} " if " " in text else token, start=number + i / 100,
                 end=number + (i + 1) / 100, probability=0.9)
            for i, token in enumerate(tokens)
        )  # fmt: skip
        segments.append(Segment(id=number, start=number, end=words[-1].end, text=text, words=words))
    return Transcript(kind="speech", language=language, duration_s=10.0, segments=tuple(segments))


@pytest.fixture(params=sorted(SENTENCES))
def redaction(
    request: pytest.FixtureRequest, redactor: RedactorPort
) -> tuple[Transcript, RedactionResult]:
    transcript = _spoken(request.param)
    persons = tuple(s for s, kind in PLANTED.items() if kind == "PERSON")
    return transcript, redactor.redact(transcript, RedactionPolicy(participants=persons))


def test_redactor_leaves_nothing_planted(redaction: tuple[Transcript, RedactionResult]) -> None:
    transcript, result = redaction
    planted = [s for s in PLANTED if any(s in segment.text for segment in transcript.segments)]
    assert planted
    shown = canonical_json(result.redacted).decode()
    assert [surface for surface in planted if surface in shown] == []


def test_redactor_marks_each_pseudonym(redaction: tuple[Transcript, RedactionResult]) -> None:
    _, result = redaction
    known = {entry.replacement for entry in result.pseudonyms.entries}
    marked = [
        segment.text[mark.start : mark.end]
        for segment in result.redacted.segments
        for mark in segment.marks
    ]
    assert marked
    assert set(marked) <= known


def test_redactor_spans_are_those_of_the_original(
    redaction: tuple[Transcript, RedactionResult],
) -> None:
    transcript, result = redaction
    surfaces = {s for entry in result.pseudonyms.entries for s in entry.surfaces}
    texts = {segment.id: segment.text for segment in transcript.segments}
    for segment in result.redactions.segments:
        for span in segment.spans:
            assert texts[segment.segment_id][span.start : span.end] in surfaces


def test_redactor_says_what_to_bleep(redaction: tuple[Transcript, RedactionResult]) -> None:
    _, result = redaction
    for segment in result.redactions.segments:
        assert bool(segment.spans) == bool(segment.audio)
        assert all(interval.start < interval.end for interval in segment.audio)
