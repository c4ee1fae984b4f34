"""A web-like process: it creates, sends, asks and decides, and executes nothing."""

import os
import threading
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path

from configs.settings import load_settings
from pipeline.runtime import open_runtime
from tests.chaos.client import CLIENTS, Client
from tests.chaos.diary import Diary
from tests.chaos.editor import Editor
from tests.chaos.footprint import footprint
from tests.chaos.processes import Left, Orders, enter
from tests.chaos.worker import engine_of, let_go_of_pools


def serve(orders: Orders, ours: Connection) -> None:
    """Do what the plans say, say when all is done, and stop on SIGTERM."""
    stop, diary = enter(orders), Diary(Path(orders.folder).parent / "diary")
    with open_runtime(load_settings()) as runtime:
        engine = engine_of(runtime)
        engine.connect()
        let_go_of_pools(runtime)
        before = footprint()
        ours.send("started")
        clients = [Client(engine, orders, diary, number, stop).run for number in range(CLIENTS)]
        editor = Editor(runtime.app, engine, orders, diary, stop)
        threads = [_begin(work) for work in [*clients, editor.run]]
        for thread in threads:
            thread.join()
        ours.send("done")
        stop.wait()
        engine.stop()
        runtime.engine.stop()
        let_go_of_pools(runtime)
        ours.send(Left(before, footprint()))


def _begin(work: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=_or_die, args=(work,), name="chaos-client")
    thread.start()
    return thread


def _or_die(work: Callable[[], None]) -> None:
    """End the whole process where one thread meets what it does not expect."""
    try:
        work()
    except BaseException:  # noqa: BLE001 - written to the log, and the run fails by the exit code
        traceback.print_exc()
        os._exit(70)
