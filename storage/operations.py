"""Numbers about all runs: how many, how long reviews wait, what was dear."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col, select

from storage import reviews
from storage.database import database_now
from storage.ledger import WAITING
from storage.statuses import DECIDED, ReviewStatus, RunStatus
from storage.tables import ModelCall, Review, Run

_MOST_DECISIONS = 10_000
_MADE = col(ModelCall.outcome) != WAITING


@dataclass(frozen=True)
class ReviewNumbers:
    """How reviews fare; times in seconds, None where there is nothing to measure."""

    waiting: int
    oldest_waiting_s: float | None
    decided: int
    median_decision_s: float | None
    slowest_decision_s: float | None
    expired: int


@dataclass(frozen=True)
class ModelNumbers:
    """Sums over the calls of one model in one step."""

    model: str
    step: str
    calls: int
    input_tokens: int
    output_tokens: int
    audio_s: float
    cost_usd: float


@dataclass(frozen=True)
class RunNumbers:
    """Sums over the model calls of one run."""

    run_id: str
    title: str
    calls: int
    audio_s: float
    input_tokens: int
    output_tokens: int
    cost_usd: float


def count_by_status(session: Session, tenant: str | None = None) -> dict[RunStatus, int]:
    """Return how many runs have each status, of one tenant or of all; absent ones are left out."""
    query = sa.select(col(Run.status), sa.func.count()).group_by(col(Run.status))
    if tenant is not None:
        query = query.where(col(Run.tenant) == tenant)
    rows = session.connection().execute(query).all()
    found = {RunStatus(status): int(count) for status, count in rows}
    return {status: found[status] for status in RunStatus if status in found}


def review_numbers(session: Session, tenant: str | None = None) -> ReviewNumbers:
    """Return how reviews fare; times to decide are of the last 10,000 decided ones."""
    now = database_now(session)
    waiting, oldest = _those(session, tenant, reviews.IS_WAITING)
    expired, _ = _those(session, tenant, col(Review.status) == ReviewStatus.EXPIRED)
    decided, _ = _those(session, tenant, col(Review.status).in_(DECIDED))
    took = _decision_times(session, tenant)
    return ReviewNumbers(
        waiting=waiting,
        oldest_waiting_s=(now - oldest).total_seconds() if oldest else None,
        decided=decided,
        median_decision_s=median(took) if took else None,
        slowest_decision_s=max(took, default=None),
        expired=expired,
    )


def numbers_by_model(session: Session, tenant: str | None = None) -> list[ModelNumbers]:
    """Return sums per model and step, the dearest first."""
    groups = (col(ModelCall.model), col(ModelCall.step))
    query = sa.select(*groups, *_sums()).where(_MADE).group_by(*groups)
    if tenant is not None:
        query = query.join(Run, col(Run.id) == col(ModelCall.run_id))
        query = query.where(col(Run.tenant) == tenant)
    rows = session.connection().execute(query.order_by(sa.desc("cost_usd"), *groups))
    return [ModelNumbers(**row._mapping) for row in rows]  # noqa: SLF001 - SQLAlchemy's public name


def dearest_runs(
    session: Session, tenant: str | None = None, *, limit: int = 10
) -> list[RunNumbers]:
    """Return the runs whose model calls cost most, then those that used most audio."""
    groups: Sequence[sa.ColumnElement[Any]] = [
        col(Run.id).label("run_id"),
        col(Run.title).label("title"),
    ]
    query = sa.select(*groups, *_sums()).join(Run, col(Run.id) == col(ModelCall.run_id))
    query = query.where(_MADE)
    if tenant is not None:
        query = query.where(col(Run.tenant) == tenant)
    query = query.group_by(*groups).order_by(sa.desc("cost_usd"), sa.desc("audio_s")).limit(limit)
    rows = session.connection().execute(query)
    return [RunNumbers(**row._mapping) for row in rows]  # noqa: SLF001 - SQLAlchemy's public name


def run_numbers(session: Session, run_id: str) -> RunNumbers:
    """Return the sums over the model calls of one run, zeros where there are none."""
    query = sa.select(*_sums()).where(col(ModelCall.run_id) == run_id, _MADE)
    row = session.connection().execute(query).one()
    sums = {name: value or 0 for name, value in row._mapping.items()}  # noqa: SLF001 - the same
    return RunNumbers(run_id=run_id, title="", **sums)


def _sums() -> Sequence[sa.ColumnElement[Any]]:
    return (
        sa.func.count().label("calls"),
        sa.func.sum(col(ModelCall.audio_s)).label("audio_s"),
        sa.func.sum(col(ModelCall.input_tokens)).label("input_tokens"),
        sa.func.sum(col(ModelCall.output_tokens)).label("output_tokens"),
        sa.func.sum(col(ModelCall.cost_usd)).label("cost_usd"),
    )


def _those(
    session: Session, tenant: str | None, which: sa.ColumnElement[bool]
) -> tuple[int, datetime | None]:
    query = select(sa.func.count(), sa.func.min(Review.opened_at))
    query = query.join(Run, col(Run.id) == col(Review.run_id)).where(which)
    if tenant is not None:
        query = query.where(Run.tenant == tenant)
    count, oldest = session.exec(query).one()
    return int(count), oldest


def _decision_times(session: Session, tenant: str | None) -> list[float]:
    query = select(Review.opened_at, Review.closed_at).where(col(Review.status).in_(DECIDED))
    if tenant is not None:
        query = query.join(Run, col(Run.id) == col(Review.run_id)).where(Run.tenant == tenant)
    rows = session.exec(query.order_by(col(Review.closed_at).desc()).limit(_MOST_DECISIONS))
    return [(closed - opened).total_seconds() for opened, closed in rows if closed is not None]
