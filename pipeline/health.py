"""What `kikigaki doctor` looks at: every part that a run needs, tried and not believed."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial

from configs.errors import AppError
from configs.settings import Settings
from models.documents import LANGUAGES
from pipeline.model_check import require_language_model
from pipeline.runtime import Runtime, load_redactor, open_runtime
from pipeline.summarizers import endpoint_client, load_entailment, load_extractive
from storage import audit, migrate
from storage.database import database_now, reading

_MIN_FREE_BYTES = 2 * 1024**3


@dataclass(frozen=True)
class HealthCheck:
    """One part that was tried; `detail` says what was found, or what to do."""

    name: str
    ok: bool
    detail: str


def examine(settings: Settings) -> Iterator[HealthCheck]:
    """Try every part in turn; one that fails does not keep the others from being tried."""
    yield _tried("disk", lambda: _disk(settings))
    yield _tried("keys", lambda: _keys(settings))
    with ExitStack() as stack:
        try:
            runtime = stack.enter_context(open_runtime(settings))
        except (AppError, OSError) as error:
            yield HealthCheck("database and store", False, _told(error))
        else:
            yield from _connections(runtime)
    yield from _models(settings)


def _connections(runtime: Runtime) -> Iterator[HealthCheck]:
    yield _tried("database", lambda: _database(runtime))
    yield _tried("migrations", lambda: _migrations(runtime))
    yield _tried("audit log", lambda: _audit(runtime))
    try:
        report = runtime.store.probe()
    except AppError as error:
        yield HealthCheck("store", False, _told(error))
        return
    for check in report.checks:
        name = f"store: {check.name.replace('_', ' ')}"
        yield HealthCheck(name, check.ok, check.detail or "works")


def _models(settings: Settings) -> Iterator[HealthCheck]:
    yield _tried("speech model", lambda: _speech_model(settings))
    for language in LANGUAGES:
        yield _tried(f"redaction: {language}", partial(_redaction, settings, language))
    yield _tried("embeddings", _embeddings)
    yield _tried("summaries", lambda: _summaries(settings))
    yield _tried("entailment", lambda: _entailment(settings))


def _tried(name: str, attempt: Callable[[], str]) -> HealthCheck:
    try:
        return HealthCheck(name, True, attempt())
    except _FoundWrong as problem:
        return HealthCheck(name, False, str(problem))
    except Exception as error:  # noqa: BLE001 - whatever a broken part raises is its finding
        return HealthCheck(name, False, _told(error))


class _FoundWrong(Exception):  # noqa: N818 - a finding, not an error
    """The part works, but is not as it should be."""


def _told(error: BaseException) -> str:
    return error.message if isinstance(error, AppError) else type(error).__name__


def _disk(settings: Settings) -> str:
    settings.home.mkdir(parents=True, exist_ok=True, mode=0o700)
    free = shutil.disk_usage(settings.home).free
    text = f"{free / 1024**3:.1f} GiB free in {settings.home}"
    if free < _MIN_FREE_BYTES:
        raise _FoundWrong(f"{text}; recordings need room")
    return text


def _keys(settings: Settings) -> str:
    folder = settings.home / "keys"
    private = [path for path in folder.glob("*") if path.suffix != ".pub"]
    if opened := [path.name for path in private if path.stat().st_mode & 0o077]:
        raise _FoundWrong(f"others can read {', '.join(opened)} in {folder}; chmod 600")
    return f"{len(private)} private keys that only their owner can read"


def _database(runtime: Runtime) -> str:
    with reading(runtime.database) as session:
        now = database_now(session)
    return f"{runtime.database.dialect.name} answers; its clock says {now:%Y-%m-%d %H:%M:%S} UTC"


def _migrations(runtime: Runtime) -> str:
    if not migrate.is_current(runtime.database):
        raise _FoundWrong("the tables are not of this version; run `kikigaki db upgrade`")
    return "up to date"


def _audit(runtime: Runtime) -> str:
    with reading(runtime.database) as session:
        report = audit.verify(session)
    if not report.ok:
        raise _FoundWrong(f"{report.detail} (event {report.broken_at})")
    return f"{report.events} events, none changed"


def _speech_model(settings: Settings) -> str:
    from models.weights import whisper_path  # noqa: PLC0415 - only the worker's machines need it

    whisper_path(settings.asr.model, settings.home)
    return f"{settings.asr.model} is installed"


def _redaction(settings: Settings, language: str) -> str:
    load_redactor(settings, (language,)).self_test()
    model = settings.redaction.ner_model
    return "finds the known strings" + ("" if model is None else f", with {model.name}")


def _embeddings() -> str:
    return f"{load_extractive().name} is installed"


def _entailment(settings: Settings) -> str:
    """Let the model tell a known sentence from its contrary in each language."""
    from models.quality.entailment import languages_missed  # noqa: PLC0415 - not on the web

    model = load_entailment(settings)
    if model is None:
        return "not used (quality.entailment_model is empty)"
    if missed := languages_missed(model):
        raise _FoundWrong(
            f"{model.name} does not tell a sentence from its contrary in {', '.join(missed)}; "
            "take a model for these languages, or empty quality.entailment_model"
        )
    return f"{model.name} tells a sentence from its contrary in {', '.join(LANGUAGES)}"


def _summaries(settings: Settings) -> str:
    require_language_model(settings.llm)
    if settings.llm.base_url is not None:
        return _endpoints(settings)
    if settings.llm.local_model is not None:
        return "written by a local model"
    return "quoted from the transcript (no language model is configured)"


def _endpoints(settings: Settings) -> str:
    """Say which models write; an endpoint that stands in for another has to be there too."""
    for endpoint in settings.llm.fallbacks:
        endpoint_client(endpoint, settings.llm.timeout).require_model()
    named = [endpoint.model for endpoint in settings.llm.endpoints]
    return f"written by {', else '.join(named)} at the configured endpoints"
