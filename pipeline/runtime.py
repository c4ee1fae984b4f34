"""The composition root: settings become a database, a store, an engine and the steps' services.

Steps get settings from here and from `summarizers` only. Nothing here loads a model: the services
hold factories, and a model is loaded by the process whose step first asks for it.
"""

import hashlib
import hmac
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import sqlalchemy as sa

from configs.group import Group
from configs.settings import AsrSettings, Settings, load_settings, tenant_names
from models.documents import LANGUAGES, canonical_json
from models.quality import CheckOptions, QualityThresholds
from models.redactor import RedactionPolicy
from models.summarizer import Summarizer
from models.summarizer.templates import template_names
from pipeline.commands import App
from pipeline.engine import Engine, EngineSettings, Resource
from pipeline.keys import secret_key, signing_key
from pipeline.ledger import RunLedger
from pipeline.logs import configure_logs
from pipeline.retention import Retention, retention_schedule
from pipeline.steps import services as step_services
from pipeline.steps.job import DEFAULT_TEMPLATE, Job
from pipeline.steps.services import ReviewOptions, Services, StepOptions, WebhookOptions
from pipeline.summarizers import (
    load_embedder,
    load_entailment,
    load_extractive,
    load_summarizer,
    load_summary_template,
)
from pipeline.workflow import ProcessSource
from storage import migrate
from storage.artifacts import ArtifactStore
from storage.database import create_database
from storage.embedded_s3 import EmbeddedS3, known_config
from storage.policy import ReviewPolicy
from storage.s3 import StoreConfig

if TYPE_CHECKING:
    from models.redactor import Redactor
    from models.redactor.ner import TransformerNames
    from models.transcriber import Transcriber
    from models.voices import VoiceModel

RESOURCES = ("asr", "redact", "llm")
CHILD_SETUP = "pipeline.runtime:install_in_child"


@dataclass(frozen=True)
class Runtime:
    """One process's connections; `app` is what commands take."""

    settings: Settings
    database: sa.Engine
    store: ArtifactStore
    engine: Engine
    app: App


@contextmanager
def open_runtime(
    settings: Settings,
    *,
    child_setup: str = CHILD_SETUP,
    engine_settings: EngineSettings | None = None,
) -> Iterator[Runtime]:
    """Connect to database, store and engine; start the embedded store where none is configured.

    Args:
        settings: the effective settings.
        child_setup: what installs the steps' services in the engine's child processes.
        engine_settings: the engine's times, where tests need others.

    Raises:
        TransientError: database or store did not answer (retryable).
        InputError: a key file cannot be used (not retryable).
    """
    settings.home.mkdir(parents=True, exist_ok=True, mode=0o700)
    with ExitStack() as stack:
        config = _store_config(settings, stack)
        store = ArtifactStore(config)
        store.ensure_buckets()
        database = create_database(settings.database_url)
        stack.callback(database.dispose)
        migrate.upgrade(database)
        times = engine_settings or EngineSettings(lease_s=settings.worker.lease.total_seconds())
        engine = _engine(settings, database, child_setup, times)
        engine.connect()
        stack.callback(engine.stop)
        app = App(
            database=database,
            store=store,
            engine=engine,
            review_policy=lambda tenant: _review_policy(settings.for_runs_of(tenant)),
            max_upload_bytes=settings.upload.max_bytes,
            templates=lambda tenant: _templates(settings.for_tenant(tenant)),
            has_tenant=lambda tenant: tenant in tenant_names(),
        )
        step_services.install(build_services(settings, config, database))
        yield Runtime(settings, database, store, engine, app)


def install_in_child(_resource: str) -> None:
    """Install the steps' services in a child process of the engine (`child_setup`)."""
    configure_logs()
    settings = load_settings()
    prefix = settings.s3.bucket_prefix
    config = configured_store(settings) or known_config(settings.home, bucket_prefix=prefix)
    step_services.install(build_services(settings, config, create_database(settings.database_url)))


def build_services(settings: Settings, config: StoreConfig, database: sa.Engine) -> Services:
    """Return the services of the steps, with factories for the models."""
    signing_secret = settings.secrets.signing_key
    store = ArtifactStore(config)
    return Services(
        store=store,
        database=database,
        scratch=settings.home / "scratch" / str(os.getpid()),
        signing_key=signing_key(
            settings.home, signing_secret.get_secret_value() if signing_secret else None
        ),
        options=lambda job: step_options(settings, job),
        raw_retention=settings.raw_retention,
        transcriber=lambda job: load_transcriber(_effective(settings, job)),
        voices=lambda job: load_voices(_effective(settings, job)),
        redactor=cache(lambda: load_redactor(settings)),
        redaction_policy=lambda job: policy_of_job(settings, job),
        summarizer=lambda job: _summarizer(settings, job, store, database),
        extractive=lambda job: load_extractive(load_summary_template(_effective(settings, job))),
        check_options=lambda job: check_options(settings, job),
    )


def redaction_policy(settings: Settings) -> RedactionPolicy:
    """Return what is redacted besides what is found."""
    redaction = settings.redaction
    return RedactionPolicy(redaction.participants, redaction.deny, redaction.allow)


def policy_of_job(settings: Settings, job: Job) -> RedactionPolicy:
    """Return what is redacted in one revision besides what is found.

    Raises:
        UnknownTenantError: the tenant's own lists are gone with its file (not retryable).
    """
    settings.for_tenant(job.tenant)
    return redaction_policy(_effective(settings, job))


def step_options(settings: Settings, job: Job) -> StepOptions:
    """Return the settings of one revision as values."""
    effective = _effective(settings, job)
    return StepOptions(
        window=effective.asr.window,
        vocabulary=effective.asr.vocabulary,
        review=ReviewOptions(effective.review.timeout, effective.review.approvals),
        webhook=_webhook(effective),
        digests=_digests(effective),
    )


def check_options(settings: Settings, job: Job) -> CheckOptions:
    """Return how one revision is checked; the models are loaded when they are first used.

    Raises:
        UnknownModelError: there is no such model of entailment (not retryable).
    """
    effective = _effective(settings, job)
    asked = effective.summary.language
    return CheckOptions(
        thresholds=QualityThresholds(**effective.quality.model_dump(exclude={"entailment_model"})),
        allowed=effective.redaction.allow,
        language=None if asked == "source" else asked,
        embedder=load_embedder(),
        entailment=load_entailment(effective),
    )


def sweep_scratch(settings: Settings) -> None:
    """Remove the scratch folders of processes that are gone; they hold raw recordings."""
    folder = settings.home / "scratch"
    for path in folder.iterdir() if folder.is_dir() else ():
        if not path.name.isdigit() or not Path("/proc", path.name).exists():
            shutil.rmtree(path, ignore_errors=True)


def pseudonym_key(settings: Settings) -> bytes:
    """Return the secret that keys the pseudonym tables; made under the home folder on first use.

    Raises:
        InputError: the key file is empty (not retryable).
    """
    secret = settings.secrets.pseudonym_key
    return secret_key(settings.home, "pseudonym.key", secret.get_secret_value() if secret else None)


def _engine(
    settings: Settings, database: sa.Engine, child_setup: str, times: EngineSettings
) -> Engine:
    worker, schedules = settings.worker, settings.schedules
    return Engine(
        database=database,
        url=settings.database_url,
        workflows=[ProcessSource(), Retention()],
        resources={name: Resource(per_process=getattr(worker, name)) for name in RESOURCES},
        child_setup=child_setup,
        settings=times,
        schedules=[retention_schedule(schedules.retention, schedules.time_zone)],
    )


def _store_config(settings: Settings, stack: ExitStack) -> StoreConfig:
    configured = configured_store(settings)
    if configured is not None:
        return configured
    server = EmbeddedS3(settings.home, bucket_prefix=settings.s3.bucket_prefix)
    return stack.enter_context(server).config


def configured_store(settings: Settings) -> StoreConfig | None:
    """Return the store that the settings name; None where the embedded one is meant."""
    s3 = settings.s3
    if s3.endpoint_url is None:
        return None
    return StoreConfig(
        endpoint_url=s3.endpoint_url,
        access_key=s3.access_key.get_secret_value() if s3.access_key else "",
        secret_key=s3.secret_key.get_secret_value() if s3.secret_key else "",
        bucket_prefix=s3.bucket_prefix,
        region=s3.region,
    )


def _effective(settings: Settings, job: Job) -> Settings:
    chosen = {} if job.template == DEFAULT_TEMPLATE else {"summary.template": job.template}
    return settings.for_runs_of(job.tenant).with_overrides({**chosen, **job.overrides})


def _templates(settings: Settings) -> tuple[str, ...]:
    """Return the names of the templates that there are, having looked at the default one."""
    load_summary_template(settings)
    return template_names(settings.summary.templates)


def _summarizer(
    settings: Settings, job: Job, store: ArtifactStore, database: sa.Engine
) -> Summarizer:
    """Return the summarizer of one revision, whose calls stand in the ledger."""
    effective = _effective(settings, job)
    ledger = RunLedger(
        database=database,
        store=store,
        job=job,
        run_usd=effective.budget.run_usd,
        tenant_usd_per_month=effective.budget.tenant_usd_per_month,
        keeps_answers=effective.llm.cache,
    )
    return load_summarizer(effective, database, ledger)


def _review_policy(settings: Settings) -> ReviewPolicy:
    return ReviewPolicy(own_upload=settings.review.own_upload)


def _webhook(settings: Settings) -> WebhookOptions | None:
    webhook = settings.webhook
    if webhook.url is None:
        return None
    return WebhookOptions(
        url=webhook.url,
        secret=webhook.secret.get_secret_value() if webhook.secret else "",
        allow_private=webhook.allow_private,
        base_url=settings.web.base_url,
    )


def _digests(settings: Settings) -> dict[str, str]:
    """Return a keyed digest of each group: a plain one of a list of names could be guessed."""
    key = pseudonym_key(settings)
    groups: Mapping[str, tuple[Group, ...]] = {
        "asr": (settings.asr,),
        "redaction": (settings.redaction,),
        "llm": (settings.llm, settings.summary),
        "quality": (settings.quality, settings.redaction),  # the checks let allowed names stand
    }
    return {
        name: hmac.new(
            key, b"".join(canonical_json(part) for part in parts), hashlib.sha256
        ).hexdigest()
        for name, parts in groups.items()
    }


def load_transcriber(settings: Settings) -> "Transcriber":
    """Return the speech recognizer; the one that was asked for last stays loaded.

    Raises:
        UnknownModelError: it is not installed (not retryable).
    """
    return _transcriber(settings.asr.model_copy(update={"vocabulary": ()}), settings.home)


def load_voices(settings: Settings) -> "VoiceModel | None":
    """Return what tells voices apart, None where nothing is to."""
    return None if settings.asr.speaker_model is None else _resemblyzer()


@cache
def _resemblyzer() -> "VoiceModel":
    from models.resemblyzer import Resemblyzer  # noqa: PLC0415 - heavy; the web has no use for it

    return Resemblyzer()


@lru_cache(maxsize=1)
def _transcriber(asr: AsrSettings, home: Path) -> "Transcriber":
    from models.transcriber import Transcriber  # noqa: PLC0415 - heavy; the web has no use for it
    from models.weights import whisper_path  # noqa: PLC0415 - the same

    return Transcriber(
        whisper_path(asr.model, home),
        name=asr.model,
        device=asr.device,
        compute_type=asr.compute_type,
        beam_size=asr.beam_size,
    )


def load_redactor(settings: Settings, languages: Sequence[str] = LANGUAGES) -> "Redactor":
    """Return the redactor; its models are loaded when they are first used.

    Args:
        settings: the effective settings.
        languages: languages that its self-test proves.

    Raises:
        UnknownModelError: `redaction.ner_model` is no model for names (not retryable).
    """
    from models.redactor import Redactor  # noqa: PLC0415 - heavy; the web has no use for it

    names = _names(settings.redaction.ner_model)
    return Redactor(pseudonym_key(settings), languages=languages, names=names)


@lru_cache(maxsize=1)
def _names(folder: Path | None) -> "TransformerNames | None":
    from models.redactor.ner import TransformerNames  # noqa: PLC0415 - the web has no use for it

    return None if folder is None else TransformerNames(folder)
