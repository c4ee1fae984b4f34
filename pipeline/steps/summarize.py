"""summarize, validate_summary: a model's raw answers, and the summary that they pass for.

A model call and the reading of its answer are steps of their own, so that an answer that does not
parse is not bought again.
"""

from collections.abc import Callable
from dataclasses import dataclass

from configs.clock import monotonic_s
from configs.errors import ContextTooLongError, ModelSchemaError
from models.documents import RedactedTranscript
from models.quality import require_sense
from models.summarizer import ModelAnswer, Part, parse_summary, problems_of
from pipeline.steps.guard import guarded
from pipeline.steps.job import Job, Made, ModelUse, hashes
from pipeline.steps.services import services
from storage.refs import ArtifactRef


@dataclass(frozen=True)
class Answered(Made):
    """One answer (role `model_answer/{n}`), or the halves to ask for where it was too long."""

    halves: tuple[Part, ...] = ()

    @property
    def answer(self) -> ArtifactRef:
        """The raw answer; there is none where `halves` has the parts to ask for instead."""
        (ref,) = self.artifacts.values()
        return ref


@dataclass(frozen=True)
class Validated(Made):
    """The summary (role `summary`), or what is wrong with the answer."""

    problems: tuple[str, ...] = ()


@guarded
def plan_summary(job: Job, redacted: ArtifactRef) -> tuple[Part, ...]:
    """Cut the transcript so that each part fits the model; nothing is left out.

    Raises:
        ContextTooLongError: not even one sentence fits (not retryable).
        StoreUnavailableError: retryable.

    Effects: none. Personal data: reads redacted text.
    """
    return services().summarizer(job).parts(_transcript(redacted))


@guarded
def summarize(job: Job, count: int, redacted: ArtifactRef, part: Part) -> Answered:
    """Summarize one part: one model call, whose raw answer is kept.

    Raises:
        TransientError: the endpoint did not answer, or asked to slow down (retryable).
        ModelError: the model cannot do it (not retryable).

    Effects: calls the endpoint with an idempotency key; puts `model_answer/{n}`.
    Personal data: sends redacted text only.
    """
    summarizer, text = services().summarizer(job), _transcript(redacted)
    try:
        return _answered(job, count, redacted, lambda: summarizer.answer(text, part))
    except ContextTooLongError:
        return Answered(
            artifacts={},
            inputs=hashes({"redacted_transcript": redacted}),
            halves=summarizer.split(text, part),
        )


@guarded
def combine(job: Job, count: int, redacted: ArtifactRef, answers: list[ArtifactRef]) -> Answered:
    """Make one answer of several: one model call. Errors, effects, data as `summarize`."""
    summarizer, text = services().summarizer(job), _transcript(redacted)
    parts = [_model_answer(ref) for ref in answers]
    return _answered(job, count, redacted, lambda: summarizer.combine(text, parts))


@guarded
def repair(
    job: Job,
    count: int,
    redacted: ArtifactRef,
    answer: ArtifactRef,
    problems: tuple[str, ...],
    sources: list[ArtifactRef],
) -> Answered:
    """Ask once more for an answer that did not parse. Errors, effects, data as `summarize`."""
    summarizer, text = services().summarizer(job), _transcript(redacted)
    broken, parts = _model_answer(answer), [_model_answer(ref) for ref in sources]
    return _answered(job, count, redacted, lambda: summarizer.repair(text, broken, problems, parts))


@guarded
def quote(job: Job, count: int, redacted: ArtifactRef) -> Answered:
    """Summarize by quotation, with packaged embeddings. Effects, data as `summarize`."""
    summarizer, text = services().extractive(job), _transcript(redacted)
    (part,) = summarizer.parts(text)
    return _answered(job, count, redacted, lambda: summarizer.answer(text, part))


@guarded
def plan_combination(job: Job, answers: list[ArtifactRef]) -> tuple[tuple[int, ...], ...]:
    """Say which answers, by index, one `combine` takes together.

    Raises:
        StoreUnavailableError: retryable.

    Effects: none. Personal data: reads redacted text.
    """
    return services().summarizer(job).groups([_model_answer(ref) for ref in answers])


@guarded
def validate_summary(
    job: Job, redacted: ArtifactRef, answer: ArtifactRef, fallback_reason: str | None, last: bool
) -> Validated:
    """Read an answer as a summary.

    Args:
        job: the revision.
        redacted: the transcript that it cites.
        answer: the model's raw answer.
        fallback_reason: why an extractive summary takes a written one's place, if it does.
        last: whether there is no repair left.

    Raises:
        ModelSchemaError: it does not parse and this was the last try (not retryable).
        ContentFilterError: it is a refusal (not retryable).
        NonsenseError: its own evidence speaks against too much of it (not retryable).

    Effects: puts `summary`; repeatable.
    Personal data: reads and writes redacted text.
    """
    inputs = hashes({"redacted_transcript": redacted, "model_answer": answer})
    given, text = _model_answer(answer), _transcript(redacted)
    inputs |= _template_hash(given)
    try:
        summary = parse_summary(given, text, fallback_reason=fallback_reason)
    except ModelSchemaError as error:
        if last:
            raise
        return Validated(artifacts={}, inputs=inputs, problems=problems_of(error))
    require_sense(summary, text)
    ref = services().put_document(job, "summary", summary)
    return Validated(artifacts={"summary": ref}, inputs=inputs)


def _answered(
    job: Job, count: int, redacted: ArtifactRef, call: Callable[[], ModelAnswer]
) -> Answered:
    began = monotonic_s()
    answer = call()
    options = services().options(job)
    ref = services().put_document(job, "model_answer", answer)
    return Answered(
        artifacts={f"model_answer/{count}": ref},
        inputs=hashes({"redacted_transcript": redacted}) | _template_hash(answer),
        model=ModelUse(
            name=answer.model,
            prompt_sha256=answer.prompt_digest,
            config_sha256=options.digests["llm"],
            input_tokens=answer.input_tokens or 0,
            output_tokens=answer.output_tokens or 0,
            latency_s=monotonic_s() - began,
            endpoint=answer.endpoint,
        ),
    )


def _template_hash(answer: ModelAnswer) -> dict[str, str]:
    return {"template": answer.template.sha256} if answer.template else {}


def _transcript(ref: ArtifactRef) -> RedactedTranscript:
    return RedactedTranscript.model_validate_json(services().store.read_bytes(ref))


def _model_answer(ref: ArtifactRef) -> ModelAnswer:
    return ModelAnswer.model_validate_json(services().store.read_bytes(ref))
