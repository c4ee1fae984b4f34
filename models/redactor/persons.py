"""What a found name must look like, and where else in the document it stands."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache

from models.redactor.lexicon import alternatives, english_words, words
from models.redactor.names_zh import split_name
from models.redactor.types import Found

_TITLE = re.compile(
    r"(?:mr|mrs|ms|miss|mister|dr|doctor|prof|professor|sir|madam)\b\.?\s+", re.IGNORECASE
)
_FILLERS = alternatives("en_not_names")
_FILLER = re.compile(rf"(?:{_FILLERS})(?![A-Za-z'-])[\s.,]*", re.IGNORECASE)
_FILLER_LAST = re.compile(rf"(?:^|\s)(?:{_FILLERS}|[^\w\s]\w?)$", re.IGNORECASE)
_EDGE = re.compile(r"^[^\w]+|(?:'s|[^\w]+)$")
_LATIN = re.compile(r"[A-Za-zÀ-ɏ]")
_PARTS = re.compile(r"[^\n|]+")
_PLACE_AFTER = "市区町村県都府郡駅線城川山島寺神社大学高校銀行"


def plausible(text: str, candidates: Iterable[Found]) -> Iterator[Found]:
    """Drop what cannot be a name, and cut titles, honorifics and possessive endings off names."""
    for found in candidates:
        if found.entity_type != "PERSON":
            yield found
            continue
        for piece in _lines(text, found):
            name = _cut(text, piece)
            if name and _can_be_name(text[name.start : name.end], name.recognizer):
                yield name


def _lines(text: str, found: Found) -> Iterator[Found]:
    """Split a name that a model drew over a line's end or a table's column: those are two."""
    for part in _PARTS.finditer(text, found.start, found.end):
        yield replace(found, start=part.start(), end=part.end())


def _cut(text: str, found: Found) -> Found | None:
    start, end = found.start, found.end
    while edge := _EDGE.search(text[start:end]):
        if edge.start() == 0:
            start += edge.end()
        else:
            end = start + edge.start()
        if start >= end:
            return None
    while title := _TITLE.match(text, start, end) or _FILLER.match(text, start, end):
        start = title.end()
    while filler := _FILLER_LAST.search(text, start, end):
        end = filler.start()
    if honorific := _honorific().search(text, start + 1, end):
        end = honorific.start()
    return replace(found, start=start, end=end) if start < end else None


@cache
def _honorific() -> re.Pattern[str]:
    return re.compile(rf"(?:{alternatives('ja_honorifics')}|{alternatives('zh_titles')})$")


def _can_be_name(surface: str, recognizer: str) -> bool:
    letters = sum(c.isalpha() for c in surface)
    if letters < 2 * sum(c.isdigit() for c in surface) + 1 or len(surface) > 60:
        return False
    if len(surface) == 1:
        return not surface.isascii() and recognizer in {"name_title", "name_phrase", "names_ja"}
    if set(surface) & set("/@_#") or surface in words("ja_not_names") | words("zh_not_names"):
        return False
    if not _LATIN.search(surface):
        return not surface.startswith("谢谢")
    if surface.isupper() and len(surface) > 2 and _is_acronym(surface):
        return False
    everyday = _is_common(surface) or (surface.islower() and _is_everyday_phrase(surface))
    return recognizer.startswith(("name", "speaker")) or not everyday


def _is_acronym(surface: str) -> bool:
    """Tell whether a word in capitals (RCMP, COVID-19) is in no list of names."""
    lists = english_words()
    stems = re.findall("[a-z]+", surface.lower())
    return not any(s in lists.given or s in lists.surnames or s in lists.ambiguous for s in stems)


def _is_common(surface: str) -> bool:
    """Tell whether all words are everyday words and none is also a name."""
    lists = english_words()
    stems = [w.lower() for w in re.findall(r"[A-Za-zÀ-ɏ']+", surface)]
    return all(
        s in lists.common and s not in lists.surnames and s not in lists.ambiguous for s in stems
    )


def _is_everyday_phrase(surface: str) -> bool:
    """Tell whether all words are everyday words, some of them perhaps surnames (a grey van)."""
    lists = english_words()
    return all(
        w in lists.common and not lists.is_name(w) for w in re.findall(r"[^\W\d_]+", surface)
    )


def parts_of(surface: str, language: str, known: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the parts of a name that stand for it alone.

    Args:
        surface: the whole name.
        language: language of the document.
        known: parts that a model told, by whole name.
    """
    pieces = [p for p in re.split(r"[\s・=.]+", surface) if p]
    if len(pieces) > 1:
        return [p for p in pieces if sum(c.isalpha() for c in p) > 1]
    if surface in known:
        return [p for p in known[surface] if len(p) > 1 and p != surface]
    if language == "zh" and (halves := split_name(surface)):
        return [half for half in halves if len(half) > 1]
    if language == "ja" and re.fullmatch(r"[一-龥々]{4}", surface):
        return [surface[:2], surface[2:]]
    return []


def occurrences(text: str, surface: str, *, exact_case: bool) -> Iterator[tuple[int, int]]:
    """Yield where a surface stands in a normalized text, as whole words.

    A Latin word ends where no Latin letter or digit follows, a kana word where its kind of kana
    ends; kanji have no word border, but a place name such as 山口県 is no person.

    Args:
        text: the normalized text.
        surface: the normalized surface; spaces in it match any spaces or none.
        exact_case: whether capitals must agree.
    """
    pieces = [re.escape(p) for p in surface.split()]
    if not pieces:
        return
    body = r"[\s・,-]{0,3}".join(pieces) if len(pieces) > 1 else pieces[0]
    expression = re.compile(
        _border(surface[0], before=True) + body + _border(surface[-1]),
        0 if exact_case else re.IGNORECASE,
    )
    for match in expression.finditer(text):
        yield match.span()


def _border(char: str, *, before: bool = False) -> str:
    if _LATIN.match(char) or char.isdigit():
        kind = "A-Za-zÀ-ɏ0-9"
    elif "ァ" <= char <= "ヺ" or char == "ー":
        kind = "ァ-ヺー"
    elif before:
        return ""
    else:
        kind = _PLACE_AFTER if "一" <= char <= "龥" else ""
    if not kind:
        return ""
    return f"(?<![{kind}])" if before else f"(?![{kind}])"


def repeated(
    cased: str,
    found: Sequence[Found],
    language: str,
    known: Mapping[str, Sequence[str]],
    everyday: frozenset[str] = frozenset(),
) -> Iterator[Found]:
    """Yield all other places of the names that were found, and of their parts.

    Words that are also no names (`will`, `mark`) are looked for with a capital only, months not at
    all.

    Args:
        cased: the normalized text with capitals restored.
        found: what was found in it.
        language: language of the document.
        known: parts of names that a model told, by whole name.
        everyday: words that a model took for places or verbs; such parts are not looked for unless
            they are in no list of words.
    """
    surfaces: dict[str, float] = {}
    for name in (f for f in found if f.entity_type == "PERSON"):
        surface = cased[name.start : name.end]
        surfaces.setdefault(surface, name.score)
        for part in parts_of(surface, language, known):
            if (part not in everyday or _is_no_word(part)) and _stands_alone(part):
                surfaces.setdefault(part, min(name.score, 0.6))
    for surface, score in surfaces.items():
        if len(surface) > 1 and surface.lower() not in _never_alone():
            yield from _repeated(cased, surface, min(score, 0.75))


@cache
def _never_alone() -> frozenset[str]:
    lists = ("ja_not_names", "ja_not_in_names", "zh_not_names", "en_calendar")
    return frozenset().union(*map(words, lists))


def _stands_alone(part: str) -> bool:
    """Tell whether a part of a name may be looked for alone: no acronym, no everyday word."""
    if not _LATIN.match(part):
        return True
    return not _is_common(part) and not (part.isupper() and _is_acronym(part))


def _is_no_word(part: str) -> bool:
    """Tell whether a Latin part is in no list of words, so that it can hardly mean anything else.

    A model takes rare surnames for places or organizations where they stand alone.
    """
    lists = english_words()
    word = part.lower()
    return bool(_LATIN.match(part)) and word not in lists.common and word not in lists.ambiguous


def _repeated(cased: str, surface: str, score: float) -> Iterator[Found]:
    everyday = _is_everyday(surface)
    for start, end in occurrences(cased, surface, exact_case=everyday):
        if not (everyday and _begins_sentence(cased, start)):
            yield Found(start, end, "PERSON", score, "name_again")


def outvoted(text: str, found: Sequence[Found]) -> Iterator[Found]:
    """Yield the findings, without persons that the model mostly takes for something else."""
    votes: Counter[tuple[str, bool]] = Counter(
        (text[f.start : f.end], f.entity_type == "PERSON")
        for f in found
        if f.entity_type in {"PERSON", "LOCATION", "ORGANIZATION", "NRP"}
    )
    for item in found:
        surface = text[item.start : item.end]
        if item.entity_type != "PERSON" or votes[surface, False] <= votes[surface, True]:
            yield item


def _is_everyday(surface: str) -> bool:
    lists = english_words()
    word = surface.lower()
    return " " not in surface and (word in lists.common or word in lists.ambiguous)


def _begins_sentence(text: str, start: int) -> bool:
    before = text[:start].rstrip(" \"'")
    return not before or before[-1] in ".!?\n。:"
