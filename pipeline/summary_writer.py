"""How a summary is written: each call of `models.summarizer.order` is a durable step."""

from collections.abc import Sequence
from functools import partial

from configs.errors import AppError
from models.summarizer import Asked, Part, last_answer
from pipeline.engine import Retries, Step
from pipeline.steps.job import Job
from pipeline.steps.keep import keep
from pipeline.steps.summarize import (
    Answered,
    Validated,
    combine,
    plan_combination,
    plan_summary,
    quote,
    repair,
    summarize,
    validate_summary,
)
from storage.refs import ArtifactRef

PROVIDER = Retries(limit=6, delay="10 seconds", backoff="exponential")


class SummaryWriter:
    """Writes one summary of a redacted transcript."""

    def __init__(self, step: Step, job: Job, redacted: ArtifactRef) -> None:
        self._step, self._job, self._redacted = step, job, redacted
        self._calls = self._validations = 0
        self._summaries: dict[ArtifactRef, ArtifactRef] = {}

    async def write(self) -> ArtifactRef:
        """Summarize with the configured engine.

        Raises:
            ModelError: the model cannot do it, or its answers do not parse (not retryable).
        """
        return self._summaries[await last_answer(self)]

    async def quote(self, instead_of: AppError) -> ArtifactRef:
        """Summarize by quotation, saying which error ended the written summary."""
        answered = await self._call(partial(quote, self._job, self._next(), self._redacted))
        validated = await self._validate(answered.answer, last=True, reason=instead_of.code)
        return validated["summary"]

    async def parts(self) -> Sequence[Part]:
        """Cut the text: a step."""
        return await self._step.do(
            "plan_summary", partial(plan_summary, self._job, self._redacted), resource="llm"
        )

    async def answer(self, part: Part) -> Asked[ArtifactRef]:
        """Ask for one part: a step."""
        call = partial(summarize, self._job, self._next(), self._redacted, part)
        answered = await self._call(call)
        return Asked(None if answered.halves else answered.answer, answered.halves)

    async def groups(self, answers: Sequence[ArtifactRef]) -> Sequence[Sequence[int]]:
        """Say which answers are combined together: a step."""
        return await self._step.do(
            "plan_summary", partial(plan_combination, self._job, list(answers)), resource="llm"
        )

    async def combine(self, sources: Sequence[ArtifactRef]) -> ArtifactRef:
        """Make one answer of several: a step."""
        call = partial(combine, self._job, self._next(), self._redacted, list(sources))
        return (await self._call(call)).answer

    async def problems(self, answer: ArtifactRef, *, last: bool) -> tuple[str, ...]:
        """Read an answer as a summary: a step."""
        validated = await self._validate(answer, last=last)
        if not validated.problems:
            self._summaries[answer] = validated["summary"]
        return validated.problems

    async def repair(
        self, answer: ArtifactRef, problems: tuple[str, ...], sources: Sequence[ArtifactRef]
    ) -> ArtifactRef:
        """Ask once more: a step."""
        call = partial(
            repair, self._job, self._next(), self._redacted, answer, problems, list(sources)
        )
        return (await self._call(call)).answer

    async def _call(self, call: "partial[Answered]") -> Answered:
        return await self._step.do(
            "summarize",
            call,
            resource="llm",
            timeout="30 minutes",
            retries=PROVIDER,
            commit=partial(keep, self._job, "summarize", self._calls),
        )

    async def _validate(
        self, answer: ArtifactRef, *, last: bool = False, reason: str | None = None
    ) -> Validated:
        self._validations += 1
        return await self._step.do(
            "validate_summary",
            partial(validate_summary, self._job, self._redacted, answer, reason, last),
            commit=partial(keep, self._job, "validate_summary", self._validations),
        )

    def _next(self) -> int:
        self._calls += 1
        return self._calls
