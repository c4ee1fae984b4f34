"""Which calls a summary takes, and in which order: the one place that says so.

An answer for each part, each read and repaired once if it does not parse; then combinations, read
and repaired alike, until one answer is left. Who makes the calls decides how: in one process
(`driver`), or each as a durable step (`pipeline.summary_writer`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from configs.errors import ModelError
from models.summarizer.port import Part

AnswerT = TypeVar("AnswerT")
"""An answer, or a reference to one."""


@dataclass(frozen=True)
class Asked(Generic[AnswerT]):
    """What came of asking for a part: an answer, or the halves to ask for instead."""

    answer: AnswerT | None
    halves: tuple[Part, ...] = ()


class SummaryCalls(Protocol[AnswerT]):
    """The calls, made one after the other."""

    async def parts(self) -> Sequence[Part]:
        """Cut the text so that each part fits the model."""

    async def answer(self, part: Part) -> Asked[AnswerT]:
        """Ask for one part."""

    async def groups(self, answers: Sequence[AnswerT]) -> Sequence[Sequence[int]]:
        """Say which answers, by index, are combined together."""

    async def combine(self, sources: Sequence[AnswerT]) -> AnswerT:
        """Make one answer of several."""

    async def problems(self, answer: AnswerT, *, last: bool) -> tuple[str, ...]:
        """Read an answer; return what is wrong with it, or raise that where it is the last try."""

    async def repair(
        self, answer: AnswerT, problems: tuple[str, ...], sources: Sequence[AnswerT]
    ) -> AnswerT:
        """Ask once more for an answer that did not parse."""


async def last_answer(calls: SummaryCalls[AnswerT]) -> AnswerT:
    """Make the calls of a summary and return the one answer that is left; it has been read.

    Raises:
        ModelError: the model cannot do it, or its answers do not parse (not retryable).
    """
    answers: list[AnswerT] = []
    for part in await calls.parts():
        answers += [await _parsed(calls, answer) for answer in await _answers(calls, part)]
    while len(answers) > 1:
        answers = await _combined(calls, answers)
    if not answers:
        raise ModelError("There is no text to summarize.")
    return answers[0]


async def _answers(calls: SummaryCalls[AnswerT], part: Part) -> list[AnswerT]:
    """Ask for one part, halving it as often as the model finds it too long."""
    asked = await calls.answer(part)
    if asked.answer is not None:
        return [asked.answer]
    return [answer for half in asked.halves for answer in await _answers(calls, half)]


async def _combined(calls: SummaryCalls[AnswerT], answers: list[AnswerT]) -> list[AnswerT]:
    groups = await calls.groups(answers)
    if len(groups) >= len(answers):
        raise ModelError("The parts' summaries are too long to be combined.")
    combined: list[AnswerT] = []
    for group in groups:
        sources = [answers[index] for index in group]
        if len(sources) == 1:
            combined += sources
        else:
            combined.append(await _parsed(calls, await calls.combine(sources), sources))
    return combined


async def _parsed(
    calls: SummaryCalls[AnswerT], answer: AnswerT, sources: Sequence[AnswerT] = ()
) -> AnswerT:
    """Return an answer that parses; what does not is repaired once."""
    problems = await calls.problems(answer, last=False)
    if not problems:
        return answer
    repaired = await calls.repair(answer, problems, sources)
    await calls.problems(repaired, last=True)
    return repaired
