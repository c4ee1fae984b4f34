"""The port of summaries: what an engine does, in steps that a durable workflow can drive.

Which calls are made, and in which order, is in `models.summarizer.order`; the last answer's
`parse_summary` is the summary.
"""

from collections.abc import Sequence
from typing import Protocol

from configs.errors import ModelError
from models.documents import (
    Document,
    RedactedTranscript,
    Summary,
    SummaryMethod,
    SummaryTemplate,
)


class Part(Document):
    """A stretch of a transcript, by segment ids (both included).

    `first_offset` and `last_offset` (code points of the first and last segment's text; None: to
    its end) are used only where one segment alone is longer than a model's context.
    """

    first_segment: int
    last_segment: int
    first_offset: int = 0
    last_offset: int | None = None


class ModelAnswer(Document):
    """What a model answered to one call, as it came; canonical, so a repeated step adopts it.

    `covers` are the parts that the answer stands for; `finish_reason` and the token counts are the
    model's own (None: not told); `endpoint` is the one of the gateway that answered. `text` is
    JSON in the form of `answer_schema`, or what a model wrote in its place. `language` is what it
    was asked to write in (None: the source's), `template` what it was asked to follow (None: all
    parts).
    """

    text: str
    method: SummaryMethod
    model: str
    covers: tuple[Part, ...]
    finish_reason: str = "stop"
    input_tokens: int | None = None
    output_tokens: int | None = None
    prompt_digest: str | None = None
    language: str | None = None
    template: SummaryTemplate | None = None
    endpoint: str | None = None


class Summarizer(Protocol):
    """An engine that summarizes redacted text. All methods can be repeated without effect."""

    @property
    def method(self) -> SummaryMethod:
        """How the summaries come to be."""
        ...

    @property
    def name(self) -> str:
        """The model's name, for records."""
        ...

    def parts(self, redacted: RedactedTranscript) -> tuple[Part, ...]:
        """Cut a transcript so that each part fits the model; nothing is left out.

        Returns:
            The parts in order; empty where the transcript has no text.
        """
        ...

    def split(self, redacted: RedactedTranscript, part: Part) -> tuple[Part, ...]:
        """Halve a part whose `answer` raised `ContextTooLongError`.

        Raises:
            ContextTooLongError: it cannot be made smaller (not retryable).
        """
        ...

    def answer(self, redacted: RedactedTranscript, part: Part) -> ModelAnswer:
        """Summarize one part: at most one model call (one more where JSON modes are refused).

        Raises:
            ContextTooLongError: use `split` (not retryable as such).
            TransientError: try again, after `retry_after_s` where it is set (retryable).
            ModelError: the model cannot do it (not retryable).
        """
        ...

    def groups(self, answers: Sequence[ModelAnswer]) -> tuple[tuple[int, ...], ...]:
        """Say which answers (by index, in order) one `combine` call can take together."""
        ...

    def combine(self, redacted: RedactedTranscript, answers: Sequence[ModelAnswer]) -> ModelAnswer:
        """Make one answer of several parsed ones: one model call.

        Raises:
            TransientError: try again (retryable).
            ModelError: the model cannot do it (not retryable).
        """
        ...

    def repair(
        self,
        redacted: RedactedTranscript,
        answer: ModelAnswer,
        problems: Sequence[str],
        sources: Sequence[ModelAnswer] = (),
    ) -> ModelAnswer:
        """Ask once more for an answer that did not parse: one model call.

        Args:
            redacted: the whole transcript.
            answer: what did not parse.
            problems: `ModelSchemaError.details["problems"]`.
            sources: the answers it was combined from, if it was.

        Raises:
            TransientError: try again (retryable).
            ModelError: the model cannot do it (not retryable).
        """
        ...


def fallback_reason(error: ModelError) -> str:
    """Return what `Summary.fallback_reason` says where this error ended a written summary."""
    return error.code


def with_fallback(summary: Summary, error: ModelError) -> Summary:
    """Mark an extractive summary as standing in for a written one that failed."""
    return summary.model_copy(update={"fallback_reason": fallback_reason(error)})
