"""Finding runs: filters, pages and counts."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select

from storage.statuses import RunStatus
from storage.tables import Run, StepRecord


@dataclass(frozen=True)
class RunFilter:
    """Which runs to list; None means any. `created_before` is exclusive, `text` is in the title."""

    tenant: str | None = None
    statuses: Collection[RunStatus] = ()
    language: str | None = None
    template: str | None = None
    model: str | None = None
    uploader_id: str | None = None
    created_from: datetime | None = None
    created_before: datetime | None = None
    text: str | None = None


def list_runs(
    session: Session, filters: RunFilter = RunFilter(), *, limit: int = 50, after: str | None = None
) -> list[Run]:
    """Return runs, newest first.

    Args:
        session: a reading session.
        filters: which runs.
        limit: at most so many.
        after: the id of the last run of the page before.
    """
    query = select(Run).where(*_conditions(filters))
    if after is not None:
        query = query.where(col(Run.id) < after)  # ids sort by creation
    return list(session.exec(query.order_by(col(Run.id).desc()).limit(limit)))


def count_runs(session: Session, filters: RunFilter = RunFilter()) -> int:
    """Return how many runs there are."""
    query = select(sa.func.count()).select_from(Run).where(*_conditions(filters))
    return int(session.exec(query).one())


def model_is(name: str) -> sa.ColumnElement[bool]:
    """Return the condition that a model of this name worked on what a run is now."""
    later = aliased(StepRecord)
    superseded = sa.exists().where(
        col(later.run_id) == col(StepRecord.run_id),
        col(later.step) == col(StepRecord.step),
        col(later.count) == col(StepRecord.count),
        col(later.revision) > col(StepRecord.revision),
    )
    model_name = col(StepRecord.model)["name"].as_string()
    return sa.exists().where(
        col(StepRecord.run_id) == Run.id, model_name == name, sa.not_(superseded)
    )


def _conditions(filters: RunFilter) -> list[sa.ColumnElement[bool]]:
    equal = {
        Run.tenant: filters.tenant,
        Run.language: filters.language,
        Run.template: filters.template,
        Run.uploader_id: filters.uploader_id,
    }
    conditions = [col(column) == value for column, value in equal.items() if value is not None]
    if filters.statuses:
        conditions.append(col(Run.status).in_(list(filters.statuses)))
    if filters.model is not None:
        conditions.append(model_is(filters.model))
    if filters.created_from is not None:
        conditions.append(col(Run.created_at) >= filters.created_from)
    if filters.created_before is not None:
        conditions.append(col(Run.created_at) < filters.created_before)
    if filters.text:
        conditions.append(col(Run.title).icontains(filters.text, autoescape=True))
    return conditions
