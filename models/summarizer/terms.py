"""Content words of English, Japanese and Chinese without a tokenizer.

Latin words are lower-cased and lose their endings; Chinese characters and kana give overlapping
pairs, which need no word list and are as good for comparing texts.
"""

import re
from collections import Counter

from models.summarizer.cues import function_characters, stopwords
from models.summarizer.variants import fold

PSEUDONYM = re.compile(r"\[[A-Z][A-Z_]*_\d+\]")
"""A pseudonym as the redactor writes it."""

_LATIN = re.compile(r"[a-zà-öø-ÿ]+(?:['’][a-z]+)?|\d[\d.,:]*")
_HAN = re.compile(r"[\u3400-\u9fff々〆]+")
_KATAKANA = re.compile(r"[\u30a1-\u30ffｦ-ﾟ]{2,}")
_KANA = re.compile(r"[\u3041-\u30ff]")
_UNIT = re.compile(r"[A-Za-zÀ-öø-ÿ0-9]+|[\u3040-\u30ff\u3400-\u9fff]")
_SUFFIXES = ("ingly", "edly", "ing", "ies", "ied", "ed", "es", "ly", "s")


def terms(text: str) -> Counter[str]:
    """Return the content words of a text with their counts; pseudonyms stay whole."""
    found = Counter(match.group() for match in PSEUDONYM.finditer(text))
    bare = PSEUDONYM.sub(" ", text)
    for word in _LATIN.findall(bare.lower()):
        if word not in stopwords() and (len(word) > 1 or word.isdigit()):
            found[_stem(word)] += 1
    for run in _HAN.findall(fold(bare)):
        pairs = [run[i : i + 2] for i in range(len(run) - 1)] or [run]
        found.update(pairs)
    found.update(_KATAKANA.findall(bare))
    return found


def topics(text: str) -> Counter[str]:
    """Return the content words without pairs of characters that are Chinese grammar."""
    found = terms(text)
    if _KANA.search(text):
        return found
    grammar = function_characters()
    return Counter({t: n for t, n in found.items() if not (_HAN.match(t) and grammar & set(t))})


def length(text: str) -> int:
    """Return how long a text is: in words of Latin script, in characters of others."""
    return len(_UNIT.findall(text))


def overlap(claim: Counter[str], evidence: Counter[str]) -> float:
    """Return the share (0..1) of a claim's content words that its evidence has; 1.0 if none."""
    total = sum(claim.values())
    if not total:
        return 1.0
    return sum(count for term, count in claim.items() if term in evidence) / total


def _stem(word: str) -> str:
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            return word.removesuffix(suffix).rstrip("e")
    return word.rstrip("e") if len(word) > 3 else word
