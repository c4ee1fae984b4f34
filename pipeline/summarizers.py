"""Which engine writes the summaries: an endpoint's, a local model's, or the one that quotes.

The models that check them are here too.
"""

from datetime import timedelta
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import sqlalchemy as sa

from configs.llm_settings import EndpointSettings, LlmSettings
from configs.settings import Settings
from models.gateway import Endpoint, Gateway, Ledger, NoLedger, Price
from models.llm import LlmClient, LlmConfig, LlmSummarizer
from models.local_llm import LocalLlm, LocalLlmSummarizer
from models.summarizer import Summarizer
from models.summarizer.prompts import Prompt, load_prompt, parse_prompt
from models.summarizer.templates import Template, load_template
from storage.database import create_database, reading
from storage.prompts import get_prompt

if TYPE_CHECKING:
    from models.embedder import Embedder
    from models.quality.entailment import EntailmentModel


def load_extractive(template: Template | None = None) -> Summarizer:
    """Return the summarizer that quotes, with packaged embeddings.

    Args:
        template: which parts a summary has; None for `standard`.
    """
    from models.summarizer.extractive import ExtractiveSummarizer  # noqa: PLC0415 - heavy

    return ExtractiveSummarizer(load_embedder(), template)


@cache
def load_embedder() -> "Embedder":
    """Return the packaged embedder; its weights are loaded when it is first used."""
    from models.embedder import Embedder  # noqa: PLC0415 - heavy; the web has no use for it

    return Embedder()


def load_entailment(settings: Settings) -> "EntailmentModel | None":
    """Return the model of entailment, None where none is set; loaded when it is first used.

    Raises:
        UnknownModelError: there is no such folder, or another kind of model in it (not retryable).
    """
    folder = settings.quality.entailment_model
    return None if folder is None else _entailment(folder)


@lru_cache(maxsize=1)
def _entailment(folder: Path) -> "EntailmentModel":
    from models.entailment import NliModel  # noqa: PLC0415 - the web has no use for it

    return NliModel(folder)


def load_summary_template(settings: Settings) -> Template:
    """Return the template that summaries follow.

    Raises:
        InputError: there is none of this name (not retryable).
        ModelError: its file cannot be used (not retryable).
    """
    return load_template(settings.summary.template, settings.summary.templates)


def load_summarizer(
    settings: Settings, database: sa.Engine | None = None, ledger: Ledger | None = None
) -> Summarizer:
    """Return the configured summarizer: an endpoint's, a local model's, else the one that quotes.

    Args:
        settings: the effective settings.
        database: where prompts of batches are; None opens the settings' own where one is named.
        ledger: of the calls to endpoints; None keeps nothing, for a stage that runs alone.

    Raises:
        InputError: there is no template of this name (not retryable).
        ModelError: prompt or template cannot be used (not retryable).
        NotFoundError: no such prompt is in the database (not retryable).
    """
    llm = settings.llm
    if llm.base_url is None:
        if llm.local_model is None:
            return load_extractive(load_summary_template(settings))
        return _local(llm.local_model, llm.context_tokens, _prompt(settings, database))
    prompt = _prompt(settings, database)
    gateway = Gateway(endpoints(llm), ledger or NoLedger(), prompt_sha256=prompt.digest)
    return LlmSummarizer(gateway, prompt)


@lru_cache(maxsize=4)
def endpoints(llm: LlmSettings) -> tuple[Endpoint, ...]:
    """Return the endpoints in the order in which they are asked, each with its client.

    The clients stay, for they remember what their endpoints understand.
    """
    return tuple(_endpoint(llm, count, found) for count, found in enumerate(llm.endpoints))


def _endpoint(llm: LlmSettings, count: int, endpoint: EndpointSettings) -> Endpoint:
    price = llm.price(endpoint.model)
    return Endpoint(
        name="primary" if count == 0 else f"fallback-{count}",
        client=endpoint_client(endpoint, llm.timeout),
        price=Price(price.input_usd_per_million, price.output_usd_per_million),
        requests_per_minute=endpoint.requests_per_minute,
        tokens_per_minute=endpoint.tokens_per_minute,
    )


def endpoint_client(endpoint: EndpointSettings, timeout: timedelta) -> LlmClient:
    """Return a client of one endpoint; nothing is sent."""
    config = LlmConfig(
        base_url=endpoint.base_url,
        model=endpoint.model,
        api_key=endpoint.api_key.get_secret_value() if endpoint.api_key else None,
        context_tokens=endpoint.context_tokens,
        timeout_s=timeout.total_seconds(),
        stream=endpoint.stream,
    )
    return LlmClient(config)


def _local(folder: Path, context_tokens: int, prompt: Prompt) -> Summarizer:
    return LocalLlmSummarizer(_local_llm(folder, context_tokens), prompt)


@lru_cache(maxsize=1)
def _local_llm(folder: Path, context_tokens: int) -> LocalLlm:
    return LocalLlm(folder, context_tokens=context_tokens)


def _prompt(settings: Settings, database: sa.Engine | None) -> Prompt:
    summary, template = settings.summary, load_summary_template(settings)
    language = None if summary.language == "source" else summary.language
    sha256 = summary.prompt_sha256
    if sha256 is None:
        return load_prompt(summary.prompt, template, language)
    with reading(database or create_database(settings.database_url)) as session:
        return parse_prompt(get_prompt(session, sha256), sha256, template, language)
