"""Parts and multiples: two thirds, 三分の二, half, doubled, 半減, twice a day."""

import re
from collections.abc import Iterator

_ONES = {c: i for i, c in enumerate("〇一二三四五六七八九十")} | {"两": 2}
_EN_ONES = {"a": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5}
_EN_PARTS = {"thirds": 3, "quarters": 4, "fourths": 4, "fifths": 5, "sixths": 6, "tenths": 10}
_PARTS = re.compile(
    r"(?P<whole>[一二三四五六七八九十\d]{1,2})分(?:の|之)(?P<part>[一二三四五六七八九十\d]{1,2})"
    r"|\b(?P<count>a|one|two|three|four|five)[\s-](?P<kind>thirds?|quarters?|fourths?|fifths?|tenths?)\b"
    r"(?!\s+(?:of (?:19|20)|19|20))"
)
_WORDS = {
    ("part", "0.5"): r"\bhalf (?:of|the (?!day|hour|year|time))\b|\bone half\b"
    r"|半分|(?<![上下前后])一半|半数",
    ("change", "0.5"): r"\bhalv(?:e|ed|es|ing)\b|\bhalf as\b|\bby half\b|半[減减]|[減减]半",
    ("change", "2"): r"\bdoubl(?:e|ed|es|ing)\b|\btwice as\b"
    r"|倍[増增]|(?<!\d)[二两2]倍|翻[一了]?[倍番]",
    ("change", "3"): r"\btripl(?:e|ed|es|ing)\b|\bthree times as\b|(?<!\d)[三3]倍|翻[两2]番",
    ("often", "1"): r"\bonce (?:an?|per|each|every) |\bonce (?:daily|weekly|monthly|yearly)\b"
    r"|[日天周月年]に?[一1][回次]|每\w[一1]次",
    ("often", "2"): r"\btwice\b(?! (?:as|the))|\b(?:two|2) times an?\b"
    r"|[日天周月年]に?[二两2][回次]|每\w[二两2]次",
    ("often", "3"): r"\bthrice\b|\b(?:three|3) times an?\b|[日天周月年]に?[三3][回次]|每\w[三3]次",
}
_NAMED = {told: re.compile(pattern) for told, pattern in _WORDS.items()}


def fraction_marks(text: str) -> Iterator[tuple[str, str]]:
    """Yield parts, multiples and how often, each as a figure, of a folded lower-case text."""
    for match in _PARTS.finditer(text):
        if match["whole"]:
            part, whole = (_figure(match[name]) for name in ("part", "whole"))
        else:
            part, whole = _EN_ONES[match["count"]], _EN_PARTS[match["kind"].rstrip("s") + "s"]
        if whole and part <= whole:
            yield "part", f"{part / whole:.3g}"
    yield from (told for told, pattern in _NAMED.items() if pattern.search(text))


def _figure(text: str) -> int:
    if text.isdigit():
        return int(text)
    return sum(_ONES.get(char, 0) for char in text)
