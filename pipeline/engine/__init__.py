"""A durable step engine: workflows in plain Python that survive `kill -9` at any moment.

    class ProcessSource(Workflow[SourceParams]):
        name = "process-source"

        async def run(self, event: WorkflowEvent[SourceParams], step: Step) -> PublicationRef:
            text = await step.do("transcribe", partial(transcribe, event.payload.source),
                                 retries=Retries(limit=3), timeout="20 minutes", resource="asr")
            decision = await step.wait_for_event("decision", type="review-decision",
                                                 timeout="72 hours")

        def finished(self, session, event, outcome):  # in the transaction that ends the instance
            ...

In `run` (everything awaited is a step: done once, remembered for good):

- `await step.do(name, fn, *, retries=Retries(), timeout="10 minutes", resource=None,
  sensitive=False, commit=None, rollback=None, rollback_retries=..., rollback_timeout=...)`. `fn`
  takes no arguments (a `partial`), sync or async. Its result is JSON by its annotation.
  `commit(session, result)` is called in the transaction that records the result and may return
  another one. With `resource`, `fn` and `commit` are partials of module-level functions; `fn` runs
  in a child process of a worker that serves the resource. `rollback(undo)` undoes the step when an
  error leaves `run` or the instance is terminated with rollback, in reverse order of the starts.
- `await step.sleep(name, duration)`, `await step.sleep_until(name, moment)`
- `await step.wait_for_event(name, type=..., timeout="24 hours") -> Event(type, payload, sent_at)`,
  `await step.wait_for_first_event(name, types=[...], timeout=...)`; both raise `EventTimeoutError`
- `await step.now()`, `await step.random()`, `await step.uuid()`: recorded
- `step.branch(name)`: the same vocabulary for one of several parallel branches. One name used in
  two branches at the same time is a `StepNameError` without it.
- `asyncio.gather`, `asyncio.wait`, task groups over all of these, in any shape

Errors: any exception of a step is tried again as its `Retries` say, but for those whose class has
`retryable = False` (all of `configs.errors` that are not transient, `NonRetryableError`). An error
with `retry_after_s` sets the delay. Failed for good, the step raises it, in every replay alike.

The engine:

    engine = Engine(database, url, workflows=[ProcessSource()],
                    resources={"asr": Resource(per_process=1, fleet=None)},
                    child_setup="package.module:function",  # called with the resource's name
                    settings=EngineSettings(...))
    engine.create_schema()                         # connect() and start() do it too
    engine.connect()                               # web, command line: executes nothing
    engine.start(resources=None | {"asr"}, turns=True); engine.stop()   # worker, from sync code
    instances = engine.workflows.for_tenant("acme").get("process-source")
    instance = instances.create(id="run-1-r1", params=SourceParams(...), retention=None,
                                session=None)
    instances.create_batch([NewInstance("a", ...), NewInstance("b", ...)], session=None)
    instance = instances.get("run-1-r1")     # known everywhere as "acme.run-1-r1"
    instance.status()     # InstanceStatus(status, output, error, waiting_for, ...)
    instance.history()    # [StepHistory(name, count, branch, kind, status, attempts, started_at,
                          #              ended_at, error_code, error_message, waiting_until)]
    instance.attempts(); instance.events()
    instance.send_event("review-decision", {"decision_id": "..."}, key=None, session=None)
    instance.pause(); instance.resume(); instance.restart(from_step=("summarize", 1))
    instance.terminate(rollback=False); instance.delete()

Schedules (`pipeline.engine.schedules` says what happens to an occurrence that nobody could begin):

    Engine(..., schedules=[Schedule("nightly", "tidy-up", "30 3 * * *", time_zone="Asia/Tokyo")])
    engine.schedules.list()                        # [ScheduleStatus(name, status, next_at, ...)]
    engine.schedules.pause("nightly"); engine.schedules.resume("nightly")
    engine.schedules.trigger("nightly")            # an instance now
    engine.schedules.backfill("nightly", start, end)  # those that are missing, 1000 at most

`session=`: takes part in the caller's transaction (`storage.database.transaction`). Instance
statuses: queued running waiting waiting_for_pause paused rolling_back errored terminated complete.
An instance whose journal does not fit its code is paused with a `DriftError` that names both steps.
"""

from pipeline.engine.codec import ErrorRecord
from pipeline.engine.definitions import (
    FINAL,
    Event,
    Outcome,
    Status,
    StepStatus,
    Undo,
    Workflow,
    WorkflowEvent,
)
from pipeline.engine.engine import Engine
from pipeline.engine.errors import (
    ChildSetupError,
    DriftError,
    EngineError,
    EventTimeoutError,
    InstanceEndedError,
    InstanceExistsError,
    InstanceNotFoundError,
    InstanceStateError,
    LimitError,
    NonRetryableError,
    NotSerializableError,
    ScheduleNotFoundError,
    StepFailedError,
    StepLostError,
    StepNameError,
    StepNotFoundError,
    StepTimeoutError,
    TooLargeForJournalError,
    UnsafeWorkflowError,
    WorkerProcessDiedError,
)
from pipeline.engine.handles import Instance, Instances, NewInstance, Workflows
from pipeline.engine.journal import StepKey
from pipeline.engine.retries import Retries
from pipeline.engine.schedules import Schedule, Schedules, ScheduleState, ScheduleStatus
from pipeline.engine.settings import EngineSettings, Resource
from pipeline.engine.step import Step
from pipeline.engine.views import AttemptHistory, EventHistory, InstanceStatus, StepHistory

__all__ = [
    "FINAL",
    "AttemptHistory",
    "ChildSetupError",
    "DriftError",
    "Engine",
    "EngineError",
    "EngineSettings",
    "ErrorRecord",
    "Event",
    "EventHistory",
    "EventTimeoutError",
    "Instance",
    "InstanceEndedError",
    "InstanceExistsError",
    "InstanceNotFoundError",
    "InstanceStateError",
    "InstanceStatus",
    "Instances",
    "LimitError",
    "NewInstance",
    "NonRetryableError",
    "NotSerializableError",
    "Outcome",
    "Resource",
    "Retries",
    "Schedule",
    "ScheduleNotFoundError",
    "ScheduleState",
    "ScheduleStatus",
    "Schedules",
    "Status",
    "Step",
    "StepFailedError",
    "StepHistory",
    "StepKey",
    "StepLostError",
    "StepNameError",
    "StepNotFoundError",
    "StepStatus",
    "StepTimeoutError",
    "TooLargeForJournalError",
    "Undo",
    "UnsafeWorkflowError",
    "WorkerProcessDiedError",
    "Workflow",
    "WorkflowEvent",
    "Workflows",
]
