"""Numbers, dates, names, tasks and negations of a sentence against the segments it cites.

These are comparisons of words. They find what small models get wrong (a date that nobody said, a
dropped "not", a task given to another person); that a sentence passes does not make it true.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence

from models.documents import ActionItem, Finding, Severity
from models.quality.attribution import check_speakers
from models.quality.claims import Claim
from models.quality.contrasts import check_contrasts
from models.quality.dates import date_marks, numeric_months, relative_marks
from models.quality.denials import check_negation
from models.quality.fractions import fraction_marks
from models.quality.numbers import YEAR_NOUNS, Number, numbers
from models.quality.persons import person_names
from models.quality.roles import check_roles
from models.quality.source import Evidence
from models.quality.thresholds import QualityThresholds
from models.quality.units import unit_named
from models.redactor.lexicon import english_words
from models.summarizer.cues import owners_in
from models.summarizer.extractive import TextEmbedder
from models.summarizer.sentences import split_sentences
from models.summarizer.terms import PSEUDONYM, overlap, terms
from models.summarizer.variants import fold

_HONORIFIC = re.compile(
    fold(
        r"(?P<ja>[\u3400-\u9fff々]{1,4}|[\u30a1-\u30ffー]{2,8})"
        r"(?:さん|氏|様|くん|部長|課長|社長|係長|主任|専務|常務|教授)"
        r"|(?P<zh>(?!许多|任何|高级|高中|金融|方案|马上|周边|金牌|华人|程序|高层|常任)[赵钱孙李周吴郑王冯陈卫蒋沈韩杨朱秦许何吕张孔曹严华金魏陶姜谢邹苏潘葛范彭鲁韦马"
        r"方俞任袁柳唐罗薛贺汤邓郭林高郑徐胡黄刘梁宋曾萧程傅][\u4e00-\u9fff]{0,2}?)"
        r"(?:先生|女士|小姐|经理|总监|老师|主任|教授|总(?![的是共之体结数额价和会在要能得])|工(?=[，、。说会来]))"
        r"|(?P<xiao>[小老][赵钱孙李周吴郑王陈杨朱张刘林高徐胡黄])(?![\u4e00-\u9fff]{0,1}(?:学|校|院))"
    )
)
_TITLED = re.compile(r"\b(?:Mr|Mrs|Ms|Dr|Prof|Professor|Miss|Sir)\.?\s+([A-Z][\w'’-]+)")
_CAPITAL = re.compile(r"(?<![\w'’])[A-Z][a-z'’]*[a-z](?![\w'’])")
_YEARS = frozenset({"this year", "next year", "last year"})
_PERCENT = unit_named("percent")
_POINTS = frozenset({_PERCENT, unit_named("point")})
_FAR_YEARS = 5
_COMPARED = 12
_COMMON_ROLE = frozenset(
    "家様奥皆客誰何神王方各担当者司会議長部長課長社長先生子親父母兄弟姉妹お客業者患者利用者"
)


def check_facts(
    claim: Claim, thresholds: QualityThresholds, embedder: TextEmbedder | None = None
) -> Iterator[Finding]:
    """Yield what in a sentence its evidence does not bear out.

    Of a summary in another language than its source, numbers, dates and pseudonyms are compared;
    its words cannot be.
    """
    yield from _check_numbers(claim)
    yield from _check_repeated(claim)
    yield from _check_dates(claim)
    yield from check_contrasts(claim)
    yield from _check_pseudonyms(claim)
    if claim.is_translated:
        return
    yield from _check_names(claim)
    yield from _check_persons(claim)
    yield from _check_owner(claim)
    yield from check_speakers(claim, thresholds)
    yield from check_roles(claim, thresholds)
    yield from check_negation(claim, thresholds)
    yield from _check_support(claim, thresholds, embedder)


def _check_numbers(claim: Claim) -> Iterator[Finding]:
    said, near = numbers(claim.evidence.text), numbers(claim.evidence.near_text)
    for number in numbers(claim.text):
        same = [other for other in said if number.values & {*other.values, *other.parts}]
        if not number.is_among(said):
            if not any(
                holds(number, claim) for holds in (_is_one, _is_month, _is_quantity, _is_part)
            ):
                yield _number_missing(claim, number, said, near)
        elif _has_another_unit(number, same) and not _is_quantity(number, claim):
            points = {number.unit, *(o.unit for o in same)} <= _POINTS
            yield claim.finding(
                "facts.number",
                Severity.WARN if points else Severity.BLOCK,
                "A number has another unit here than in the cited segments.",
            )
        elif same and _counts_something_else(number, same, said):
            yield claim.finding(
                "facts.number",
                Severity.WARN,
                "The cited segments give this number for something else.",
            )


def _check_repeated(claim: Claim) -> Iterator[Finding]:
    """Yield where one number stands in the place of another one of the evidence too."""
    mine = Counter((number.noun, number.values) for number in numbers(claim.text) if number.noun)
    said = Counter((number.noun, number.values) for number in numbers(claim.evidence.text))
    for (noun, values), count in mine.items():
        others = {v for n, v in said if n == noun and v != values and (n, v) not in mine}
        if count > 1 and said[noun, values] < count and others:
            reason = (
                "A number stands here more often than in the cited segments, another is missing."
            )
            yield claim.finding("facts.number", Severity.WARN, reason)


def _has_another_unit(number: Number, same: Sequence[Number]) -> bool:
    """Tell whether all equal numbers of the evidence have a unit, and another one."""
    mine = number.unit
    return bool(mine and same) and all(o.unit and mine and not mine.is_alike(o.unit) for o in same)


def _is_quantity(number: Number, claim: Claim) -> bool:
    """Tell whether the evidence says as much in another unit."""
    return any(number.is_quantity_of(other) for other in numbers(claim.evidence.text))


def _is_part(number: Number, claim: Claim) -> bool:
    """Tell whether a percentage stands in the evidence as a part: 50 % as half."""
    parts = {f"{value / 100:.3g}" for value in number.values if number.unit == _PERCENT}
    said = fraction_marks(fold(claim.evidence.text).lower())
    return not parts.isdisjoint(told for of, told in said if of == "part")


def _is_one(number: Number, claim: Claim) -> bool:
    """Tell whether a counted one stands in the evidence as 一, which is mostly no number."""
    return number.values == {1.0} and f"一{number.noun}" in fold(claim.evidence.text)


def _is_month(number: Number, claim: Claim) -> bool:
    """Tell whether the number is that of a month which the evidence has as a word."""
    months = {f"month {value:.0f}" for value in number.values if number.noun == "月"}
    return not months.isdisjoint(date_marks(claim.evidence.text))


def _number_missing(
    claim: Claim, number: Number, said: Sequence[Number], near: Sequence[Number]
) -> Finding:
    changed = any(number.noun and other.noun == number.noun for other in said)
    close = number.is_among(near)
    lenient = close or (number.is_count and not changed) or _may_be_year(number, claim)
    reason = (
        "A number is not in the cited segments but close to them."
        if close
        else "A number is not in the cited segments."
    )
    return claim.finding("facts.number", Severity.WARN if lenient else Severity.BLOCK, reason)


def _may_be_year(number: Number, claim: Claim) -> bool:
    """Tell whether "next year" may be this one: years of the source, if it has any, are near it."""
    if number.noun not in YEAR_NOUNS or not _YEARS & relative_marks(claim.evidence.near_text):
        return False
    known = claim.source.years
    return not known or any(abs(v - year) <= _FAR_YEARS for v in number.values for year in known)


def _counts_something_else(number: Number, same: Sequence[Number], said: Sequence[Number]) -> bool:
    if not number.noun or number.noun in {"of", "and", "to", "or", "in", "for", "on", "at", "の"}:
        return False
    named = [other for other in said if other.noun == number.noun]
    return bool(named) and not any(other in same for other in named)


def _check_dates(claim: Claim) -> Iterator[Finding]:
    evidence, near = claim.evidence.text, claim.evidence.near_text
    said = date_marks(evidence) | numeric_months(evidence)
    said_near = date_marks(near) | numeric_months(near)
    for mark in sorted(date_marks(claim.text) - said):
        close = mark in said_near
        kind = "weekday" if mark.startswith("weekday") else "month"
        yield claim.finding(
            "facts.date",
            Severity.WARN if close else Severity.BLOCK,
            f"A {kind} is not in the cited segments" + (" but close to them." if close else "."),
        )
    for mark in sorted(relative_marks(claim.text) - relative_marks(near)):
        yield claim.finding("facts.date", Severity.WARN, f"“{mark}” is not in the cited segments.")


def _check_pseudonyms(claim: Claim) -> Iterator[Finding]:
    owner = claim.sentence.owner if isinstance(claim.sentence, ActionItem) else None
    named = set(PSEUDONYM.findall(f"{claim.text} {owner or ''}"))
    said = set(PSEUDONYM.findall(claim.evidence.text)) | claim.evidence.speakers
    near = set(PSEUDONYM.findall(claim.evidence.near_text)) | {
        segment.speaker or "" for segment in claim.evidence.near
    }
    for pseudonym in sorted(named - said):
        close = pseudonym in near
        yield claim.finding(
            "facts.name",
            Severity.WARN if close else Severity.BLOCK,
            f"{pseudonym} is not in the cited segments" + (" but close to them." if close else "."),
        )


def _check_names(claim: Claim) -> Iterator[Finding]:
    owner = claim.sentence.owner if isinstance(claim.sentence, ActionItem) else None
    text = PSEUDONYM.sub("_", claim.text)
    titled = set(_TITLED.findall(text)) | _honoured(text)
    capital = _capitalized(text) | (_capitalized(f"x {owner}") if owner else set())
    for name in sorted(titled | capital):
        if name.lower() in fold(claim.evidence.near_words).lower():
            continue
        whole = rf"(?<![a-z]){re.escape(name.lower())}(?![a-z])"
        known = re.search(whole, claim.source.folded)
        yield claim.finding(
            "facts.name",
            Severity.WARN if known or _is_everyday(name) else Severity.BLOCK,
            "A name is not in the cited segments." if known else "A name is nowhere in the source.",
        )


def _check_persons(claim: Claim) -> Iterator[Finding]:
    """Yield whole names that stand nowhere; the tagger of Chinese errs, so that it only warns."""
    language = claim.source.redacted.language
    for name in person_names(PSEUDONYM.sub("_", claim.text), language):
        if fold(name.lower()) not in claim.source.unspaced:
            severity = Severity.BLOCK if language == "ja" else Severity.WARN
            yield claim.finding("facts.name", severity, "A name is nowhere in the source.")


def _honoured(text: str) -> set[str]:
    found = set()
    for match in _HONORIFIC.finditer(fold(unicodedata.normalize("NFKC", text))):
        name = match.group("ja") or match.group("zh") or match.group("xiao")
        if name and not set(name) <= _COMMON_ROLE:
            found.add(name)
    return found


def _capitalized(text: str) -> set[str]:
    """Return capitalized words that are not at the start of a sentence and no months or days."""
    found = set()
    for sentence in split_sentences(text):
        words = list(_CAPITAL.finditer(sentence))
        if len(words) > 4 and len(words) * 2 > len(sentence.split()):
            continue  # a heading in title case
        for match in words:
            before = sentence[: match.start()].rstrip()
            if before and before[-1] not in ":“\"'‘(." and not date_marks(f"in {match.group()} 1"):
                found.add(match.group().removesuffix("'s").removesuffix("’s"))
    return found


def _is_everyday(word: str) -> bool:
    """Tell a capitalized everyday word, as in a role or a heading, from a name."""
    lists = english_words()
    lower = word.lower()
    return lower in lists.common and lower not in lists.given | lists.surnames


def _check_owner(claim: Claim) -> Iterator[Finding]:
    said = _owners(claim.evidence)
    given = set(owners_in(claim.sentence.text))
    if isinstance(claim.sentence, ActionItem) and claim.sentence.owner:
        given |= set(PSEUDONYM.findall(claim.sentence.owner))
    wrong = sorted(given - said)
    if said and wrong:
        yield claim.finding(
            "facts.owner",
            Severity.BLOCK,
            f"The cited segments give this to {', '.join(sorted(said))}, not to {wrong[0]}.",
        )


def _owners(evidence: Evidence) -> set[str]:
    found: set[str] = set()
    for segment in evidence.segments:
        speaker = segment.speaker if PSEUDONYM.fullmatch(segment.speaker or "") else None
        found |= owners_in(segment.text, speaker)
    return found | set(owners_in(evidence.text))


def _check_support(
    claim: Claim, thresholds: QualityThresholds, embedder: TextEmbedder | None
) -> Iterator[Finding]:
    content = terms(claim.sentence.text)
    if sum(content.values()) < 4 or not claim.sentence.citations:
        return
    if overlap(content, terms(claim.evidence.near_text)) >= thresholds.min_support_ratio:
        return
    if embedder is None:
        reason = "The sentence shares almost no words with the cited segments."
        yield claim.finding("facts.support", Severity.WARN, reason)
    elif _similarity(claim, embedder) < _least_similarity(claim, thresholds):
        reason = "Neither in words nor in meaning is the sentence close to the cited segments."
        yield claim.finding("facts.support", Severity.WARN, reason)


def _least_similarity(claim: Claim, thresholds: QualityThresholds) -> float:
    cjk = claim.source.redacted.language in {"ja", "zh"}
    return thresholds.min_similarity_cjk if cjk else thresholds.min_similarity


def _similarity(claim: Claim, embedder: TextEmbedder) -> float:
    """Return the cosine (-1..1) of the sentence and that cited segment that is most like it."""
    texts = [
        claim.evidence.text,
        *(segment.text for segment in claim.evidence.segments[:_COMPARED]),
    ]
    vectors = embedder.embed([claim.sentence.text, *texts])
    return float((vectors[1:] @ vectors[0]).max())
