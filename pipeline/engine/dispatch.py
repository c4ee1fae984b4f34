"""What DBOS is asked to run: turns, time-outs and resource steps, by id only.

Everything is enqueued inside the transaction that makes it due, so nothing can be due and
forgotten. Queues are shared by all workers; the tenant is always the partition key, so that queues
can be made fair between tenants without changing what is in them.
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import timedelta

import sqlalchemy as sa
from dbos import DBOSClient, DBOSPortableJSONSerializer, EnqueueOptions, error
from sqlmodel import Session

from configs import clock
from pipeline.engine.journal import StepKey, TurnRef
from pipeline.engine.lookouts import Lookouts
from storage.database import is_sqlite

APPLICATION = "kikigaki-engine"
PROTOCOL = "engine-1"  # what is in the queues; not the version of our code (see ENGINE facts)
TURN, TIMER, STEP, RECLAIM = "turn", "timer", "step-run", "reclaim"
TURNS, TIMERS = "turns", "timers"
_FINISHED = ["SUCCESS", "ERROR", "CANCELLED"]
_BATCH = 500

serializer = DBOSPortableJSONSerializer()


def resource_queue(resource: str) -> str:
    """Return the name of a resource's queue."""
    return f"resource-{resource}"


class Dispatcher:
    """Enqueues executions, and gives those of dead workers back to their queues."""

    def __init__(self, database: sa.Engine) -> None:
        self.lookouts = Lookouts()
        self.client = DBOSClient(
            system_database_engine=database,
            application_name=APPLICATION,
            serializer=serializer,
            lazy=True,
        )
        self._claims = sa.table(
            "workflow_status",
            sa.column("workflow_uuid", sa.String),
            sa.column("status", sa.String),
            sa.column("executor_id", sa.String),
            schema=None if is_sqlite(database) else "dbos",
        )

    def turn(self, session: Session, instance: str, tenant: str, turn: int) -> None:
        """Make the instance's next turn due."""
        self._enqueue(session, TURN, TURNS, f"{instance}:{turn}", tenant, (instance, turn))

    def timer(
        self, session: Session, ref: TurnRef, step: StepKey, due_at: float, now: float
    ) -> None:
        """Wake the instance at a time, if it then waits for that time."""
        name = timer_name(ref.instance, ref.generation, step, due_at)
        self.later(session, name, ref.instance, ref.tenant, due_at, now)

    def later(
        self, session: Session, name: str, instance: str, tenant: str, due_at: float, now: float
    ) -> None:
        """Enqueue a timer under a name of the caller's choosing."""
        args = (instance, tenant, due_at)
        self._enqueue(session, TIMER, TIMERS, name, tenant, args, delay_s=max(due_at - now, 0.001))

    def step(
        self,
        session: Session,
        ref: TurnRef,
        step: StepKey,
        resource: str,
        attempt: str,
        delay_s: float,
    ) -> None:
        """Make an attempt of a resource step due.

        Args:
            session: The transaction.
            ref: The instance's.
            step: Which step.
            resource: Whose queue.
            attempt: Its number; with a suffix (`2+7`) where it is put on the queue once more.
            delay_s: Not before so much time has passed.
        """
        name = f"{ref.instance}:do:{_digest(step, ref.generation)}:{attempt}"
        number = int(attempt.partition("+")[0])
        args = (ref.instance, step.branch, step.name, step.count, ref.generation, number)
        queue = resource_queue(resource)
        self._enqueue(session, STEP, queue, name, ref.tenant, args, delay_s=delay_s)

    def _enqueue(
        self,
        session: Session,
        workflow: str,
        queue: str,
        name: str,
        tenant: str,
        args: tuple[object, ...],
        delay_s: float = 0.0,
    ) -> None:
        session.flush()
        options: EnqueueOptions = {
            "workflow_name": workflow,
            "queue_name": queue,
            "workflow_id": name,
            "app_version": PROTOCOL,
            "queue_partition_key": tenant,
        }
        if delay_s > 0:
            options["delay_seconds"] = delay_s
        else:
            self.lookouts.look_after(session, queue)
        self.client.enqueue_in_transaction(session, options, *args)

    def running(self, executor: str | None = None) -> list[tuple[str, str, str]]:
        """Return (execution, queue, executor) of what is being executed now."""
        found = self.client.list_workflows(
            status="PENDING", executor_id=executor, load_input=False, load_output=False
        )
        return [(w.workflow_id, w.queue_name or "", w.executor_id or "") for w in found]

    def is_claimed(self, session: Session, execution: str, executor: str) -> bool:
        """Tell whether an execution is claimed by an executor, in the caller's transaction."""
        c = self._claims.c
        claim = sa.select(c.workflow_uuid).where(
            c.workflow_uuid == execution, c.status == "PENDING", c.executor_id == executor
        )
        return session.connection().execute(claim).first() is not None

    def give_back(self, executions: Iterable[tuple[str, str, str]]) -> int:
        """Put executions back on their queues; a running one is fenced by the next."""
        by_queue: dict[str, list[str]] = defaultdict(list)
        for execution, queue, _ in executions:
            by_queue[queue].append(execution)
        for queue, names in by_queue.items():
            try:
                self.client.resume_workflows(names, queue_name=queue or None)
            except error.DBOSNonExistentWorkflowError:  # one was deleted with its instance
                for name in names:
                    with suppress(error.DBOSNonExistentWorkflowError):
                        self.client.resume_workflows([name], queue_name=queue or None)
        return sum(map(len, by_queue.values()))

    def sweep(self, older_than_s: float) -> int:
        """Delete finished executions from DBOS's tables, a batch at a time."""
        before = clock.utc_now() - timedelta(seconds=older_than_s)
        found = self.client.list_workflows(
            status=_FINISHED,
            completed_before=before.isoformat(),
            limit=_BATCH,
            load_input=False,
            load_output=False,
        )
        if found:
            self.client.delete_workflows([w.workflow_id for w in found])
        return len(found)

    def forget(self, names: Sequence[str]) -> None:
        """Delete executions that nobody needs any more; a missing one is passed over."""
        for start in range(0, len(names), _BATCH):
            self.client.delete_workflows(list(names[start : start + _BATCH]))

    def close(self) -> None:
        """Let go of the client."""
        self.client.destroy()


def timer_name(instance: str, generation: int, step: StepKey, due_at: float) -> str:
    """Return under which name a step's deadline is enqueued."""
    return f"{instance}:at:{_digest(step, generation)}:{round(due_at * 1000)}"


def _digest(step: StepKey, generation: int) -> str:
    text = f"{generation}\0{step.branch}\0{step.name}\0{step.count}"
    return hashlib.sha256(text.encode()).hexdigest()[:24]
