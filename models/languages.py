"""Which language is spoken where: voted over samples of the speech, never from an intro alone."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import groupby
from typing import Any

from models.documents import LANGUAGES
from models.intervals import Span, total_s

_SAMPLE_S = 15.0
_MIN_SAMPLE_S = 1.0
_POSSIBLE = 0.3
_VERY_SURE = 0.95
_SURE = 0.85
_HARDLY = 0.05
_MAX_SAMPLES = 6
_MAX_LISTENED = 80
_MIN_LETTERS = 8
_MIN_HAN = 3
_HAN_SHARE = 0.2
_KANA_SHARE = 0.1
_CLASSIFIED_CHARS = 20_000
_TOLD_APART = (
    *("en", "ja", "zh", "ko", "de", "fr", "es", "it", "pt", "nl", "sv", "da"),
    *("pl", "cs", "tr", "vi", "id", "ru", "uk", "el", "ar", "he", "th", "hi"),
)
_HAN_LANGUAGES = ("ja", "zh", "yue")
_KANA = re.compile(r"[\u3041-\u30ff]")
_HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_LATIN = re.compile(r"[A-Za-z]")

Probabilities = dict[str, float]
Listener = Callable[[Span], Probabilities]


def sample_spans(spans: Sequence[Span]) -> list[Span]:
    """Choose up to six stretches spread over the speech, each at most 15 s, short ones last."""
    usable = [span for span in spans if span[1] - span[0] >= _MIN_SAMPLE_S] or list(spans)
    wanted = min(len(usable), _MAX_SAMPLES, 2 + int(total_s(spans) // 30))
    step = len(usable) / max(wanted, 1)
    chosen = [usable[int(i * step)] for i in range(wanted)]
    return [(start, min(end, start + _SAMPLE_S)) for start, end in chosen]


def vote(heard: Sequence[tuple[Span, Probabilities]]) -> str:
    """Return the language with the greatest sum of probability times seconds."""
    totals: dict[str, float] = defaultdict(float)
    for (start, end), probabilities in heard:
        for code, probability in probabilities.items():
            totals[code] += probability * (end - start)
    return min(totals, key=lambda code: (-totals[code], code))


def sounds_otherwise(heard: Sequence[Probabilities], told: str) -> str | None:
    """Return the language that all samples surely are in, where it is not the one that was told.

    A recognizer that is told a wrong language writes fluent text that nobody said.
    """
    codes = {max(sample, key=lambda code: sample[code]) for sample in heard if sample}
    if len(codes) != 1:
        return None
    (code,) = codes
    sure = all(sample[code] >= _SURE and sample.get(told, 0.0) < _HARDLY for sample in heard)
    return code if sure and code != told else None


def candidates(heard: Sequence[tuple[Span, Probabilities]]) -> list[str]:
    """Return the languages that may be spoken, the voted one first.

    Those this product knows count where a sample is undecided between them, others only where a
    sample is sure.
    """
    found = [vote(heard)]
    for _, probabilities in heard:
        for code, probability in sorted(probabilities.items()):
            needed = _POSSIBLE if code in LANGUAGES else _VERY_SURE
            if probability >= needed and code not in found:
                found.append(code)
    return found


def assign_languages(
    spans: Sequence[Span], codes: Sequence[str], listen: Listener
) -> list[tuple[str, list[Span]]]:
    """Give each stretch one of the languages; neighbours of one language come together.

    Where there are very many stretches, some neighbours are given the language of the longest.

    Args:
        spans: stretches of speech in order.
        codes: the languages that occur, the prevailing one first.
        listen: hears a stretch.
    """
    if len(codes) == 1:
        return [(codes[0], list(spans))]
    assigned: list[tuple[str, Span]] = []
    size = -(-len(spans) // _MAX_LISTENED)
    for first in range(0, len(spans), size):
        neighbours = spans[first : first + size]
        start, end = max(neighbours, key=lambda span: span[1] - span[0])
        code = assigned[-1][0] if assigned else codes[0]
        if end - start >= _MIN_SAMPLE_S:
            heard = listen((start, min(end, start + _SAMPLE_S)))
            code = max(codes, key=lambda code: heard.get(code, 0.0))
        assigned += [(code, span) for span in neighbours]
    return [
        (code, [span for _, span in group])
        for code, group in groupby(assigned, key=lambda item: item[0])
    ]


def language_of(text: str, spoken: str) -> str:
    """Return a sentence's language: the one spoken around it, unless its script says otherwise."""
    kana = len(_KANA.findall(text))
    han = len(_HAN.findall(text))
    latin = len(_LATIN.findall(text))
    if kana + han == 0 and latin >= _MIN_LETTERS:
        return "en" if spoken in _HAN_LANGUAGES else spoken
    if latin > 2 * (kana + han):
        return spoken
    if kana and spoken == "zh":
        return "ja"
    if spoken not in _HAN_LANGUAGES and kana + han >= _MIN_HAN:
        return "ja" if kana else han_language(text) or "zh"
    return spoken


def han_language(text: str) -> str | None:
    """Return whose characters a text without kana has, Japanese or Chinese; None if it may be both.

    Characters as Japan simplified them stand in its character set only, those of China in no
    Japanese one.
    """
    japanese = sum(map(_is_japanese, text))
    chinese = sum(map(_is_chinese, text))
    if japanese == chinese:
        return None
    return "ja" if japanese > chinese else "zh"


@cache
def _is_japanese(char: str) -> bool:
    others = _is_in(char, "gb2312") or _is_in(char, "big5")
    return char == "々" or bool(_HAN.match(char) and _is_in(char, "shift_jis") and not others)


@cache
def _is_chinese(char: str) -> bool:
    return bool(_HAN.match(char)) and not _is_in(char, "shift_jis")


def _is_in(char: str, character_set: str) -> bool:
    try:
        char.encode(character_set)
    except UnicodeEncodeError:
        return False
    return True


def language_of_document(texts: Iterable[str]) -> str:
    """Return the prevailing language of a document by its script, other scripts by statistics."""
    text = "\n".join(texts)
    kana, han = len(_KANA.findall(text)), len(_HAN.findall(text))
    letters = sum(char.isalpha() for char in text)
    if kana + han > _HAN_SHARE * letters:
        is_japanese = kana > _KANA_SHARE * (kana + han)
        return "ja" if is_japanese else han_language(text) or "zh"
    if letters < _MIN_LETTERS:
        return "en"
    return classify(text)


def classify(text: str) -> str:
    """Return the language of a text by statistics, of those that are told apart.

    Among all that py3langid knows, a form or a list of names is in one of a few thousand speakers.
    """
    return str(_identifier().classify(text[:_CLASSIFIED_CHARS])[0])


@cache
def _identifier() -> Any:  # noqa: ANN401 - py3langid ships no types
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # noqa: PLC0415 - loads its model

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE)
    identifier.set_languages(list(_TOLD_APART))
    return identifier
