"""Names that are everyday words, where they can be nothing but names.

The leak scan passes over a name such as `Will` or `Page`: the words stand in every text. After a
title, as the owner of something or spelled letter by letter they are names again.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache

from models.documents import PseudonymMap
from models.redactor.leaks import Leak
from models.redactor.lexicon import english_words, words

_TITLE = (
    r"(?i:mr|mrs|ms|mx|miss|mister|missus|dr|doctor|prof|professor|sir|madam|judge|captain|"
    r"sergeant|senator|attorney|inspector|detective|herr|frau|monsieur|madame|se[nñ]ora?)"
)
_PROPER = r"[A-ZÀ-Þ][A-Za-zÀ-ɏ]+"
_TITLED = re.compile(
    rf"(?<![A-Za-z])(?:{_TITLE}\.?[\s_-]+(?P<proper>{_PROPER})"
    r"|(?i:mr|mrs|ms|mx|mister|missus)\.?[\s_-]+(?P<small>[a-zß-ɏ]+))(?![A-Za-z])"
)
_HONORED = re.compile(r"(?<![A-Za-z])(?P<name>[A-Za-z]+)-(?i:san|sama|sensei|kun|chan)(?![A-Za-z])")
_OWNER = re.compile(rf"(?:(?P<before>\w+)[ ]+)?(?<![\w-])(?P<name>{_PROPER})['’]s(?!\w)")
_SPELLED = re.compile(r"(?<![A-Za-z])[A-Za-z](?:[\s.,·-]+[A-Za-z]){3,}(?![A-Za-z])")


def find_everyday_names(text: str, pseudonyms: PseudonymMap) -> Iterator[Leak]:
    """Yield where such a part of a person's name stands as a name.

    Args:
        text: in which no name should be left.
        pseudonyms: the raw map.

    Returns:
        Places in code points of the text.
    """
    owners = _parts(pseudonyms)
    if not owners:
        return
    for start, end in _candidates(text):
        if replacement := owners.get(_letters(text[start:end])):
            yield Leak("PERSON", replacement, start, end)


def _candidates(text: str) -> Iterator[tuple[int, int]]:
    for match in _TITLED.finditer(text):
        yield match.span(match.lastgroup or "proper")
    for match in _HONORED.finditer(text):
        yield match.span("name")
    for match in _OWNER.finditer(text):
        if _is_free(match["before"] or "") and match["name"].lower() not in words("en_calendar"):
            yield match.span("name")
    for match in _SPELLED.finditer(text):
        yield match.span()


def _is_free(before: str) -> bool:
    """Tell whether an owner may be called by name after a word: not after `the`, or in a title."""
    word = before.lower()
    return word not in words("en_determiners") and (
        before == word or word in words("en_after_names")
    )


def _parts(pseudonyms: PseudonymMap) -> Mapping[str, str]:
    """Return the everyday words among the parts of names, with what stands for the person."""
    return {
        _letters(part): entry.replacement
        for entry in pseudonyms.entries
        if entry.entity_type == "PERSON"
        for surface in entry.surfaces
        for part in surface.split()
        if _is_everyday(_letters(part))
    }


def _letters(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalpha())


@cache
def _is_everyday(word: str) -> bool:
    lists = english_words()
    known = word in lists.common or word in lists.ambiguous
    return len(word) > 2 and word.isascii() and known
