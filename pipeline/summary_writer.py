"""How a summary is written: which model calls, in which order, each a durable step.

The order is the port's (`models.summarizer.port`): an answer for each part, validated, repaired
once; then combinations, validated and repaired alike, until one answer is left.
"""

from functools import partial

from configs.errors import AppError, ModelError
from models.summarizer import Part
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

    async def write(self) -> ArtifactRef:
        """Summarize with the configured engine.

        Raises:
            ModelError: the model cannot do it, or its answers do not parse (not retryable).
        """
        parts = await self._step.do(
            "plan_summary", partial(plan_summary, self._job, self._redacted), resource="llm"
        )
        answers, summary = [], None
        for part in parts:
            for answer in await self._answers(part):
                valid, summary = await self._valid(answer)
                answers.append(valid)
        while len(answers) > 1:
            answers, summary = await self._combined(answers)
        if summary is None:
            raise ModelError("There is no text to summarize.")
        return summary

    async def quote(self, instead_of: AppError) -> ArtifactRef:
        """Summarize by quotation, saying which error ended the written summary."""
        answered = await self._call(partial(quote, self._job, self._next(), self._redacted))
        validated = await self._validate(answered.answer, last=True, reason=instead_of.code)
        return validated["summary"]

    async def _answers(self, part: Part) -> list[ArtifactRef]:
        """Ask for one part, halving it as often as the model finds it too long."""
        call = partial(summarize, self._job, self._next(), self._redacted, part)
        answered = await self._call(call)
        if not answered.halves:
            return [answered.answer]
        return [answer for half in answered.halves for answer in await self._answers(half)]

    async def _combined(self, answers: list[ArtifactRef]) -> tuple[list[ArtifactRef], ArtifactRef]:
        groups = await self._step.do(
            "plan_summary", partial(plan_combination, self._job, answers), resource="llm"
        )
        if len(groups) >= len(answers):
            raise ModelError("The parts' summaries are too long to be combined.")
        combined, summary = [], None
        for group in groups:
            sources = [answers[index] for index in group]
            if len(sources) == 1:
                combined += sources
                continue
            call = partial(combine, self._job, self._next(), self._redacted, sources)
            valid, summary = await self._valid((await self._call(call)).answer, sources)
            combined.append(valid)
        if summary is None:
            raise ModelError("The parts' summaries were not combined.")
        return combined, summary

    async def _valid(
        self, answer: ArtifactRef, sources: list[ArtifactRef] | None = None
    ) -> tuple[ArtifactRef, ArtifactRef]:
        """Return a valid answer and its summary; what does not parse is repaired once."""
        validated = await self._validate(answer)
        if validated.problems:
            call = partial(
                repair,
                self._job,
                self._next(),
                self._redacted,
                answer,
                validated.problems,
                sources or [],
            )
            answer = (await self._call(call)).answer
            validated = await self._validate(answer, last=True)
        return answer, validated["summary"]

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
