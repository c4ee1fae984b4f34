"""Who does something to whom, where a text names both: [PERSON_1] sends it to [PERSON_2]."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from models.documents import Finding, RedactedSegment, Severity
from models.quality.claims import Claim
from models.quality.thresholds import QualityThresholds
from models.summarizer.sentences import split_sentences
from models.summarizer.terms import overlap, terms
from models.summarizer.variants import fold

_PERSON = r"(\[PERSON_\d+\])"
_TITLE = fold(r"(?:さん|さま|様|氏|くん|君|ちゃん|先生|[部課社係]?長|女士|小姐|经理|总监|主任)?")
_PASSIVE = r"(?:is|was|are|were|be|been|gets?|got)\s+\w+(?:ed|en|t)\b"
_ACTS = (
    "ask|tell|told|send|sent|give|gave|show|pay|paid|owe|lend|lent|call|inform|remind|help|hand|"
    "email|mail|offer|invite|meet|met|train|thank|blame"
)
_DOES = (
    rf"{_PERSON}{_TITLE}(?:が|は|も|から(?!受))",
    rf"(?:^|[，、,；;。：:]|然后|由|让|请|叫){_PERSON}{_TITLE}(?=[\u3400-\u9fff])(?![和与及跟])",
    rf"(?:^|[,;:.]\s*|\b(?:and|then|that|but|while|so|if|when)\s+){_PERSON}\s+(?!{_PASSIVE})(?=[a-z])",
    rf"\bby\s+{_PERSON}",
)
_GETS = (
    rf"{_PERSON}{_TITLE}(?:に(?!よ)|へ|宛)",
    rf"(?:给|向|对|交给|发给|寄给|告诉|通知|提醒){_PERSON}",
    rf"\b(?:to|for)\s+{_PERSON}",
    rf"\b(?:{_ACTS})(?:s|ed|es)?\s+{_PERSON}",
)
_TURNED = re.compile(
    fold(r"もら[いうっえ]|いただ|頂|受け取|受取|預か|借り|教わ|頼まれ|[らさ]れ[るたてま]|せる|せた")
    + r"|\b(?:receiv|borrow|learn|get|got|hear|take|took|accept)\w*\b[^.]*\bfrom\b"
    + "|被|收到|接到|借了",
    re.IGNORECASE,
)
"""Words that turn round who does it to whom."""

_I = re.compile(
    r"\bI(?:['’](?:ll|m|d|ve))?(?=\s)|(?<![\u3400-\u9fff])(?:私|僕|俺)(?=[がはも])|^我(?![们們])"
)


@dataclass(frozen=True)
class _Deed:
    """Somebody does something to somebody; the words are those of the whole sentence."""

    agent: str
    target: str
    sentence: str


def check_roles(claim: Claim, thresholds: QualityThresholds) -> Iterator[Finding]:
    """Yield where a sentence gives a deed of one person to another, and the other way round."""
    said = [deed for segment in claim.evidence.segments for deed in _said(segment)]
    as_said = {(deed.agent, deed.target) for deed in said}
    for deed in _deeds(claim.sentence.text):
        if (deed.agent, deed.target) in as_said:
            continue
        turned = [d for d in said if (d.target, d.agent) == (deed.agent, deed.target)]
        alike = max((_alike(deed, other) for other in turned), default=0.0)
        if alike >= thresholds.loosely_aligned_ratio:
            severe = alike >= thresholds.aligned_ratio
            reason = "In the cited segments these two do it to each other the other way round."
            yield claim.finding("facts.roles", Severity.BLOCK if severe else Severity.WARN, reason)


def _said(segment: RedactedSegment) -> Iterator[_Deed]:
    """Yield the deeds of a segment; its speaker is who says "I"."""
    text = segment.text
    if re.fullmatch(_PERSON, segment.speaker or ""):
        text = _I.sub(segment.speaker or "", text)
    yield from _deeds(text)


def _deeds(text: str) -> Iterator[_Deed]:
    for sentence in split_sentences(text):
        bare = fold(sentence).strip()
        if _TURNED.search(bare):
            continue
        agents, targets = (_found(patterns, bare) for patterns in (_DOES, _GETS))
        if len(agents) == 1:
            (agent,) = agents
            yield from (_Deed(agent, target, sentence) for target in targets - agents)


def _found(patterns: tuple[str, ...], text: str) -> set[str]:
    matches = (match for pattern in patterns for match in re.finditer(pattern, text))
    return {name for match in matches for name in match.groups() if name}


def _alike(mine: _Deed, other: _Deed) -> float:
    """Return the share (0..1) of a deed's words, but for who does it, that another has."""
    bare = re.sub(_PERSON, " ", mine.sentence)
    return overlap(terms(bare), terms(other.sentence))
