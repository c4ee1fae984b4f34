"""A worker process: programs and real runs, until SIGTERM."""

import threading
import time
from dataclasses import replace
from multiprocessing.connection import Connection

from configs.settings import load_settings
from pipeline.engine import Engine
from pipeline.engine.testing import quick
from pipeline.runtime import Runtime, open_runtime
from pipeline.steps import services as step_services
from pipeline.workflow import ProcessSource
from tests import scripted
from tests.chaos.footprint import Footprint, footprint
from tests.chaos.names import CHILD_SETUP
from tests.chaos.processes import Left, Orders, enter
from tests.chaos.workflow import RESOURCES, Chaos

_LOOKS, _LOOK_S = 100, 0.1
_SETTLES_S = 30.0  # a query of DBOS is tried again, ever more seldom, while its server is away

# Leases are long enough for a loaded machine; queues are looked into often enough for short runs.
SETTINGS = replace(quick(), lease_s=5.0, poll_s=0.2, work_poll_s=0.5, recheck_s=0.5)


def engine_of(runtime: Runtime) -> Engine:
    """Return an engine that knows programs besides real runs."""
    return Engine(
        runtime.database,
        runtime.settings.database_url,
        [ProcessSource(), Chaos()],
        {**RESOURCES, **runtime.engine._resources},
        CHILD_SETUP,
        SETTINGS,
    )


def let_go_of_pools(runtime: Runtime) -> None:
    """Close connections that wait to be used again: they are no leak."""
    runtime.database.dispose()
    for store in (runtime.store, step_services.services().store):
        store._client.close()


def work(orders: Orders, ours: Connection) -> None:
    """Work until SIGTERM; say when the work has begun, and at the end what is left."""
    stop = enter(orders)
    with open_runtime(
        load_settings(), child_setup=CHILD_SETUP, engine_settings=SETTINGS
    ) as runtime:
        step_services.install(scripted.scripted_services(step_services.services()))
        engine = engine_of(runtime)
        let_go_of_pools(runtime)
        before = footprint()
        engine.start(resources=set(orders.resources))
        ours.send("started")
        stop.wait()
        busy = _busy(engine) if _is_over(orders) else []
        engine.stop()
        ours.send(Left(before, _settled(runtime, before), busy))


def _settled(runtime: Runtime, before: Footprint) -> Footprint:
    """Return what is held once nothing is left, or after a while: a thread may be in a query."""
    end, never = time.monotonic() + _SETTLES_S, threading.Event()
    while True:
        let_go_of_pools(runtime)
        after = footprint()
        if not after.grown(before) or time.monotonic() > end:
            return after
        never.wait(_LOOK_S)


def _is_over(orders: Orders) -> bool:
    """Tell whether everything should have come to its end; before that, work is no leak."""
    return time.time() > orders.until


def _busy(engine: Engine) -> list[str]:
    """Say what this worker executes and does not come to an end with."""
    live, never = engine.runtime.live, threading.Event()
    for _ in range(_LOOKS):
        busy = [f"turn of {turn.ref.instance}" for turn in live.turns.values()]
        busy += [f"a claim on {pool!r}" for pool in live.claims.values()]
        busy += [t.name for t in threading.enumerate() if t.name == "engine-step"]
        if not busy:
            break
        never.wait(_LOOK_S)
    return busy
