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
_FOREIGN = re.compile(
    r"(?:[ァ-ヺー]+|(?<![A-Za-z])[A-Z](?:[・.][A-Z])?)(?:[・=.][ァ-ヺー]{2,}|[・=][A-Z](?![A-Za-z])\.?)+"
)
_GIVEN = re.compile(r"[一-龥々]{0,2}[ぁ-んァ-ヺー]{1,4}[一-龥々]{0,1}")
_FAMILY = re.compile(r"[一-龥々ヶノ]{1,4}")
_KANJI_RUN = re.compile(r"[一-龥々]+")
_FILLER = re.compile(r".*(?:です|ます|でした|ました|ません|はい|えっと|えーと|あの|えー|けど|から)")


@dataclass(frozen=True)
class Token:
    """A word of the model's tokenizer: place, part of speech (Sudachi's tag), and entity.

    `entity` is the class that the model for names gave, `OTHER` for a label that is no class, or
    empty. `readings` are all tags that the dictionary has for the word, none if it is unknown.
    """

    text: str
    start: int
    end: int
    tag: str
    entity: str = ""
    readings: frozenset[str] = frozenset()

    @property
    def can_be_family_name(self) -> bool:
        """True where the dictionary knows the word as a family name too."""
        return self.is_family_name or "名詞-固有名詞-人名-姓" in self.readings

    @property
    def is_unknown(self) -> bool:
        """True where the dictionary has no entry; its tag is then a guess."""
        return not self.readings

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
    yield from _by_honorifics(text, tokens)
    for rule in (with_given_name, continental, with_points, with_kin):
        for start, end in rule(text, tokens):
            yield Found(start, end, "PERSON", 0.7, "name_words")
    for expression in (_SELF, _NAME_OF):
        for match in expression.finditer(text):
            yield from _phrase(match)


def _by_honorifics(text: str, tokens: Sequence[Token]) -> Iterator[Found]:
    names = [t for t in tokens if t.is_name or t.can_be_family_name]
    for match in _with_honorific().finditer(text):
        start, end = match.span("value")
        is_kana = _is_katakana(match["value"])
        is_place = any(t.start < end and t.end > start and "地名" in t.tag for t in tokens)
        personal = words("ja_personal") | words("ja_royal")
        named = is_kana and not is_place and match["honorific"] in personal
        within = [t for t in names if t.start >= start and t.end <= end]
        inside = [t for t in within if t.is_name or t.end == end]
        if not named and inside:
            start, named = inside[0].start, True
        if named and text[start:end] not in words("ja_not_names"):
            yield Found(start, end, "PERSON", 0.9, "name_honorific")


def with_given_name(text: str, tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """Yield family names with a given name that is no name in the dictionary: 林ことり, 森えり香.

    What follows must look like a given name with kana in it, and end where a name can end.
    """
    for i, token in enumerate(tokens):
        counts = i > 0 and tokens[i - 1].end == token.start and "数詞" in tokens[i - 1].tag
        if counts or not token.can_be_family_name or token.text in words("ja_not_names"):
            continue
        last = i
        while last + 1 < len(tokens) and _can_be_given(tokens, last + 1):
            last += 1
        end = tokens[last].end
        given = text[token.end : end]
        shaped = _FAMILY.fullmatch(token.text) and _GIVEN.fullmatch(given)
        foreign = len(token.text) == 1 and _is_katakana(given)
        torn = given.endswith(("っ", "ッ"))
        if last > i and shaped and not foreign and not torn and _ends_a_name(text, tokens, last):
            yield token.start, end


def _can_be_given(tokens: Sequence[Token], i: int) -> bool:
    token = tokens[i]
    gap = token.start - tokens[i - 1].end
    noun = token.tag.startswith(
        ("名詞", "副詞", "形状詞", "接頭辞", "感動詞", "形容詞", "動詞-一般")
    )
    particle_like = token.text in {"さん", "さま", "ちゃん", "くん"}
    return gap == 0 and noun and not particle_like and "数" not in token.tag


def _ends_a_name(text: str, tokens: Sequence[Token], last: int) -> bool:
    if last + 1 == len(tokens) or _follows_a_name().match(text, tokens[last].end):
        return True
    return tokens[last + 1].tag.startswith(("助詞", "助動詞", "補助記号", "空白"))


def continental(text: str, tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """Yield Chinese and Korean names: a surname of one character, and characters unknown together.

    The dictionary knows the surname (as 胡, 尹, 韓) and cuts the rest to pieces.
    """
    for match in _KANJI_RUN.finditer(text):
        start, end = match.span()
        if honorific := _honorific_end().search(match[0]):
            end = start + honorific.start()
        if end - start != 3:
            continue
        inside = [t for t in tokens if start <= t.start and t.end <= end]
        surname = text[start : start + 1]
        known = surname in words("zh_surnames") or bool(inside and inside[0].is_family_name)
        if not inside or not known or len(inside[0].text) > 1:
            continue
        if all(len(t.text) == 1 or t.is_unknown for t in inside[1:]):
            yield start, end


def with_points(text: str, tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """Yield foreign names with points, of which a part is a name or no part is a known word."""
    for match in _FOREIGN.finditer(text):
        inside = [t for t in tokens if t.start < match.end() and t.end > match.start()]
        parts = [t for t in inside if any(c.isalnum() for c in t.text)]
        plain = any(t.text in words("ja_not_in_names") | words("ja_places") for t in parts)
        place = any("地名" in t.tag or t.entity == "LOCATION" for t in parts)
        named = any(t.is_name or t.is_unknown for t in parts)
        mostly = sum(t.is_unknown or t.is_name or len(t.text) == 1 for t in parts) * 2 >= len(parts)
        whole = text[match.end() : match.end() + 1] not in words("ja_places")
        initials = match[0][0].isascii()
        if initials or (parts and named and mostly and whole and not plain and not place):
            yield match.span()


def with_kin(text: str, tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """Yield katakana names after a word of kinship: 次男ヨアキム, 妹のサリー."""
    del tokens
    for match in _kin().finditer(text):
        yield match.span("value")


@cache
def _kin() -> re.Pattern[str]:
    return re.compile(
        rf"(?:{alternatives('ja_kin')})[の・]?(?P<value>[ァ-ヺー]{{2,10}}(?:・[ァ-ヺー]{{2,12}})*)"
        r"(?=[はがをにとも、。」]|の(?!店|会社))"
    )


@cache
def _honorific_end() -> re.Pattern[str]:
    return re.compile(rf"(?:{alternatives('ja_honorifics')})$")


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
    return re.compile(
        rf"(?:{alternatives('ja_honorifics')}|です|と申|といい|と言い|じゃなく|家(?![ァ-ヺ一-龥])|個人|一家|一族|親子|兄弟|姉妹)"
    )


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
    if len(run) == 1 and _is_place_here(text, run[0]):
        return False
    free = all(t.entity in {"", "PERSON"} for t in run)
    other = all(t.entity in {"", "OTHER"} and not t.is_family_name for t in run)
    other = other or (run[0].tag.endswith("人名-一般") and len(surface) > 2 and surface[0] > "一")
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
    if "株式会社" in surface or (len(surface) > 2 and surface[-1] in "党衆軍藩隊"):
        return False
    if not inside or _is_katakana(surface) or _FOREIGN.fullmatch(surface):
        if set(re.split("[・= ]", surface)) & words("ja_not_in_names"):
            return False
        last = re.split("[・= ]", surface)[-1]
        return not any(last.endswith(w) for w in words("ja_places") if len(w) > 1)
    ends_as_place = inside[-1].text in words("ja_places") and not inside[-1].is_name
    stands_as_place = inside[0].text == surface and _is_place_here(text, inside[0])
    if stands_as_place or (ends_as_place and len(surface) > 2):
        return False
    before_place = text[end : end + 1] in words("ja_places") and not inside[-1].is_name
    if before_place or any(surface.endswith(w) for w in words("ja_places") if len(w) > 1):
        return False
    proper = any("固有名詞" in t.tag or t.can_be_family_name for t in inside)
    return proper or any(len(t.text) == 1 for t in inside)


def _is_place_here(text: str, token: Token) -> bool:
    """Tell whether a name that is a place's too stands before what only places have."""
    named = any("地名" in reading for reading in token.readings)
    return named and bool(_of_a_place().match(text, token.end))


@cache
def _of_a_place() -> re.Pattern[str]:
    return re.compile(rf"の(?:{alternatives('ja_of_places')})")
