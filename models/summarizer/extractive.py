"""The summary by quotation: whole sentences of the source, word for word, with their evidence."""

import json
from collections.abc import Callable, Collection, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from configs.errors import ContextTooLongError, ModelError
from models.documents import ActionItem, RedactedTranscript, SummaryMethod
from models.summarizer.chapters import chapters_of
from models.summarizer.cues import disfluency, due_in, is_action, is_decision, owners_in
from models.summarizer.port import ModelAnswer, Part
from models.summarizer.selection import Candidates, candidates
from models.summarizer.sentences import Quote, quotes_of
from models.summarizer.tables import tabled_tasks
from models.summarizer.templates import Template, load_template
from models.summarizer.titles import short_title, title_width

_HEADLINE_WIDTH = 120
_LATER = 0.2
_PLAIN_WIDTH = 240
_MAX_KEY_POINTS = 8
_MAX_DECISIONS = 6
_MAX_ACTIONS = 8
_MAX_TASKS = 20


class TextEmbedder(Protocol):
    """What the extractive summary needs of an embedder."""

    @property
    def name(self) -> str:
        """The model's name, for records."""
        ...

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return unit vectors, `(len(texts), dimensions)`."""
        ...


class ExtractiveSummarizer:
    """A `Summarizer` that chooses sentences; it needs no endpoint and cannot invent."""

    method = SummaryMethod.EXTRACTIVE

    def __init__(self, embedder: TextEmbedder, template: Template | None = None) -> None:
        """Keep embedder and template (None: `standard`); nothing is loaded before an answer."""
        self._embedder = embedder
        self._template = template or load_template()

    @property
    def name(self) -> str:
        """The embedding model's name."""
        return self._embedder.name

    def parts(self, redacted: RedactedTranscript) -> tuple[Part, ...]:
        """Return one part with everything, or none where there is no text."""
        if not any(segment.text.strip() for segment in redacted.segments):
            return ()
        ids = [segment.id for segment in redacted.segments]
        return (Part(first_segment=ids[0], last_segment=ids[-1]),)

    def split(self, redacted: RedactedTranscript, part: Part) -> tuple[Part, ...]:  # noqa: ARG002
        """Raise: nothing is ever too long for a choice of sentences.

        Raises:
            ContextTooLongError: always (not retryable).
        """
        raise ContextTooLongError

    def answer(self, redacted: RedactedTranscript, part: Part) -> ModelAnswer:
        """Choose headline, abstract, key points, decisions, tasks and chapters.

        Args:
            redacted: the transcript, at least one sentence.
            part: everything, as `parts` returned it.

        Raises:
            ModelError: there is no text (not retryable).
        """
        quotes = quotes_of(redacted)
        if not quotes:
            raise ModelError("There is no text to summarize.")
        found = candidates(quotes, self._embedder.embed)
        return ModelAnswer(
            text=json.dumps(
                _content(found, redacted, set(self._template.parts)),
                ensure_ascii=False,
                sort_keys=True,
            ),
            method=self.method,
            model=self.name,
            covers=(part,),
            template=self._template.use(redacted.language),
        )

    def groups(self, answers: Sequence[ModelAnswer]) -> tuple[tuple[int, ...], ...]:
        """Return each answer alone; there is only one."""
        return tuple((index,) for index in range(len(answers)))

    def combine(
        self,
        redacted: RedactedTranscript,  # noqa: ARG002 - the port's signature
        answers: Sequence[ModelAnswer],
    ) -> ModelAnswer:
        """Return the only answer."""
        return answers[0]

    def repair(
        self,
        redacted: RedactedTranscript,  # noqa: ARG002 - the port's signature
        answer: ModelAnswer,
        problems: Sequence[str],  # noqa: ARG002
        sources: Sequence[ModelAnswer] = (),  # noqa: ARG002
    ) -> ModelAnswer:
        """Return the answer: the same choice would be made again."""
        return answer


def _content(
    found: Candidates, redacted: RedactedTranscript, parts: Collection[str]
) -> dict[str, object]:
    count = len(found.quotes)
    decisions = _marked(found, is_decision, _MAX_DECISIONS) if "decisions" in parts else []
    actions = _marked(found, is_action, _MAX_ACTIONS, decisions) if "action_items" in parts else []
    told = [*decisions, *actions]
    size = min(count, 3 + (count > 40) + (count > 120))
    abstract = found.choose(size, elsewhere=told) or found.choose(size)
    points = found.choose(_points(count), abstract, elsewhere=told)
    return {
        "headline": short_title(_headline(found, abstract, decisions).text, _HEADLINE_WIDTH),
        "abstract": [_sentence(found.quotes[i]) for i in abstract],
        "key_points": [_sentence(found.quotes[i]) for i in points],
        "decisions": [_sentence(found.quotes[i]) for i in decisions],
        "action_items": _tasks(found, actions, redacted) if "action_items" in parts else [],
        "chapters": [chapter.model_dump() for chapter in chapters_of(found, redacted)],
    }


def _tasks(
    found: Candidates, chosen: Sequence[int], redacted: RedactedTranscript
) -> list[dict[str, object]]:
    """Return what is said and what stands in tables, in the order of the source."""
    said = [_action(found.quotes[i]) for i in chosen]
    tabled = tabled_tasks(redacted)[: _MAX_TASKS - len(said)]
    tasks = sorted([*said, *tabled], key=lambda task: task.citations)
    return [task.model_dump() for task in tasks]


def _points(count: int) -> int:
    """Return how many key points a source of so many sentences has; one alone is no list."""
    points = min(_MAX_KEY_POINTS, count // 10)
    return points if points > 1 else 0


def _marked(
    found: Candidates, wanted: Callable[[str], bool], count: int, told: Collection[int] = ()
) -> list[int]:
    """Choose among the sentences that a cue marks, without those that are told already."""
    places = [
        i
        for i, quote in enumerate(found.quotes)
        if i not in told and _is_plain(quote) and wanted(quote.text)
    ]
    return [places[i] for i in found.among(places).choose(count)]


def _is_plain(quote: Quote) -> bool:
    """Tell whether a sentence is short and clear enough for a list of what binds people."""
    return title_width(quote.text) <= _PLAIN_WIDTH and disfluency(quote.text) < 1


def _headline(found: Candidates, abstract: Sequence[int], decisions: Sequence[int]) -> Quote:
    """Return the most telling decision, else of the abstract, rather than one that must be cut."""

    def rank(index: int) -> tuple[bool, bool, float]:
        cut = title_width(found.quotes[index].text) > _HEADLINE_WIDTH
        later = _LATER * decisions.index(index) if index in decisions else 0.0
        return cut, index not in decisions, later - float(found.standing[index])

    return found.quotes[min([*decisions, *abstract], key=rank)]


def _sentence(quote: Quote) -> dict[str, object]:
    return {"text": quote.text, "citations": list(quote.segments)}


def _action(quote: Quote) -> ActionItem:
    named = quote.speaker if any(char.isalpha() for char in quote.speaker or "") else None
    owners = owners_in(quote.text, named)
    owner = min(owners) if len(owners) == 1 else None
    return ActionItem(
        text=quote.text, citations=quote.segments, owner=owner, due=due_in(quote.text)
    )
