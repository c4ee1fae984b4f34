"""What models were called, how long they took and what they cost."""

from dataclasses import dataclass

import sqlalchemy as sa
from sqlmodel import Session, col, select

from storage.database import database_now
from storage.tables import ModelCall
from storage.upsert import insert_if_absent


@dataclass(frozen=True)
class Usage:
    """One call of a model. Latency is of the call that was paid for, not of a cached answer."""

    model: str
    input_tokens: int = 0
    output_tokens: int = 0
    audio_s: float = 0.0
    cost_usd: float = 0.0
    latency_s: float = 0.0
    prompt_sha256: str | None = None


@dataclass(frozen=True)
class Totals:
    """Sums over calls, by what they are grouped by (a model's or a step's name)."""

    name: str
    calls: int
    input_tokens: int
    output_tokens: int
    audio_s: float
    cost_usd: float
    latency_s: float


def record_call(
    session: Session, key: str, *, run_id: str, revision: int, step: str, usage: Usage
) -> bool:
    """Note a call once per key.

    Args:
        session: the transaction that commits the step's result.
        key: of the step, its count and the attempt: a replay has the same.
        run_id: the run.
        revision: the revision.
        step: the step's name.
        usage: what the call used.

    Returns:
        False where this key was noted before.
    """
    row = ModelCall(
        key=key,
        run_id=run_id,
        revision=revision,
        step=step,
        at=database_now(session),
        **vars(usage),
    )
    return insert_if_absent(session, row)


def run_cost_usd(session: Session, run_id: str) -> float:
    """Return what all calls of a run cost, over all its revisions."""
    query = select(sa.func.coalesce(sa.func.sum(ModelCall.cost_usd), 0.0))
    return float(session.exec(query.where(ModelCall.run_id == run_id)).one())


def revision_cost_usd(session: Session, run_id: str, revision: int) -> float:
    """Return what the calls of one revision cost."""
    query = select(sa.func.coalesce(sa.func.sum(ModelCall.cost_usd), 0.0))
    ours = (ModelCall.run_id == run_id, ModelCall.revision == revision)
    return float(session.exec(query.where(*ours)).one())


def totals_by_model(session: Session, run_id: str | None = None) -> list[Totals]:
    """Return sums per model, the dearest first, of one run or of all."""
    return _totals(session, col(ModelCall.model), run_id)


def totals_by_step(session: Session, run_id: str | None = None) -> list[Totals]:
    """Return sums per step, the dearest first, of one run or of all."""
    return _totals(session, col(ModelCall.step), run_id)


def _totals(session: Session, group: sa.orm.Mapped[str], run_id: str | None) -> list[Totals]:
    cost = sa.func.sum(ModelCall.cost_usd)
    query = sa.select(
        group,
        sa.func.count(),
        sa.func.sum(ModelCall.input_tokens),
        sa.func.sum(ModelCall.output_tokens),
        sa.func.sum(ModelCall.audio_s),
        cost,
        sa.func.sum(ModelCall.latency_s),
    )
    if run_id is not None:
        query = query.where(col(ModelCall.run_id) == run_id)
    rows = session.connection().execute(query.group_by(group).order_by(cost.desc(), group))
    return [Totals(*row) for row in rows]
