"""Names in Japanese text that the model misses: kana names, names with an honorific."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from models.redactor.lexicon import alternatives, words
from models.redactor.types import Found

_INTRODUCTION = r"(?:と申し(?:ます|上げます)|といいます|と言います|と申す者)"
_SELF = re.compile(rf"(?P<value>[ァ-ヺー]{{2,12}}|[一-龥々]{{2,5}}|[ぁ-ん]{{3,12}}){_INTRODUCTION}")
_NAME_OF = re.compile(
    r"(?:名義人?|氏名|お名前|下の名前|名前|フリガナ|ふりがな|苗字|名字)(?:の方)?(?:は|が|:|、)\s*"
    r"(?P<value>[ァ-ヺー]{2,12}|[一-龥々]{1,6}|[ぁ-ん]{3,12}?)"
    r"(?=です|でご|で、|と|。|、|\s|$|になり|ひと|一文字)"
)
_FOREIGN = re.compile(r"[ァ-ヺー]{2,}(?:[・=][ァ-ヺー]+|[・=][A-Z]\.?)+")
_FILLER = re.compile(r".*(?:です|ます|でした|ました|ません|はい|えっと|えーと|あの|えー|けど|から)")


@dataclass(frozen=True)
class Token:
    """A word of the model's tokenizer: place, part of speech (Sudachi's tag), and entity.

    `entity` is the class that the model for names gave, `OTHER` for a label that is no class, or
    empty.
    """

    text: str
    start: int
    end: int
    tag: str
    entity: str = ""

    @property
    def is_name(self) -> bool:
        """True where the dictionary says family name, given name or person's name."""
        return "固有名詞-人名" in self.tag

    @property
    def is_family_name(self) -> bool:
        """True where the dictionary says family name."""
        return self.tag.endswith("人名-姓")


def find_names(text: str, tokens: Sequence[Token]) -> Iterator[Found]:
    """Yield names by dictionary tags, honorifics and the phrases that introduce a name."""
    yield from _by_tags(text, tokens)
    names = [t for t in tokens if t.is_name]
    for match in _with_honorific().finditer(text):
        start, end = match.span("value")
        is_kana = _is_katakana(match["value"])
        is_place = any(t.start < end and t.end > start and "地名" in t.tag for t in tokens)
        named = is_kana and not is_place and match["honorific"] in words("ja_personal")
        named = named or any(t.start >= start and t.end <= end for t in names)
        if named and match["value"] not in words("ja_not_names"):
            yield Found(start, end, "PERSON", 0.7, "name_honorific")
    for expression in (_SELF, _NAME_OF):
        for match in expression.finditer(text):
            yield from _phrase(match)


def _phrase(match: re.Match[str]) -> Iterator[Found]:
    start, end = match.span("value")
    if filler := _FILLER.match(match["value"]):
        start += filler.end()
    if end > start and match["value"] not in words("ja_not_names"):
        yield Found(start, end, "PERSON", 0.75, "name_phrase")


@cache
def _with_honorific() -> re.Pattern[str]:
    honorifics = alternatives("ja_honorifics")
    katakana = "(?<![ァ-ヺー])[ァ-ヺー]{2,12}(?:[・= ][ァ-ヺー]{2,12})*"
    return re.compile(
        rf"(?P<value>{katakana}|(?<![一-龥々ヶァ-ヺー])[一-龥々]{{1,5}})(?P<honorific>{honorifics})"
    )


@cache
def _follows_a_name() -> re.Pattern[str]:
    return re.compile(rf"(?:{alternatives('ja_honorifics')}|です|と申|といい|と言い|じゃなく)")


def _is_katakana(value: str) -> bool:
    return all("ァ" <= c <= "ヺ" or c in "ー・= " for c in value)


def _by_tags(text: str, tokens: Sequence[Token]) -> Iterator[Found]:
    i = 0
    while i < len(tokens):
        run = 1
        while tokens[i].is_name and i + run < len(tokens) and _goes_on(tokens[i + run - 1 :]):
            run += 1
        if tokens[i].is_name and _is_person(text, tokens[i : i + run]):
            score = 0.65 if run == 1 else 0.75
            start, end = with_neighbours(text, tokens[i].start, tokens[i + run - 1].end)
            yield Found(start, end, "PERSON", score, "name_tags")
        i += run


def _goes_on(tokens: Sequence[Token]) -> bool:
    return tokens[1].is_name and tokens[0].end == tokens[1].start


def _is_person(text: str, run: Sequence[Token]) -> bool:
    surface = text[run[0].start : run[-1].end]
    if surface in words("ja_not_names"):
        return False
    if len(run) > 1 and run[0].is_family_name:
        return True
    if len(surface) == 1 or text[run[-1].end : run[-1].end + 1] in words("ja_places"):
        return False
    free = all(t.entity in {"", "PERSON"} for t in run)
    other = all(t.entity in {"", "OTHER"} and not t.is_family_name for t in run)
    return free or other or bool(_follows_a_name().match(text, run[-1].end))


def with_neighbours(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the whole foreign name, as ローマン・クレイン, of which the stretch is a part."""
    if not _is_katakana(text[start:end]):
        return start, end
    for match in _FOREIGN.finditer(text, max(0, start - 30), end + 30):
        if match.start() <= start and end <= match.end():
            return match.span()
    return start, end


def is_plausible(text: str, start: int, end: int, tokens: Sequence[Token]) -> bool:
    """Tell whether what the model calls a person can be one.

    It takes some places and common nouns for persons: 大村城, 慰安婦. A name has a token of the
    dictionary's proper nouns, or tokens of one character, or is katakana.
    """
    inside = [t for t in tokens if t.start < end and t.end > start]
    surface = text[start:end]
    if not inside or _is_katakana(surface):
        last = re.split("[・= ]", surface)[-1]
        return not any(last.endswith(w) for w in words("ja_places") if len(w) > 1)
    if inside[-1].text in words("ja_places") and not inside[-1].is_name and len(surface) > 2:
        return False
    if any(surface.endswith(w) for w in words("ja_places") if len(w) > 1):
        return False
    if text[end : end + 1] in words("ja_places") and not inside[-1].is_name:
        return False
    proper = any("固有名詞" in t.tag for t in inside)
    return proper or any(len(t.text) == 1 for t in inside)
