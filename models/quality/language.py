"""The languages of a summary: as a whole, and sentence by sentence."""

import re
import unicodedata
from collections.abc import Iterator

from models.documents import (
    LANGUAGES,
    SOUNDS_LIKE,
    Finding,
    RedactedTranscript,
    Severity,
    Summary,
    SummaryMethod,
)
from models.languages import classify
from models.quality.places import headings
from models.summarizer.terms import PSEUDONYM

_KANA = re.compile(r"[\u3041-\u30ff]")
_HAN = re.compile(r"[\u3400-\u9fff]")
_LATIN = re.compile(r"[A-Za-zÀ-ÿ]+")
_CHINESE_ONLY = re.compile(
    r"[这們们么吗呢给让从还没]|[一-龥](?:的|了)[一-龥，。]|是[一-龥]|不[一-龥]"
)
_LEAST_CJK = 8
_LEAST_LATIN = 24
_LEAST_FOR_MODEL = 60
_LEAST_KANA = 2
_LEAST_WORDS = 3
_NOT_ASSURED = ("redaction_not_assured", "language_unsupported")


def check_language(
    summary: Summary, redacted: RedactedTranscript, asked: str | None = None
) -> Iterator[Finding]:
    """Yield where redaction is not assured for a language, or the summary has another one.

    Args:
        summary: of any method.
        redacted: its source.
        asked: what it was to be written in; None: the source's.
    """
    yield from _language_supported(redacted)
    yield from _sounds_otherwise(redacted)
    if asked is not None and asked != summary.language:
        yield Finding(
            check="language.not_written",
            severity=Severity.WARN,
            place="summary",
            reason=f"It was to be in “{asked}”; quoted sentences stay in “{summary.language}”.",
            values=(("asked", asked), ("language", summary.language)),
        )
    if summary.language not in LANGUAGES:
        return
    others = _other_sentences(summary, summary.language)
    found = _main_language(summary, summary.language, others)
    quoted = summary.method is SummaryMethod.EXTRACTIVE
    if found is not None and found != summary.language:
        yield _finding(
            "language.mismatch",
            Severity.WARN if quoted else Severity.BLOCK,
            "summary",
            f"The summary is in “{found}”; it should be in “{summary.language}”.",
        )
    elif not quoted:
        for place, language in [*others, *_other_headings(summary, redacted)]:
            reason = f"The sentence is in “{language}”; it should be in “{summary.language}”."
            yield _finding("language.sentence", Severity.WARN, place, reason)


def _main_language(summary: Summary, expected: str, others: list[tuple[str, str]]) -> str | None:
    """Return the language of most of a summary, None where nothing tells."""
    texts = [sentence.text for _, sentence in summary.sentences()]
    if len(others) * 2 > len(texts):
        return others[0][1]
    if any(sentence_language(text) == expected for text in texts):
        return expected
    return script_language(" ".join([summary.headline, *texts]))


def _other_sentences(summary: Summary, expected: str) -> list[tuple[str, str]]:
    """Return the places of the sentences in another language, with that language."""
    found = [(place, sentence_language(s.text)) for place, s in summary.sentences()]
    return [(place, told) for place, told in found if told and told != expected]


def _other_headings(summary: Summary, redacted: RedactedTranscript) -> Iterator[tuple[str, str]]:
    """Yield headings in another language, but for those that are words of the source."""
    source = " ".join(segment.text for segment in redacted.segments).lower()
    for place, text in headings(summary):
        told = heading_language(text, summary.language)
        if told != summary.language and text.strip().lower() not in source:
            yield place, told


def heading_language(text: str, expected: str) -> str:
    """Tell the language of a few words; the expected one where they may be in it."""
    _, kana, han, latin = _scripts(text)
    if kana + han > latin / 2:
        if expected == "en" or (expected == "zh" and kana >= _LEAST_KANA):
            return "ja" if kana else "zh"
    elif expected != "en" and not kana + han and len(_LATIN.findall(text)) >= _LEAST_WORDS:
        return "en"
    return sentence_language(text) or expected


def sentence_language(text: str) -> str | None:
    """Tell the language of one sentence, None where it may be in more than one.

    Chinese characters without kana may be a Japanese headline: they are Chinese where words stand
    among them that only Chinese has.
    """
    bare, kana, han, latin = _scripts(text)
    if kana + han >= _LEAST_CJK and (kana + han) * 4 >= latin:
        if kana:
            return "ja" if kana >= 0.1 * (kana + han) else None
        return "zh" if _CHINESE_ONLY.search(bare) else None
    if latin < _LEAST_LATIN or kana + han >= _LEAST_CJK:
        return None
    return script_language(text) if latin >= _LEAST_FOR_MODEL else "en"


def script_language(text: str) -> str | None:
    """Tell the language of a text from its script, and of Latin text from its letters.

    Returns:
        `ja` where there is kana among the characters, `zh` for Chinese characters alone, else what
        py3langid says; None for text too short to tell.
    """
    bare, kana, han, latin = _scripts(text)
    if kana + han >= _LEAST_CJK and (kana + han) * 2 >= latin / 2:
        return "ja" if kana >= 0.1 * (kana + han) else "zh"
    letters = sum(char.isalpha() for char in bare)
    if letters < _LEAST_FOR_MODEL:
        return None
    words = " ".join(_LATIN.findall(bare)) if latin * 2 > letters else bare
    return classify(words)


def _scripts(text: str) -> tuple[str, int, int, int]:
    """Return a text without pseudonyms, and its numbers of kana, Chinese and Latin letters."""
    bare = PSEUDONYM.sub(" ", unicodedata.normalize("NFKC", text))
    latin = sum(map(len, _LATIN.findall(bare)))
    return bare, len(_KANA.findall(bare)), len(_HAN.findall(bare)), latin


def _language_supported(redacted: RedactedTranscript) -> Iterator[Finding]:
    assured = not any(warning in redacted.warnings for warning in _NOT_ASSURED)
    if redacted.language not in LANGUAGES or not assured:
        yield _finding(
            "language.unsupported",
            Severity.BLOCK,
            "transcript",
            f"Redaction is assured for {', '.join(LANGUAGES)} only; the language is "
            f"“{redacted.language}”.",
        )


def _sounds_otherwise(redacted: RedactedTranscript) -> Iterator[Finding]:
    for warning in redacted.warnings:
        if warning.startswith(SOUNDS_LIKE):
            heard = warning.removeprefix(SOUNDS_LIKE)
            yield Finding(
                check="language.sounds_otherwise",
                severity=Severity.BLOCK,
                place="audio",
                reason=f"It was uploaded as “{redacted.language}”, but sounds like “{heard}”: then "
                "its text is invented: upload it again in that language.",
                values=(("told", redacted.language), ("heard", heard)),
            )


def _finding(check: str, severity: Severity, place: str, reason: str) -> Finding:
    return Finding(check=check, severity=severity, place=place, reason=reason)
