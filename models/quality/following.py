"""A person's summary after the redactions of its source have changed.

The words stay the person's. A pseudonym becomes the one that now stands for the same surfaces, or
the surface itself where its redaction was lifted; a surface that is redacted now becomes its
pseudonym.
"""

from collections.abc import Callable, Iterator

from models.documents import (
    SENTENCE_PARTS,
    ActionItem,
    Pseudonym,
    PseudonymMap,
    RedactedTranscript,
    Sentence,
    Summary,
)
from models.quality.leaks import Known
from models.redactor.persons import occurrences
from models.summarizer.terms import PSEUDONYM

Rewrite = Callable[[str], str]


def follow_redactions(
    summary: Summary, before: PseudonymMap, after: PseudonymMap, redacted: RedactedTranscript
) -> Summary:
    """Apply changed redactions to the text of a summary; citations stay as they are.

    Args:
        summary: as a person left it.
        before: the raw map of the transcript that the person saw.
        after: the raw map of the transcript as it is redacted now.
        redacted: the transcript as it is redacted now.

    Returns:
        The summary in the pseudonyms of `after`, of the same method. What was lifted stands in it
        only where the transcript shows it, and nothing that `after` has stands in it in clear.
    """
    names = _counterparts(before, after, redacted)
    known = Known(after, redacted.language)
    added = _added(before, after)

    def rewrite(text: str) -> str:
        renamed = PSEUDONYM.sub(lambda found: names.get(found[0], found[0]), text)
        return _hidden(renamed, known, added)

    parts = {
        part: tuple(_sentence(sentence, rewrite) for sentence in getattr(summary, part))
        for part in SENTENCE_PARTS
    }
    chapters = tuple(
        chapter.model_copy(update={"title": rewrite(chapter.title)}) for chapter in summary.chapters
    )
    headline = rewrite(summary.headline)
    return summary.model_copy(update={"headline": headline, "chapters": chapters, **parts})


def _sentence(sentence: Sentence, rewrite: Rewrite) -> Sentence:
    update: dict[str, str | None] = {"text": rewrite(sentence.text)}
    if isinstance(sentence, ActionItem):
        update["owner"] = rewrite(sentence.owner) if sentence.owner else None
        update["due"] = rewrite(sentence.due) if sentence.due else None
    return sentence.model_copy(update=update)


def _counterparts(
    before: PseudonymMap, after: PseudonymMap, redacted: RedactedTranscript
) -> dict[str, str]:
    shown = "\n".join(segment.text for segment in redacted.segments)
    return {old.replacement: _counterpart(old, after, shown) for old in before.entries}


def _counterpart(old: Pseudonym, after: PseudonymMap, shown: str) -> str:
    """Return what stands now for what a pseudonym stood for; its bare class where nothing does."""
    surfaces = set(old.surfaces)

    def nearness(new: Pseudonym) -> tuple[int, bool]:
        return len(surfaces.intersection(new.surfaces)), new.entity_type == old.entity_type

    nearest = max(after.entries, key=nearness, default=None)
    if nearest is not None and nearness(nearest)[0]:
        return nearest.replacement
    longest_first = sorted(old.surfaces, key=lambda surface: (-len(surface), surface))
    for surface in longest_first:
        if any(occurrences(shown, surface, exact_case=True)):
            return surface
    wider = (new for new in after.entries if any(s in w for s in surfaces for w in new.surfaces))
    return next((new.replacement for new in wider), f"[{old.entity_type}]")


def _added(before: PseudonymMap, after: PseudonymMap) -> list[tuple[str, str]]:
    """Return the surfaces that were not redacted before, with their pseudonyms.

    The scan for leaks passes over everyday words; one that somebody has just redacted it must not.
    """
    earlier = {surface for entry in before.entries for surface in entry.surfaces}
    return [
        (surface, entry.replacement)
        for entry in after.entries
        for surface in entry.surfaces
        if surface not in earlier
    ]


def _hidden(text: str, known: Known, added: list[tuple[str, str]]) -> str:
    """Return the text with everything that is redacted replaced, the longest stretch first."""
    out, at = [], 0
    for start, negative_end, replacement in sorted(_redacted_places(text, known, added)):
        if start >= at:
            out += [text[at:start], replacement]
            at = -negative_end
    return "".join([*out, text[at:]])


def _redacted_places(
    text: str, known: Known, added: list[tuple[str, str]]
) -> Iterator[tuple[int, int, str]]:
    """Yield start, negative end (so that of equal starts the longest sorts first), pseudonym."""
    masked = PSEUDONYM.sub(lambda found: " " * len(found[0]), text)
    for leak in known.leaks(masked):
        yield leak.start, -leak.end, leak.replacement
    for surface, replacement in added:
        for start, end in occurrences(masked, surface, exact_case=True):
            yield start, -end, replacement
