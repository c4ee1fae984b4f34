"""The order of calls of a summary, in one process; a workflow makes each call a step."""

from collections.abc import Sequence

from configs.errors import ContextTooLongError, ModelError, ModelSchemaError
from models.documents import RedactedTranscript, Summary
from models.summarizer.answers import parse_summary
from models.summarizer.port import ModelAnswer, Part, Summarizer, with_fallback


def problems_of(error: ModelSchemaError) -> tuple[str, ...]:
    """Return what was wrong with an answer, as `repair` takes it."""
    found = error.details.get("problems")
    return tuple(str(problem) for problem in found) if isinstance(found, list | tuple) else ()


def summarize(
    summarizer: Summarizer, redacted: RedactedTranscript, fallback: Summarizer | None = None
) -> Summary:
    """Summarize a transcript from the first call to the last.

    Args:
        summarizer: the engine.
        redacted: the transcript, not empty.
        fallback: the engine whose summary stands in where the first fails for good.

    Returns:
        The summary; `fallback_reason` says so where it is the fallback's.

    Raises:
        TransientError: the endpoint did not answer (retryable).
        ModelError: the model failed and there is no fallback (not retryable).
    """
    try:
        return parse_summary(_one_answer(summarizer, redacted), redacted)
    except ModelError as error:
        if fallback is None:
            raise
        return with_fallback(summarize(fallback, redacted), error)


def _one_answer(summarizer: Summarizer, redacted: RedactedTranscript) -> ModelAnswer:
    parts = summarizer.parts(redacted)
    answers = [found for part in parts for found in _answer(summarizer, redacted, part)]
    while len(answers) > 1:
        groups = summarizer.groups(answers)
        if len(groups) >= len(answers):
            raise ModelError("The parts' summaries are too long to be combined.")
        answers = [
            _combine(summarizer, redacted, [answers[index] for index in group]) for group in groups
        ]
    if not answers:
        raise ModelError("There is no text to summarize.")
    return answers[0]


def _answer(
    summarizer: Summarizer, redacted: RedactedTranscript, part: Part
) -> tuple[ModelAnswer, ...]:
    try:
        answer = summarizer.answer(redacted, part)
    except ContextTooLongError:
        halves = summarizer.split(redacted, part)
        return tuple(found for half in halves for found in _answer(summarizer, redacted, half))
    return (_parsed(summarizer, redacted, answer),)


def _combine(
    summarizer: Summarizer, redacted: RedactedTranscript, answers: Sequence[ModelAnswer]
) -> ModelAnswer:
    if len(answers) == 1:
        return answers[0]
    return _parsed(summarizer, redacted, summarizer.combine(redacted, answers), answers)


def _parsed(
    summarizer: Summarizer,
    redacted: RedactedTranscript,
    answer: ModelAnswer,
    sources: Sequence[ModelAnswer] = (),
) -> ModelAnswer:
    try:
        parse_summary(answer, redacted)
    except ModelSchemaError as error:
        repaired = summarizer.repair(redacted, answer, problems_of(error), sources)
        parse_summary(repaired, redacted)
        return repaired
    return answer
