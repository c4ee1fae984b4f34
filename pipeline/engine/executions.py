"""What DBOS executes: turns, timers, attempts of resource steps, the search for dead workers."""

import asyncio
from contextlib import AbstractContextManager
from datetime import datetime
from functools import partial

from dbos import DBOS
from sqlmodel import Session

from pipeline.engine import instances, leases, lifecycle
from pipeline.engine.codec import encode_error
from pipeline.engine.dispatch import RECLAIM, STEP, TIMER, TURN
from pipeline.engine.errors import DriftError, FencedError
from pipeline.engine.journal import StepKey
from pipeline.engine.runtime import Execution, Runtime
from pipeline.engine.schedules import SCHEDULE, Schedules
from pipeline.engine.step import Step
from pipeline.engine.step_run import step_run
from pipeline.engine.threads import in_thread
from pipeline.engine.turn import Turn
from pipeline.engine.waits import time_passed

_BATCH = 500


def register_executions(runtime: Runtime, schedules: Schedules) -> None:
    """Tell DBOS what its executions do; their inputs and outputs are ids and words of ours."""

    @DBOS.workflow(name=TURN, max_recovery_attempts=None)
    async def turn(instance: str, number: int) -> str:
        with _begun(runtime) as execution:
            return await run_turn(runtime, execution, instance, number)

    @DBOS.workflow(name=TIMER, max_recovery_attempts=None)
    async def timer(instance: str, tenant: str, due_at: float) -> str:  # noqa: ARG001 - the tenant is for the queue
        with _begun(runtime) as execution:
            name = execution.name
            await runtime.store(
                lambda session: time_passed(session, runtime.dispatcher, name, instance, due_at)
            )
        return "done"

    @DBOS.workflow(name=STEP, max_recovery_attempts=None)
    async def step(
        instance: str, branch: str, name: str, count: int, generation: int, attempt: int
    ) -> str:
        key = StepKey(branch, name, count)
        with _begun(runtime) as execution:
            return await step_run(runtime, execution, instance, key, generation, attempt)

    @DBOS.workflow(name=RECLAIM, max_recovery_attempts=None)
    async def reclaim(scheduled: datetime, context: object) -> str:  # noqa: ARG001 - DBOS calls it so
        with _begun(runtime):
            await in_thread(lambda: leases.reclaim(runtime.store, runtime.dispatcher))
            await in_thread(lambda: runtime.dispatcher.sweep(runtime.settings.keep_finished_s))
            await in_thread(lambda: _delete_expired(runtime))
            await schedules.make_up(runtime)
        return "done"

    @DBOS.workflow(name=SCHEDULE, max_recovery_attempts=None)
    async def schedule(scheduled: datetime, name: str) -> str:
        with _begun(runtime):
            return await schedules.occur(runtime, name, scheduled)


def _begun(runtime: Runtime) -> AbstractContextManager[Execution]:
    """Note that this execution runs here, so that the heartbeat knows what never began."""
    return runtime.live.execution(DBOS.workflow_id or "")


def _delete_expired(runtime: Runtime) -> None:
    """Delete a batch of ended instances whose retention is over; the next look takes the next."""

    def work(session: Session) -> list[str]:
        ids = lifecycle.expired(session, _BATCH)
        return lifecycle.remove(session, ids) if ids else []

    runtime.dispatcher.forget(runtime.store.run(work))


async def run_turn(runtime: Runtime, execution: Execution, instance: str, number: int) -> str:
    """Execute one turn of an instance; nothing is raised through DBOS."""

    def begin(session: Session) -> instances.Begun | None:
        begun = instances.begin(session, instance, number, runtime.executor)
        runtime.require_claim(session, execution)
        return begun

    try:
        begun = await runtime.store(begin)
    except FencedError:
        return "fenced"
    if begun is None:
        return "stale"
    try:
        return await _advance(runtime, begun)
    except FencedError:
        return "fenced"
    except Exception as error:  # noqa: BLE001 - the instance is stopped, with the reason
        runtime.log.warning("engine.turn_failed", instance=instance, type=type(error).__name__)
        return await _stop(runtime, begun, encode_error(error))


async def _stop(runtime: Runtime, begun: instances.Begun, reason: str) -> str:
    """Pause an instance that cannot go on, also where the workflow's own rows cannot be written."""
    for workflow in (runtime.workflows.get(begun.workflow), None):
        stop = partial(instances.stop, workflow=workflow, ref=begun.ref, error=reason)
        try:
            await runtime.store(stop)
        except FencedError:
            return "fenced"
        except Exception as error:  # noqa: BLE001 - the hook may raise anything
            runtime.log.warning("engine.moved_hook_failed", type=type(error).__name__)
        else:
            return "paused"
    return "paused"


async def _advance(runtime: Runtime, begun: instances.Begun) -> str:
    workflow = runtime.workflows.get(begun.workflow)
    if workflow is None:
        raise DriftError(f"There is no workflow {begun.workflow!r} in this worker.")
    event = instances.workflow_event(workflow, begun.ref.instance, begun.params, begun.created_at)
    turn = Turn(runtime, workflow, begun, asyncio.get_running_loop())
    runtime.live.turns[id(turn)] = turn
    try:
        return await turn.execute(event, Step(turn))
    finally:
        runtime.live.turns.pop(id(turn), None)
