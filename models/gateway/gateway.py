"""The gateway: one chat model made of several endpoints, with a ledger that is asked first."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from configs.clock import monotonic_s
from configs.errors import AppError, ContentFilterError, ContextTooLongError, TransientError
from models.documents import canonical_json
from models.gateway.ledger import Ledger, Outcome, Request
from models.gateway.price import Price
from models.gateway.tokens import estimate_tokens
from models.summarizer.answers import find_json
from models.summarizer.chat import ChatModel, Completion, Message
from models.summarizer.refusals import is_refusal


class EndpointClient(ChatModel, Protocol):
    """A chat model at an address: `models.llm.LlmClient`."""

    @property
    def base_url(self) -> str:
        """Where the endpoint is."""


@dataclass(frozen=True)
class Endpoint:
    """An endpoint under the name that records and provenance call it by."""

    name: str
    client: EndpointClient
    price: Price
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None


class Gateway:
    """A `ChatModel` over endpoints that are asked in order until one answers.

    The next one is asked whatever the reason the one before did not answer: down, over quota, a
    content filter, a wrong key. Not where the input is too long, for splitting mends that, and not
    where the ledger says no: budget and limits are the installation's own word.

    Args:
        endpoints: one at least, the preferred one first.
        ledger: asked before each call, told after it.
        prompt_sha256: digest of the prompt that the conversations are made of, for the ledger.
    """

    def __init__(
        self, endpoints: Sequence[Endpoint], ledger: Ledger, *, prompt_sha256: str | None = None
    ) -> None:
        """Keep them; nothing is sent."""
        self._endpoints = tuple(endpoints)
        self._ledger = ledger
        self._prompt_sha256 = prompt_sha256

    @property
    def name(self) -> str:
        """The preferred model's name."""
        return self._endpoints[0].client.name

    @property
    def context_tokens(self) -> int:
        """Tokens that prompt and answer may have together, at every endpoint."""
        return min(endpoint.client.context_tokens for endpoint in self._endpoints)

    @property
    def max_output_tokens(self) -> int:
        """Tokens that an answer may have, at every endpoint."""
        return min(endpoint.client.max_output_tokens for endpoint in self._endpoints)

    def count_tokens(self, text: str) -> int:
        """Estimate the tokens of a text, rather too many than too few."""
        return estimate_tokens(text)

    def complete(
        self,
        messages: Sequence[Message],
        schema: Mapping[str, object] | None = None,
        *,
        max_output_tokens: int | None = None,
        idempotency_key: str | None = None,
    ) -> Completion:
        """Return an equal request's answer, or the first that an endpoint gives.

        Raises:
            RateLimitedError: by the ledger, or by every endpoint; with `retry_after_s` (retryable).
            TransientError: an endpoint that may answer later did not (retryable).
            ContextTooLongError: split the input.
            OverBudgetError: the call could cost more than is left (not retryable).
            ModelError: every endpoint refused (not retryable).
        """
        limit = max_output_tokens or self.max_output_tokens
        failures: list[AppError] = []
        for endpoint in self._endpoints:
            request = _request(endpoint, messages, schema, limit, self._prompt_sha256)
            known = self._ledger.remembered(request)
            if known is not None:
                return replace(known, endpoint=endpoint.name)
            try:
                return self._ask(endpoint, request, messages, schema, limit, idempotency_key)
            except _EndpointFailedError as failed:
                failures.append(failed.error)
        raise _worth_raising(failures)

    def _ask(
        self,
        endpoint: Endpoint,
        request: Request,
        messages: Sequence[Message],
        schema: Mapping[str, object] | None,
        limit: int,
        idempotency_key: str | None,
    ) -> Completion:
        entry, began = self._ledger.admit(request), monotonic_s()
        try:
            completion = endpoint.client.complete(
                messages, schema, max_output_tokens=limit, idempotency_key=idempotency_key
            )
        except AppError as error:
            self._ledger.close(entry, _failed(endpoint, request, error, monotonic_s() - began))
            if isinstance(error, ContextTooLongError):
                raise
            raise _EndpointFailedError(error) from None
        outcome = _answered(endpoint, messages, completion, monotonic_s() - began)
        if schema is not None and _refuses(completion.text):
            self._ledger.close(entry, replace(outcome, code=ContentFilterError.code))
            raise _EndpointFailedError(ContentFilterError())
        kept = completion if _may_be_kept(completion, schema) else None
        self._ledger.close(entry, outcome, kept)
        return replace(completion, endpoint=endpoint.name)


class _EndpointFailedError(Exception):
    """One endpoint did not answer; the next may."""

    def __init__(self, error: AppError) -> None:
        super().__init__()
        self.error = error


def _request(
    endpoint: Endpoint,
    messages: Sequence[Message],
    schema: Mapping[str, object] | None,
    limit: int,
    prompt_sha256: str | None,
) -> Request:
    client = endpoint.client
    told = sum(client.count_tokens(message.content) for message in messages)
    content: dict[str, object] = {
        "base_url": client.base_url,
        "model": client.name,
        "messages": [{"role": m.role, "content": m.content} for m in messages],
        "schema": None if schema is None else dict(schema),
        "limit": limit,
    }
    return Request(
        endpoint=endpoint.name,
        model=client.name,
        sha256=hashlib.sha256(canonical_json(content)).hexdigest(),
        tokens=told + limit,
        told=told,
        prompt_sha256=prompt_sha256,
        most_usd=endpoint.price.cost_usd(told, limit),
        requests_per_minute=endpoint.requests_per_minute,
        tokens_per_minute=endpoint.tokens_per_minute,
    )


def _answered(
    endpoint: Endpoint, messages: Sequence[Message], completion: Completion, latency_s: float
) -> Outcome:
    """Return what a call used; tokens that the endpoint did not count are estimated."""
    used, written = completion.input_tokens, completion.output_tokens
    if used is None:
        used = sum(estimate_tokens(message.content) for message in messages)
    if written is None:
        written = estimate_tokens(completion.text)
    cost_usd = endpoint.price.cost_usd(used, written)
    return Outcome("answered", latency_s, used, written, cost_usd)


def _failed(endpoint: Endpoint, request: Request, error: AppError, latency_s: float) -> Outcome:
    """Return what a call used that brought nothing: the most where it was answered after all.

    That is an answer which a filter took back, or which came of a cut prompt.
    """
    answered = isinstance(error, ContentFilterError | ContextTooLongError)
    if not answered or "status" in error.details:
        return Outcome(error.code, latency_s)
    written = request.tokens - request.told
    cost_usd = endpoint.price.cost_usd(request.told, written)
    return Outcome(error.code, latency_s, request.told, written, cost_usd)


def _refuses(text: str) -> bool:
    return find_json(text) is None and is_refusal(text)


def _may_be_kept(completion: Completion, schema: Mapping[str, object] | None) -> bool:
    """Tell a whole answer in the asked form from one that another try may do better."""
    whole = completion.finish_reason == "stop" and bool(completion.text.strip())
    return whole and (schema is None or find_json(completion.text) is not None)


def _worth_raising(failures: Sequence[AppError]) -> AppError:
    """Return the failure that passes first, else the preferred endpoint's."""
    passing = [failure for failure in failures if isinstance(failure, TransientError)]
    soonest = min(passing, key=lambda error: error.retry_after_s or 0.0, default=None)
    return soonest or failures[0]
