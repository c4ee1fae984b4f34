"""What the composition root gives the steps."""

import pytest

from configs.errors import UnknownModelError
from configs.settings import UnknownTenantError, load_settings
from pipeline.runtime import load_redactor, policy_of_job
from pipeline.steps.job import Job


def test_redaction_policy_when_the_tenants_file_is_gone_then_nothing_is_redacted_without_it() -> (
    None
):
    with pytest.raises(UnknownTenantError, match="removed"):
        policy_of_job(load_settings({}), job("removed"))


def test_redaction_policy_when_the_tenant_is_there_then_has_its_lists() -> None:
    settings = load_settings({"KIKIGAKI_REDACTION__DENY": "Fenwick"})
    assert policy_of_job(settings, job("default")).deny == ("Fenwick",)


def test_load_redactor_when_model_for_names_is_none_then_refused_at_once() -> None:
    settings = load_settings({"KIKIGAKI_REDACTION__NER_MODEL": "/nowhere"})
    with pytest.raises(UnknownModelError, match=r"redaction\.ner_model is no folder"):
        load_redactor(settings)


def job(tenant: str) -> Job:
    return Job("run_x", 1, tenant, "en", "default")
