"""Reprocessing as an experiment: many runs, one changed variable, old against new.

A batch selects runs once and keeps the list. Each run's new revision and its place in the batch are
one transaction, so a batch that is broken off anywhere goes on (`--resume`) without making a
revision twice.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import sqlalchemy as sa
from sqlmodel import Session, col, select

from configs.clock import new_id
from configs.errors import AppError, NotFoundError
from pipeline import commands
from pipeline.batch_plan import Plan
from pipeline.commands import Actor, App
from storage import runs
from storage.database import database_now, reading, transaction
from storage.prompts import keep_prompt
from storage.statuses import AT_WORK
from storage.tables import Batch, BatchItem, Revision, Run


@dataclass(frozen=True)
class ItemDone:
    """A run of the batch that has settled, or could not begin."""

    run_id: str
    status: str
    error: AppError | None = None


def begin(database: sa.Engine, actor: Actor, planned: Plan) -> str:
    """Record a batch with all its runs and return its id; no revision is made yet."""
    batch_id = new_id("bat")
    with transaction(database) as session:
        if planned.change.prompt is not None:
            keep_prompt(session, planned.change.prompt)
        session.add(
            Batch(
                id=batch_id,
                selection=planned.selection,
                from_step=planned.from_step,
                variable=planned.change.variable,
                value=planned.change.value,
                skipped=[one.as_dict() for one in planned.skipped],
                created_by=actor.user_id,
                created_at=database_now(session),
            )
        )
        session.flush()
        for run_id in planned.run_ids:
            old = runs.get_run(session, run_id).revision
            session.add(BatchItem(batch_id=batch_id, run_id=run_id, old_revision=old))
    return batch_id


def get_batch(session: Session, batch_id: str) -> Batch:
    """Return a batch.

    Raises:
        NotFoundError: there is none with this id (not retryable).
    """
    batch = session.get(Batch, batch_id)
    if batch is None:
        raise NotFoundError("There is no batch with this id.")
    return batch


def items_of(session: Session, batch_id: str) -> list[BatchItem]:
    """Return a batch's runs, in order."""
    query = select(BatchItem).where(BatchItem.batch_id == batch_id)
    return list(session.exec(query.order_by(col(BatchItem.run_id))))


def carry_out(
    app: App, actor: Actor, batch_id: str, *, concurrency: int, pause: Callable[[], None]
) -> Iterator[ItemDone]:
    """Begin what has not begun, at most `concurrency` runs at a time, and tell each that settles.

    Args:
        app: the application.
        actor: who asks; editors and above.
        batch_id: a batch, new or broken off.
        concurrency: how many of its runs may be at work at the same time.
        pause: waits a moment before the runs are looked at again.

    Yields:
        Each run once: when it has settled, or when it could not begin.
    """
    with reading(app.database) as session:
        batch, items = get_batch(session, batch_id), items_of(session, batch_id)
    waiting = [item for item in items if item.new_revision is None and item.error_code is None]
    at_work = {item.run_id: item.new_revision for item in items if item.new_revision is not None}
    yield from (ItemDone(i.run_id, "failed") for i in items if i.error_code is not None)
    while waiting or at_work:
        while waiting and len(at_work) < concurrency:
            item = waiting.pop(0)
            try:
                at_work[item.run_id] = _begin_run(app, actor, batch, item.run_id)
            except AppError as error:
                if error.retryable:
                    raise
                _note_error(app, batch_id, item.run_id, error)
                yield ItemDone(item.run_id, "failed", error)
        settled = list(_settled(app, at_work))
        for done in settled:
            del at_work[done.run_id]
            yield done
        if at_work and not settled:
            pause()


def _begin_run(app: App, actor: Actor, batch: Batch, run_id: str) -> int:
    def record(session: Session, revision: Revision) -> None:
        item = session.get_one(BatchItem, (batch.id, run_id))
        item.old_revision = revision.based_on or item.old_revision
        item.new_revision = revision.number
        session.add(item)

    overrides: dict[str, str | int | float | bool] = {batch.variable: batch.value}
    made = commands.reprocess(app, actor, run_id, batch.from_step, overrides, also=record)
    return made.number


def _note_error(app: App, batch_id: str, run_id: str, error: AppError) -> None:
    with transaction(app.database) as session:
        item = session.get_one(BatchItem, (batch_id, run_id))
        item.error_code = error.code
        session.add(item)


def _settled(app: App, at_work: Mapping[str, int | None]) -> Iterator[ItemDone]:
    """Yield what waits for review or has ended; a newer revision than the batch's ends it too."""
    for run in _runs(app, list(at_work)):
        if run.status not in AT_WORK or run.revision != at_work[run.id]:
            yield ItemDone(run.id, run.status.value)


def _runs(app: App, run_ids: Sequence[str]) -> list[Run]:
    with reading(app.database) as session:
        return list(session.exec(select(Run).where(col(Run.id).in_(run_ids))))
