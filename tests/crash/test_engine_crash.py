"""Workers killed by SIGKILL, stopped past their lease, taken over: all as in an undisturbed run."""

import multiprocessing
import os
import signal
import sqlite3
import subprocess
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest
from sqlalchemy import make_url

from pipeline.engine import Engine, Instance, StepStatus
from pipeline.engine.testing import wait_for_status
from tests.crash.engine_worker import RETRY_DELAY_S, make_engine, metadata, read_effects, work

OUTPUT = [1, 0, "event", 2, 3, 4]
EFFECTS = {"first": 1, "left": 1, "right": 1, "flaky": 2, "heavy": 1, "last": 1}
ROWS = {"first": 1, "heavy": 1}
WAIT_S = 120.0


# Workers are forked from a process that has imported everything: a start is quick, and each is a
# process of its own.
_processes = multiprocessing.get_context("forkserver")
_processes.set_forkserver_preload(["tests.crash.engine_worker"])


@dataclass
class Scene:
    """A database with an engine that only looks on, and the workers of the test."""

    url: str
    engine: Engine
    workers: list[BaseProcess]

    def worker(self, crash_at: str = "") -> BaseProcess:
        """Start a worker process and wait until it works (or is killed)."""
        ours, theirs = _processes.Pipe(duplex=False)
        worker = _processes.Process(target=work, args=(self.url, crash_at, theirs))
        worker.start()
        theirs.close()
        self.workers.append(worker)
        with suppress(EOFError):  # killed before it could say so
            assert ours.recv() == "started"
        ours.close()
        return worker

    def begin(self, workflow: str = "journey") -> Instance:
        """Create an instance, and send its event: it is there when it is waited for."""
        instance = self.engine.workflows.get(workflow).create(workflow, self.url)
        if workflow == "journey":
            instance.send_event("go", "event")
        return instance

    def undisturbed(self, instance: Instance) -> None:
        """Check what is the same in every run, whatever was killed."""
        status = wait_for_status(instance, timeout_s=WAIT_S)
        assert (status.status, status.output) == ("complete", OUTPUT)
        assert read_effects(self.url, "row") == ROWS
        steps = [step for step in instance.history() if step.status is not StepStatus.SUCCEEDED]
        assert steps == []


@contextmanager
def scene(url: str) -> Iterator[Scene]:
    engine = make_engine(url)
    metadata.create_all(engine.database)
    engine.connect()
    workers: list[BaseProcess] = []
    try:
        yield Scene(url, engine, workers)
    finally:
        for worker in workers:
            worker.kill()
            worker.join()
        engine.stop()
        engine.database.dispose()


@pytest.fixture
def stage(database_url: str) -> Iterator[Scene]:
    with scene(database_url) as made:
        yield made


def killed(worker: BaseProcess) -> bool:
    """Wait for the worker's end and tell whether SIGKILL ended it."""
    worker.join(WAIT_S)
    return worker.exitcode == -signal.SIGKILL


def stop_outside_transactions(stage: Scene, worker: BaseProcess) -> None:
    """Stop a worker (SIGSTOP) at a moment when it does not hold SQLite's one write lock.

    A process that is stopped in a transaction keeps that lock, on SQLite for all others too; this
    is SQLite's way, and not what is tested.
    """
    while True:
        send(worker, signal.SIGSTOP)
        while not _is_stopped(worker):
            pause()
        if not stage.url.startswith("sqlite") or _writable(stage.url):
            return
        send(worker, signal.SIGCONT)


def _is_stopped(worker: BaseProcess) -> bool:
    """Tell whether every thread has stopped; one in a system call first comes to its end."""
    with suppress(OSError):  # a thread has ended meanwhile
        stats = [stat.read_text() for stat in Path(f"/proc/{worker.pid}/task").glob("*/stat")]
        return {stat.rpartition(")")[2].split()[0] for stat in stats} == {"T"}
    return False


def _writable(url: str) -> bool:
    path = make_url(url).database
    assert path
    with closing(sqlite3.connect(path, timeout=0.5, isolation_level=None)) as connection:
        try:
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError:
            return False
    return True


def send(worker: BaseProcess, number: signal.Signals) -> None:
    assert worker.pid
    os.kill(worker.pid, number)


def until(instance: Instance, step: str, status: str) -> None:
    """Wait until a step has a status."""
    while (step, status) not in [(s.name, s.status.value) for s in instance.history()]:
        assert instance.status().ended_at is None
        pause()


def until_effect(stage: Scene, worker: BaseProcess, what: str) -> None:
    """Wait until an effect has happened once, in a worker that lives."""
    while read_effects(stage.url).get(what, 0) == 0:
        assert worker.is_alive()
        pause()


def pause() -> None:
    """Leave the processor to the workers, between two looks."""
    threading.Event().wait(0.05)


def test_journey_when_nothing_is_killed_then_each_effect_happens_once(stage: Scene) -> None:
    worker, instance = stage.worker(), stage.begin()
    stage.undisturbed(instance)
    assert read_effects(stage.url) == EFFECTS
    worker.terminate()
    worker.join(WAIT_S)
    assert worker.exitcode == 0


@pytest.mark.parametrize("step", ["first", "heavy"])
def test_worker_when_killed_at_each_point_of_a_step_then_only_the_step_in_flight_runs_again(
    stage: Scene, step: str
) -> None:
    instance = stage.begin()
    for point in ("before", "after effect", "after commit"):
        assert killed(stage.worker(f"{step}:1:{point}"))
    stage.worker()
    stage.undisturbed(instance)
    assert read_effects(stage.url) == {**EFFECTS, step: 2}  # once for `after effect`
    outcomes = [a.outcome for a in instance.attempts() if a.name == step]
    assert outcomes == ["lost", "lost", "succeeded"]


def test_worker_when_killed_between_registering_and_letting_go_then_the_wait_holds(
    stage: Scene,
) -> None:
    instance = stage.begin()
    for wait in ("go", "nap"):
        assert killed(stage.worker(f"{wait}:1:after effect"))
    stage.worker()
    stage.undisturbed(instance)
    effects = read_effects(stage.url)
    assert effects.pop("left") in (1, 2)  # in flight, in the other branch, at the first kill
    assert effects == {what: times for what, times in EFFECTS.items() if what != "left"}


def test_worker_when_killed_in_a_retry_delay_then_the_delay_and_the_attempts_hold(
    stage: Scene,
) -> None:
    worker, instance = stage.worker(), stage.begin()
    until(instance, "flaky", "retrying")
    worker.kill()
    assert killed(worker)
    stage.worker()
    stage.undisturbed(instance)
    assert read_effects(stage.url) == EFFECTS
    first, second = [a for a in instance.attempts() if a.name == "flaky"]
    assert (first.outcome, second.outcome) == ("failed", "succeeded")
    assert first.ended_at
    assert (second.started_at - first.ended_at).total_seconds() >= RETRY_DELAY_S


def test_worker_when_killed_for_good_then_another_takes_its_work(stage: Scene) -> None:
    first, instance = stage.worker(), stage.begin("stuck")
    for step in ("light", "stuck"):
        until(instance, step, "running")
        until_effect(stage, first, step)
        second = stage.worker()
        first.kill()
        assert killed(first)
        first = second
    assert wait_for_status(instance, timeout_s=WAIT_S).output == "done"
    assert read_effects(stage.url) == {"before": 1, "light": 2, "stuck": 2}


def test_worker_when_stopped_past_its_lease_then_another_goes_on_and_it_changes_nothing(
    stage: Scene,
) -> None:
    first, instance = stage.worker(), stage.begin("stuck")
    until(instance, "light", "running")
    until_effect(stage, first, "light")
    stop_outside_transactions(stage, first)
    second = stage.worker()
    until(instance, "stuck", "running")
    executors = [a.executor for a in instance.attempts()]
    send(first, signal.SIGCONT)
    assert executors[0] != executors[-1]
    until_effect(stage, second, "stuck")
    second.kill()
    assert killed(second)
    assert wait_for_status(instance, timeout_s=WAIT_S).output == "done"
    assert read_effects(stage.url) == {"before": 1, "light": 2, "stuck": 2}


def test_workers_when_two_recover_one_instance_then_its_steps_run_once(stage: Scene) -> None:
    instance = stage.begin()
    assert killed(stage.worker("first:1:after commit"))
    stage.worker()
    stage.worker()
    stage.undisturbed(instance)
    assert read_effects(stage.url) == EFFECTS


def test_child_when_its_worker_is_killed_then_is_gone(stage: Scene) -> None:
    worker, instance = stage.worker(), stage.begin("stuck")
    until(instance, "light", "running")
    other = stage.worker()
    worker.kill()
    assert killed(worker)
    until(instance, "stuck", "running")
    while not (children := _children(other.pid)):
        assert other.is_alive()
        pause()
    other.kill()
    assert killed(other)
    while any(_alive(pid) for pid in children):
        pause()


def _children(pid: int | None) -> list[int]:
    """Return the processes that run our child's code for this worker."""
    found = subprocess.run(
        ["pgrep", "-P", str(pid), "-f", "spawn_main"], capture_output=True, text=True, check=False
    )
    return [int(line) for line in found.stdout.split()]


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_worker_when_killed_in_a_rollback_then_another_goes_on_and_none_succeeds_twice(
    stage: Scene,
) -> None:
    instance = stage.begin("undone")
    assert killed(stage.worker())
    assert instance.status().status == "rolling_back"
    stage.worker()
    status = wait_for_status(instance, timeout_s=WAIT_S)
    assert (status.status, status.rollback) == ("errored", "complete")
    assert read_effects(stage.url) == {"one": 1, "two": 1, "undo two": 1, "undo one": 2}
