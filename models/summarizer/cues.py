"""Phrases that mark decisions, tasks, their owners and dates, fillers and weight; en, ja, zh.

They stand in `cues.toml` beside this file.
"""

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from models.summarizer.variants import fold

_NAMED = re.compile(r"\{([a-z_]+)\}")
_SILENT = re.compile(r"[\s.,!?。、，！？…]+")
_NOISE = re.compile(r"[{(<\[](?![A-Z][A-Z_]*_\d)[^\])}>]{0,24}[\])}>]|[♪♫]")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_REPEATED = re.compile(r"\b([a-z']+)[\s,]+\1\b|([\u3040-\u9fff]{2,6})[，、]?\2", re.IGNORECASE)


def is_decision(text: str) -> bool:
    """Tell whether a sentence states a decision."""
    folded = _without_end(text)
    stated = _pattern("decision").search(folded) and not _pattern("undecided").search(folded)
    return bool(stated) and not is_question(text)


def is_action(text: str) -> bool:
    """Tell whether a sentence states something to do."""
    folded = _without_end(text)
    return bool(_pattern("action").search(folded)) and not _pattern("no_action").search(folded)


def is_question(text: str) -> bool:
    """Tell whether a sentence ends as a question."""
    return _pattern("question").search(fold(text)) is not None


def goes_on(text: str) -> bool:
    """Tell whether a sentence goes on from one before it, so that it says less by itself."""
    return _pattern("goes_on").match(fold(text)) is not None


def is_row(text: str) -> bool:
    """Tell whether a line is a row of a table, or from whom a message is or what is attached."""
    return _pattern("row").search(fold(text)) is not None


def is_fragment(text: str) -> bool:
    """Tell whether a text is no whole sentence: it ends in the middle, or English has no verb."""
    folded = fold(text)
    if _pattern("unfinished").search(folded) is not None:
        return True
    return not _CJK.search(text) and _pattern("verb_form").search(folded) is None


def has_weight(text: str) -> bool:
    """Tell whether a sentence says of itself that it matters."""
    return _pattern("weight").search(fold(text)) is not None


def filler_ratio(text: str) -> float:
    """Return the share (0..1) of a sentence's characters that are fillers, greetings or noise."""
    bare = _SILENT.sub("", text)
    if not bare:
        return 1.0
    kept = _SILENT.sub("", _NOISE.sub("", _pattern("filler").sub("", fold(text))))
    return 1.0 - len(kept) / len(bare)


def disfluency(text: str) -> float:
    """Return how hard a sentence reads: its noise marks and repeated words, per ten words."""
    marks = len(_NOISE.findall(text)) + len(_REPEATED.findall(text))
    return 10.0 * marks / max(10.0, len(text) / 5)


def due_in(text: str) -> str | None:
    """Return when something is due, in the words of the sentence, or None."""
    match = _pattern("due").search(fold(text))
    return text[match.start() : match.end()].strip() if match else None


def column_of(head: str) -> str:
    """Return what a column of tasks has under this head: `owner`, `task`, `due`, else the head."""
    folded = fold(head)
    kinds = ("owner", "task", "due")
    return next((kind for kind in kinds if _pattern(f"head_{kind}").search(folded)), head)


def promises(text: str) -> bool:
    """Tell whether a sentence says that who speaks will do something."""
    return _pattern("promise").search(_without_end(text)) is not None


def owners_in(text: str, speaker: str | None = None) -> frozenset[str]:
    """Return the persons (pseudonyms) who are to do something, as far as a text says so.

    Args:
        text: one sentence or a few.
        speaker: who says it, counted as owner of "I will".
    """
    folded = fold(text)
    matches = _pattern("owner").finditer(folded)
    found = {name for match in matches for name in match.groups() if name}
    if speaker and promises(text):
        found.add(speaker)
    return frozenset(found)


def _without_end(text: str) -> str:
    return fold(text).rstrip("。.!！？? ")


@cache
def stopwords() -> frozenset[str]:
    """Return English words that say nothing of what a text is about."""
    return frozenset(_table()["stopwords"].split())


@cache
def function_characters() -> frozenset[str]:
    """Return Chinese characters that make words of grammar, not of a subject."""
    return frozenset(fold(_table()["function_characters"]))


@cache
def _pattern(kind: str) -> re.Pattern[str]:
    return re.compile(fold(_expanded("|".join(_table()[kind]))), re.IGNORECASE)


def _expanded(pattern: str) -> str:
    """Put the expressions that a pattern names, as {month}, in their places."""
    table = _table()
    while match := _NAMED.search(pattern):
        found = table[match.group(1)]
        text = found if isinstance(found, str) else "|".join(found)
        pattern = f"{pattern[: match.start()]}(?:{text}){pattern[match.end() :]}"
    return pattern


@cache
def _table() -> dict[str, Any]:
    source = files("models.summarizer").joinpath("cues.toml")
    return tomllib.loads(source.read_text(encoding="utf-8"))
