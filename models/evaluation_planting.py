"""Faults planted in right summaries."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random

from models.documents import (
    LANGUAGES,
    SENTENCE_PARTS,
    ActionItem,
    Pseudonym,
    PseudonymMap,
    Sentence,
    Summary,
)
from models.evaluation_cases import Case
from models.fictional import faults
from models.fictional.faults import Fault
from models.fictional.minutes import minutes
from models.fictional.people import Person, Writing, people

_FIRST_PERSON = 901
_SENTENCE_FAULTS = {
    Fault.CHANGED_NUMBER: ("facts.",),
    Fault.CHANGED_DATE: ("facts.",),
    Fault.DROPPED_NEGATION: ("facts.", "contradiction."),
    Fault.ADDED_NEGATION: ("facts.", "contradiction."),
    Fault.SWAPPED_NAME: ("facts.",),
    Fault.INVENTED_NAME: ("facts.name", "leak."),
    Fault.OTHER_LANGUAGE: ("language.",),
    Fault.CUT_SENTENCE: ("text.",),
}


@dataclass(frozen=True)
class Planted:
    """A summary with faults: the places that they are at, and what findings must begin with."""

    fault: str
    summary: Summary
    places: tuple[str, ...]
    checks: tuple[str, ...]
    marks: tuple[str, ...] = ()


@cache
def pseudonyms() -> PseudonymMap:
    """Return a map of all invented people, none of whom takes part in any meeting."""
    return PseudonymMap(
        entries=tuple(
            Pseudonym(replacement=_mark(person), entity_type="PERSON", surfaces=(person.name,))
            for person in _everybody()
        )
    )


@cache
def _everybody() -> tuple[Person, ...]:
    return tuple(person for language in LANGUAGES for person in people(language))


def _mark(person: Person) -> str:
    return f"[PERSON_{_FIRST_PERSON + _everybody().index(person)}]"


def all_planted(case: Case, rng: Random, rounds: int) -> Iterator[Planted]:
    """Yield the case's summary with each class of faults, drawn as often as there are rounds."""
    for _ in range(rounds):
        for fault, checks in _SENTENCE_FAULTS.items():
            yield from _in_sentences(case, fault, checks, rng)
        for writing in Writing:
            yield from _leaked(case, writing, rng)
    yield from _invented_decisions(case, rng)
    yield from _contradicted(case, rng)
    yield from _injected(case)
    yield from _other_language(case)
    yield from _half(case)
    for _ in range(rounds):
        yield from _without_a_topic(case, rng)


def _in_sentences(
    case: Case, fault: Fault, checks: tuple[str, ...], rng: Random
) -> Iterator[Planted]:
    """Plant a fault in every sentence that can have it: each is judged at its own place."""
    names = case.names
    if fault is Fault.INVENTED_NAME:
        names = tuple(person.name for person in people(case.language))
    changed: dict[str, Sentence] = {}
    for place, sentence in _chosen(case, fault, rng):
        made = faults.plant(fault, sentence.text, case.language, rng, names)
        if made is not None:
            changed[place] = sentence.model_copy(update={"text": made})
        elif fault is Fault.SWAPPED_NAME and isinstance(sentence, ActionItem):
            others = [name for name in case.names if name != sentence.owner]
            changed[place] = sentence.model_copy(update={"owner": rng.choice(others)})
    if changed:
        yield Planted(fault, _with(case.summary, changed), tuple(changed), checks)


def _chosen(case: Case, fault: Fault, rng: Random) -> list[tuple[str, Sentence]]:
    """Return the sentences to change: one of what shows only beside right ones, else all."""
    sentences = list(case.summary.sentences())
    alone = fault in {Fault.CUT_SENTENCE, Fault.OTHER_LANGUAGE}
    return [rng.choice(sentences)] if alone else sentences


def _leaked(case: Case, writing: Writing, rng: Random) -> Iterator[Planted]:
    everybody = people(case.language)
    changed: dict[str, Sentence] = {}
    marks: list[str] = []
    for number, (place, sentence) in enumerate(case.summary.sentences()):
        person = everybody[number % len(everybody)]
        name = person.written(writing, rng)
        if name is None or len(marks) >= len(everybody):
            continue
        text = faults.attributed(sentence.text, case.language, name)
        changed[place] = sentence.model_copy(update={"text": text})
        marks.append(_mark(person))
    if changed:
        fault, summary = f"leaked name, {writing}", _with(case.summary, changed)
        yield Planted(fault, summary, tuple(changed), ("leak.",), tuple(marks))


def _invented_decisions(case: Case, rng: Random) -> Iterator[Planted]:
    """Add decisions that nobody took, which cite two segments in a row anywhere."""
    texts = faults.words(case.language)["decisions"]
    added = tuple(_cited_anywhere(str(text), case, rng) for text in texts)
    yield _added("invented decision", case, added, ("facts.", "decisions."))


def _contradicted(case: Case, rng: Random) -> Iterator[Planted]:
    """Add the contrary of other sentences as decisions that cite something else."""
    contrary = [
        faults.plant(fault, sentence.text, case.language, rng)
        for _, sentence in case.summary.sentences()
        for fault in (Fault.DROPPED_NEGATION, Fault.ADDED_NEGATION)
    ]
    added = tuple(_cited_anywhere(text, case, rng) for text in contrary if text)
    if added:
        yield _added("contradicted sentence", case, added, ("contradiction.",))


def _injected(case: Case) -> Iterator[Planted]:
    first = case.redacted.segments[0].id
    texts = faults.words(case.language)["injections"]
    added = tuple(Sentence(text=text, citations=(first,)) for text in texts)
    yield _added("instruction or link", case, added, ("injection.",))


def _cited_anywhere(text: str, case: Case, rng: Random) -> Sentence:
    segments = case.redacted.segments
    start = rng.randrange(len(segments) - 1)
    return Sentence(text=text, citations=tuple(s.id for s in segments[start : start + 2]))


def _added(fault: str, case: Case, added: Sequence[Sentence], checks: tuple[str, ...]) -> Planted:
    known = len(case.summary.decisions)
    places = tuple(f"decisions[{known + i}]" for i in range(len(added)))
    decisions = (*case.summary.decisions, *added)
    return Planted(fault, case.summary.model_copy(update={"decisions": decisions}), places, checks)


def _other_language(case: Case) -> Iterator[Planted]:
    """Put in place of the whole summary one in another language."""
    for language in LANGUAGES:
        if language == case.language:
            continue
        other = [sentence.text for _, sentence in minutes(language)[0][1].sentences()]
        changed = {
            place: sentence.model_copy(update={"text": other[i % len(other)]})
            for i, (place, sentence) in enumerate(case.summary.sentences())
        }
        summary = _with(case.summary, changed)
        yield Planted("summary in another language", summary, ("summary",), ("language.",))


def _half(case: Case) -> Iterator[Planted]:
    """Leave out what rests mostly on the second half of the source."""
    segments = case.redacted.segments
    gone = frozenset(segment.id for segment in segments[len(segments) // 2 :])
    yield from _left_out("second half left out", case, gone)


def _without_a_topic(case: Case, rng: Random) -> Iterator[Planted]:
    """Leave out what rests mostly on a third of the source, anywhere."""
    segments = case.redacted.segments
    length = len(segments) // 3
    start = rng.randrange(len(segments) - length + 1)
    gone = frozenset(segment.id for segment in segments[start : start + length])
    yield from _left_out("one third left out", case, gone)


def _left_out(fault: str, case: Case, gone: frozenset[int]) -> Iterator[Planted]:
    """Leave out the sentences that rest mostly on some segments, and other citations of them."""
    kept = {
        name: tuple(
            sentence.model_copy(update={"citations": left})
            for sentence in getattr(case.summary, name)
            if len(left := tuple(c for c in sentence.citations if c not in gone)) * 2
            >= len(sentence.citations)
        )
        for name in SENTENCE_PARTS
    }
    summary = case.summary.model_copy(update=kept)
    dropped = len(summary.sentences()) < len(case.summary.sentences())
    if dropped and summary.abstract:
        yield Planted(fault, summary, ("summary",), ("coverage.",))


def _with(summary: Summary, changed: Mapping[str, Sentence]) -> Summary:
    parts = {
        name: tuple(
            changed.get(f"{name}[{i}]", sentence)
            for i, sentence in enumerate(getattr(summary, name))
        )
        for name in SENTENCE_PARTS
    }
    return summary.model_copy(update=parts)
