"""Is the model there that the settings name? Asked before work that rests on it begins."""

from configs.errors import InputError, UnknownModelError
from configs.llm_settings import LlmSettings
from configs.settings import Settings
from pipeline.summarizers import endpoint_client, load_entailment, load_summary_template


def require_model(settings: Settings, variable: str) -> None:
    """Refuse a change of settings whose model is not there, or that no model would read.

    Args:
        settings: with the change in them.
        variable: the changed setting's dotted name.

    Raises:
        UnknownModelError: it is not installed, or the endpoint does not have it (not retryable).
        InputError: there is no such template, or no language model is configured that would read
            the change (not retryable).
        TransientError: the endpoint did not answer (retryable).
    """
    group = variable.partition(".")[0]
    if group == "asr":
        from models.weights import require_whisper  # noqa: PLC0415 - the web has no use for it

        require_whisper(settings.asr.model)
    elif group in {"llm", "summary"}:
        _require_reader(settings, variable)
        require_language_model(settings.llm)
    elif group == "quality":
        load_entailment(settings)


def require_language_model(llm: LlmSettings) -> None:
    """Refuse a language model that is neither a folder here nor known to the endpoint.

    Raises:
        UnknownModelError: not retryable.
        TransientError: the endpoint did not answer (retryable).
    """
    if llm.endpoints:
        endpoint_client(llm.endpoints[0], llm.timeout).require_model()
    elif llm.local_model is not None and not (llm.local_model / "config.json").is_file():
        raise UnknownModelError(f"There is no model folder {llm.local_model}.")


def _require_reader(settings: Settings, variable: str) -> None:
    llm = settings.llm
    if variable.startswith("summary.template"):
        load_summary_template(settings)  # quoted summaries have its parts and headings too
        return
    if variable == "llm.model" and llm.base_url is None:
        raise InputError("llm.model names a model at an endpoint; no endpoint is configured.")
    quoted = llm.base_url is None and llm.local_model is None
    if variable.startswith("summary.") and quoted:
        raise InputError(
            f"{variable} changes nothing: summaries are quoted, no language model is configured."
        )
