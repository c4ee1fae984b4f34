"""The engine put together: the only place that starts and stops DBOS."""

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from dbos import DBOS, DBOSConfig

from pipeline.engine import check, journal, leases
from pipeline.engine.definitions import Workflow
from pipeline.engine.dispatch import (
    APPLICATION,
    PROTOCOL,
    RECLAIM,
    TIMERS,
    TURNS,
    Dispatcher,
    resource_queue,
    serializer,
)
from pipeline.engine.errors import EngineError
from pipeline.engine.executions import register_executions
from pipeline.engine.faults import Faults
from pipeline.engine.handles import Access, Instance, Workflows
from pipeline.engine.names import check_id
from pipeline.engine.resources import Pool
from pipeline.engine.runtime import Runtime
from pipeline.engine.schedules import Schedule, Schedules
from pipeline.engine.settings import EngineSettings, Resource
from pipeline.engine.threads import Store
from pipeline.engine.views import InstanceStatus, Selection
from storage.database import create_database, is_sqlite, transaction

_one_at_a_time = threading.Lock()  # DBOS is one for a process
_TIMER_SLOTS = 16
_CRON_STEPS_S = (1, 2, 3, 5, 10, 15, 30)
_SCHEMA_LOCK = 7_020_117  # any number of ours


class Engine:
    """A durable step engine over one database.

    Args:
        database: The application's database (`storage.database.create_database`).
        url: The same database's address, for DBOS's own connections.
        workflows: One object for each workflow.
        resources: The resources that steps may name.
        child_setup: "module:function", called with the resource's name in each new child process,
            to load its model once.
        settings: Limits and times.
        faults: Tests: crash points and replacements.
        schedules: When instances are created by the clock.

    Raises:
        UnsafeWorkflowError: a workflow's `run` does what a replay cannot repeat (not retryable).
        ValueError: a name is used twice or not allowed (not retryable).
    """

    def __init__(
        self,
        database: sa.Engine,
        url: str,
        workflows: Sequence[Workflow[Any]],
        resources: Mapping[str, Resource] | None = None,
        child_setup: str | None = None,
        settings: EngineSettings | None = None,
        faults: Faults | None = None,
        schedules: Sequence[Schedule] = (),
    ) -> None:
        self.database, self._url, self._child_setup = database, url, child_setup
        self.settings = settings or EngineSettings()
        self.faults = Faults.from_environment() if faults is None else faults
        self._resources = dict(resources or {})
        self._workflows = _by_name(workflows)
        for resource in self._resources:
            check_id(resource, "the resource")
        self._dispatcher: Dispatcher | None = None
        self._runtime: Runtime | None = None
        self._heartbeat: leases.Heartbeat | None = None
        self._dbos: DBOS | None = None
        self._dbos_database: sa.Engine | None = None
        access = Access(database, self._connected, self.settings, self._workflows)
        self.workflows = Workflows(access)
        self.schedules = Schedules(access, self.workflows, schedules)

    def create_schema(self) -> None:
        """Create what is missing of the journal's and DBOS's tables; safe to call at any time."""
        with self.database.begin() as connection:
            if not is_sqlite(self.database):
                connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_SCHEMA_LOCK)))
            journal.metadata.create_all(connection)
        DBOS.migrate(self._url)

    def connect(self) -> None:
        """Make ready to create instances and send events, without executing anything here."""
        if self._dispatcher is None:
            self.create_schema()
            self._dispatcher = Dispatcher(self.database)

    def start(self, resources: set[str] | None = None, *, turns: bool = True) -> None:
        """Begin to execute in this process, in threads of the engine's own.

        Args:
            resources: Those served here; None: all.
            turns: Whether workflows advance here.

        Raises:
            EngineError: an engine has been started in this process already (not retryable).
        """
        served = self._resources.keys() if resources is None else resources
        if unknown := set(served) - self._resources.keys():
            raise EngineError(f"There is no resource {min(unknown)!r}.")
        if not _one_at_a_time.acquire(blocking=False):
            raise EngineError("An engine has been started in this process.")
        self.connect()
        runtime = self._runtime = self._new_runtime()
        self._heartbeat = leases.Heartbeat(runtime)
        self._heartbeat.start()
        for name in sorted(served):
            slots = self._resources[name].per_process
            runtime.pools[name] = Pool(name, slots, self._child_setup, self.settings.child_start_s)
        queues = [resource_queue(name) for name in sorted(served)]
        queues += [TURNS, TIMERS] if turns else []
        # A thread without an event loop, so that DBOS uses its own loop and not the caller's.
        _in_plain_thread(lambda: self._launch(runtime, queues))

    def stop(self) -> None:
        """Let running steps end (for a while), give back what is unfinished, and let go of all.

        What has not ended after `stop_grace_s` is ended; it is done again elsewhere, or here after
        the next start.
        """
        runtime, self._runtime = self._runtime, None
        if runtime is not None:
            runtime.draining.set()
            self._stop_taking(runtime.dispatcher)
            runtime.live.wait_for_effects(self.settings.stop_grace_s)
            _in_plain_thread(lambda: DBOS.destroy(destroy_registry=True))
            for pool in runtime.pools.values():
                pool.stop()
            if self._heartbeat is not None:
                self._heartbeat.stop()
            runtime.dispatcher.give_back(runtime.dispatcher.running(runtime.executor))
            runtime.store.run(lambda session: leases.drop(session, runtime.executor))
            runtime.store.close()
            _one_at_a_time.release()
        if self._dispatcher is not None:
            self._dispatcher.close()
            self._dispatcher = None
        if self._dbos_database is not None:
            self._dbos_database.dispose()
            self._dbos_database = None

    def instance(self, id: str) -> Instance:  # noqa: A002 - its name in the interface
        """Return an instance of whichever workflow.

        Raises:
            InstanceNotFoundError: there is none with this id (not retryable).
        """
        return self.workflows.find(id)

    def instances(
        self,
        workflow: str | None = None,
        status: str | None = None,
        limit: int = 50,
        *,
        tenant: str | None = None,
        search: str | None = None,
        before: str | None = None,
    ) -> list[InstanceStatus]:
        """Return instances, newest first.

        Args:
            workflow: Only of this workflow.
            status: Only with this status.
            limit: At most so many.
            tenant: Only of this tenant.
            search: Only those whose id holds this text.
            before: The full id of the last one on the page before.
        """
        return self.workflows.list(workflow, Selection(status, tenant, search, limit, before))

    def workers(self) -> int:
        """Return how many processes execute now: those whose lease is valid."""
        with transaction(self.database) as session:
            return len(leases.valid(session))

    @property
    def runtime(self) -> Runtime:
        """What runs now.

        Raises:
            EngineError: not started (not retryable).
        """
        if self._runtime is None:
            raise EngineError("The engine has not been started.")
        return self._runtime

    def _connected(self) -> Dispatcher:
        self.connect()
        if self._dispatcher is None:
            raise EngineError("The engine is not connected.")
        return self._dispatcher

    def _new_runtime(self) -> Runtime:
        return Runtime(
            executor=leases.new_executor(),
            store=Store(self.database, self.settings.journal_threads),
            dispatcher=self._connected(),
            settings=self.settings,
            workflows=self._workflows,
            resources=self._resources,
            faults=self.faults,
        )

    def _launch(self, runtime: Runtime, queues: list[str]) -> None:
        self._register_queues(runtime.dispatcher)
        config: DBOSConfig = {
            "name": APPLICATION,
            "system_database_url": self._url,
            "executor_id": runtime.executor,
            "application_version": PROTOCOL,
            "log_level": "ERROR",
            "serializer": serializer,
            "sys_db_pool_size": 10,
            "enable_otlp": False,
            "notification_listener_polling_interval_sec": 1.0,
        }
        if is_sqlite(self.database):
            self._dbos_database = create_database(self._url, explicit_begin=False)
            config["system_database_engine"] = self._dbos_database
        self._dbos = DBOS(config=config)
        register_executions(runtime, self.schedules)
        DBOS.listen_queues([])  # `Lookouts` does
        DBOS.launch()
        runtime.dispatcher.lookouts.start(self._dbos, queues)
        self._schedule_reclaim(runtime.dispatcher)
        self.schedules.declare(runtime.store, runtime.dispatcher.client)

    def _stop_taking(self, dispatcher: Dispatcher) -> None:
        """Take nothing more from the queues, while what runs may come to its end."""
        if self._dbos is None:
            return
        for event in self._dbos.background_thread_stop_events:
            event.set()
        dispatcher.lookouts.stop()
        for thread in threading.enumerate():
            if thread.name.startswith("queue-worker-") and thread.is_alive():
                thread.join(timeout=10.0)  # one that is only about to start ends by itself
        self._dbos = None

    def _register_queues(self, dispatcher: Dispatcher) -> None:
        """Write the queues' limits before the launch, which then listens to them at once."""
        limits: dict[str, tuple[int, int | None]] = {
            TURNS: (self.settings.turns, None),
            TIMERS: (_TIMER_SLOTS, None),
        }
        for name, resource in self._resources.items():
            limits[resource_queue(name)] = (resource.per_process, resource.fleet)
        poll_s, work_poll_s = self.settings.poll_s, self.settings.work_poll_s
        for queue, (here, everywhere) in limits.items():
            slots = here if everywhere is None else min(here, everywhere)
            dispatcher.client.register_queue(
                queue,
                worker_concurrency=slots,
                global_concurrency=everywhere,
                # Of no tenant more than there are: what this adds is that a look at the queue goes
                # through the tenants in random order, so that none waits for another's thousands.
                partition_worker_concurrency=None if queue == TIMERS else slots,
                polling_interval_sec=poll_s if queue in (TURNS, TIMERS) else work_poll_s,
            )

    def _schedule_reclaim(self, dispatcher: Dispatcher) -> None:
        every = max(step for step in _CRON_STEPS_S if step <= max(self.settings.lease_s / 2, 1))
        cron = f"*/{every} * * * * *"
        there = dispatcher.client.get_schedule(RECLAIM)
        if there is None or there["schedule"] != cron:
            dispatcher.client.apply_schedules(
                [{"schedule_name": RECLAIM, "workflow_name": RECLAIM, "schedule": cron}]
            )


def _by_name(workflows: Sequence[Workflow[Any]]) -> dict[str, Workflow[Any]]:
    found: dict[str, Workflow[Any]] = {}
    for workflow in workflows:
        check_id(workflow.name, "the workflow name")
        if workflow.name in found:
            raise ValueError(f"two workflows have the name {workflow.name!r}")
        check.check_run(workflow)
        found[workflow.name] = workflow
    return found


def _in_plain_thread(work: Callable[[], object]) -> None:
    """Run work in a thread of its own and raise what it raises."""
    problems: list[BaseException] = []

    def body() -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - handed on below
            problems.append(error)

    thread = threading.Thread(target=body, name="engine-start")
    thread.start()
    thread.join()
    if problems:
        raise problems[0]
