"""The settings of language models: endpoints, prices, limits and budgets."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Self

from pydantic import BeforeValidator, Field, SecretStr, model_validator

from configs.group import Duration, Group


def _tables(value: object) -> object:
    """Read a list of tables that the environment gives as JSON."""
    return json.loads(value) if isinstance(value, str) else value


class EndpointSettings(Group):
    """An OpenAI-compatible endpoint that is asked where those before it fail."""

    base_url: str
    model: str
    api_key: SecretStr | None = None
    context_tokens: int = Field(default=8192, ge=1024)
    stream: bool = True
    requests_per_minute: int | None = Field(default=None, ge=1)
    tokens_per_minute: int | None = Field(default=None, ge=1)


class PriceSettings(Group):
    """What a model costs, in US dollars per million tokens."""

    model: str
    input_usd_per_million: float = Field(ge=0)
    output_usd_per_million: float = Field(ge=0)


class LlmSettings(Group):
    """The written summary: an OpenAI-compatible endpoint, or a local model folder.

    With neither, summaries are extractive. Limits are the endpoint's own, over all workers. A
    model that `prices` does not name costs what the two prices here say, in US dollars per
    million tokens.
    """

    base_url: str | None = None
    api_key: SecretStr | None = None
    model: str | None = None
    local_model: Path | None = None
    context_tokens: int = Field(default=8192, ge=1024)
    timeout: Duration = timedelta(minutes=5)
    stream: bool = True
    cache: bool = True
    requests_per_minute: int | None = Field(default=None, ge=1)
    tokens_per_minute: int | None = Field(default=None, ge=1)
    input_usd_per_million: float = Field(default=0.0, ge=0)
    output_usd_per_million: float = Field(default=0.0, ge=0)
    prices: Annotated[tuple[PriceSettings, ...], BeforeValidator(_tables)] = ()
    fallbacks: Annotated[tuple[EndpointSettings, ...], BeforeValidator(_tables)] = ()

    @model_validator(mode="after")
    def _endpoint_has_a_model(self) -> Self:
        if self.base_url and not self.model:
            raise ValueError("an endpoint needs a model: set llm.model")
        if self.fallbacks and not self.base_url:
            raise ValueError("fallbacks need an endpoint that they stand in for: set llm.base_url")
        return self

    @property
    def endpoints(self) -> tuple[EndpointSettings, ...]:
        """All endpoints in the order in which they are asked; empty where there is none."""
        if self.base_url is None or self.model is None:
            return ()
        first = EndpointSettings(
            base_url=self.base_url,
            model=self.model,
            api_key=self.api_key,
            context_tokens=self.context_tokens,
            stream=self.stream,
            requests_per_minute=self.requests_per_minute,
            tokens_per_minute=self.tokens_per_minute,
        )
        return (first, *self.fallbacks)

    def price(self, model: str) -> PriceSettings:
        """Return what a model costs."""
        default = PriceSettings(
            model=model,
            input_usd_per_million=self.input_usd_per_million,
            output_usd_per_million=self.output_usd_per_million,
        )
        return next((price for price in self.prices if price.model == model), default)


class BudgetSettings(Group):
    """What model calls may cost, in US dollars; None: no limit. A tenant may have its own."""

    run_usd: float | None = Field(default=None, ge=0)
    tenant_usd_per_month: float | None = Field(default=None, ge=0)
