"""Executions of resource steps: claim the attempt, run it in a child process, record its end."""

import json
import uuid
from functools import partial
from typing import Any

from sqlmodel import Session

from pipeline.engine import attempts, codec, waits
from pipeline.engine.definitions import journal_type
from pipeline.engine.desk import Desk
from pipeline.engine.dispatch import resource_queue
from pipeline.engine.errors import FencedError
from pipeline.engine.journal import StepKey, StepRow, TurnRef, lock_instance
from pipeline.engine.runtime import Execution, Runtime


async def step_run(
    runtime: Runtime,
    execution: Execution,
    instance: str,
    key: StepKey,
    generation: int,
    attempt: int,
) -> str:
    """Run one attempt of a resource step; return what became of it."""
    await runtime.admitted()
    ref = TurnRef(instance, "", 0, generation, runtime.executor)
    desk = Desk(ref, runtime.settings, runtime.dispatcher)
    token = str(uuid.uuid4())

    def claim(session: Session) -> StepRow | None:
        started = _claim(session, desk, key, attempt, token)
        runtime.require_claim(session, execution)
        return started

    try:
        started = await runtime.store(claim)
    except FencedError:
        return "fenced"
    if started is None or started.outcome is not None:
        return "stale"
    request: dict[str, Any] = json.loads(started.request or "{}")
    runtime.live.claims[token] = runtime.pools[request["resource"]]
    try:
        with runtime.live.effect():
            await _work(runtime, desk, key, token, request)
    except FencedError:
        return "fenced"
    finally:
        runtime.live.claims.pop(token, None)
        runtime.dispatcher.lookouts.look(resource_queue(request["resource"]))
    runtime.faults.reach(instance, key, "after commit")
    return "done"


def _claim(session: Session, desk: Desk, key: StepKey, attempt: int, token: str) -> StepRow | None:
    started = attempts.claim(session, desk, key, attempt, token)
    if started is not None and started.outcome is not None:  # lost too often
        row = lock_instance(session, desk.ref.instance)
        if row is not None:
            waits.step_ended(session, desk.dispatcher, row, key)
    return started


async def _work(
    runtime: Runtime, desk: Desk, key: StepKey, token: str, request: dict[str, Any]
) -> None:
    runtime.faults.reach(desk.ref.instance, key, "before")
    outcome: str | Exception
    try:
        outcome = await _effect(runtime, key, token, request)
    except Exception as error:  # noqa: BLE001 - a step may raise anything
        outcome = error
    runtime.faults.reach(desk.ref.instance, key, "after effect")
    record = partial(_record, desk=desk, key=key, token=token, request=request)
    try:
        await runtime.store(lambda session: record(session, outcome=outcome))
    except FencedError:
        raise
    except Exception as error:  # noqa: BLE001 - the step's commit may raise anything
        failed = error
        await runtime.store(lambda session: record(session, outcome=failed))


async def _effect(runtime: Runtime, key: StepKey, token: str, request: dict[str, Any]) -> str:
    replaced = runtime.faults.replaced(key)
    if replaced is not None:
        function = codec.decode_call(request["call"])
        return codec.encode(replaced.apply(), codec.result_type(function))
    pool = runtime.pools[request["resource"]]
    return await pool.run(token, request["call"], request["timeout_s"])


def _record(
    session: Session,
    desk: Desk,
    key: StepKey,
    token: str,
    request: dict[str, Any],
    outcome: str | Exception,
) -> None:
    if isinstance(outcome, str):
        outcome = _committed(session, desk, request, outcome)
    row = attempts.commit_claimed(session, desk, key, token, outcome)
    waits.step_ended(session, desk.dispatcher, row, key)


def _committed(session: Session, desk: Desk, request: dict[str, Any], text: str) -> str:
    """Run the step's commit in this transaction, before the engine's rows are locked."""
    if request["commit"] is None:
        codec.check_size(text, desk.settings.max_bytes, "result")
        return text
    function = codec.resolve(request["call"]["fn"])
    commit = codec.decode_call(request["commit"])
    value = codec.decode(text, codec.result_type(function))
    annotation = journal_type(function, commit)
    return attempts.committed_text(session, desk, attempts.Result(value, annotation, commit))
