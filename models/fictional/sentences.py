"""Sentences with personal data in them, and where it stands."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from random import Random

from models.fictional import chinese, english, japanese
from models.fictional.words import Maker, table

MAKERS: dict[str, Mapping[str, Maker]] = {
    "en": english.MAKERS,
    "ja": japanese.MAKERS,
    "zh": chinese.MAKERS,
}
_LABELS = {"SURNAME": "PERSON", "GIVEN": "PERSON"}
_NOT_LABELLED = frozenset({"BANK", "TIME", "DATE", "MONEY", "PERCENT", "COUNT", "SMALL", "VERSION"})
_SLOT = re.compile(r"\{([A-Z_]+)\}")


class Manner(StrEnum):
    """Written by people, or as a recognizer writes what was said."""

    WRITTEN = "written"
    SPOKEN = "spoken"


@dataclass(frozen=True)
class Sentence:
    """A text and the personal data in it: start, end (exclusive) in code points, and class.

    `unseen` tells that nobody looked at how sentences of this shape are redacted while the
    recognizers were written.
    """

    id: str
    text: str
    language: str
    spans: tuple[tuple[int, int, str], ...]
    manner: Manner
    unseen: bool


def generate(language: str, per_class: int, seed: int) -> Iterator[Sentence]:
    """Yield sentences of a language: `per_class` of each class and of none, half of them spoken.

    Args:
        language: `en`, `ja` or `zh`.
        per_class: sentences with each class; some hold a class twice.
        seed: the same seed gives the same sentences.

    Raises:
        KeyError: there are no sentences in this language (not retryable).
    """
    for manner in Manner:
        for name, shapes in table(language)[manner].items():
            rng = Random(f"{seed} {language} {manner} {name}")  # noqa: S311 - to be repeatable
            for number in range(per_class // 2):
                place = number % len(shapes)
                text, spans = _filled(shapes[place], language, rng, spoken=manner is Manner.SPOKEN)
                yield Sentence(
                    id=f"{language}-{manner}-{name.lower()}-{number}",
                    text=text,
                    language=language,
                    spans=tuple(spans),
                    manner=manner,
                    unseen=place % 2 == 1,
                )


def _filled(
    shape: str, language: str, rng: Random, *, spoken: bool
) -> tuple[str, list[tuple[int, int, str]]]:
    text, spans, position = "", [], 0
    for slot in _SLOT.finditer(shape):
        text += shape[position : slot.start()]
        value = MAKERS[language][slot[1]](rng, spoken)
        if slot[1] not in _NOT_LABELLED:
            label = _LABELS.get(slot[1], slot[1])
            spans.append((len(text), len(text) + len(value), label))
        text += value
        position = slot.end()
    return text + shape[position:], spans
