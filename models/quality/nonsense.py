"""Is a written summary worth an editor's time, or does it say what nobody said?"""

from configs.errors import NonsenseError
from models.documents import (
    Finding,
    PseudonymMap,
    RedactedTranscript,
    Severity,
    Summary,
    SummaryMethod,
)
from models.quality.checks import check_quality

_MOST_DOUBTFUL_RATIO = 1 / 3
_ALONE = frozenset({"text.loop", "text.refusal", "language.mismatch"})
_NO_LIKENESS = "facts.support"


def require_sense(summary: Summary, redacted: RedactedTranscript) -> None:
    """Refuse a written summary that its own evidence speaks against.

    Single faults are for the editor, who sees each as a finding. Where a third of the sentences has
    one, or the text loops, refuses or is in a language that nobody asked for, there is nothing to
    edit. Source of the third: own judgement; the right paraphrases in `tests/summaries.py` have no
    fault, the wrong ones, which are sentences of small models, one each.

    Args:
        summary: as it was written; a quoted one always passes.
        redacted: the transcript that it cites.

    Raises:
        NonsenseError: not retryable.
    """
    if summary.method is SummaryMethod.EXTRACTIVE:
        return
    report = check_quality(
        summary=summary,
        redacted=redacted,
        rendered={},
        titles=(),
        pseudonyms=PseudonymMap(entries=()),
    )
    places = {place for place, _ in summary.sentences()}
    doubtful = {f.place for f in report.findings if _is_fault(f)} & places
    blocking = {f.check for f in report.findings if f.severity is Severity.BLOCK}
    if blocking & _ALONE or len(doubtful) > _MOST_DOUBTFUL_RATIO * len(places):
        raise NonsenseError(details={"sentences": len(places), "doubtful": len(doubtful)})


def _is_fault(finding: Finding) -> bool:
    blocks = finding.severity is Severity.BLOCK and finding.check.startswith("facts.")
    return blocks or finding.check == _NO_LIKENESS
