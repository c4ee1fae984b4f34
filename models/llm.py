"""Chat with a language model behind any OpenAI-compatible endpoint; the only file with `openai`."""

import hashlib
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from email.utils import parsedate_to_datetime
from functools import cached_property
from typing import Any, Literal

from configs.clock import utc_now
from configs.errors import (
    AppError,
    ContentFilterError,
    ContextTooLongError,
    ModelError,
    OverBudgetError,
    RateLimitedError,
    TransientError,
    UnknownModelError,
)
from models.documents import SummaryMethod
from models.summarizer.chat import Completion, Message
from models.summarizer.prompts import Prompt
from models.summarizer.written import WrittenSummarizer

Structured = Literal["json_schema", "json_object", "plain"]
_MODES: tuple[Structured, ...] = ("json_schema", "json_object", "plain")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uff00-\uffef]")
_TOO_LONG = re.compile(
    r"context[_ ]?(?:length|size|window)|maximum context|too many (?:input )?tokens|num_ctx"
    r"|(?:prompt|input) is too long|reduce the length|exceeds? the (?:available )?context",
    re.IGNORECASE,
)
_FILTERED = re.compile(r"content[_ ]?(?:filter|policy)|safety", re.IGNORECASE)
_QUOTA = re.compile(r"insufficient_quota|exceeded your current quota|billing", re.IGNORECASE)


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


@dataclass(frozen=True)
class _Dialect:
    """What this endpoint understands, as far as it has shown."""

    mode: Structured
    limit_name: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    temperature: bool = True

    def narrower(self, error: AppError, told: str, *, fixed: bool) -> "_Dialect":
        """Return a dialect that avoids what a 400 complained of; raise the error if there is none.

        Args:
            error: what to raise.
            told: the endpoint's words; looked at, never kept.
            fixed: whether the way of asking for JSON is prescribed.
        """
        if "max_completion_tokens" in told and self.limit_name == "max_tokens":
            return replace(self, limit_name="max_completion_tokens")
        if "temperature" in told and self.temperature:
            return replace(self, temperature=False)
        if fixed or self.mode == _MODES[-1]:
            raise error
        return replace(self, mode=_MODES[_MODES.index(self.mode) + 1])


class LlmClient:
    """A `ChatModel` behind an endpoint."""

    def __init__(self, config: LlmConfig) -> None:
        """Keep the configuration; nothing is sent."""
        self._config = config
        self._dialect = _Dialect(_MODES[0] if config.structured == "auto" else config.structured)

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
        """Tokens that an answer may have: a quarter of the context at most."""
        return min(self._config.max_output_tokens, self._config.context_tokens // 4)

    def count_tokens(self, text: str) -> int:
        """Estimate the tokens of a text, rather too many than too few.

        Three Latin characters a token and 1.3 tokens a Chinese or Japanese character, where common
        tokenizers need about 4 and 0.7 to 1.
        """
        wide = len(_WIDE.findall(text))
        return math.ceil((len(text) - wide) / 3 + wide * 1.3)

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
            _raise_unless_unanswered(error)
            self._require_listed()

    def _require_listed(self) -> None:
        import openai  # noqa: PLC0415 - takes a second to import

        try:
            listed = {model.id for model in self._client.models.list()}
        except openai.APIError as error:
            _raise_unless_unanswered(error)
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
            except _NotUnderstoodError as refused:
                fixed = self._config.structured != "auto" or schema is None
                self._dialect = self._dialect.narrower(refused.error, refused.told, fixed=fixed)
            else:
                _refuse_truncated(messages, completion)
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

        try:
            answer = self._client.chat.completions.create(
                model=self._config.model,
                messages=[{"role": m.role, "content": m.content} for m in messages],
                extra_headers={"Idempotency-Key": f"{key}-{self._dialect.mode}"},
                **self._options(schema, limit),
            )
            return _streamed(answer) if self._config.stream else _completed(answer)
        except openai.APIError as error:
            raise _translated(error) from None

    def _options(self, schema: Mapping[str, object] | None, limit: int) -> dict[str, Any]:
        options: dict[str, Any] = {self._dialect.limit_name: limit}
        if self._dialect.temperature:
            options["temperature"] = self._config.temperature
        if schema is not None and self._dialect.mode == "json_schema":
            named = {"name": "answer", "strict": True, "schema": dict(schema)}
            options["response_format"] = {"type": "json_schema", "json_schema": named}
        elif schema is not None and self._dialect.mode == "json_object":
            options["response_format"] = {"type": "json_object"}
        if self._config.stream:
            options |= {"stream": True, "stream_options": {"include_usage": True}}
        return options

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
    """The written summary by an endpoint."""

    def __init__(self, client: LlmClient, prompt: Prompt | None = None) -> None:
        """Keep the client; nothing is sent."""
        super().__init__(client, SummaryMethod.LLM, prompt)


class _NotUnderstoodError(Exception):
    """The endpoint answered 400: it may lack a feature that was asked for."""

    def __init__(self, error: AppError, told: str) -> None:
        super().__init__()
        self.error = error
        self.told = told


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


def _refuse_truncated(messages: Sequence[Message], completion: Completion) -> None:
    """Raise where the endpoint counted far fewer tokens than it was sent.

    No common tokenizer packs more than 6.5 Latin or 2.2 Chinese or Japanese characters into a
    token on running text, so that fewer tokens than that mean a cut prompt. An endpoint that does
    not count is believed.
    """
    text = "".join(message.content for message in messages)
    wide = len(_WIDE.findall(text))
    least = int((len(text) - wide) / 6.5 + wide / 2.2)
    counted = completion.input_tokens
    if counted is not None and least > 100 and counted < least:
        raise ContextTooLongError(
            "The model's endpoint cut the input without saying so; raise its context size.",
            {"counted_tokens": counted, "least_tokens": least},
        )


def _translated(error: Any) -> Exception:  # noqa: ANN401 - the SDK's edge
    """Return our error for the SDK's; the endpoint's words are looked at and not kept."""
    status = getattr(error, "status_code", None)
    told = f"{error.code} {error.type} {error.message}"
    details: dict[str, object] = {"status": status} if status else {}
    if status is None or status >= 500 or status in {408, 409}:
        return TransientError("The model's endpoint did not answer.", details | _waiting(error))
    if status == 429 and not _QUOTA.search(told):
        return RateLimitedError(details=details | _waiting(error))
    kind, message = _refusal(status, told)
    if kind is ModelError and status in {400, 422}:
        return _NotUnderstoodError(ModelError(message, details), told)
    return kind(message, details)


def _raise_unless_unanswered(error: Any) -> None:  # noqa: ANN401 - the SDK's edge
    """Raise our error for the SDK's, but where the endpoint lacks what it was asked."""
    translated = _translated(error)
    lacks = isinstance(translated, UnknownModelError | _NotUnderstoodError)
    if not lacks and getattr(error, "status_code", None) not in {405, 501}:
        raise translated from None


def _refusal(status: int, told: str) -> tuple[type[ModelError], str | None]:
    """Return the class and message of an answer that trying again does not change."""
    if status == 429:
        return OverBudgetError, "The account at the model's endpoint has no budget."
    if status == 413 or _TOO_LONG.search(told):
        return ContextTooLongError, None
    if status in {401, 403}:
        return ModelError, "The model's endpoint refused the API key."
    if status == 404:
        return UnknownModelError, None
    if _FILTERED.search(told):
        return ContentFilterError, None
    return ModelError, "The model's endpoint does not take this request."


def _waiting(error: Any) -> dict[str, object]:  # noqa: ANN401 - the SDK's edge
    """Read how long to wait from the headers: milliseconds, seconds or a date."""
    headers = getattr(getattr(error, "response", None), "headers", {})
    milliseconds, value = headers.get("retry-after-ms"), headers.get("retry-after")
    try:
        if milliseconds:
            return {"retry_after_s": float(milliseconds) / 1000}
        if value and re.fullmatch(r"\d+(?:\.\d+)?", value.strip()):
            return {"retry_after_s": float(value)}
        if value:
            wait = (parsedate_to_datetime(value) - utc_now()).total_seconds()
            return {"retry_after_s": max(0.0, round(wait, 1))}
    except (TypeError, ValueError):
        return {}
    return {}


def _key(model: str, messages: Sequence[Message], limit: int) -> str:
    return hashlib.sha256(repr((model, tuple(messages), limit)).encode()).hexdigest()
