"""What the composition root gives the steps."""

import pytest

from configs.settings import UnknownTenantError, load_settings
from pipeline.runtime import policy_of_job
from pipeline.steps.job import Job


def test_redaction_policy_when_the_tenants_file_is_gone_then_nothing_is_redacted_without_it() -> (
    None
):
    with pytest.raises(UnknownTenantError, match="removed"):
        policy_of_job(load_settings({}), job("removed"))


def test_redaction_policy_when_the_tenant_is_there_then_has_its_lists() -> None:
    settings = load_settings({"KIKIGAKI_REDACTION__DENY": "Fenwick"})
    assert policy_of_job(settings, job("default")).deny == ("Fenwick",)


def job(tenant: str) -> Job:
    return Job("run_x", 1, tenant, "en", "default")
