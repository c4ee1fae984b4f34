"""Names in Chinese text that the tagger misses: a surname with a title, introductions."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

from models.redactor.lexicon import alternatives, words
from models.redactor.types import Found

if TYPE_CHECKING:
    from models.redactor.lac import TaggedWord

_INTRODUCTIONS = (
    r"我叫|名叫|叫做|叫|我是|姓名[是为:]?|名字[是叫:]|收件人[是:]?|联系人[是:]?|户名[是:]?|"
    r"患者|客户|备注"
)
_DOTTED = re.compile(r"[一-龥]{1,12}(?:[·•・][A-Z一-龥][A-Za-z一-龥.]{0,12})+")
_HAN = re.compile(r"[一-龥]+")
_FUNCTION = frozenset({"p", "c", "u", "d", "r", "w", "xc", "m", "q", "f", "TIME"})
_NOT_PERSONS = frozenset({"LOC", "ORG", "nw"})
_PLACE_ENDS = (
    "国國省市县縣区區州镇鎮乡鄉村岛島洲城路街院校部局署司社团團队隊党黨军軍会會行所府厅廳组組学學厂廠店台"
    "报報"
)
_IN_LIST = re.compile(r"[、和及与]")
_AFTER_NAME = r"(?=$|[，。,.!?！？、\s的在]|[是我请電电女男今从来住说想要打刚这就給给吗吧啊呢对])"


def find_names(text: str) -> Iterator[Found]:
    """Yield surnames with a title (the title is left out), 小王 and 老张, and introduced names."""
    for match in _titled().finditer(text):
        group = "full" if match["full"] else "surname"
        if not match["full"] and match["surname"] in words("zh_verbs"):
            continue
        if match[0].startswith("谢谢"):
            continue
        if not any(match[0].endswith(w) or match[0].startswith(w) for w in words("zh_not_titled")):
            yield Found(*match.span(group), "PERSON", 0.7, "name_title")
    for match in _nickname().finditer(text):
        if match["value"] not in words("zh_not_nicknames"):
            yield Found(*match.span("value"), "PERSON", 0.6, "name_nickname")
    for match in _introduced().finditer(text):
        yield Found(*match.span("value"), "PERSON", 0.75, "name_phrase")
    for match in _family().finditer(text):
        yield Found(*match.span("value"), "PERSON", 0.75, "name_phrase")


def find_in_words(text: str, tagged: Sequence["TaggedWord"]) -> Iterator[Found]:
    """Yield names that the tagger found in part or took for a place, by its own words.

    A given name gets the surname before it, a name with points all of its parts, a compound surname
    what follows it, and a name in a list of names its neighbours.

    Args:
        text: the normalized text.
        tagged: its words in order.
    """
    for start, end in (
        *_with_surname(text, tagged),
        *_dotted(text, tagged),
        *_compound(text, tagged),
        *_in_lists(text, tagged),
        *_misplaced(text, tagged),
    ):
        yield Found(start, end, "PERSON", 0.78, "name_words")


def _with_surname(text: str, tagged: Sequence["TaggedWord"]) -> Iterator[tuple[int, int]]:
    for i, (before, word) in enumerate(pairwise(tagged)):
        given = text[word.start : word.end]
        surname = text[before.start : before.end]
        if word.tag != "PER" or before.end != word.start or len(given) > 2:
            continue
        if surname in words("zh_compound_surnames"):
            yield before.start, word.end
        elif len(surname) == 1 and len(given) == 2 and given[0] not in words("zh_surnames"):
            begins = i == 0 or tagged[i - 1].tag == "w"
            titled = _title().match(text, word.end)
            known = surname in words("zh_surnames") | words("zh_rare_surnames")
            if known and (begins or titled or before.tag not in _FUNCTION):
                yield before.start, word.end


def _dotted(text: str, tagged: Sequence["TaggedWord"]) -> Iterator[tuple[int, int]]:
    """Yield names such as 阿依古丽·买买提, cut at the borders of the tagger's words."""
    for match in _DOTTED.finditer(text):
        points = [m.start() for m in re.finditer("[·•・]", match[0])]
        first, last = match.start() + points[0], match.start() + points[-1]
        inside = [w for w in tagged if w.end > first - 1 and w.start <= last + 1]
        if all(w.tag in _NOT_PERSONS for w in inside) or any(w.tag == "m" for w in inside):
            continue
        start, end = max(inside[0].start, match.start()), min(inside[-1].end, match.end())
        before = [w for w in tagged if w.end == start and w.start >= match.start()]
        if first - start <= 2 and before and before[0].tag not in _FUNCTION:
            start = before[0].start if before[0].end - before[0].start > 1 else start
        if end <= last + 2:  # the tagger cut the last part after its first character
            after = next((w for w in tagged if w.start == end and w.tag not in _FUNCTION), None)
            end = min(after.end, match.end()) if after else end
        if end > last + 1:
            yield start, end


def _compound(text: str, tagged: Sequence["TaggedWord"]) -> Iterator[tuple[int, int]]:
    """Yield a compound surname with the one or two characters of its given name."""
    borders = {w.end: w for w in tagged}
    for match in _compound_surname().finditer(text):
        word = next((w for w in tagged if w.start <= match.start() < w.end), None)
        if word is None or word.tag in _NOT_PERSONS:
            continue
        for length in (2, 1):
            last = borders.get(match.end() + length)
            if last and _is_given(text[match.end() : match.end() + length], last, match.end()):
                yield match.start(), match.end() + length
                break


def _is_given(given: str, last: "TaggedWord", start: int) -> bool:
    verb = last.start == start and last.tag in _FUNCTION | {"v", "vn", "vd"}
    return bool(_HAN.fullmatch(given)) and last.tag not in _NOT_PERSONS and not verb


def _in_lists(text: str, tagged: Sequence["TaggedWord"]) -> Iterator[tuple[int, int]]:
    """Yield three characters that begin with a surname, beside a name in the same list."""
    starts = {w.start for w in tagged if w.tag == "PER"}
    ends = {w.end for w in tagged if w.tag == "PER"}
    for mark in _IN_LIST.finditer(text):
        before, after = mark.start() - 3, mark.end()
        if mark.end() in starts and mark.start() not in ends and _is_name(text, before):
            yield before, before + 3
        alone = mark.start() in ends and mark.end() not in starts and _is_name(text, after)
        if alone and not _HAN.match(text, after + 3):
            yield after, after + 3


def _misplaced(text: str, tagged: Sequence["TaggedWord"]) -> Iterator[tuple[int, int]]:
    """Yield what the tagger takes for a place or an organization where only a person can stand.

    That is after a title or after "a man of this country", and before what only persons do. The
    tagger knows few foreign names.
    """
    for i, word in enumerate(tagged):
        surface = text[word.start : word.end]
        if word.tag not in {"LOC", "ORG"} or len(surface) < 2 or surface[-1] in _PLACE_ENDS:
            continue
        before = tagged[i - 1] if i and tagged[i - 1].end == word.start else None
        after = tagged[i + 1] if i + 1 < len(tagged) and tagged[i + 1].start == word.end else None
        told = text[before.start : before.end] if before else ""
        titled = told in words("zh_titles_before")
        of_country = told == "人" and i > 1 and tagged[i - 2].tag == "LOC"
        acts = after is not None and text[after.start : after.end] in words("zh_personal_verbs")
        if titled or of_country or acts:
            yield word.start, word.end


def _is_name(text: str, start: int) -> bool:
    name = text[max(0, start) : start + 3]
    return len(name) == 3 and bool(_HAN.fullmatch(name)) and name[0] in words("zh_surnames")


def split_name(name: str) -> tuple[str, str] | None:
    """Split a Chinese name of two to four characters into surname and given name."""
    for compound in words("zh_compound_surnames"):
        if name.startswith(compound) and len(name) > len(compound):
            return compound, name[len(compound) :]
    if 2 <= len(name) <= 3 and name[0] in words("zh_surnames"):
        return name[0], name[1:]
    return None


def _surname() -> str:
    return f"(?:{alternatives('zh_compound_surnames')}|{alternatives('zh_surnames')})"


@cache
def _title() -> re.Pattern[str]:
    return re.compile(alternatives("zh_titles"))


@cache
def _compound_surname() -> re.Pattern[str]:
    plain = alternatives("zh_compound_words")
    return re.compile(
        rf"(?!{plain}){alternatives('zh_compound_surnames')}|(?<=[是叫由请請])(?:{plain})(?![的了是在])"
    )


@cache
def _titled() -> re.Pattern[str]:
    total = rf"(?<=[总總董])(?:{alternatives('zh_after_total')})"
    titles = alternatives("zh_titles")
    rare = alternatives("zh_rare_surnames")
    return re.compile(
        rf"(?<![一-龥])(?P<full>(?:{_surname()}[一-龥]{{0,2}}?|(?:{rare})[一-龥]{{1,2}}?))(?:{titles})"
        rf"(?!{total})|(?P<surname>{_surname()})(?:{titles})"
    )


@cache
def _nickname() -> re.Pattern[str]:
    return re.compile(rf"(?P<value>[小老阿](?:{alternatives('zh_surnames')}))(?![子家时說校学实])")


@cache
def _introduced() -> re.Pattern[str]:
    surname = f"(?:{_surname()}|{alternatives('zh_rare_surnames')})"
    return re.compile(rf"(?:{_INTRODUCTIONS})\s*(?P<value>{surname}[一-龥]{{1,2}}){_AFTER_NAME}")


@cache
def _family() -> re.Pattern[str]:
    return re.compile(rf"(?:我姓|免贵姓|姓)(?P<value>{_surname()})(?![氏名])")
