"""Names in English text, above all in text that a recognizer wrote without capitals.

The model for names goes by capitals. `restore_capitals` gives them back from word lists, so that
the model decides with its sense of context; `find_names` adds what no model is needed for.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

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
_PROPER = r"[A-ZÀ-ÖØ-Þ][A-Za-zÀ-ɏ]+(?:['-][A-ZÀ-ÖØ-Þ][A-Za-zÀ-ɏ]+)*"
_CAPITALIZED = re.compile(
    rf"(?<![A-Za-zÀ-ɏ0-9@_/.-]){_PROPER}(?:[ ]{{1,2}}(?:[A-Z]\b\.?|{_PROPER}))*"
)
_NAME_LINE = re.compile(
    rf"(?m)^[ \t>]*(?P<value>{_PROPER}(?:[ ]{{1,2}}(?:[A-Z]\b\.?|{_PROPER})){{1,3}})[ \t]*$"
)
_RELATED = re.compile(
    r"\b(?:my|his|her|our|their|your)\s+(?:kid|son|daughter|wife|husband|brother|sister|mother|father|"
    r"mom|mum|dad|aunt|uncle|cousin|friend|boyfriend|girlfriend|partner|colleague|boss|manager|"
    rf"assistant|neighbou?r|kids|children)\s+(?:is\s+|named\s+|called\s+)?(?P<value>{_PROPER})"
    rf"|\b(?:call(?:s|ed)? (?:me|him|her)|named|name\?)\s+(?P<called>{_PROPER})"
)
_SPEAKING = re.compile(
    rf"(?<![A-Za-zÀ-ɏ])(?P<value>{_PROPER}(?:\s{_PROPER})?)\s+"
    r"(?:said|says|shouted|asked|told|replied|answered|whispered|laughed|nodded|smiled|shrugged)\b"
    rf"|\b(?:said|says|asked|replied)\s+(?P<said>{_PROPER}(?:\s{_PROPER})?)"
)
_BEFORE = re.compile(r"([A-Za-z]+)[ \n]$")
_AFTER_INTRODUCED = frozenset({"from", "and", "is", "will", "has", "had", "about", "at", ""})
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
        paired = before == "and" and i > 1 and lists.is_name(found[i - 2][1])
        acts = paired or _acts_as_name(before, following)
        is_name = is_name or (stem in lists.ambiguous and acts)
        surname = after_name and (stem in lists.surnames or stem in lists.ambiguous)
        surname = surname and stem not in words("en_after_names")
        is_name = is_name and stem not in words("en_not_names")
        if is_name or surname or word in _ALWAYS_CAPITAL:
            yield start
        after_name = is_name or before in _TITLES.split("|")


def _acts_as_name(before: str, following: str) -> bool:
    """Tell whether a word such as `will` or `mark` stands where only a name can stand."""
    owned = before.endswith("'s") or before in words("en_determiners")
    if owned or before in words("en_before_verbs") or following in words("en_company_words"):
        return False
    introduced = before in words("en_before_given") and following not in words("en_company_words")
    return following in words("en_after_given") or (introduced and following in _AFTER_INTRODUCED)


def find_names(text: str, cased: str) -> Iterator[Found]:
    """Yield names that follow a title or an introduction, known names, and spelled names.

    Args:
        text: the normalized text.
        cased: the same text with capitals restored.
    """
    for match in _TITLED.finditer(cased):
        word = match["value"].split()[0]
        is_name = not _is_plain(word.lower()) or word[0].isupper()
        if is_name and word.lower() not in words("en_after_names") | words("en_not_names"):
            yield from _name(match, "value", 0.8)
    for match in _INTRODUCED.finditer(cased):
        yield from _name(match, "value" if match["value"] else "called", 0.75)
    for expression in (_RELATED, _SPEAKING):
        for match in expression.finditer(cased):
            start, end = match.span(match.lastgroup or "value")
            if not set(cased[start:end].lower().split()) & words("en_after_names"):
                yield Found(start, end, "PERSON", 0.65, "name_phrase")
    for match in _LABELLED.finditer(text):
        yield Found(*match.span("value"), "PERSON", 0.8, "name_label")
    for match in _SPELLED.finditer(text):
        if _SPELLING.search(text[max(0, match.start() - 40) : match.start()]):
            yield Found(match.start(), match.end(), "PERSON", 0.8, "name_spelled")
    yield from known_names(cased)
    yield from _everyday_names(text, cased)


def _everyday_names(text: str, cased: str) -> Iterator[Found]:
    """Yield words such as `will`, written small, where only a name can stand."""
    found = list(_WORD.finditer(cased))
    ambiguous = english_words().ambiguous
    for i, match in enumerate(found):
        restored = match[0][0].isupper() and text[match.start()].islower()
        if restored and match[0].lower() in ambiguous:
            before = found[i - 1][0].lower() if i else ""
            following = found[i + 1][0].lower() if i + 1 < len(found) else ""
            if _acts_as_name(before, following):
                yield Found(*match.span(), "PERSON", 0.55, "name_position")


def known_names(cased: str) -> Iterator[Found]:
    """Yield runs of capitalized words that begin with a given name, and lines that are a name."""
    lists = english_words()
    for match in _CAPITALIZED.finditer(cased):
        run = [(w.start(), w.end(), w[0].lower()) for w in _WORD.finditer(match[0])]
        lowered = [w for _, _, w in run]
        first = next((i for i in range(len(run)) if _begins_name(lowered, i)), None)
        if first is not None:
            last = first
            while last + 1 < len(run) and _is_surname(run[last + 1][2]):
                last += 1
            start, end = match.start() + run[first][0], match.start() + run[last][1]
            yield Found(start, end, "PERSON", 0.6, "name_known")
    for match in _NAME_LINE.finditer(cased):
        stems = [w[0].lower() for w in _WORD.finditer(match["value"]) if len(w[0]) > 1]
        if any(map(lists.is_unknown, stems)) and not any(_is_plain(w) for w in stems):
            yield Found(*match.span("value"), "PERSON", 0.55, "name_line")


def _begins_name(run: Sequence[str], i: int) -> bool:
    """Tell whether a word of a capitalized run is a given name.

    One that is a word too (Grace, Ivan) is where a word that is none comes after it.
    """
    lists = english_words()
    if lists.is_name(run[i]):
        return True
    following = run[i + 1] if i + 1 < len(run) else ""
    return run[i] in lists.ambiguous and len(following) > 4 and lists.is_unknown(following)


def relabelled(cased: str, found: Iterable[Found]) -> Iterator[Found]:
    """Yield the findings, organizations that look like a person's name as persons.

    The model calls many foreign names organizations; a name too much redacted costs less than one
    published.
    """
    lists = english_words()
    for item in found:
        stems = [w[0].lower() for w in _WORD.finditer(cased[item.start : item.end])]
        unlike = item.entity_type != "ORGANIZATION" or not 1 <= len(stems) <= 3
        plain = any(_is_plain(w) or w in lists.ambiguous for w in stems) or "and" in stems
        one = len(stems) == 1 and not (stems[0] in lists.surnames and stems[0] not in lists.common)
        shouting = cased[item.start : item.end].isupper()
        if unlike or plain or one or shouting or len(stems[-1]) < 2:
            yield item
        else:
            yield replace(item, entity_type="PERSON", score=0.6, recognizer="name_relabelled")


def replaced(cased: str, found: Iterable[Found]) -> Iterator[Found]:
    """Yield what the model found, single words as places where a place stands: `at Harwell`.

    The model takes towns that it does not know for persons. A word in the lists of names stays one.
    """
    lists = english_words()
    for item in found:
        word = cased[item.start : item.end].lower()
        before = _BEFORE.search(cased, max(0, item.start - 20), item.start)
        named = lists.is_name(word) or word in lists.ambiguous or word in lists.surnames
        single = item.entity_type == "PERSON" and word.isalpha() and not named
        owner = cased.startswith(("'s", "-"), item.end)
        if single and not owner and before and before[1].lower() in words("en_before_places"):
            yield replace(item, entity_type="LOCATION")
        else:
            yield item


def _is_plain(word: str) -> bool:
    """Tell whether a word is of everyday language and no name."""
    lists = english_words()
    word = word.removesuffix("'s")
    return word in lists.common and word not in lists.surnames and word not in lists.ambiguous


def _is_surname(word: str) -> bool:
    lists = english_words()
    if word in words("en_after_names"):
        return False
    return len(word) == 1 or not _is_plain(word) or word in lists.surnames


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
