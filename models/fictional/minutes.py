"""Invented meetings in redacted form with right summaries, each sentence with its evidence."""

import tomllib
from collections.abc import Iterator
from functools import cache
from importlib import resources

from models.documents import (
    ActionItem,
    RedactedSegment,
    RedactedTranscript,
    Sentence,
    Summary,
    SummaryMethod,
)

_PART = {"abstract": "abstract", "key": "key_points", "decision": "decisions"}


@cache
def minutes(language: str) -> tuple[tuple[RedactedTranscript, Summary], ...]:
    """Return the invented meetings of a language with their summaries."""
    path = resources.files("models.fictional") / f"minutes_{language}.toml"
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    return tuple(
        (
            _transcript(meeting["said"], language),
            _summary(meeting["title"], meeting["summary"], language),
        )
        for meeting in table["meeting"]
    )


def _transcript(said: list[str], language: str) -> RedactedTranscript:
    segments = []
    for number, line in enumerate(said, start=1):
        speaker, _, text = line.partition(": ")
        start = 5.0 * number
        segments.append(
            RedactedSegment(id=number, start=start, end=start + 4.9, text=text, speaker=speaker)
        )
    return RedactedTranscript(
        kind="speech",
        language=language,
        duration_s=5.0 * (len(said) + 1),
        segments=tuple(segments),
    )


def _summary(title: str, lines: list[str], language: str) -> Summary:
    parts: dict[str, list[Sentence]] = {name: [] for name in _PART.values()}
    for kind, sentence in _sentences(lines):
        parts[_PART[kind]].append(sentence)
    tasks = tuple(_task(line) for line in lines if line.startswith("action"))
    return Summary(
        method=SummaryMethod.LLM, language=language, headline=title, action_items=tasks,
        abstract=tuple(parts["abstract"]), key_points=tuple(parts["key_points"]),
        decisions=tuple(parts["decisions"]),
    )  # fmt: skip


def _sentences(lines: list[str]) -> Iterator[tuple[str, Sentence]]:
    for line in lines:
        kind, cited, *rest = line.split(" | ")
        if kind in _PART:
            yield kind, Sentence(text=rest[0], citations=_numbers(cited))


def _task(line: str) -> ActionItem:
    _, cited, owner, due, text = line.split(" | ")
    return ActionItem(
        text=text, citations=_numbers(cited), owner=owner, due=None if due == "-" else due
    )


def _numbers(cited: str) -> tuple[int, ...]:
    return tuple(int(number) for number in cited.split(","))
