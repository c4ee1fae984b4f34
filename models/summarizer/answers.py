"""From a model's answer to a summary: pure, strict, and without a second call."""

from models.documents import RedactedTranscript, Summary
from models.summarizer.port import ModelAnswer


def parse_summary(
    answer: ModelAnswer, redacted: RedactedTranscript, *, fallback_reason: str | None = None
) -> Summary:
    """Read an answer as a summary.

    Args:
        answer: of a part or a combination.
        redacted: the whole transcript, to check the citations against.
        fallback_reason: an error's code, where this extractive summary stands in for a written one.

    Returns:
        The summary, `model_input_ratio` being the share of the transcript that `answer` covers.

    Raises:
        ModelSchemaError: it is no such JSON, blank, or cites segments that it was not given;
            `details["problems"]` says what without quoting (not retryable; `repair` once).
        ContentFilterError: the answer is a refusal (not retryable).
    """
    raise NotImplementedError
