"""Chat with a language model behind any OpenAI-compatible endpoint; the only file with `openai`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from models.summarizer.chat import Completion, Message


@dataclass(frozen=True)
class LlmConfig:
    """Which endpoint and how to use it.

    Args:
        base_url: as `http://127.0.0.1:11434/v1`.
        model: the endpoint's name of the model.
        api_key: None where the endpoint asks for none.
        context_tokens: what the model takes, prompt and answer together.
        max_output_tokens: what an answer may take of it.
        timeout_s: how long to wait for the next bytes: between two events when `stream`, else for
            the whole answer.
        connect_timeout_s: how long to wait for a connection.
        stream: read the answer as it is written, so that a stalled one is noticed.
        structured: how JSON is asked for; `auto` tries the strictest and remembers what worked.
        temperature: 0 for the most likely answer.
    """

    base_url: str
    model: str
    api_key: str | None = None
    context_tokens: int = 8192
    max_output_tokens: int = 2048
    timeout_s: float = 300.0
    connect_timeout_s: float = 10.0
    stream: bool = False
    structured: Literal["auto", "json_schema", "json_object", "plain"] = "auto"
    temperature: float = 0.0


class LlmClient:
    """A `ChatModel` behind an endpoint."""

    def __init__(self, config: LlmConfig) -> None:
        """Keep the configuration; nothing is sent."""
        self._config = config

    @property
    def name(self) -> str:
        """The model's name at the endpoint."""
        return self._config.model

    @property
    def context_tokens(self) -> int:
        """Tokens that prompt and answer may have together."""
        return self._config.context_tokens

    @property
    def max_output_tokens(self) -> int:
        """Tokens that an answer may have."""
        return self._config.max_output_tokens

    def count_tokens(self, text: str) -> int:
        """Estimate the tokens of a text, rather too many than too few."""
        raise NotImplementedError

    def complete(
        self,
        messages: Sequence[Message],
        schema: Mapping[str, object] | None = None,
        *,
        max_output_tokens: int | None = None,
        idempotency_key: str | None = None,
    ) -> Completion:
        """Ask for one answer.

        Args:
            messages: the conversation.
            schema: the JSON schema of the answer.
            max_output_tokens: instead of the configured number.
            idempotency_key: sent as `Idempotency-Key`; default: made of the request.

        Raises:
            RateLimitedError: 429, with `retry_after_s` where told (retryable).
            TransientError: 5xx, time-out or no connection (retryable).
            ContextTooLongError: more than the model takes, or silently cut (split the input).
            ContentFilterError: refused by a filter (not retryable).
            UnknownModelError: no such model (not retryable).
            OverBudgetError: the account's quota is used up (not retryable).
            ModelError: any other refusal (not retryable).
        """
        raise NotImplementedError
