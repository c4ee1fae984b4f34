"""Chapters by shift of topic."""

import numpy as np

from models.documents import Chapter, RedactedTranscript
from models.summarizer.selection import Candidates
from models.summarizer.terms import length
from models.summarizer.titles import short_title

_WINDOW = 6
_MIN_SENTENCES = 8
_MAX_CHAPTERS = 8
_TITLE_WIDTH = 64
_SHORT = 1200  # words, or characters: five minutes' reading needs no signposts


def chapters_of(found: Candidates, redacted: RedactedTranscript) -> tuple[Chapter, ...]:
    """Cut a source where the sentences before and after are least alike.

    Returns:
        Two to eight chapters that together hold every segment, in order; none for a source that
        is short (1,200 words or characters) or speaks of one thing.

    Source: the depth score of Hearst, "TextTiling", Computational Linguistics 1997, over sentence
    vectors in place of word counts.
    """
    if sum(length(segment.text) for segment in redacted.segments) < _SHORT:
        return ()
    ids = [segment.id for segment in redacted.segments]
    starts = {ids[0]: 0}
    for cut in _cuts(found):
        starts.setdefault(found.quotes[cut].segments[0], cut)
    if len(starts) < 2:
        return ()
    firsts = list(starts)
    lasts = [*(ids[ids.index(first) - 1] for first in firsts[1:]), ids[-1]]
    bounds = [*starts.values(), len(found.quotes)]
    return tuple(
        Chapter(
            title=_title(found, bounds[i], bounds[i + 1]),
            first_segment=firsts[i],
            last_segment=lasts[i],
        )
        for i in range(len(firsts))
    )


def _cuts(found: Candidates) -> list[int]:
    count = len(found.quotes)
    if count < 2 * _MIN_SENTENCES:
        return []
    places = range(_MIN_SENTENCES, count - _MIN_SENTENCES + 1)
    alike = np.array([_alike(found, place) for place in places])
    depth = np.array(
        [alike[: i + 1].max() + alike[i:].max() - 2 * alike[i] for i in range(len(alike))]
    )
    enough = depth.mean() + 0.3 * depth.std()
    cuts: list[int] = []
    for i in np.argsort(-depth, kind="stable"):
        place = places[int(i)]
        if depth[i] < enough or len(cuts) >= _MAX_CHAPTERS - 1:
            break
        if all(abs(place - cut) >= _MIN_SENTENCES for cut in cuts):
            cuts.append(place)
    return sorted(cuts)


def _alike(found: Candidates, place: int) -> float:
    before = found.vectors[max(0, place - _WINDOW) : place].mean(axis=0)
    after = found.vectors[place : place + _WINDOW].mean(axis=0)
    norm = float(np.linalg.norm(before) * np.linalg.norm(after)) or 1.0
    return float(before @ after) / norm


def _title(found: Candidates, start: int, end: int) -> str:
    best = start + int(found.standing[start:end].argmax())
    return short_title(found.quotes[best].text, _TITLE_WIDTH)
