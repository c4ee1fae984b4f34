"""What the checks found, each with its place and a link to it."""

import re
from collections.abc import Iterable

from models.documents import SENTENCE_PARTS, Finding, RedactedTranscript
from review_ui.queries.transcript import citations
from review_ui.review_contexts import FindingView, Place

_INDEXED = re.compile(r"([a-z_]+)\[(\d+)\]")
_SEVERITIES = ("block", "warn", "info")
_WHOLE = {
    "headline": "#headline",
    "summary": "#summary",
    "transcript": "#transcript",
    "audio": "#coverage",
    **dict.fromkeys(SENTENCE_PARTS, "#summary"),
}


def finding_views(
    findings: Iterable[Finding], transcript: RedactedTranscript, preview: str
) -> list[FindingView]:
    """Return the findings, those that block first, with links to where they are.

    Args:
        findings: of the quality report.
        transcript: whose segments they name.
        preview: the address below which the files to be published can be read.
    """
    segments = {segment.id: segment for segment in transcript.segments}
    return [
        FindingView(
            check=finding.check,
            severity=finding.severity.value,
            place=place_of(finding.place, preview),
            reason=finding.reason,
            citations=citations(segments, finding.segments),
            values=dict(finding.values),
        )
        for finding in sorted(findings, key=lambda f: _SEVERITIES.index(f.severity.value))
    ]


def place_of(place: str, preview: str) -> Place:
    """Return where a finding's place is on the review page or in the preview."""
    kind, _, number = place.partition(" ")
    if kind == "segment" and number.isdecimal():
        return Place("segment", int(number), href=f"#s{number}")
    indexed = _INDEXED.fullmatch(place)
    if indexed is not None:
        return _indexed(place, indexed[1], int(indexed[2]) + 1)
    kind, _, name = place.partition("/")
    if kind == "rendered" and name:
        return Place("file", name=name, href=f"{preview}/{name}")
    return Place(place if place in _WHOLE else "other", name=place, href=_WHOLE.get(place))


def _indexed(place: str, kind: str, number: int) -> Place:
    if kind == "titles":
        return Place("title", href="#run-title")
    if kind == "chapters" or kind in SENTENCE_PARTS:
        return Place(f"{kind}_item", number, href=f"#{place}")
    return Place("other", name=place)
