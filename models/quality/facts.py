"""Numbers, dates, names, tasks and negations of a sentence against the segments it cites.

These are comparisons of words. They find what small models get wrong (a date that nobody said, a
dropped "not", a task given to another person); that a sentence passes does not make it true.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from models.documents import ActionItem, Finding, Sentence, Severity
from models.quality.dates import date_marks, numeric_months, relative_marks
from models.quality.negation import Polarity, clauses, polarity
from models.quality.numbers import Number, numbers
from models.quality.source import Evidence, Source
from models.quality.thresholds import QualityThresholds
from models.redactor.lexicon import english_words
from models.summarizer.cues import owners_in
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
_COMMON_ROLE = frozenset(
    "家様奥皆客誰何神王方各担当者司会議長部長課長社長先生子親父母兄弟姉妹お客業者患者利用者"
)


@dataclass(frozen=True)
class Claim:
    """One sentence of a summary with its place and its evidence."""

    place: str
    sentence: Sentence
    evidence: Evidence
    source: Source

    @property
    def text(self) -> str:
        """The sentence; of a task with its owner and date."""
        extra = ""
        if isinstance(self.sentence, ActionItem) and self.sentence.due:
            extra = f" ({self.sentence.due})"
        return self.sentence.text + extra

    def finding(self, check: str, severity: Severity, reason: str) -> Finding:
        """Return a finding about this sentence."""
        segments = tuple(segment.id for segment in self.evidence.segments)
        cited = segments if self.sentence.citations else ()
        return Finding(
            check=check, severity=severity, place=self.place, reason=reason, segments=cited[:20]
        )


def check_facts(claim: Claim, thresholds: QualityThresholds) -> Iterator[Finding]:
    """Yield what in a sentence its evidence does not bear out."""
    yield from _check_numbers(claim)
    yield from _check_dates(claim)
    yield from _check_pseudonyms(claim)
    yield from _check_names(claim)
    yield from _check_owner(claim)
    yield from _check_negation(claim, thresholds)
    yield from _check_support(claim, thresholds)


def _check_numbers(claim: Claim) -> Iterator[Finding]:
    said, near = numbers(claim.evidence.text), numbers(claim.evidence.near_text)
    for number in numbers(claim.text):
        same = [other for other in said if other.values & number.values]
        if not same:
            yield _number_missing(claim, number, said, near)
        elif number.unit and all(other.unit and other.unit != number.unit for other in same):
            yield claim.finding(
                "facts.number",
                Severity.BLOCK,
                "A number has another unit here than in the cited segments.",
            )
        elif _counts_something_else(number, same, said):
            yield claim.finding(
                "facts.number",
                Severity.WARN,
                "The cited segments give this number for something else.",
            )


def _number_missing(
    claim: Claim, number: Number, said: Sequence[Number], near: Sequence[Number]
) -> Finding:
    changed = any(number.noun and other.noun == number.noun for other in said)
    close = any(other.values & number.values for other in near)
    lenient = close or (number.is_count and not changed)
    reason = (
        "A number is not in the cited segments but close to them."
        if close
        else "A number is not in the cited segments."
    )
    return claim.finding("facts.number", Severity.WARN if lenient else Severity.BLOCK, reason)


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
        if name.lower() in fold(claim.evidence.near_text).lower():
            continue
        whole = rf"(?<![a-z]){re.escape(name.lower())}(?![a-z])"
        known = re.search(whole, fold(claim.source.lowered))
        yield claim.finding(
            "facts.name",
            Severity.WARN if known or _is_everyday(name) else Severity.BLOCK,
            "A name is not in the cited segments." if known else "A name is nowhere in the source.",
        )


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


def _check_negation(claim: Claim, thresholds: QualityThresholds) -> Iterator[Finding]:
    if not claim.sentence.citations:
        return  # in a whole source something alike is said the other way round somewhere
    said = [
        (terms(clause), polarity(clause))
        for sentence in split_sentences(claim.evidence.text)
        for clause in {*clauses(sentence), sentence}
    ]
    for clause in clauses(claim.sentence.text):
        content, own = terms(clause), polarity(clause)
        size = sum(content.values())
        if size < 3 or own is Polarity.UNCLEAR:
            continue
        least = thresholds.aligned_ratio if size > 3 else 1.0
        shares = [(min(overlap(content, t), 1.0), overlap(t, content), p) for t, p in said if t]
        alike = [
            (forward + 0.3 * back, p)
            for forward, back, p in shares
            if forward >= least and back >= thresholds.aligned_ratio / 2
        ]
        best = max((share for share, _ in alike), default=0.0)
        verdicts = {p for share, p in alike if share >= best - 0.1}
        if len(verdicts) == 1 and verdicts.isdisjoint({own, Polarity.UNCLEAR}):
            way = "denies what they say" if own is Polarity.NEGATES else "leaves out their “not”"
            yield claim.finding(
                "facts.negation", Severity.BLOCK, f"Close to the cited segments, but it {way}."
            )


def _check_support(claim: Claim, thresholds: QualityThresholds) -> Iterator[Finding]:
    content = terms(claim.sentence.text)
    if sum(content.values()) < 4 or not claim.sentence.citations:
        return
    if overlap(content, terms(claim.evidence.near_text)) < thresholds.min_support_ratio:
        yield claim.finding(
            "facts.support",
            Severity.WARN,
            "The sentence shares almost no words with the cited segments.",
        )
