"""Numbers of a text, written in digits, words or Chinese numerals, as values that compare."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from models.quality.units import Unit, is_same_quantity, unit_at, unit_named
from models.summarizer.terms import PSEUDONYM
from models.summarizer.variants import fold

_CJK_DIGITS = {c: i for i, c in enumerate("〇一二三四五六七八九")} | {"零": 0, "两": 2, "兩": 2}
_CJK_SMALL = {"十": 10, "百": 100, "千": 1000}
_CJK_LARGE = {"万": 10**4, "萬": 10**4, "億": 10**8, "亿": 10**8, "兆": 10**12}
_NUMERALS = "".join([*_CJK_DIGITS, *_CJK_SMALL, *_CJK_LARGE])
_ONES = {
    word: value
    for value, words in enumerate(
        (
            "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
            "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen",
            "eighteen", "nineteen",
        )
    )
    for word in (words,)
}  # fmt: skip
_TENS = {
    "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50,
    "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}  # fmt: skip
_ORDINALS = {
    "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9,
    "tenth": 10, "eleventh": 11, "twelfth": 12, "thirteenth": 13, "fourteenth": 14,
    "fifteenth": 15, "sixteenth": 16, "seventeenth": 17, "eighteenth": 18, "nineteenth": 19,
    "twentieth": 20, "thirtieth": 30,
}  # fmt: skip
_AFTER_TENS = {
    **{w: v for w, v in _ONES.items() if 0 < v < 10},
    **_ORDINALS,
    "first": 1,
    "second": 2,
}
_SCALES = {"hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9, "dozen": 12}
_NUMBER_WORDS = frozenset({*_ONES, *_TENS, *_ORDINALS, *_SCALES})
_WORD = re.compile(
    r"(?<![a-z])(?:" + "|".join(sorted(_NUMBER_WORDS, key=len, reverse=True)) + r")(?![a-z])"
)
_JOINT = re.compile(r"[\s-]+(?:and\s+)?")
_DIGITS = re.compile(
    rf"(?<![\d.,])\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d+(?:\.\d+)?(?:[{_NUMERALS}][{_NUMERALS}\d]*)?"
)
_CJK_RUN = re.compile(rf"(?<!\d)[{_NUMERALS}]+")
_TENTHS = re.compile(r"\s*(?:割(?!り[^引])|成(?!果|本|功|立|为|了|员|長|长))")
_SIGNS = {"$": "usd", "€": "eur", "£": "gbp", "¥": "jpy"}
_COUNTERS = fold(
    "人名個件つ回次年月日号時点分秒階層歳岁台本枚社校倍度項条票位天週期章部種家所歩步間棟区室組"
    "立平公米吨升斤克张辆座套瓶杯箱席页"
)
_IDIOM = re.compile(
    fold(r"十分(?!間|钟|前|後)|千万(?=别|不|要|记|注)|万一|一一|三三两两|百万(?=富)|第三者|四半期")
)
_AND_A_HALF = re.compile(r"\s+and a half\b|个半(?=小时|钟头|月|星期)")
_SCALE_AFTER = re.compile(r"\s*(thousand|million|billion)\b")
_UNIT_AND_A_HALF = re.compile(
    r"\s*(?:时间|小时|年间?|[かカヶケ箇个]月|周间?|日间|天|分|倍)半(?![期额数])"
)
_CLOCK = re.compile(r"\s*(?::\d\d|时(?!间)|点(?!も|の|は|が|を))")
_ERAS = {"令和": 2018, "平成": 1988, "昭和": 1925, "大正": 1911, "民国": 1911}
_ERA = re.compile(rf"({'|'.join(_ERAS)})\s*$")
_CONTEXT = 24
YEAR_NOUNS = frozenset({"年", "year"})
"""What follows the number of a year, or of years."""

_LIST_MARK = re.compile(r"[〔(\[]\d{1,2}[〕)\]]|^\s*\d{1,2}[.)、]\s", re.MULTILINE)
_PER_CENT_ZH = re.compile(rf"百分之([{_NUMERALS}\d.]+)")


@dataclass(frozen=True)
class Number:
    """One number.

    Args:
        values: what it may mean ("twelve fifty" is 1250 or 12.5); a claim is met by any of them.
        unit: what it is of (`percent`, a currency, a measure), or None.
        noun: what is counted: the next word or character, lower-case; "" at the end.
        spelled: written in words rather than in digits.
        parts: of words side by side ("twelve fifty") what they are one by one, else empty.
        before: the folded lower-case text before it.
        after: that after it.
        span: where it stands.
    """

    values: frozenset[float]
    unit: Unit | None = None
    noun: str = ""
    spelled: bool = False
    parts: tuple[float, ...] = ()
    before: str = field(default="", compare=False)
    after: str = field(default="", compare=False)
    span: tuple[int, int] = field(default=(0, 0), compare=False)

    def is_among(self, said: Sequence["Number"]) -> bool:
        """Tell whether a text says this number: as a whole, or each of its parts as often."""
        heard = Counter(value for other in said for value in (*other.values, *other.parts))
        if not self.values.isdisjoint(heard):
            return True
        return bool(self.parts) and Counter(self.parts) <= heard

    def is_quantity_of(self, other: "Number") -> bool:
        """Tell whether it is as much as another in another unit."""
        return (
            self.unit is not None
            and other.unit is not None
            and any(
                is_same_quantity(mine, self.unit, theirs, other.unit)
                for mine in self.values
                for theirs in other.values
            )
        )

    @property
    def is_count(self) -> bool:
        """True for ten or less of something without unit: often a count that the writer made."""
        measured = self.unit is not None and self.unit.kind != "time"
        return not measured and all(v <= 10 and v == int(v) for v in self.values)


def numbers(text: str) -> tuple[Number, ...]:
    """Return the numbers of a text in English, Japanese or Chinese; not those of pseudonyms."""
    bare = fold(unicodedata.normalize("NFKC", PSEUDONYM.sub(" ", text))).lower()
    bare = _PER_CENT_ZH.sub(lambda match: f" {match.group(1)}% ", bare)
    bare = _LIST_MARK.sub(lambda match: " " * len(match.group()), bare)
    bare = _IDIOM.sub(lambda match: " " * len(match.group()), bare)
    found = [*_in_digits(bare), *_in_words(bare), *_in_numerals(bare)]
    return tuple(number for _, number in sorted(found, key=lambda item: item[0]))


def is_numeral(term: str) -> bool:
    """Tell whether a word, or a pair of characters, is a number or holds a part of one."""
    return term in _NUMBER_WORDS or any(c.isdigit() or c in _NUMERALS for c in term)


def _in_digits(text: str) -> Iterator[tuple[int, Number]]:
    for match in _DIGITS.finditer(text):
        if re.search(r"[a-z_]$", text[: match.start()][-1:]):
            continue  # a name such as h264 or Q3: compared as a word
        value = _numeral_value(match.group().replace(",", ""))
        end = match.end()
        scale = re.match(
            r"(?:\s*(?=[tbk]|mi)|(?=m\b))(thousand|million|billion|k\b|m\b|bn\b)", text[end:]
        )
        if scale:
            value *= {"k": 10**3, "m": 10**6, "bn": 10**9}.get(scale[1]) or _SCALES[scale[1]]
            end += scale.end()
        values = {value}
        shared = re.match(
            r"\s*(?:to|or|and|-|–)\s*\d[\d.,]*\s*(thousand|million|billion)", text[end:]
        )
        if shared and not scale:
            values.add(value * _SCALES[shared[1]])
        yield match.start(), _number(text, match.start(), end, values, spelled=False)


def _in_words(text: str) -> Iterator[tuple[int, Number]]:
    end = 0
    for match in _WORD.finditer(text):
        if match.start() < end:
            continue
        words, end = _word_run(text, match)
        if _is_no_number(text, match.start(), end, words):
            continue
        if len(words) == 2 and words[0] == "one" and words[1] in _ORDINALS:
            words = words[1:]  # "one third" is "a third"
        number = _number(text, match.start(), end, _word_values(words), spelled=True)
        yield match.start(), replace(number, parts=_word_parts(words))


def _is_no_number(text: str, start: int, end: int, words: list[str]) -> bool:
    """Tell "the other one", and the scale of "5 million" and of "one and a half million"."""
    if words in (["one"], ["zero"]):
        return not _AND_A_HALF.match(text, end)
    scaled = re.search(r"(?:\d|and a half)\s*$", text[:start])
    return len(words) == 1 and words[0] in _SCALES and scaled is not None


def _word_run(text: str, first: re.Match[str]) -> tuple[list[str], int]:
    words, end = [first.group()], first.end()
    while True:
        joint = _JOINT.match(text, end)
        following = re.compile(r"point\b|[a-z]+").match(text, joint.end()) if joint else None
        word = following.group() if following else ""
        known = word in _ONES or word in _TENS or word in _SCALES or word in _ORDINALS
        after_tens = words[-1] in _TENS and word in _AFTER_TENS
        if following is None or not (known or after_tens or word == "point"):
            return (words[:-1] if words[-1] == "point" else words), end
        words.append(word)
        end = following.end()


def _word_values(words: list[str]) -> set[float]:
    if "point" in words:
        at = words.index("point")
        tail = "".join(str(int(min(_word_values([w]) or {0}))) for w in words[at + 1 :])
        return {float(f"{int(min(_word_values(words[:at]) or {0}))}.{tail or 0}")}
    groups = _groups(words)
    if len(groups) == 1:
        return {float(groups[0])}
    joined = float("".join(str(group) for group in groups))
    values = {joined}
    if len(groups) == 2 and groups[1] < 100:
        values |= {groups[0] * 100.0 + groups[1], groups[0] + groups[1] / 100.0}
    return values


def _word_parts(words: list[str]) -> tuple[float, ...]:
    groups = [] if "point" in words else _groups(words)
    return tuple(map(float, groups)) if len(groups) > 1 else ()


def _groups(words: list[str]) -> list[int]:
    """Return the numbers that stand side by side, as 20 and 25 in "twenty twenty-five"."""
    groups: list[int] = []
    total, current, last = 0, 0, 0
    for word in words:
        if word in _SCALES:
            scale = _SCALES[word]
            current = (current or 1) * scale
            if scale >= 1000:
                total, current = total + current, 0
            last = scale
            continue
        value = _ONES.get(word) or _TENS.get(word) or _AFTER_TENS.get(word) or 0
        if (current or total) and not value < last:
            groups.append(total + current)
            total, current = 0, 0
        current += value
        last = value if value >= 20 else 1
    return [*groups, total + current]


def _in_numerals(text: str) -> Iterator[tuple[int, Number]]:
    for match in _CJK_RUN.finditer(text):
        run, end = match.group(), match.end()
        following = text[end : end + 1]
        unit = _measure_at(text, end) or _UNIT_AND_A_HALF.match(text, end) is not None
        single = len(run) == 1
        if run in {"一", "万", "千", "百"} and not unit and following not in "月日号時时":
            continue  # an article, or part of a word
        if single and not unit and (not following or following not in _COUNTERS):
            continue
        values = {_numeral_value(run)}
        yield match.start(), _number(text, match.start(), end, values, spelled=True)


def _numeral_value(run: str) -> float:
    """Read digits and Chinese numerals mixed, as `3万5千`, `二〇二五` or `12.5`."""
    if all(char in _CJK_DIGITS for char in run):
        return float("".join(str(_CJK_DIGITS[char]) for char in run))
    total = section = 0.0
    current: float | None = None
    for piece in re.findall(r"\d+(?:\.\d+)?|.", run):
        if piece[0].isdigit() and piece[0] not in _CJK_DIGITS:
            current = float(piece)
        elif piece in _CJK_DIGITS:
            current = (current or 0) * 10 + _CJK_DIGITS[piece] if current else _CJK_DIGITS[piece]
        elif piece in _CJK_SMALL:
            section += (1 if current is None else current) * _CJK_SMALL[piece]
            current = None
        elif piece in _CJK_LARGE:
            total += ((section + (current or 0)) or 1) * _CJK_LARGE[piece]
            section, current = 0.0, None
    return total + section + (current or 0)


def _measure_at(text: str, place: int) -> bool:
    """Tell whether a measure stands here that makes a number of any numeral before it."""
    unit = unit_at(text, place)
    return (unit is not None and unit.kind != "time") or _TENTHS.match(text, place) is not None


def _also(text: str, start: int, end: int, values: set[float]) -> Iterator[float]:
    """Yield what else a number says: 3 of an hour such as 15:00, 2021 of 令和3年."""
    if _CLOCK.match(text, end):
        yield from (value - 12 for value in values if 12 < value <= 24)
    if era := _ERA.search(text[:start]):
        yield from (value + _ERAS[era.group(1)] for value in values if value < 100)


def _number(text: str, start: int, end: int, values: set[float], *, spelled: bool) -> Number:
    if half := _AND_A_HALF.match(text, end):
        end = half.end()
    if half or _UNIT_AND_A_HALF.match(text, end):
        values = {value + 0.5 for value in values}
    if half and (scale := _SCALE_AFTER.match(text, end)):
        values, end = {value * _SCALES[scale[1]] for value in values}, scale.end()
    sign = _SIGNS.get(text[:start].rstrip()[-1:])
    unit = unit_at(text, end) or (unit_named(sign) if sign else None)
    if unit is None and _TENTHS.match(text, end):
        unit, values = unit_named("percent"), {value * 10 for value in values}
    noun = re.compile(r"[\s-]*([a-z]+|[\u3040-\u30ff\u3400-\u9fff])").match(text, end)
    return Number(
        values=frozenset(round(value, 6) for value in {*values, *_also(text, start, end, values)}),
        unit=unit,
        noun=noun.group(1).removesuffix("s") if noun else "",
        spelled=spelled,
        span=(start, end),
        before=text[max(0, start - _CONTEXT) : start],
        after=text[end : end + _CONTEXT],
    )
