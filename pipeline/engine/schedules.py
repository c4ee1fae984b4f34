"""Schedules: a workflow's instances by the clock.

DBOS keeps the clock: in every worker a thread of its own waits for a schedule's next occurrence and
enqueues one execution of the DBOS workflow `schedule`, under a name that is the same in all of
them. That execution makes the occurrence an instance of ours, with the id `{name}-{time}`, in the
transaction that looks whether the schedule is paused. So two schedulers, a backfill and a late
repeat make one instance.

When an occurrence begins: up to ten seconds after its time (DBOS spreads the load). One that no
worker could begin, because none ran or the database was away, begins when it can, but no later than
`start_within`; of several only the latest, and none of the time before the schedule was declared,
changed or resumed. What is later still is passed over, as by cron; `backfill` makes up for it.
"""

import builtins
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from functools import partial
from itertools import islice

from dbos import DBOSClient
from sqlmodel import Session

from configs import clock
from configs.cron import Cron
from configs.errors import InputError
from pipeline.engine import codec, occurrences
from pipeline.engine.definitions import params_type
from pipeline.engine.errors import InstanceExistsError, ScheduleNotFoundError
from pipeline.engine.handles import DEFAULT_TENANT, Access, Instance, Workflows
from pipeline.engine.names import check_id
from pipeline.engine.retries import Duration, seconds
from pipeline.engine.runtime import Runtime
from pipeline.engine.threads import Store

SCHEDULE = "schedule"
MOST_BACKFILLED = 1000
_LONGEST_NAME = 64  # leaves room for the time in an instance's id
_OLDEST = datetime(1970, 1, 2, tzinfo=UTC)
_GRACE_S = 15.0  # DBOS's own spread of ten seconds, and its queue


@dataclass(frozen=True)
class Schedule:
    """When to create instances of a workflow.

    Attributes:
        name: 1 to 64 of `[A-Za-z0-9_-]`, first not `-`.
        workflow: The workflow's name.
        cron: Minute, hour, day of month, month, day of week; with six fields, seconds first.
        time_zone: Whose wall clock `cron` is read on; how it goes over a change of the clock stands
            at `configs.cron.Cron`.
        params: The parameters, or a function that returns them for an occurrence (an aware time;
            of a trigger, the present).
        start_within: How long after its time an occurrence may still begin.
        tenant: Whose instances it creates.
    """

    name: str
    workflow: str
    cron: str
    time_zone: str = "UTC"
    params: object | Callable[[datetime], object] = None
    start_within: Duration = "5 minutes"
    tenant: str = DEFAULT_TENANT

    @property
    def times(self) -> Cron:
        """When it occurs."""
        return Cron(self.cron, self.time_zone)

    def params_at(self, moment: datetime) -> object:
        """Return the parameters of an instance."""
        return self.params(moment) if callable(self.params) else self.params


class ScheduleState(StrEnum):
    """Whether a schedule goes on."""

    ACTIVE = "active"
    PAUSED = "paused"


@dataclass(frozen=True)
class ScheduleStatus:
    """What is shown of a schedule; its times are in its time zone, `next_at` only while active."""

    name: str
    workflow: str
    cron: str
    time_zone: str
    status: ScheduleState
    next_at: datetime | None
    last_at: datetime | None


class Schedules:
    """The schedules of an engine, as its code declares them.

    A worker that starts stores them: new ones begin, changed ones change, and what is no longer
    declared is removed. Whether one is paused is stored too and stays as it is.

    Raises:
        ValueError: a name is used twice or not allowed, the workflow is unknown, or cron, time zone
            or duration are none (not retryable).
        LimitError, NotSerializableError: the parameters cannot be stored (not retryable).
    """

    def __init__(self, access: Access, workflows: Workflows, declared: Sequence[Schedule]) -> None:
        self._access, self._workflows = access, workflows
        self._declared: dict[str, Schedule] = {}
        for schedule in declared:
            self._check(schedule)
            self._declared[schedule.name] = schedule
        self._times = {name: schedule.times for name, schedule in self._declared.items()}

    def list(self) -> builtins.list[ScheduleStatus]:
        """Return the declared schedules, in their order."""
        rows, now = self._access.read(None, occurrences.rows), clock.utc_now()
        found = []
        for name, schedule in self._declared.items():
            row, times = rows.get(name), self._times[name]
            paused = row is not None and row.paused
            last = occurrences.occurred_at(row)
            found.append(
                ScheduleStatus(
                    name,
                    schedule.workflow,
                    schedule.cron,
                    schedule.time_zone,
                    ScheduleState.PAUSED if paused else ScheduleState.ACTIVE,
                    None if paused else times.after(now).astimezone(times.zone),
                    None if last is None else last.astimezone(times.zone),
                )
            )
        return found

    def get(self, name: str) -> ScheduleStatus:
        """Return one schedule.

        Raises:
            ScheduleNotFoundError: none is declared under this name (not retryable).
        """
        self._of(name)
        return next(status for status in self.list() if status.name == name)

    def pause(self, name: str, session: Session | None = None) -> bool:
        """Let no occurrence begin until `resume`; False where it is paused already.

        Raises:
            ScheduleNotFoundError: none is declared under this name (not retryable).
        """
        return self._set_paused(name, session, paused=True)

    def resume(self, name: str, session: Session | None = None) -> bool:
        """Go on with the next occurrence; False where it is not paused.

        Raises:
            ScheduleNotFoundError: none is declared under this name (not retryable).
        """
        return self._set_paused(name, session, paused=False)

    def trigger(self, name: str, session: Session | None = None) -> Instance:
        """Create an instance now, under an id of its own, paused or not.

        Raises:
            ScheduleNotFoundError: none is declared under this name (not retryable).
        """
        id_ = f"{self._of(name).name}-{clock.new_id('now')}"
        return self._create(name, id_, clock.utc_now(), session)

    def backfill(
        self, name: str, start: datetime, end: datetime, session: Session | None = None
    ) -> builtins.list[Instance]:
        """Create the instances that are missing of a time in the past, paused or not.

        Broken off anywhere, the same call again completes it.

        Args:
            name: The schedule.
            start: The first time that belongs to it; without a time zone, in the schedule's.
            end: The first time that does not.
            session: The transaction to take part in; without one, each has its own.

        Returns:
            The instances that it created, oldest first.

        Raises:
            InputError: the end is before the start or in the future, the start before 1970, or
                there are more than 1000 occurrences between (not retryable).
            ScheduleNotFoundError: none is declared under this name (not retryable).
        """
        self._of(name)
        times = self._times[name]
        first, last = (
            moment if moment.tzinfo else moment.replace(tzinfo=times.zone)
            for moment in (start, end)
        )
        created = []
        for occurrence in _between(times, first, last):
            with suppress(InstanceExistsError):
                created.append(self._create(name, _id(name, occurrence), occurrence, session))
        return created

    def declare(self, store: Store, client: DBOSClient) -> None:
        """Store what is declared, and tell DBOS (a worker that starts)."""
        store.run(partial(occurrences.declare, declared=self._times))
        there = client.list_schedules(workflow_name=SCHEDULE)
        for gone in {s["schedule_name"] for s in there} - set(map(_dbos_name, self._declared)):
            client.delete_schedule(gone)
        client.apply_schedules(
            [
                {
                    "schedule_name": _dbos_name(name),
                    "workflow_name": SCHEDULE,
                    "schedule": times.expression,
                    "cron_timezone": None if times.time_zone == "UTC" else times.time_zone,
                    "context": name,
                }
                for name, times in self._times.items()
            ]
        )

    async def occur(self, runtime: Runtime, name: str, occurrence: datetime) -> str:
        """Make an occurrence an instance, where it may still begin; nothing is raised."""
        try:
            return await runtime.store(lambda session: self._begin(session, name, occurrence))
        except Exception as error:  # noqa: BLE001 - shown in the log; the next occurrence comes
            kind = type(error).__name__
            runtime.log.warning("engine.schedule_failed", schedule=name, type=kind)
            return "failed"

    async def make_up(self, runtime: Runtime) -> None:
        """Begin what should have begun and has not."""
        if not self._declared:
            return
        look = partial(occurrences.missed, declared=self._times, grace_s=_GRACE_S)
        for name, occurrence in await runtime.store(look):
            await self.occur(runtime, name, occurrence)

    def _begin(self, session: Session, name: str, occurrence: datetime) -> str:
        schedule = self._declared.get(name)
        if schedule is None:
            return "unknown"
        within_s = seconds(schedule.start_within)
        if not occurrences.take(session, name, self._times[name], occurrence, within_s):
            return "passed over"
        with suppress(InstanceExistsError):
            self._create(name, _id(name, occurrence), occurrence, session)
        return "done"

    def _create(
        self, name: str, id_: str, occurrence: datetime, session: Session | None
    ) -> Instance:
        schedule = self._declared[name]
        instances = self._workflows.for_tenant(schedule.tenant).get(schedule.workflow)
        return instances.create(id_, schedule.params_at(occurrence), session=session)

    def _set_paused(self, name: str, session: Session | None, *, paused: bool) -> bool:
        self._of(name)
        work = partial(occurrences.set_paused, name=name, cron=self._times[name], paused=paused)
        return self._access.write(session, work)

    def _of(self, name: str) -> Schedule:
        schedule = self._declared.get(name)
        if schedule is None:
            raise ScheduleNotFoundError(details={"schedule": name[:100]})
        return schedule

    def _check(self, schedule: Schedule) -> None:
        check_id(schedule.name, "the schedule's name")
        if len(schedule.name) > _LONGEST_NAME:
            raise ValueError(f"the name of a schedule has at most {_LONGEST_NAME} characters")
        if schedule.name in self._declared:
            raise ValueError(f"two schedules have the name {schedule.name!r}")
        workflow = self._access.workflows.get(schedule.workflow)
        if workflow is None:
            raise ValueError(f"schedule {schedule.name!r}: no workflow {schedule.workflow!r}")
        check_id(schedule.tenant, "the schedule's tenant")
        _ = schedule.times
        seconds(schedule.start_within)
        if not callable(schedule.params):
            limit = self._access.settings.max_bytes
            codec.encode(schedule.params, params_type(workflow), limit=limit, what="parameters")


def _between(times: Cron, start: datetime, end: datetime) -> list[datetime]:
    if not _OLDEST <= start <= end <= clock.utc_now():
        raise InputError("Backfill a time in the past, not before 1970, that ends after its start.")
    found = list(islice(times.between(start, end), MOST_BACKFILLED + 1))
    if len(found) > MOST_BACKFILLED:
        raise InputError(
            f"There are more than {MOST_BACKFILLED} occurrences in this time; backfill it in parts."
        )
    return found


def _id(name: str, occurrence: datetime) -> str:
    return f"{name}-{occurrence:%Y%m%dT%H%M%SZ}"


def _dbos_name(name: str) -> str:
    return f"schedule-{name}"
