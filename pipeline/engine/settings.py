"""What can be set on an engine. Values, read by the composition root; the engine reads none."""

from dataclasses import dataclass

from pipeline.engine.codec import MIB


@dataclass(frozen=True)
class Resource:
    """A resource that heavy steps run on, as `asr`: one warm child process per slot.

    Attributes:
        per_process: Slots (and steps at a time) in each worker process that serves it.
        fleet: Steps at a time over all workers; None: no limit.
    """

    per_process: int = 1
    fleet: int | None = None


@dataclass(frozen=True)
class EngineSettings:
    """Times in seconds.

    Attributes:
        lease_s: A worker silent for longer is taken for dead and its work is given to others.
        turns: Instances that one worker advances at a time: coroutines, so many cost little, and a
            look into the queue takes no more than this.
        journal_threads: Journal transactions of one worker at a time.
        poll_s: How often a worker looks for turns that other processes made due, and for deadlines:
            half of the time it takes to wake an instance. What it puts on a queue itself it finds
            at once.
        work_poll_s: How often it looks for the heavy steps of other workers' turns. Looking is most
            of what an idle worker does, and there is a queue for each resource.
        linger_s: How long a turn stays before it lets go, for events that come at once.
        inline_delay_s: Retry delays up to this long are slept in the turn.
        recheck_s: How often a running turn with a parked branch looks for what it waits for.
        stop_grace_s: How long `stop` lets running steps come to their end.
        child_start_s: How long a resource's child process may take to get ready.
        keep_finished_s: How long finished executions stay in DBOS's tables (not the journal).
        retention_s: How long ended instances stay in the journal; None: until they are deleted.
        max_bytes: Size of parameters, results, outputs and event payloads.
        max_steps: Steps of one instance.
        max_state_bytes: Sum of one instance's results.
        max_losses: Deaths of workers in one step before the step fails for good.
        skip_waits: Tests: sleeps and retry delays take no time.
        suspend_always: Tests: the turn ends after every step, and the next one replays.
    """

    lease_s: float = 30.0
    turns: int = 64
    journal_threads: int = 8
    poll_s: float = 1.0
    work_poll_s: float = 2.0
    linger_s: float = 0.1
    inline_delay_s: float = 1.0
    recheck_s: float = 1.0
    stop_grace_s: float = 10.0
    child_start_s: float = 300.0
    keep_finished_s: float = 3600.0
    retention_s: float | None = None
    max_bytes: int = MIB
    max_steps: int = 10_000
    max_state_bytes: int = 256 * MIB
    max_losses: int = 10
    skip_waits: bool = False
    suspend_always: bool = False
