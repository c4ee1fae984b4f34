"""Steps on a resource, as the turn sees them: registered, waited for, decided about.

The work itself happens in `step_run`, in whichever worker serves the resource.
"""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from sqlmodel import Session

from pipeline.engine import attempts, codec
from pipeline.engine.errors import EngineError
from pipeline.engine.journal import StepKey, StepRow, Wait
from pipeline.engine.light import Effect

if TYPE_CHECKING:
    from pipeline.engine.turn import Turn


async def run_on_resource(
    turn: "Turn", key: StepKey, row: StepRow | None, effect: Effect, resource: str
) -> None:
    """See a resource step through to its outcome; between its attempts the turn decides."""
    if resource not in turn.runtime.resources:
        raise EngineError(f"There is no resource {resource!r}.", {"resource": resource})
    if row is None:
        row = await turn.add(key, _request(turn, key, effect, resource))
    elif row.outcome is None and row.request is None:  # begun by code that ran it in its turn
        again = partial(attempts.request_again, desk=turn.desk, key=key)
        row = await turn.store(partial(again, call=_call(effect, resource), resource=resource))
    while row.outcome is None:
        if row.status == "deciding":
            decide = partial(attempts.decide, desk=turn.desk, key=key, resource=resource)
            row = await turn.store(partial(decide, retries=effect.retries))
        if row.outcome is None:
            await turn.park(Wait(key))
            row = await turn.store(partial(attempts.look, desk=turn.desk, key=key))
    turn.post(row)


def _request(
    turn: "Turn", key: StepKey, effect: Effect, resource: str
) -> Callable[[Session], StepRow]:
    call, sensitive = _call(effect, resource), effect.sensitive
    request = partial(attempts.request, desk=turn.desk, key=key, resource=resource)
    return partial(request, call=call, sensitive=sensitive)


def _call(effect: Effect, resource: str) -> dict[str, Any]:
    """Write what the worker has to do; the arguments are checked here, in the turn."""
    commit = None if effect.commit is None else codec.encode_call(effect.commit)
    return {
        "call": codec.encode_call(effect.fn),
        "commit": commit,
        "resource": resource,
        "timeout_s": effect.timeout_s,
    }
