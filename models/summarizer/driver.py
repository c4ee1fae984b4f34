"""A summary from the first call to the last, in one process."""

from collections.abc import Callable, Sequence

from configs.errors import ContextTooLongError, ModelError, ModelSchemaError
from models.documents import RedactedTranscript, Summary
from models.summarizer.answers import parse_summary
from models.summarizer.order import Asked, last_answer
from models.summarizer.port import ModelAnswer, Part, Summarizer, with_fallback


def problems_of(error: ModelSchemaError) -> tuple[str, ...]:
    """Return what was wrong with an answer, as `repair` takes it."""
    found = error.details.get("problems")
    return tuple(str(problem) for problem in found) if isinstance(found, list | tuple) else ()


def summarize(
    summarizer: Summarizer,
    redacted: RedactedTranscript,
    fallback: Summarizer | None = None,
    require: Callable[[Summary, RedactedTranscript], None] | None = None,
) -> Summary:
    """Summarize a transcript from the first call to the last.

    Args:
        summarizer: the engine.
        redacted: the transcript, not empty.
        fallback: the engine whose summary stands in where the first fails for good.
        require: looks at a summary and raises a `ModelError` where it will not do.

    Returns:
        The summary; `fallback_reason` says so where it is the fallback's.

    Raises:
        TransientError: the endpoint did not answer (retryable).
        ModelError: the model failed and there is no fallback (not retryable).
    """
    try:
        summary = parse_summary(_one_answer(summarizer, redacted), redacted)
        if require is not None:
            require(summary, redacted)
    except ModelError as error:
        if fallback is None:
            raise
        return with_fallback(summarize(fallback, redacted), error)
    return summary


def _one_answer(summarizer: Summarizer, redacted: RedactedTranscript) -> ModelAnswer:
    """Make the calls one after the other; none of them waits, so no event loop is needed."""
    calls = last_answer(_CallsHere(summarizer, redacted))
    try:
        calls.send(None)
    except StopIteration as done:
        answer: ModelAnswer = done.value
        return answer
    raise AssertionError("a call has waited")


class _CallsHere:
    """The calls of a summary, made in this process."""

    def __init__(self, summarizer: Summarizer, redacted: RedactedTranscript) -> None:
        self._summarizer, self._redacted = summarizer, redacted

    async def parts(self) -> Sequence[Part]:
        return self._summarizer.parts(self._redacted)

    async def answer(self, part: Part) -> Asked[ModelAnswer]:
        try:
            return Asked(self._summarizer.answer(self._redacted, part))
        except ContextTooLongError:
            return Asked(None, self._summarizer.split(self._redacted, part))

    async def groups(self, answers: Sequence[ModelAnswer]) -> Sequence[Sequence[int]]:
        return self._summarizer.groups(answers)

    async def combine(self, sources: Sequence[ModelAnswer]) -> ModelAnswer:
        return self._summarizer.combine(self._redacted, sources)

    async def problems(self, answer: ModelAnswer, *, last: bool) -> tuple[str, ...]:
        try:
            parse_summary(answer, self._redacted)
        except ModelSchemaError as error:
            if last:
                raise
            return problems_of(error)
        return ()

    async def repair(
        self, answer: ModelAnswer, problems: tuple[str, ...], sources: Sequence[ModelAnswer]
    ) -> ModelAnswer:
        return self._summarizer.repair(self._redacted, answer, problems, sources)
