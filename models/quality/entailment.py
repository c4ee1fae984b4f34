"""What a model of entailment says of a sentence and the segments that it cites."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from models.documents import Finding, Severity
from models.quality.claims import BINDING, Claim
from models.quality.numbers import numbers
from models.quality.source import Evidence
from models.quality.thresholds import QualityThresholds

_MOST_SEGMENTS = 60
_KNOWN = {
    "en": ("The shop opens in May.", "The shop does not open in May."),
    "ja": ("店は五月に開きます。", "店は五月に開きません。"),
    "zh": ("商店五月开门。", "商店五月不开门。"),
}


@dataclass(frozen=True)
class Judgement:
    """How likely (0..1) a text bears a sentence out, or speaks against it; the rest is neither."""

    entailment: float
    contradiction: float


class EntailmentModel(Protocol):
    """What compares a sentence with a text by meaning: `models.entailment.NliModel`, or a script.

    Nothing that it is given is kept.
    """

    @property
    def name(self) -> str:
        """The model's name, for records."""
        ...

    def judge(self, premise: str, sentence: str) -> Sequence[Judgement]:
        """Judge a sentence by each stretch of a text that the model can read at once.

        Raises:
            ModelError: the model cannot be loaded or run (not retryable).
        """
        ...


def check_entailment(
    claim: Claim, model: EntailmentModel, thresholds: QualityThresholds
) -> Iterator[Finding]:
    """Yield where the cited segments speak against a sentence, or do not bear it out.

    One stretch of the evidence that bears a sentence out is enough, whatever a model reads in the
    others, which may be of something else. No more than sixty segments are read for a sentence, the
    first that it cites; one that cites nothing is passed over.

    Raises:
        ModelError: the model cannot be loaded or run (not retryable).
    """
    premise = _said(claim.evidence)
    if not claim.sentence.citations or not premise:
        return
    judged = model.judge(premise, claim.text)
    if max(one.entailment for one in judged) >= thresholds.min_entailment:
        return
    denied = max(one.contradiction for one in judged)
    if denied >= thresholds.max_contradiction:
        grave = denied >= thresholds.block_contradiction or _is_binding(claim)
        yield claim.finding(
            "facts.contradicted",
            Severity.BLOCK if grave else Severity.WARN,
            "The cited segments say the contrary, as the model of entailment reads them.",
        )
    else:
        yield claim.finding(
            "facts.not_entailed",
            Severity.WARN,
            "The cited segments do not say this, as the model of entailment reads them.",
        )


def languages_missed(model: EntailmentModel) -> tuple[str, ...]:
    """Return the languages in which a model does not tell a sentence from its contrary.

    Raises:
        ModelError: the model cannot be loaded or run (not retryable).
    """
    return tuple(code for code, pair in _KNOWN.items() if not _tells(model, *pair))


def _tells(model: EntailmentModel, said: str, contrary: str) -> bool:
    same, other = model.judge(said, said)[0], model.judge(said, contrary)[0]
    return same.entailment > same.contradiction and other.contradiction > other.entailment


def _said(evidence: Evidence) -> str:
    """Return the words of the evidence, each segment's with who says them."""
    lines = (
        f"{segment.speaker}: {segment.text}" if segment.speaker else segment.text
        for segment in evidence.segments[:_MOST_SEGMENTS]
    )
    return "\n".join(lines).strip()


def _is_binding(claim: Claim) -> bool:
    """Tell whether much depends on a sentence: a decision, a task, one with a number."""
    return claim.place.startswith(BINDING) or bool(numbers(claim.text))
