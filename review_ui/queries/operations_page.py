"""How the installation fares."""

from models.documents import Coverage
from pipeline.engine.statistics import step_statistics
from review_ui.contexts import CostlyRun, ModelNumbers, OperationsPage, StepNumbers
from review_ui.queries.steps import BOOKKEEPING
from review_ui.visitors import Visitor
from review_ui.web import Web
from storage import operations, runs
from storage.database import reading


def operations_page(web: Web, visitor: Visitor) -> OperationsPage:
    """Return the numbers of the visitor's tenant, of all tenants for an admin."""
    tenant = visitor.actor.tenant
    with reading(web.app.database) as session:
        reviews = operations.review_numbers(session, tenant)
        models = operations.numbers_by_model(session, tenant)
        dear = operations.dearest_runs(session, tenant)
        statuses = operations.count_by_status(session, tenant)
        shown = {r.run_id: runs.get_run(session, r.run_id) for r in dear}
    return OperationsPage(
        statuses=[(status.value, count) for status, count in statuses.items()],
        steps=step_numbers(web, tenant),
        models=[
            ModelNumbers(
                m.model,
                m.step,
                m.calls,
                m.audio_s,
                m.input_tokens,
                m.output_tokens,
                m.cost_usd,
            )
            for m in models
        ],
        runs=[
            CostlyRun(
                r.run_id,
                r.title,
                shown[r.run_id].file_name,
                r.calls,
                r.cost_usd,
                Coverage.model_validate(shown[r.run_id].coverage).decoded_s,
            )
            for r in dear
        ],
        waiting=reviews.waiting,
        oldest_waiting_s=reviews.oldest_waiting_s,
        median_decision_s=reviews.median_decision_s,
        slowest_decision_s=reviews.slowest_decision_s,
        decided=reviews.decided,
        expired=reviews.expired,
        cost_usd=sum(m.cost_usd for m in models),
    )


def step_numbers(web: Web, tenant: str | None) -> list[StepNumbers]:
    """Return failures, retries and durations per step, in the order of the workflow."""
    with reading(web.app.database) as session:
        found = step_statistics(session, tenant)
    return [
        StepNumbers(s.name, s.finished, s.failed, s.retries, s.median_s, s.slowest_s)
        for s in found
        if s.name not in BOOKKEEPING
    ]
