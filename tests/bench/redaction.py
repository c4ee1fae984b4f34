"""Characters redacted in a second, beside Presidio with the same models and nothing else."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from models.documents import LANGUAGES, Segment, Transcript
from models.fictional import generate
from models.redactor import RedactionPolicy, Redactor
from models.redactor.chunks import chunks
from tests.bench.report import Row, Section

_ROUNDS = 3
_GOAL = 0.8
_SEED = 11
_KEY = b"only measured with: no text is kept"


@dataclass(frozen=True)
class _Speed:
    language: str
    characters: int
    ours_s: float
    theirs_s: float

    def row(self) -> Row:
        """Return ours over theirs, in characters for each second of the processor."""
        ratio = self.theirs_s / self.ours_s
        ours, theirs = self.characters / self.ours_s, self.characters / self.theirs_s
        return Row(
            f"characters for a second of the processor, {self.language}",
            f"{ours:,.0f}",
            f"{theirs:,.0f}",
            ratio,
            f"at least {_GOAL}",
            ratio >= _GOAL,
        )


def measure(sentences: int) -> Section:
    """Take turns with Presidio on a transcript of each language; the best round of each counts."""
    speeds = [_speed(language, sentences) for language in LANGUAGES]
    return Section(
        f"Redaction of transcripts with {sentences} generated sentences per class",
        [speed.row() for speed in speeds],
        [
            (
                "theirs: `AnalyzerEngine.analyze` with the same models (spaCy, GiNZA, LAC as a "
                "recognizer) and Presidio's own recognizers of the language, nothing of ours, in "
                "pieces that the models bear; it finds, and does not replace."
            ),
            (
                "ours: `Redactor.redact`: those models, patterns over the written, the glued and "
                "the spoken form, rules for names, pseudonyms, marks."
            ),
            f"they take turns, {_ROUNDS} rounds after one to load; the best of each counts.",
        ],
    )


def _speed(language: str, sentences: int) -> _Speed:
    texts = [s.text for s in generate(language, sentences, _SEED)]
    text = "\n".join(texts)
    contestants = (partial(_ours, texts, language), _bare(text, language))
    for one in contestants:
        one()
    rounds = [[_timed(one) for one in contestants] for _ in range(_ROUNDS)]
    ours, theirs = (min(times) for times in zip(*rounds, strict=True))
    return _Speed(language, len(text), ours, theirs)


def _timed(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def _ours(texts: Sequence[str], language: str) -> object:
    segments = tuple(
        Segment(id=i, start=0.0, end=0.0, text=text) for i, text in enumerate(texts, 1)
    )
    source = Transcript(kind="document", language=language, duration_s=0.0, segments=segments)
    return Redactor(_KEY).redact(source, RedactionPolicy())


def _bare(text: str, language: str) -> Callable[[], object]:
    """Return Presidio by itself: its own recognizers and the models, without rules of ours."""
    from presidio_analyzer import AnalyzerEngine, RecognizerRegistry
    from presidio_analyzer.predefined_recognizers import SpacyRecognizer

    from models.redactor.presidio import _engine, _Names

    own = _engine(language)
    registry = RecognizerRegistry(supported_languages=[language])
    registry.load_predefined_recognizers(languages=[language], nlp_engine=own.nlp_engine)
    registry.recognizers = [r for r in registry.recognizers if not isinstance(r, SpacyRecognizer)]
    models = [r for r in own.registry.recognizers if not isinstance(r, _Names)]
    for recognizer in models:
        registry.add_recognizer(recognizer)
    engine = AnalyzerEngine(
        registry=registry, nlp_engine=own.nlp_engine, supported_languages=[language]
    )

    def run() -> object:
        return [engine.analyze(text=chunk.text, language=language) for chunk in chunks(text)]

    return run
