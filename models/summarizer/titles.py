"""Headings in the words of the source."""

import re
import unicodedata

from models.summarizer.terms import PSEUDONYM

_LEADING = re.compile(
    r"^(?:(?:so|okay|ok|well|and|but|um+|uh+|yeah|right|now|alright|all right)\b[\s,.]*)+"
    r"|^(?:えーと|ええと|えー|あの|その|まあ|はい|では|それでは|で)[、，\s]+"
    r"|^(?:嗯+|呃+|那么?|好的?|就是|然后|所以)[，,、\s]+",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[,;:]\s|[、，；：—]|\s[-–]\s")


def short_title(sentence: str, width: int) -> str:
    """Shorten a sentence to a heading.

    Args:
        sentence: word for word.
        width: in columns; a Chinese or Japanese character takes two.

    Returns:
        The sentence without leading fillers and final stop; where it is too wide, its first
        clauses, else its first words and "…". Pseudonyms stay whole.
    """
    bare = _LEADING.sub("", sentence.strip()).strip() or sentence.strip()
    bare = bare.rstrip("。．.") if not bare.endswith("...") else bare
    if title_width(bare) <= width:
        return bare
    clauses = [match.start() for match in _CLAUSE.finditer(bare)]
    fitting = [cut for cut in clauses if width * 0.4 <= title_width(bare[:cut]) <= width]
    if fitting:
        return bare[: fitting[-1]].rstrip()
    return bare[: _fitting_end(bare, width)].rstrip(" ,、，") + "…"


def title_width(text: str) -> int:
    """Return how many columns a text takes; a Chinese or Japanese character takes two."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def _fitting_end(text: str, width: int) -> int:
    end = 0
    while end < len(text) and title_width(text[: end + 1]) < width:
        end += 1
    for match in PSEUDONYM.finditer(text):
        if match.start() < end < match.end():
            return match.start() or match.end()
    if end < len(text) and text[end - 1].isascii() and text[end].isascii():
        return text.rfind(" ", 0, end) if " " in text[1:end] else end
    return end
