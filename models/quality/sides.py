"""Whether something is before or after a day, a meal or another thing, and which day it is."""

import re
from collections.abc import Iterator

from models.quality.dates import date_marks

_EN = re.compile(
    r"\b(?P<side>before|by|until|no later than|prior to|after|since|following|from)\s+"
    r"(?:the|a|an|each|every|next|last|this|all|his|her|their|our)?\s*(?P<of>[a-z]+(?:\s\d+)?)"
)
_CJK = re.compile(
    r"(?P<of>[月火水木金土日]曜日?|(?:周|星期|礼拜)[一二三四五六日天]|\d{1,2}[月日号]|[一二三四五六七八九十]{1,3}[月日号]"
    r"|食事?|饭|餐|[\u3400-\u9fff]{2})の?(?P<side>までに?|より前|以前|之前|前(?!年|回|期|面|提|者|进|半)"
    r"|以降|以后|之后|より后|后(?!半|者|面|来|续|悔)|から(?=[始開开行実实]))"
)
_BEFORE = frozenset({"before", "by", "until", "no later than", "prior to", "まで", "までに"})
_OF_DAYS = frozenset({"by", "until", "from", "since"})
"""Words that tell a time only of a day, a month or a meal."""

_MEALS = re.compile(r"meals?|eating|food|breakfast|lunch|dinner|食事?|饭|餐")
_TURN = re.compile(
    r"\b(?P<en>next|last)\s+(?P<day>monday|tuesday|wednesday|thursday|friday|saturday|sunday)"
    r"|(?P<cjk>来|下个?|先|上个?)(?:周|星期|礼拜)の?(?P<cjk_day>[月火水木金土日一二三四五六天])"
)
_NEXT = ("next", "来", "下", "下个")


def side_marks(text: str) -> Iterator[tuple[str, str]]:
    """Yield what a folded lower-case text is before or after of, and which day next or last is.

    Days, months and meals compare between languages; other things by their words.
    """
    for pattern in (_EN, _CJK):
        for match in pattern.finditer(text):
            side = match["side"]
            early = side in _BEFORE or side.endswith("前")
            thing = _thing(match["of"])
            if side not in _OF_DAYS or thing != match["of"]:
                yield thing, "before" if early else "after"
    for match in _TURN.finditer(text):
        turn = match["en"] or match["cjk"]
        weekday = _thing(match["day"] or _weekday(match["cjk_day"]))
        yield f"turn {weekday}", "next" if turn in _NEXT else "last"


def _weekday(day: str) -> str:
    return f"{day}曜" if day in "月火水木金土" or day == "日" else f"周{day}"


def _thing(word: str) -> str:
    if _MEALS.fullmatch(word):
        return "meal"
    return min(date_marks(f"in {word} 1" if word.isascii() else word), default=word)
