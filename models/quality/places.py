"""Every text of a summary with its place, and each as a claim with its evidence."""

from collections.abc import Iterator

from models.documents import ActionItem, Sentence, Summary
from models.quality.claims import Claim
from models.quality.source import Source


def headings(summary: Summary) -> Iterator[tuple[str, str]]:
    """Yield the headline and the titles of chapters, each with its place."""
    yield "headline", summary.headline
    for index, chapter in enumerate(summary.chapters):
        yield f"chapters[{index}]", chapter.title


def placed_texts(summary: Summary) -> Iterator[tuple[str, str]]:
    """Yield all that a reader of a summary reads with its place; a task's owner and date apart."""
    yield from headings(summary)
    for place, sentence in summary.sentences():
        yield place, sentence.text
        if isinstance(sentence, ActionItem):
            yield from ((place, text) for text in (sentence.owner, sentence.due) if text)


def heading_claims(summary: Summary, source: Source) -> Iterator[Claim]:
    """Yield headline and titles of chapters as claims.

    The evidence of the headline is all that the summary cites; that of a chapter are its segments.
    """
    cited = tuple(sorted(summary.cited_segments))
    yield _claim("headline", summary.headline, cited, source, summary.language)
    ids = [segment.id for segment in source.redacted.segments]
    for index, chapter in enumerate(summary.chapters):
        within = tuple(i for i in ids if chapter.first_segment <= i <= chapter.last_segment)
        yield _claim(f"chapters[{index}]", chapter.title, within, source, summary.language)


def _claim(
    place: str, text: str, citations: tuple[int, ...], source: Source, language: str
) -> Claim:
    sentence = Sentence(text=text, citations=citations)
    return Claim(place, sentence, source.evidence(citations), source, language)
