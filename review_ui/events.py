"""Progress as server-sent events: one when something changed, one at the end."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from functools import partial

from fastapi import Request
from starlette.concurrency import run_in_threadpool

from pipeline.engine import FINAL
from review_ui.queries.access import visible_run
from review_ui.queries.instance_pages import instance_digest
from review_ui.queries.steps import history_of, progress_digest
from review_ui.visitors import Visitor
from review_ui.web import Web
from storage.database import reading
from storage.statuses import FINISHED

_FAST_S = 1.0
_SLOW_S = 5.0
_SLOW_AFTER = 60
_KEEP_ALIVE_EVERY = 15
_MOST_LOOKS = 2000


@dataclass(frozen=True)
class Look:
    """What was seen: `digest` changes when there is something new to show."""

    digest: str
    state: dict[str, object]
    finished: bool


def run_events(request: Request, web: Web, visitor: Visitor, run_id: str) -> AsyncIterator[str]:
    """Yield events until the run has ended or nobody listens; browsers connect again by themselves.

    Raises:
        NotFoundError: the run is gone or hidden (not retryable).
    """
    return _changes(request, "run", partial(_look_at_run, web, visitor, run_id))


def instance_events(request: Request, web: Web, instance_id: str) -> AsyncIterator[str]:
    """Yield events until the instance has ended or nobody listens.

    Raises:
        NotFoundError: the instance is gone (not retryable).
    """
    return _changes(request, "instance", partial(_look_at_instance, web, instance_id))


async def _changes(request: Request, name: str, look: Callable[[], Look]) -> AsyncIterator[str]:
    last, quiet = request.headers.get("last-event-id", ""), 0
    for _ in range(_MOST_LOOKS):
        seen = await run_in_threadpool(look)
        if seen.digest != last:
            last, quiet = seen.digest, 0
            yield _event(name, seen)
        elif quiet % _KEEP_ALIVE_EVERY == 0:
            yield ": still here\n\n"
        if seen.finished:
            yield _event("end", seen)
            return
        quiet += 1
        await asyncio.sleep(_FAST_S if quiet < _SLOW_AFTER else _SLOW_S)
        if await request.is_disconnected():
            return


def _look_at_run(web: Web, visitor: Visitor, run_id: str) -> Look:
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
    return Look(progress_digest(run, history), state, run.status in FINISHED)


def _look_at_instance(web: Web, instance_id: str) -> Look:
    instance = web.app.engine.instance(instance_id)
    status = instance.status()
    state: dict[str, object] = {"instance": status.id, "status": str(status.status)}
    return Look(instance_digest(status, instance.history()), state, status.status in FINAL)


def _event(name: str, seen: Look) -> str:
    return f"id: {seen.digest}\nevent: {name}\ndata: {json.dumps(seen.state)}\n\n"
