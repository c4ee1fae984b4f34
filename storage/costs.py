"""What models were called, how long they took and what they cost (sums: `operations`)."""

from dataclasses import dataclass

import sqlalchemy as sa
from sqlmodel import Session, select

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
