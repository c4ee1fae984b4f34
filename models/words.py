"""Times of words: repaired where the recognizer gave none, and split at long pauses."""

import re
from collections.abc import Sequence

from models.documents import Word

_MIN_WORD_S = 0.04
_SPLIT_PAUSE_S = 2.5
_MIN_SENTENCE_CHARS = 6
_SENTENCE_END = re.compile(r"[.?!。？！][\"'”’」』)）]*$")
_ABBREVIATION = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Dr|Prof|St|vs|No|Jr|Sr|Inc|Ltd|Co|e\.g|i\.e|[A-Z])\.)$"
)
_UNITS = re.compile(r"\s*[^\s぀-ヿ㐀-鿿豈-﫿]+|\s*[぀-ヿ㐀-鿿豈-﫿]")


def spread(text: str, start: float, end: float) -> list[Word]:
    """Give the words of a text times in proportion to their letters."""
    units = _UNITS.findall(text) or [text]
    letters = sum(len(unit) for unit in units)
    words, at = [], start
    for unit in units:
        until = at + (end - start) * len(unit) / letters
        words.append(Word(word=unit, start=at, end=until, probability=0.0))
        at = until
    return words


def repair(words: Sequence[Word]) -> list[Word]:
    """Put words in order and give those without a time (digits, signs) a share of their place."""
    ordered: list[Word] = []
    at = 0.0
    for word in words:
        start = max(word.start, at)
        ordered.append(word.model_copy(update={"start": start, "end": max(word.end, start)}))
        at = ordered[-1].end
    first = 0
    while first < len(ordered):
        if _timed(ordered[first]):
            first += 1
            continue
        last = first
        while last + 1 < len(ordered) and not _timed(ordered[last + 1]):
            last += 1
        _interpolate(ordered, first, last)
        first = last + 1
    return [
        word.model_copy(update={"start": round(word.start, 3), "end": round(word.end, 3)})
        for word in ordered
    ]


def split_phrases(words: Sequence[Word]) -> list[list[Word]]:
    """Cut a phrase into sentences, and where it was joined over a long pause."""
    groups: list[list[Word]] = []
    for word in words:
        if not groups or _begins(groups[-1], word):
            groups.append([word])
        else:
            groups[-1].append(word)
    return groups


def _begins(group: Sequence[Word], word: Word) -> bool:
    """True where `word` begins a new sentence after `group`."""
    if word.start - group[-1].end >= _SPLIT_PAUSE_S:
        return True
    before = "".join(w.word for w in group).strip()
    if not _SENTENCE_END.search(before) or _ABBREVIATION.search(before):
        return False
    return len(before) >= _MIN_SENTENCE_CHARS and not word.word.strip()[:1].islower()


def _timed(word: Word) -> bool:
    return word.end - word.start >= _MIN_WORD_S


def _interpolate(words: list[Word], first: int, last: int) -> None:
    """Spread words[first..last] between their neighbours; where it is tight, borrow from them."""
    start, end = words[first].start, words[last].end
    needed = _MIN_WORD_S * (last - first + 1)
    if last + 1 < len(words):
        end = max(end, words[last + 1].start)
    if end - start < needed and first > 0:
        before = words[first - 1]
        start = max(before.start + (before.end - before.start) / 2, end - needed)
        words[first - 1] = before.model_copy(update={"end": start})
    if end - start < needed and last + 1 < len(words):
        after = words[last + 1]
        end = min(after.start + (after.end - after.start) / 2, start + needed)
        words[last + 1] = after.model_copy(update={"start": end})
    end = max(end, start + needed) if last + 1 == len(words) else end
    letters = sum(len(word.word) for word in words[first : last + 1])
    at = start
    for index in range(first, last + 1):
        until = at + (end - start) * len(words[index].word) / max(letters, 1)
        words[index] = words[index].model_copy(update={"start": at, "end": until})
        at = until
