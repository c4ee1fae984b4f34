"""Which stretches of a document are in which language, so that each model reads its own."""

import re
from collections.abc import Sequence

from models.documents import LANGUAGES, Segment
from models.languages import han_language

_KANA = re.compile(r"[ぁ-んァ-ヺ]")
_HAN = re.compile(r"[一-龥]")
_LATIN = re.compile(r"[A-Za-z]")


def language_of(segment: Segment, document: str) -> str:
    """Return the language whose model should read a segment.

    What the recognizer said counts unless the script contradicts it: kana is Japanese, Chinese
    characters are not English, those of one country are not the other's, and a line of Latin
    letters in a Japanese document is English.
    """
    told = segment.language or document
    if told not in LANGUAGES:
        return told
    kana, han = len(_KANA.findall(segment.text)), len(_HAN.findall(segment.text))
    latin = len(_LATIN.findall(segment.text))
    if kana > 2:
        return "ja"
    if told == "en" and han > max(2, latin // 2):
        return han_language(segment.text) or "zh"
    if told != "en" and han and not kana:
        return han_language(segment.text) or told
    if told != "en" and latin > 8 and not kana + han:
        return "en"
    return told


def masked(segments: Sequence[Segment], document: str) -> dict[str, str]:
    """Return the joined text once per language, the other languages' segments blanked.

    The texts are all as long as the joined text, so that offsets agree. The document's own language
    comes first.
    """
    told = [language_of(segment, document) for segment in segments]
    order = [document, *sorted(set(told) - {document})]
    return {
        language: "\n".join(
            s.text if t == language else " " * len(s.text)
            for s, t in zip(segments, told, strict=True)
        )
        for language in order
        if language in told
    }
