from datetime import timedelta
from pathlib import Path

import pytest

from configs.settings import SettingsError, UnknownTenantError, load_settings


def test_load_settings_without_environment_gives_the_defaults() -> None:
    settings = load_settings({})
    assert settings.asr.model == "base"
    assert settings.review.timeout == timedelta(hours=72)
    assert settings.database_url.startswith("sqlite:////")


def test_load_settings_with_environment_overrides_the_file() -> None:
    settings = load_settings({"KIKIGAKI_REVIEW__TIMEOUT": "PT2H", "KIKIGAKI_HOME": "/srv/kikigaki"})
    assert settings.review.timeout == timedelta(hours=2)
    assert settings.home == Path("/srv/kikigaki")


def test_load_settings_with_a_named_file_overrides_the_default() -> None:
    assert load_settings({"KIKIGAKI_ENV": "production"}).review.own_upload is False


@pytest.mark.parametrize(
    ("environ", "named"),
    [
        ({"KIKIGAKI_FOO": "1"}, "KIKIGAKI_FOO"),
        ({"KIKIGAKI_ASR__MODLE": "x"}, "KIKIGAKI_ASR__MODLE"),
        ({"KIKIGAKI_ENV": "nowhere"}, "nowhere.toml"),
        ({"KIKIGAKI_ASR__BEAM_SIZE": "many"}, "asr.beam_size"),
        ({"KIKIGAKI_ASR": "x", "KIKIGAKI_ASR__MODEL": "y"}, "asr"),
    ],
)
def test_load_settings_with_something_wrong_names_it(environ: dict[str, str], named: str) -> None:
    with pytest.raises(SettingsError, match=named):
        load_settings(environ)


def test_load_settings_with_an_invalid_secret_does_not_show_it() -> None:
    with pytest.raises(SettingsError) as caught:
        load_settings({"KIKIGAKI_S3__BUCKET_PREFIX": "Not/Allowed-hunter2"})
    assert "hunter2" not in str(caught.value)


def test_with_overrides_changes_one_value_by_dotted_name() -> None:
    settings = load_settings({})
    changed = settings.with_overrides({"asr.model": "/models/large"})
    assert changed.asr.model == "/models/large"
    assert changed.model_copy(update={"asr": settings.asr}) == settings


@pytest.mark.parametrize(
    "name",
    [
        "asr.nothing",
        "secrets.signing_key",
        "llm.api_key",
        "budget.run_usd",
        "home",
    ],
)
def test_with_overrides_of_what_may_not_change_is_refused(name: str) -> None:
    with pytest.raises(SettingsError, match=name.partition(".")[0]):
        load_settings({}).with_overrides({name: "x"})


@pytest.mark.parametrize("tenant", ["nobody", "../settings", "", "a/b"])
def test_for_tenant_without_a_file_is_refused(tenant: str) -> None:
    with pytest.raises(UnknownTenantError, match="no tenant") as caught:
        load_settings({}).for_tenant(tenant)
    assert caught.value.http_status == 422


@pytest.mark.parametrize("tenant", ["removed", "../settings"])
def test_settings_for_runs_of_a_tenant_whose_file_was_removed_are_the_default_ones(
    tenant: str,
) -> None:
    settings = load_settings({})
    assert settings.for_runs_of(tenant) == settings


def test_for_tenant_default_changes_nothing() -> None:
    settings = load_settings({})
    assert settings.for_tenant("default") == settings


def test_for_tenant_whose_file_sets_the_model_for_names_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "tenants").mkdir()
    (tmp_path / "tenants" / "ours.toml").write_text('[redaction]\nner_model = "/models/ner"\n')
    settings = load_settings({})
    monkeypatch.setattr("configs.settings.CONFIG_DIR", tmp_path)
    with pytest.raises(SettingsError, match=r"redaction\.ner_model"):
        settings.for_tenant("ours")


def test_model_for_names_that_is_empty_is_none() -> None:
    assert load_settings({"KIKIGAKI_REDACTION__NER_MODEL": ""}).redaction.ner_model is None


def test_vocabulary_in_the_environment_is_a_list_and_no_revision_may_change_it() -> None:
    settings = load_settings({"KIKIGAKI_ASR__VOCABULARY": "Kikigaki, Fenwick"})
    assert settings.asr.vocabulary == ("Kikigaki", "Fenwick")
    with pytest.raises(SettingsError):
        settings.with_overrides({"asr.vocabulary": "Fenwick"})


def test_load_settings_with_fallbacks_and_prices_reads_lists_of_tables() -> None:
    settings = load_settings(
        {
            "KIKIGAKI_LLM__BASE_URL": "http://127.0.0.1:9/v1",
            "KIKIGAKI_LLM__MODEL": "small",
            "KIKIGAKI_LLM__INPUT_USD_PER_MILLION": "1",
            "KIKIGAKI_LLM__FALLBACKS": '[{"base_url": "http://127.0.0.1:8/v1", "model": "large"}]',
            "KIKIGAKI_LLM__PRICES": '[{"model": "large", "input_usd_per_million": 2, '
            '"output_usd_per_million": 8}]',
        }
    ).llm
    assert [endpoint.model for endpoint in settings.endpoints] == ["small", "large"]
    assert settings.price("large").output_usd_per_million == 8
    assert settings.price("small").input_usd_per_million == 1


@pytest.mark.parametrize(
    ("environ", "named"),
    [
        ({"KIKIGAKI_LLM__FALLBACKS": "nonsense"}, "llm.fallbacks"),
        ({"KIKIGAKI_LLM__FALLBACKS": '[{"base_url": "u", "model": "m"}]'}, "llm.base_url"),
        ({"KIKIGAKI_BUDGET__RUN_USD": "-1"}, "budget.run_usd"),
    ],
)
def test_load_settings_with_an_endpoint_or_budget_that_cannot_be_names_it(
    environ: dict[str, str], named: str
) -> None:
    with pytest.raises(SettingsError, match=named):
        load_settings(environ)


@pytest.mark.parametrize(
    "name",
    [
        "llm.base_url",
        "llm.fallbacks",
        "llm.input_usd_per_million",
        "llm.output_usd_per_million",
        "llm.prices",
        "llm.requests_per_minute",
        "llm.tokens_per_minute",
    ],
)
def test_overrides_when_endpoint_price_or_limit_then_refused_whatever_the_value(name: str) -> None:
    with pytest.raises(SettingsError, match="single revision"):
        load_settings({}).with_overrides({name: 0})


@pytest.mark.parametrize("variable", ["KIKIGAKI_ASR__WINDOW", "KIKIGAKI_WORKER__LEASE"])
def test_settings_when_no_time_at_all_then_refused(variable: str) -> None:
    with pytest.raises(SettingsError, match=variable):
        load_settings({variable: "0 seconds"})
