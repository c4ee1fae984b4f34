"""A run's progress as server-sent events: one when something changed, one at the end."""

import asyncio
import json
from collections.abc import AsyncIterator

from fastapi import Request
from starlette.concurrency import run_in_threadpool

from review_ui.queries.access import visible_run
from review_ui.queries.steps import history_of, progress_digest
from review_ui.visitors import Visitor
from review_ui.web import Web
from storage.database import reading
from storage.tables import FINISHED

_FAST_S = 1.0
_SLOW_S = 5.0
_SLOW_AFTER = 60
_KEEP_ALIVE_EVERY = 15
_MOST_LOOKS = 2000


async def run_events(
    request: Request, web: Web, visitor: Visitor, run_id: str
) -> AsyncIterator[str]:
    """Yield events until the run has ended or nobody listens; browsers connect again by themselves.

    Raises:
        NotFoundError: the run is gone or hidden (not retryable).
    """
    last, quiet = request.headers.get("last-event-id", ""), 0
    for _ in range(_MOST_LOOKS):
        digest, state, finished = await run_in_threadpool(_look, web, visitor, run_id)
        if digest != last:
            last, quiet = digest, 0
            yield _event("run", state, digest)
        elif quiet % _KEEP_ALIVE_EVERY == 0:
            yield ": still here\n\n"
        if finished:
            yield _event("end", state, digest)
            return
        quiet += 1
        await asyncio.sleep(_FAST_S if quiet < _SLOW_AFTER else _SLOW_S)
        if await request.is_disconnected():
            return


def _look(web: Web, visitor: Visitor, run_id: str) -> tuple[str, dict[str, object], bool]:
    with reading(web.app.database) as session:
        run = visible_run(session, visitor, run_id)
    history = history_of(web.app, run)
    steps = [
        {"name": s.name, "count": s.count, "status": str(s.status), "attempts": s.attempts}
        for s in history
    ]
    state: dict[str, object] = {
        "run": run.id,
        "status": run.status.value,
        "revision": run.revision,
        "steps": steps,
    }
    return progress_digest(run, history), state, run.status in FINISHED


def _event(name: str, data: object, event_id: str) -> str:
    return f"id: {event_id}\nevent: {name}\ndata: {json.dumps(data)}\n\n"
