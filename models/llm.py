"""Chat with a language model behind any OpenAI-compatible endpoint; the only file with `openai`.

What stands between a summary and its endpoints (cache, limits, budget, fallbacks, ledger) is
`models.gateway`.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

from configs.errors import ContentFilterError, ModelError, TransientError, UnknownModelError
from models.documents import SummaryMethod
from models.gateway.dialect import MODES, Dialect, NotUnderstoodError, Structured
from models.gateway.refusals import raise_unless_unanswered, translated
from models.gateway.tokens import estimate_tokens, refuse_cut_prompt
from models.summarizer.chat import ChatModel, Completion, Message
from models.summarizer.prompts import Prompt
from models.summarizer.written import WrittenSummarizer


@dataclass(frozen=True)
class LlmConfig:
    """Which endpoint and how to use it.

    Args:
        base_url: as `http://127.0.0.1:11434/v1`.
        model: the endpoint's name of the model.
        api_key: None where the endpoint asks for none.
        context_tokens: what the model takes, prompt and answer together.
        max_output_tokens: what an answer may take of it (a quarter at most).
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
    structured: Literal["auto"] | Structured = "auto"
    temperature: float = 0.0


class LlmClient:
    """A `ChatModel` behind an endpoint."""

    def __init__(self, config: LlmConfig) -> None:
        """Keep the configuration; nothing is sent."""
        self._config = config
        mode = MODES[0] if config.structured == "auto" else config.structured
        self._dialect = Dialect(mode, config.stream)

    @property
    def name(self) -> str:
        """The model's name at the endpoint."""
        return self._config.model

    @property
    def base_url(self) -> str:
        """Where the endpoint is."""
        return self._config.base_url

    @property
    def context_tokens(self) -> int:
        """Tokens that prompt and answer may have together."""
        return self._config.context_tokens

    @property
    def max_output_tokens(self) -> int:
        """Tokens that an answer may have: a quarter of the context at most."""
        return min(self._config.max_output_tokens, self._config.context_tokens // 4)

    def count_tokens(self, text: str) -> int:
        """Estimate the tokens of a text, rather too many than too few."""
        return estimate_tokens(text)

    def require_model(self) -> None:
        """Ask the endpoint whether it has the model; one that takes no such question is believed.

        Raises:
            UnknownModelError: it has others (not retryable).
            TransientError: it did not answer (retryable).
            ModelError: it refused the API key (not retryable).
        """
        import openai  # noqa: PLC0415 - takes a second to import

        try:
            self._client.models.retrieve(self.name)
        except openai.APIError as error:
            raise_unless_unanswered(error)
            self._require_listed()

    def _require_listed(self) -> None:
        import openai  # noqa: PLC0415 - takes a second to import

        try:
            listed = {model.id for model in self._client.models.list()}
        except openai.APIError as error:
            raise_unless_unanswered(error)
            return
        if self.name not in listed:
            raise UnknownModelError(f"The model's endpoint has no model {self.name!r}.")

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
        limit = max_output_tokens or self.max_output_tokens
        key = idempotency_key or _key(self._config.model, messages, limit)
        while True:
            try:
                completion = self._call(messages, schema, limit, key)
            except NotUnderstoodError as refused:
                fixed = self._config.structured != "auto" or schema is None
                self._dialect = self._dialect.narrower(refused, fixed=fixed)
            else:
                refuse_cut_prompt(messages, completion)
                told = completion.model
                named = told and not told.startswith(("/", "\\")) and ":\\" not in told
                return completion if named else replace(completion, model=self.name)

    def _call(
        self,
        messages: Sequence[Message],
        schema: Mapping[str, object] | None,
        limit: int,
        key: str,
    ) -> Completion:
        import openai  # noqa: PLC0415 - takes a second to import

        dialect = self._dialect
        try:
            answer = self._client.chat.completions.create(
                model=self._config.model,
                messages=[{"role": m.role, "content": m.content} for m in messages],
                extra_headers={"Idempotency-Key": f"{key}-{dialect.mode}"},
                **dialect.options(schema, limit, self._config.temperature),
            )
            return _streamed(answer) if dialect.stream else _completed(answer)
        except openai.APIError as error:
            raise translated(error) from None
        except ValueError:  # no JSON where there should be
            raise TransientError("The model's endpoint answered with something else.") from None

    @cached_property
    def _client(self) -> Any:  # noqa: ANN401 - the SDK's edge
        import openai  # noqa: PLC0415 - takes a second to import

        return openai.OpenAI(
            base_url=self._config.base_url,
            api_key=self._config.api_key or "none",
            max_retries=0,  # the step engine retries, durably
            timeout=openai.Timeout(self._config.timeout_s, connect=self._config.connect_timeout_s),
        )


class LlmSummarizer(WrittenSummarizer):
    """The written summary by an endpoint, or by the gateway to several."""

    def __init__(self, model: ChatModel, prompt: Prompt | None = None) -> None:
        """Keep the model; nothing is sent."""
        super().__init__(model, SummaryMethod.LLM, prompt)


def _completed(answer: Any) -> Completion:  # noqa: ANN401 - the SDK's edge
    if not getattr(answer, "choices", None):
        raise TransientError("The model's endpoint answered without a choice.")
    choice = answer.choices[0]
    return _checked(
        text=choice.message.content or "",
        refusal=getattr(choice.message, "refusal", None),
        finish=choice.finish_reason or "stop",
        model=answer.model,
        usage=answer.usage,
    )


def _streamed(events: Any) -> Completion:  # noqa: ANN401 - the SDK's edge
    if "json" in events.response.headers.get("content-type", ""):
        error = ModelError("The model's endpoint does not stream.")
        raise NotUnderstoodError(error, "stream")
    text, refusal, finish, model, usage = "", "", None, "", None
    for event in events:
        model, usage = event.model or model, event.usage or usage
        for choice in event.choices[:1]:
            text += choice.delta.content or ""
            refusal += getattr(choice.delta, "refusal", None) or ""
            finish = choice.finish_reason or finish
    if finish is None:
        raise TransientError("The model's answer stopped before its end.")
    return _checked(text=text, refusal=refusal, finish=finish, model=model, usage=usage)


def _checked(
    *,
    text: str,
    refusal: str | None,
    finish: str,
    model: str,
    usage: Any,  # noqa: ANN401 - the SDK's edge
) -> Completion:
    if refusal or finish == "content_filter":
        raise ContentFilterError
    return Completion(
        text=text,
        model=model,
        finish_reason=finish,
        input_tokens=getattr(usage, "prompt_tokens", None) or None,
        output_tokens=getattr(usage, "completion_tokens", None),
    )


def _key(model: str, messages: Sequence[Message], limit: int) -> str:
    return hashlib.sha256(repr((model, tuple(messages), limit)).encode()).hexdigest()
