"""Whether what a sentence gives to one speaker was said by another."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from models.documents import Finding, Severity
from models.quality.claims import Claim
from models.quality.negation import clauses
from models.quality.thresholds import QualityThresholds
from models.summarizer.terms import terms
from models.summarizer.variants import fold

_ROLE = re.compile(r"\s*[（(].*?[）)]")
_BEFORE_NAME = re.compile(r"(?:[\w'’,]+\s+){0,4}")
_AFTER_NAME = re.compile(r"[はがも「（(：:说認认建提表]|(?:氏|さん|先生|女士)")
_LATEST = 2


def check_speakers(claim: Claim, thresholds: QualityThresholds) -> Iterator[Finding]:
    """Yield where a clause begins with a speaker of the source, and its words are another's.

    Nothing is said of somebody whom the cited segments name: others may have told it of them.
    """
    called = _called(claim)
    for clause in clauses(claim.sentence.text):
        named = [name for name in called if _begins_with(clause, name)]
        if not named or not claim.sentence.citations:
            continue
        name = max(named, key=len)
        if name in fold(claim.evidence.text):
            continue
        if called[name] not in claim.evidence.speakers:
            reason = "It gives this to a speaker who says none of the cited segments."
            yield claim.finding("facts.speaker", Severity.WARN, reason)
        elif _is_anothers(claim, name, called[name], thresholds):
            reason = "It gives this to one speaker; the cited words are another's."
            yield claim.finding("facts.speaker", Severity.WARN, reason)


def _called(claim: Claim) -> Mapping[str, str]:
    """Return how the speakers of the source may be called, each with its label there."""
    speakers = {s.speaker for s in claim.source.redacted.segments if s.speaker}
    called = {fold(_ROLE.sub("", speaker)).strip(): speaker for speaker in speakers}
    return {name: speaker for name, speaker in called.items() if len(name) > 1}


def _begins_with(clause: str, name: str) -> bool:
    """Tell whether a clause begins with a name, after no more than a few words of English."""
    at = clause.find(name)
    if name.isascii():
        return at >= 0 and _BEFORE_NAME.fullmatch(clause[:at]) is not None
    return 0 <= at <= _LATEST and _AFTER_NAME.match(clause, at + len(name)) is not None


def _is_anothers(claim: Claim, name: str, label: str, thresholds: QualityThresholds) -> bool:
    """Tell whether another says most of a sentence in the cited segments, the named one little."""
    said: dict[str, Counter[str]] = {}
    for segment in claim.evidence.segments:
        said.setdefault(segment.speaker or "", Counter()).update(terms(segment.text))
    content = terms(fold(claim.sentence.text).replace(name, " "))
    shares = {speaker: _share(claim, content, words) for speaker, words in said.items()}
    own = shares.pop(label)
    best = max(shares.values(), default=0.0)
    return best >= thresholds.min_said_ratio and own < best * thresholds.max_own_ratio


def _share(claim: Claim, content: Iterable[str], words: Counter[str]) -> float:
    """Return which share (0..1) of a content somebody says, the rarer words counting more."""
    weights: dict[str, float] = {term: (1 + claim.source.counts[term]) ** -0.5 for term in content}
    whole = sum(weights.values()) or 1.0
    return sum(weight for term, weight in weights.items() if term in words) / whole
