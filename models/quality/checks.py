"""The checks of a revision, put together to a verdict."""

from collections.abc import Mapping, Sequence

from models.documents import PseudonymMap, QualityReport, RedactedTranscript, Summary
from models.quality.thresholds import QualityThresholds


def check_quality(
    *,
    summary: Summary,
    redacted: RedactedTranscript,
    rendered: Mapping[str, bytes],
    titles: Sequence[str],
    pseudonyms: PseudonymMap,
    thresholds: QualityThresholds | None = None,
    allowed: Sequence[str] = (),
) -> QualityReport:
    """Check a revision: coverage, leaks, facts against evidence, form and language.

    Args:
        summary: of any method, edited ones too.
        redacted: the transcript that the summary cites.
        rendered: name -> bytes of every file that would be published; names are scanned too.
        titles: the run's title, file name and whatever else is shown with it.
        pseudonyms: the raw map, to scan for what was redacted.
        thresholds: when a finding warns or blocks.
        allowed: surfaces that the redaction policy lets stand.

    Returns:
        The findings in order of place, the verdict, and the coverage completed by the ratios of
        the summary. No finding quotes text of the source.
    """
    raise NotImplementedError
