"""What stands around a number or a day and turns its meaning: am, minus, at least, by, per, half.

Each mark is of something (`half of 3`, `bound of 30`, `side of monday`). A claim that says of the
same thing only what the evidence does not, and the evidence another thing of it, is contrary to it.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise

from models.documents import Finding, Severity
from models.quality.claims import Claim
from models.quality.fractions import fraction_marks
from models.quality.numbers import Number, numbers
from models.quality.sides import side_marks
from models.quality.units import unit_at
from models.summarizer.terms import PSEUDONYM
from models.summarizer.variants import fold

Mark = tuple[str, str, str]
"""Kind, what it is of, and which of its kind it is."""

_CLOCK = re.compile(r"\s*(?::\d\d|时(?!间)|点(?!も|の|は|が|を|数)|o'?clock|[ap]\.?m\b)")
_AM_BEFORE = re.compile(r"(?:午前|上午|早上|凌晨|清晨|今朝|朝)の?\s*$")
_PM_BEFORE = re.compile(r"(?:午后|下午|晚上|傍晚|夜里?|夕方|今晚)の?\s*$")
_AM_AFTER = re.compile(r"(?::\d\d|\s+o'?clock)?\s*(?:a\.?m\b|in the (?:early )?morning)")
_PM_AFTER = re.compile(
    r"(?::\d\d|\s+o'?clock)?\s*(?:p\.?m\b|in the (?:afternoon|evening)|at night|tonight)"
)
_MINUS = re.compile(
    r"(?:minus|negative|マイナス|零下|冰点下|氷点下|负|负的|▲|△)\s*$|(?:^|[\s(（は为是])[-−–]$"
)
_BELOW_ZERO = re.compile(r"[^.,;。，、]{0,12}\bbelow zero\b")
_LEAST_BEFORE = re.compile(
    r"(?:at least|(?:no|not) (?:less|fewer) than|(?<!no )(?<!not )more than|\bover|above|exceed\w*"
    r"|minimum(?: of)?|不[少小低]于|至少|(?<!不)超过|(?<!不)高于|(?<!不)多于"
    r"|最低でも|最低|少なくとも)\s*\D{0,2}$"
)
_MOST_BEFORE = re.compile(
    r"(?:at most|(?:no|not) more than|up to|(?<!no )(?<!not )(?:less|fewer) than|\bunder|below"
    r"|within|maximum(?: of)?|不超过|不[高多大]于|不到|(?<!不)低于|(?<!不)少于|至多|最多|不足"
    r"|多くとも|最大で?|最高で?)\s*\D{0,2}$"
)
_LEAST_AFTER = re.compile(
    r"[^\s\d,.;。，、]{0,4}(?:以上|を?超(?:え(?!な)|す)|を?上回|より多)"
    r"|(?:\s+\w+)?\s+or (?:more|over|above)\b"
)
_MOST_AFTER = re.compile(
    r"[^\s\d,.;。，、]{0,4}(?:以下|未[満满]|以内|を?下回|を?切[るっり]|より少)"
    r"|(?:\s+\w+)?\s+or (?:less|fewer|under|below)\b"
)
_PER_BEFORE = re.compile(
    r"(?:每|毎|1|一)(?P<unit>[^\d\s，、。]{1,4}?)(?:当たり|あたり|につき)?(?:的?产?量?是?|约|大?约)?\s*$"
)
_PER_AFTER = re.compile(
    r"[^\d.;。，、]{0,16}?(?:\bper |\ban? |/|每)\s*(?P<unit>[a-z]+|[^\d\s，、。的]{1,3})"
)
_RANGE = re.compile(r"[^\d.;。]{0,8}?(?:\bto\b|\buntil\b|から|到|至|[-–~〜～])\s*(?:\w+\s+){0,2}$")
_CODE = re.compile(r"(?<![A-Za-z0-9])([A-Za-z]{1,2})-?(\d{1,3})(?![\dA-Za-z%])")
_QUARTER = re.compile(
    r"(?:第([一二三四1-4])(?:季度|四半期)|(?<![A-Za-z0-9])([1-4])Q(?![A-Za-z0-9])"
    r"|\b(first|second|third|fourth) quarter\b)"
)
_NTH = {"first": "1", "second": "2", "third": "3", "fourth": "4"} | dict(
    zip("一二三四", "1234", strict=True)
)

_REASONS = {
    "half": "An hour is of the other half of the day in the cited segments.",
    "sign": "A number has another sign in the cited segments.",
    "bound": "A number is a bound of the other side in the cited segments.",
    "per": "A number is per something else in the cited segments.",
    "range": "Two numbers stand the other way round in the cited segments.",
    "code": "A code has another number in the cited segments.",
    "side": "It says before where the cited segments say after, or the other way round.",
    "turn": "A day is the next in one, the last in the other.",
    "fraction": "A part or a multiple is another one in the cited segments.",
}
_ALONE = frozenset({"sign", "code"})
"""Kinds of which the evidence must say something, if a claim does."""


def check_contrasts(claim: Claim) -> Iterator[Finding]:
    """Yield where a mark of the claim is contrary to all that the evidence says of the same."""
    said, near = _of_source(claim.evidence.text), _of_source(claim.evidence.near_text)
    found = {}
    for topic, values in _by_topic(claim.text).items():
        kind = topic[0]
        if said[topic] and not values & said[topic]:
            found[kind] = Severity.WARN if values & near[topic] else Severity.BLOCK
        elif not said[topic] and kind in _ALONE and not near[topic] and values != {"plus"}:
            found.setdefault(kind, Severity.WARN)
    for kind, severity in found.items():
        yield claim.finding("facts.contrast", severity, _REASONS[kind])


def _of_source(text: str) -> defaultdict[tuple[str, str], set[str]]:
    """Return the marks of the evidence by what they are of; percentages are parts too."""
    found = _by_topic(text)
    for number in numbers(text):
        if number.unit and number.unit.name == "percent":
            found["fraction", "part"] |= {f"{value / 100:.3g}" for value in number.values}
    return found


def _by_topic(text: str) -> defaultdict[tuple[str, str], set[str]]:
    found: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for kind, of, value in marks(text):
        found[kind, of].add(value)
    return found


def marks(text: str) -> Iterator[Mark]:
    """Yield the marks of a text, alike in English, Japanese and Chinese."""
    bare = fold(unicodedata.normalize("NFKC", PSEUDONYM.sub(" ", text)))
    counted = numbers(text)
    for number in counted:
        for value in number.values:
            yield from _of_number(number, value)
    for first, second in pairwise(counted):
        yield from _range(first, second)
    yield from (("code", m[1].lower(), m[2]) for m in _CODE.finditer(bare))
    for match in _QUARTER.finditer(bare):
        told = next(group for group in match.groups() if group)
        yield "code", "q", _NTH.get(told, told)
    yield from (("side", of, side) for of, side in side_marks(bare.lower()))
    yield from (("fraction", of, told) for of, told in fraction_marks(bare.lower()))


def _of_number(number: Number, value: float) -> Iterator[Mark]:
    of = f"{value:g}"
    below = _MINUS.search(number.before) or _BELOW_ZERO.match(number.after)
    yield "sign", of, "minus" if below else "plus"
    for kind, told in (
        ("half", _half(number, value)), ("bound", _bound(number)), ("per", _per(number))
    ):  # fmt: skip
        if told:
            yield kind, of, told


def _half(number: Number, value: float) -> str | None:
    if _AM_BEFORE.search(number.before) or _AM_AFTER.match(number.after):
        return "am"
    if _PM_BEFORE.search(number.before) or _PM_AFTER.match(number.after):
        return "pm"
    late = max(number.values) > 12 and max(number.values) <= 24 and _CLOCK.match(number.after)
    return "pm" if late and value <= 12 else None


def _bound(number: Number) -> str | None:
    if _LEAST_AFTER.match(number.after) or _LEAST_BEFORE.search(number.before):
        return "least"
    return "most" if _MOST_AFTER.match(number.after) or _MOST_BEFORE.search(number.before) else None


def _per(number: Number) -> str | None:
    for match in (_PER_AFTER.match(number.after), _PER_BEFORE.search(number.before)):
        unit = match and unit_at(match["unit"], 0)
        if unit:
            return unit.name
    return None


def _range(first: Number, second: Number) -> Iterator[Mark]:
    """Yield two numbers in their order where one goes to the other."""
    gap = second.span[0] - first.span[1]
    if not 0 < gap <= len(second.before) or not _RANGE.fullmatch(second.before[-gap:]):
        return
    low, high = max(first.values), max(second.values)
    if low != high:
        yield "range", f"{min(low, high):g} {max(low, high):g}", "up" if low < high else "down"
