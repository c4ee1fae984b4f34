"""The settings: environment over `{KIKIGAKI_ENV}.toml` over `default.toml`.

Only composition roots read this module; everything else receives values. Unknown keys in a file
and unknown `KIKIGAKI_*` variables are errors that name them.
"""

import os
import re
import tomllib
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, ValidationError

from configs.cron import Cron
from configs.errors import AppError
from configs.group import Duration, Group
from configs.llm_settings import BudgetSettings, LlmSettings

CONFIG_DIR = Path(__file__).parent
PREFIX = "KIKIGAKI_"
TENANT_GROUPS = frozenset(
    {"asr", "redaction", "quality", "review", "summary", "retention", "budget"}
)
OVERRIDABLE = frozenset({"asr", "llm", "summary", "quality", "review"})
"""Groups that a reprocess may change: no secrets, and no lists of names."""
FIXED = frozenset(
    {
        "api_key",
        "base_url",
        "fallbacks",
        "input_usd_per_million",
        "output_usd_per_million",
        "prices",
        "requests_per_minute",
        "tokens_per_minute",
        "vocabulary",
    }
)
"""Settings in those groups that belong to installation or tenant."""
_LISTS = {"asr": ("vocabulary",), "redaction": ("participants", "deny", "allow")}
_TENANT = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}")
CronExpression = Annotated[str, AfterValidator(lambda text: Cron(text).expression)]
TimeZone = Annotated[str, AfterValidator(lambda name: Cron("0 0 * * *", name).time_zone)]
OptionalPath = Annotated[Path | None, BeforeValidator(lambda path: path or None)]
DEFAULT_TENANT = "default"


class SettingsError(AppError):
    """The settings cannot be used."""

    code = "settings.invalid"


class UnknownTenantError(SettingsError):
    """There is no tenant of this name."""

    code = "input.unknown_tenant"
    http_status = 422


class DatabaseSettings(Group):
    """Where the tables live; without `url`, an SQLite file under the home folder."""

    url: str | None = None


class S3Settings(Group):
    """The object store; without `endpoint_url`, the embedded server under the home folder."""

    endpoint_url: str | None = None
    access_key: SecretStr | None = None
    secret_key: SecretStr | None = None
    bucket_prefix: str = Field(default="kikigaki", pattern=r"^[a-z0-9][a-z0-9-]{1,40}$")
    region: str = "us-east-1"


class AsrSettings(Group):
    """Speech recognition. `model` is a packaged name or the path of a CTranslate2 folder.

    `vocabulary` are names and terms to expect, beside those that come with an upload;
    `speaker_model` tells voices on one channel apart.
    """

    model: str = "base"
    device: Literal["cpu", "cuda"] = "cpu"
    compute_type: str = "int8"
    beam_size: int = Field(default=5, ge=1, le=20)
    window: Duration = Field(default=timedelta(minutes=10), ge=timedelta(seconds=30))
    vocabulary: tuple[str, ...] = ()
    speaker_model: Literal["resemblyzer"] | None = None


class SummarySettings(Group):
    """How summaries are written.

    `template` is what runs follow that ask for none (`meeting`, or `meeting.v1`), `templates` a
    folder of further ones, `language` what is written in: the source's, or always the same.
    `prompt` is the path of another prompt file on each worker; `prompt_sha256` names one that a
    batch has put into the database, and comes before it.
    """

    template: str = Field(
        default="standard", pattern=r"^[a-z0-9][a-z0-9_-]{0,40}(\.v[1-9][0-9]{0,3})?$"
    )
    templates: Path | None = None
    language: Literal["source", "en", "ja", "zh"] = "source"
    prompt: Path | None = None
    prompt_sha256: str | None = Field(default=None, pattern=r"^[0-9a-f]{64}$")


class RedactionSettings(Group):
    """What is redacted beside what the packaged recognizers find.

    `ner_model` is a folder of transformers weights (token classification) whose names join theirs;
    the installation's, for all tenants.
    """

    ner_model: OptionalPath = None
    participants: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()


class QualitySettings(Group):
    """Thresholds of the checks (ratios 0..1); `models/quality/thresholds.py` has their sources.

    `entailment_model` is the folder of a model of entailment; without one there are no such checks.
    """

    entailment_model: OptionalPath = None

    min_decoded_ratio: float = Field(default=0.98, ge=0, le=1)
    decoded_tolerance_s: float = Field(default=1.0, ge=0)
    min_speech_ratio: float = Field(default=0.1, ge=0, le=1)
    little_speech_s: float = Field(default=60.0, ge=0)
    min_transcribed_ratio: float = Field(default=0.8, ge=0, le=1)
    warn_transcribed_ratio: float = Field(default=0.9, ge=0, le=1)
    warn_hole_s: float = Field(default=30.0, ge=0)
    max_hole_s: float = Field(default=120.0, ge=0)
    warn_suspect_ratio: float = Field(default=0.2, ge=0, le=1)
    max_suspect_ratio: float = Field(default=0.5, ge=0, le=1)
    min_model_input_ratio: float = Field(default=1.0, ge=0, le=1)
    min_cited_ratio: float = Field(default=0.0, ge=0, le=1)
    max_uncited_ratio: float = Field(default=0.45, ge=0, le=1)
    uncited_min_segments: int = Field(default=10, ge=1)
    min_told_ratio: float = Field(default=0.4, ge=0, le=1)
    min_words_told_ratio: float = Field(default=0.2, ge=0, le=1)
    min_support_ratio: float = Field(default=0.2, ge=0, le=1)
    min_similarity: float = Field(default=0.84, ge=-1, le=1)
    min_similarity_cjk: float = Field(default=0.92, ge=-1, le=1)
    min_decision_support_ratio: float = Field(default=0.3, ge=0, le=1)
    aligned_ratio: float = Field(default=0.6, ge=0, le=1)
    loosely_aligned_ratio: float = Field(default=0.4, ge=0, le=1)
    min_denied_ratio: float = Field(default=0.2, ge=0, le=1)
    min_said_ratio: float = Field(default=0.3, ge=0, le=1)
    max_own_ratio: float = Field(default=0.34, ge=0, le=1)
    same_statement_ratio: float = Field(default=0.75, ge=0, le=1)
    min_entailment: float = Field(default=0.5, ge=0, le=1)
    max_contradiction: float = Field(default=0.5, ge=0, le=1)
    block_contradiction: float = Field(default=0.9, ge=0, le=1)
    max_repeats: int = Field(default=3, ge=2)
    max_summary_ratio: float = Field(default=0.8, ge=0)
    min_summary_ratio: float = Field(default=0.005, ge=0, le=1)
    long_source_chars: int = Field(default=2000, ge=1)


class ReviewSettings(Group):
    """Who may approve, how many must, and until when."""

    timeout: Duration = timedelta(hours=72)
    approvals: int = Field(default=1, ge=1, le=9)
    own_upload: bool = True


class UploadSettings(Group):
    """What may be uploaded."""

    max_bytes: int = Field(default=4 * 1024**3, ge=1)


class WebSettings(Group):
    """The web server. `base_url` is what links in notifications begin with."""

    host: str = "127.0.0.1"
    port: int = Field(default=8000, ge=0, le=65535)
    base_url: str | None = None
    session_lifetime: Duration = timedelta(hours=12)


class WorkerSettings(Group):
    """How much one worker process does at a time."""

    asr: int = Field(default=1, ge=1)
    redact: int = Field(default=1, ge=1)
    llm: int = Field(default=1, ge=1)
    lease: Duration = Field(default=timedelta(seconds=30), ge=timedelta(seconds=1))


class WebhookSettings(Group):
    """Whom to tell of a publication. Private addresses are refused unless allowed."""

    url: str | None = None
    secret: SecretStr | None = None
    allow_private: bool = False


class RetentionSettings(Group):
    """How long raw artifacts stay after a run has ended."""

    raw: Duration = timedelta(days=30)


class ScheduleSettings(Group):
    """When the installation looks after itself, on the wall clock of a time zone."""

    time_zone: TimeZone = "UTC"
    retention: CronExpression = "30 3 * * *"


class SecretsSettings(Group):
    """Keys given from outside; without them, generated ones under the home folder."""

    signing_key: SecretStr | None = None
    pseudonym_key: SecretStr | None = None


class Settings(Group):
    """All settings; each field's names joined by `.` are its dotted name (`asr.model`)."""

    home: Path = Path(".kikigaki")
    database: DatabaseSettings = DatabaseSettings()
    s3: S3Settings = S3Settings()
    asr: AsrSettings = AsrSettings()
    llm: LlmSettings = LlmSettings()
    budget: BudgetSettings = BudgetSettings()
    summary: SummarySettings = SummarySettings()
    redaction: RedactionSettings = RedactionSettings()
    quality: QualitySettings = QualitySettings()
    review: ReviewSettings = ReviewSettings()
    upload: UploadSettings = UploadSettings()
    web: WebSettings = WebSettings()
    worker: WorkerSettings = WorkerSettings()
    webhook: WebhookSettings = WebhookSettings()
    retention: RetentionSettings = RetentionSettings()
    schedules: ScheduleSettings = ScheduleSettings()
    secrets: SecretsSettings = SecretsSettings()

    @property
    def database_url(self) -> str:
        """The database's URL: the configured one, or the SQLite file under the home folder."""
        return self.database.url or f"sqlite:///{self.home.absolute() / 'kikigaki.sqlite'}"

    def with_overrides(self, overrides: Mapping[str, object]) -> "Settings":
        """Return settings with values changed by dotted name.

        Args:
            overrides: `{"asr.model": "large-v3"}`; values as a file or the environment gives them.

        Raises:
            SettingsError: a name is unknown or a value does not fit (not retryable).
        """
        tree: dict[str, Any] = {}
        for dotted, value in overrides.items():
            group, _, name = dotted.partition(".")
            if group not in OVERRIDABLE or name in FIXED:
                raise SettingsError(f"{dotted} cannot be changed for a single revision.")
            _put(tree, dotted.split("."), value)
        return _validated(_merged(self._plain(), tree))

    def for_tenant(self, tenant: str) -> "Settings":
        """Return the settings with what `tenants/{tenant}.toml` changes.

        Raises:
            SettingsError: there is no such tenant, or its file sets another group (not retryable).
        """
        path = CONFIG_DIR / "tenants" / f"{tenant}.toml"
        if not _TENANT.fullmatch(tenant) or not path.is_file():
            raise UnknownTenantError(f"There is no tenant {tenant[:63]!r}.")
        tree = _read_toml(path)
        if others := sorted(set(tree) - TENANT_GROUPS):
            raise SettingsError(f"tenants/{path.name} may not set {', '.join(others)}.")
        if "ner_model" in tree.get("redaction", {}):
            raise SettingsError(f"tenants/{path.name} may not set redaction.ner_model.")
        return _validated(_merged(self._plain(), tree))

    def for_runs_of(self, tenant: str) -> "Settings":
        """Return the settings for the runs that a tenant has.

        Those of a tenant whose file was removed go by the default tenant's: they can be decided,
        finished and let go. New ones cannot be made (`for_tenant`).

        Raises:
            SettingsError: the tenant's file cannot be used (not retryable).
        """
        return self.for_tenant(tenant if tenant in tenant_names() else DEFAULT_TENANT)

    def raw_retention(self, tenant: str) -> timedelta:
        """Return how long a tenant's raw artifacts stay after a run has ended.

        Raises:
            SettingsError: the tenant's file cannot be used (not retryable).
        """
        return self.for_runs_of(tenant).retention.raw

    def _plain(self) -> dict[str, Any]:
        return {
            name: dict(getattr(self, name))
            if isinstance(getattr(self, name), Group)
            else getattr(self, name)
            for name in type(self).model_fields
        }


def tenant_names() -> list[str]:
    """Return the tenants that have a file, in order."""
    return sorted(path.stem for path in (CONFIG_DIR / "tenants").glob("*.toml"))


def load_settings(environ: Mapping[str, str] | None = None) -> Settings:
    """Read the settings.

    Args:
        environ: the environment (default: the process's).

    Raises:
        SettingsError: a file is missing or unreadable, a key or variable is unknown, or a value
            does not fit (not retryable).
    """
    environ = os.environ if environ is None else environ
    tree = _read_toml(CONFIG_DIR / "default.toml")
    name = environ.get(f"{PREFIX}ENV")
    if name:
        tree = _merged(tree, _read_toml(CONFIG_DIR / f"{name}.toml"))
    return _validated(_merged(tree, _from_environment(environ)))


def _from_environment(environ: Mapping[str, str]) -> dict[str, Any]:
    tree: dict[str, Any] = {}
    for variable, value in environ.items():
        if variable.startswith(PREFIX) and variable != f"{PREFIX}ENV":
            _put(tree, variable.removeprefix(PREFIX).lower().split("__"), value)
    return tree


def _put(tree: dict[str, Any], path: list[str], value: object) -> None:
    for name in path[:-1]:
        tree = tree.setdefault(name, {})
        if not isinstance(tree, dict):
            raise SettingsError(f"{'.'.join(path)} is set both as a value and as a group.")
    tree[path[-1]] = value


def _merged(below: dict[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    result = dict(below)
    for name, value in above.items():
        old = result.get(name)
        both = isinstance(old, dict) and isinstance(value, Mapping)
        result[name] = _merged(old, value) if both else value  # type: ignore[arg-type]
    return result


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise SettingsError(f"There is no settings file {path.name} in {path.parent}.") from None
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{path.name} is not valid TOML: {error}") from None


def _validated(tree: dict[str, Any]) -> Settings:
    try:
        return Settings.model_validate(_listed(tree))
    except ValidationError as error:
        problems = [f"{_shown(e['loc'])}: {e['msg']}" for e in error.errors(include_input=False)]
        raise SettingsError("The settings cannot be used. " + "; ".join(problems)) from None


def _listed(tree: dict[str, Any]) -> dict[str, Any]:
    """Split comma-separated text of the environment where a list is expected."""
    for group, names in _LISTS.items():
        found = tree.get(group)
        if not isinstance(found, dict):
            continue
        for name in names:
            if isinstance(value := found.get(name), str):
                found[name] = tuple(part.strip() for part in value.split(",") if part.strip())
    return tree


def _shown(location: tuple[int | str, ...]) -> str:
    dotted = ".".join(map(str, location))
    variable = PREFIX + "__".join(str(part).upper() for part in location)
    return f"{dotted} (environment {variable})"
