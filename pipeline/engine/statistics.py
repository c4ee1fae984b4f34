"""How steps fared over all instances: for operations pages and metrics."""

from collections import defaultdict
from dataclasses import dataclass
from statistics import median
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session

from pipeline.engine.journal import instance_table, step_table

_LATEST = 5000


@dataclass(frozen=True)
class StepStatistics:
    """One step over all instances; durations (seconds) are of the latest 5000 ended steps.

    `retries` are attempts beyond the first; None where nothing has ended.
    """

    name: str
    finished: int
    failed: int
    retries: int
    median_s: float | None
    slowest_s: float | None


def step_statistics(session: Session, tenant: str | None = None) -> list[StepStatistics]:
    """Return the numbers of each step, in the order in which workflows come to them.

    Args:
        session: a reading session.
        tenant: whose instances; None: all.
    """
    took = _durations(session, tenant)
    rows = session.connection().execute(_of_tenant(_counts(), tenant)).all()
    return [
        StepStatistics(
            name=row.name,
            finished=int(row.finished),
            failed=int(row.failed),
            retries=int(row.retries),
            median_s=median(took[row.name]) if row.name in took else None,
            slowest_s=max(took[row.name]) if row.name in took else None,
        )
        for row in rows
    ]


def _counts() -> sa.Select[Any]:
    c = step_table.c
    retries = sa.case((c.attempts > 1, c.attempts - 1), else_=0)
    return (
        sa.select(
            c.name,
            sa.func.sum(sa.case((c.status == "succeeded", 1), else_=0)).label("finished"),
            sa.func.sum(sa.case((c.status == "failed", 1), else_=0)).label("failed"),
            sa.func.sum(retries).label("retries"),
        )
        .where(c.kind == "do")
        .group_by(c.name)
        .order_by(sa.func.avg(c.ordinal), c.name)
    )


def _durations(session: Session, tenant: str | None) -> dict[str, list[float]]:
    c = step_table.c
    query = (
        sa.select(c.name, c.started_at, c.ended_at)
        .where(c.kind == "do", c.started_at.is_not(None), c.ended_at.is_not(None))
        .order_by(c.ended_at.desc())
        .limit(_LATEST)
    )
    took: defaultdict[str, list[float]] = defaultdict(list)
    for name, started_at, ended_at in session.connection().execute(_of_tenant(query, tenant)):
        took[name].append(max(0.0, ended_at - started_at))
    return took


def _of_tenant(query: sa.Select[Any], tenant: str | None) -> sa.Select[Any]:
    if tenant is None:
        return query
    joined = query.join(instance_table, instance_table.c.id == step_table.c.instance)
    return joined.where(instance_table.c.tenant == tenant)
