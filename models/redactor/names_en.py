"""Names in English text, above all in text that a recognizer wrote without capitals.

The model for names goes by capitals. `restore_capitals` gives them back from word lists, so that
the model decides with its sense of context; `find_names` adds what no model is needed for.
"""

import re
from collections.abc import Iterator

from models.redactor.lexicon import english_words, words
from models.redactor.types import Found

_WORD = re.compile(r"[A-Za-zÀ-ɏ]+(?:'[A-Za-z]+)?")
_NAME = r"[A-Za-zÀ-ɏ][A-Za-zÀ-ɏ'-]+"
_TITLES = (
    "mr|mrs|ms|miss|mister|missus|doctor|dr|professor|prof|sir|madam|madame|judge|captain|"
    "sergeant|senator|attorney|inspector|detective"
)
_TITLED = re.compile(
    rf"\b(?:{_TITLES})\b\.?\s+(?P<value>{_NAME}(?:\s+{_NAME}){{0,2}})", re.IGNORECASE
)
_INTRODUCED = re.compile(
    r"\b(?:my|his|her|their|your|first|last|middle|full|maiden|family|given)\s+name(?:'s|:)?\s+"
    rf"(?:is\s+)?(?P<value>{_NAME}(?:\s+{_NAME}){{0,2}})|"
    rf"\b(?:this is|i am|i'm|it's)\s+(?P<called>{_NAME}(?:\s+{_NAME})?)"
    r"(?=,?\s+(?:calling|speaking|from|here|and i|again))",
    re.IGNORECASE,
)
_LABELLED = re.compile(
    r"(?:^|\n)[ >]*(?:full |first |last |family |given )?name[ \t]*:[ \t]*(?P<value>[^\n,;]{2,40})",
    re.IGNORECASE,
)
_SPELLED = re.compile(r"(?<![A-Za-z'])(?:[A-Za-z][ .-]{1,2}){2,}[A-Za-z](?![A-Za-z'])")
_SPELLING = re.compile(r"\b(?:spell|spelled|spelling|name|surname|letters)\b", re.IGNORECASE)
_ALWAYS_CAPITAL = frozenset({"i", "i'm", "i'll", "i've", "i'd"})


def restore_capitals(text: str) -> str:
    """Return the text, equally long, with capitals on names in lines that have none.

    A line counts as without capitals where at most one word in ten has one; a line all in capitals
    is put in lower case first. Given names, unknown words and surnames after a given name get
    their capital.
    """
    return "\n".join(_restore_line(line) for line in text.split("\n"))


def _restore_line(line: str) -> str:
    found = list(_WORD.finditer(line))
    upper = sum(m[0].isupper() and len(m[0]) > 1 for m in found)
    capitalized = sum(m[0][0].isupper() and m[0].lower() not in _ALWAYS_CAPITAL for m in found)
    if len(found) > 3 and upper > 0.8 * len(found):
        line = line.lower() if len(line.lower()) == len(line) else line
    elif len(found) < 2 or capitalized > max(1, len(found) // 10):
        return line
    chars = list(line)
    for start in _to_capitalize([(m.start(), m[0].lower()) for m in found]):
        chars[start] = chars[start].upper() if len(chars[start].upper()) == 1 else chars[start]
    return "".join(chars)


def _to_capitalize(found: list[tuple[int, str]]) -> Iterator[int]:
    lists = english_words()
    after_name = False
    for i, (start, word) in enumerate(found):
        stem = word.removesuffix("'s")
        before = found[i - 1][1] if i else ""
        following = found[i + 1][1] if i + 1 < len(found) else ""
        is_name = lists.is_name(stem) or (lists.is_unknown(stem) and len(stem) > 3)
        is_name = is_name or (stem in lists.ambiguous and _acts_as_name(before, following))
        surname = after_name and (stem in lists.surnames or stem in lists.ambiguous)
        surname = surname and stem not in words("en_after_names")
        if is_name or surname or word in _ALWAYS_CAPITAL:
            yield start
        after_name = is_name or before in _TITLES.split("|")


def _acts_as_name(before: str, following: str) -> bool:
    """Tell whether a word such as `will` or `mark` stands where only a name can stand."""
    if before in words("en_before_verbs"):
        return False
    return following in words("en_after_given") or before in {"from", "with", "ask", "tell"}


def find_names(text: str, cased: str) -> Iterator[Found]:
    """Yield names that follow a title or an introduction, and names that are spelled out.

    Args:
        text: the normalized text.
        cased: the same text with capitals restored.
    """
    for match in _TITLED.finditer(cased):
        yield from _name(match, "value", 0.8)
    for match in _INTRODUCED.finditer(cased):
        yield from _name(match, "value" if match["value"] else "called", 0.75)
    for match in _LABELLED.finditer(text):
        yield Found(*match.span("value"), "PERSON", 0.8, "name_label")
    for match in _SPELLED.finditer(text):
        if _SPELLING.search(text[max(0, match.start() - 40) : match.start()]):
            yield Found(match.start(), match.end(), "PERSON", 0.8, "name_spelled")


def _name(match: re.Match[str], group: str, score: float) -> Iterator[Found]:
    """Yield the leading words of the group that look like a name."""
    lists = english_words()
    start = end = match.start(group)
    for word in _WORD.finditer(match[group]):
        stem = word[0].lower().removesuffix("'s")
        is_capital = word[0][0].isupper() and stem not in words("en_after_names")
        if not (is_capital or lists.is_unknown(stem) or lists.is_name(stem)):
            break
        end = start + word.start() + len(stem)
    if end > start:
        yield Found(start, end, "PERSON", score, "name_rule")
