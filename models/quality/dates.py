"""Months, weekdays and relative days of a text, as marks that compare across languages."""

import re
import unicodedata

from models.summarizer.variants import fold

_MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_NUMERAL = {
    "一": 1,
    "二": 2,
    "三": 3,
    "四": 4,
    "五": 5,
    "六": 6,
    "七": 7,
    "八": 8,
    "九": 9,
    "十": 10,
}
_CJK_MONTH = re.compile(
    r"(?<![\d一二三四五六七八九十])(\d{1,2}|十[一二]?|[一二三四五六七八九])月(?!曜|额|间|例)"
)
_JA_DAY = re.compile(r"([月火水木金土日])曜")
_ZH_DAY = re.compile(r"(?:周|星期|礼拜)([一二三四五六日天])")
_NUMERIC = re.compile(r"(?<!\d)(?:\d{4}[-/.])?(\d{1,2})[-/](\d{1,2})(?!\d)")
_MAYBE_VERB = re.compile(r"\b(?:may|march)\b")
_DATE_BEFORE = re.compile(
    r"\b(?:in|of|by|since|until|before|after|early|late|mid|last|next|\d\w*)[\s-]*$"
)
_RELATIVE = {  # of folded text: 週 is 周
    "today": r"\btoday\b|\btonight\b|今日|本日|今天|今晚",
    "tomorrow": r"(?<!after )\btomorrow\b|明日|あした|明天",
    "yesterday": r"(?<!before )\byesterday\b|(?<!一)昨日|昨天",
    "this week": r"\bthis week\b|今周|这周|本周|这个?星期|这个?礼拜",
    "next week": r"\bnext week\b|(?<!再)来周|(?<!下)下个?(?:周|星期|礼拜)",
    "last week": r"\blast week\b|(?<!先)先周|(?<!上)上个?(?:周|星期|礼拜)",
    "the week after next": r"\bweek after next\b|再来周|下下个?(?:周|星期|礼拜)",
    "the week before last": r"\bweek before last\b|先先周|先々周|上上个?(?:周|星期|礼拜)",
    "the day after tomorrow": r"\bday after tomorrow\b|明后日|あさって|后天",
    "the day before yesterday": r"\bday before yesterday\b|一昨日|おととい|前天",
    "this month": r"\bthis month\b|今月|这个月|本月",
    "next month": r"\bnext month\b|(?<!再)来月|(?<!下)下个?月",
    "last month": r"\blast month\b|(?<!先)先月|(?<!上)上个?月",
    "the month after next": r"\bmonth after next\b|再来月|下下个?月",
    "this year": r"\bthis year\b|今年",
    "next year": r"\bnext year\b|(?<!再)来年|明年",
    "last year": r"\blast year\b|(?<!一)昨年|去年",
    "the year after next": r"\byear after next\b|再来年|后年",
    "the year before last": r"\byear before last\b|一昨年|おととし|前年",
}


def date_marks(text: str) -> frozenset[str]:
    """Return what a text says of months and weekdays, as `month 4` and `weekday 1` (Monday)."""
    bare = fold(unicodedata.normalize("NFKC", text)).lower()
    return frozenset({*_months(bare), *_weekdays(bare)})


def relative_marks(text: str) -> frozenset[str]:
    """Return relative days and weeks of a text in English words, as `next week`."""
    bare = fold(unicodedata.normalize("NFKC", text)).lower()
    return frozenset(mark for mark, pattern in _RELATIVE.items() if re.search(pattern, bare))


def numeric_months(text: str) -> frozenset[str]:
    """Return the months that dates such as 2026-04-09 or 4/9 may mean, either way round."""
    found = _NUMERIC.findall(unicodedata.normalize("NFKC", text))
    numbers = {int(part) for pair in found for part in pair}
    return frozenset(f"month {number}" for number in numbers if 1 <= number <= 12)


def _months(text: str) -> set[str]:
    found = set()
    for number, name in enumerate(_MONTHS, start=1):
        for match in re.finditer(rf"\b{name}\b|\b{name[:3]}\.(?=\s?\d)", text):
            if not _MAYBE_VERB.fullmatch(match.group()) or _is_month(text, match):
                found.add(f"month {number}")
    for match in _CJK_MONTH.finditer(text):
        value = match.group(1)
        number = int(value) if value.isdigit() else sum(_NUMERAL[char] for char in value)
        if 1 <= number <= 12 and not text.startswith(("か", "ヶ", "个"), match.end(1)):
            found.add(f"month {number}")
    return found


def _is_month(text: str, match: re.Match[str]) -> bool:
    """Tell the months March and May from the verbs: a date stands around them."""
    before = _DATE_BEFORE.search(text[: match.start()]) is not None
    return before or re.match(r"\s+(?:the\s+)?\d", text[match.end() :]) is not None


def _weekdays(text: str) -> set[str]:
    found = {
        f"weekday {i}" for i, day in enumerate(_DAYS, start=1) if re.search(rf"\b{day}s?\b", text)
    }
    found |= {f"weekday {'月火水木金土日'.index(day) + 1}" for day in _JA_DAY.findall(text)}
    found |= {
        f"weekday {7 if day == '天' else '一二三四五六日'.index(day) + 1}"
        for day in _ZH_DAY.findall(text)
    }
    return found
