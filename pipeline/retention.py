"""The workflow that lets raw artifacts go when their tenant's retention period has passed."""

from dataclasses import dataclass
from functools import partial

from configs.errors import AppError
from pipeline.engine import Retries, Schedule, Step, Workflow, WorkflowEvent
from pipeline.steps.retain import Deleted, delete_raw, raw_tenants

STORE = Retries(limit=8, delay="30 seconds", backoff="exponential")


@dataclass(frozen=True)
class RetentionReport:
    """What went, over all tenants."""

    tenants: int
    deleted: Deleted


class Retention(Workflow[None]):
    """Each tenant in a step of its own, so that one whose data cannot go does not hold others."""

    name = "retention"

    async def run(self, event: WorkflowEvent[None], step: Step) -> RetentionReport:  # noqa: ARG002 - it takes no parameters
        """Go through the tenants; the first error is raised when all had their turn."""
        tenants = await step.do("find_tenants", raw_tenants)
        done, errors = [], []
        for tenant in tenants:
            try:
                done.append(
                    await step.do(
                        "delete_raw", partial(delete_raw, tenant), retries=STORE, timeout="6 hours"
                    )
                )
            except AppError as error:
                errors.append(error)
        if errors:
            raise errors[0]
        return RetentionReport(len(tenants), _total(done))


def retention_schedule(cron: str, time_zone: str) -> Schedule:
    """Return when retention runs; a machine that was off then runs it when it is on again."""
    name = Retention.name
    return Schedule(name, name, cron, time_zone, start_within="1 day")


def _total(parts: list[Deleted]) -> Deleted:
    return Deleted(
        sum(part.runs for part in parts),
        sum(part.versions for part in parts),
        sum(part.unverified for part in parts),
    )
