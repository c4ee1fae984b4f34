"""What operators do to schedules: pause, resume, trigger, backfill; kept in the audit log."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TypeVar

from sqlmodel import Session

from pipeline.commands.context import Actor, App, in_transaction, require
from pipeline.engine import Instance
from storage import audit
from storage.statuses import Role

ResultT = TypeVar("ResultT")


def pause_schedule(app: App, actor: Actor, name: str) -> bool:
    """Let no occurrence begin until it is resumed; False where it is paused already.

    Raises:
        PolicyError: not an admin (not retryable).
        NotFoundError: there is no such schedule (not retryable).
    """
    return _operate(app, actor, name, "paused", lambda s: app.engine.schedules.pause(name, s))


def resume_schedule(app: App, actor: Actor, name: str) -> bool:
    """Go on with the next occurrence; False where it is not paused.

    Raises:
        PolicyError: not an admin (not retryable).
        NotFoundError: there is no such schedule (not retryable).
    """
    return _operate(app, actor, name, "resumed", lambda s: app.engine.schedules.resume(name, s))


def trigger_schedule(app: App, actor: Actor, name: str) -> Instance:
    """Create an instance now, paused or not.

    Raises:
        PolicyError: not an admin (not retryable).
        NotFoundError: there is no such schedule (not retryable).
    """
    return _operate(app, actor, name, "triggered", lambda s: app.engine.schedules.trigger(name, s))


def backfill_schedule(
    app: App, actor: Actor, name: str, start: datetime, end: datetime
) -> Sequence[Instance]:
    """Create the instances that are missing of a time in the past, all of them or none.

    Args:
        app: the application.
        actor: who asks.
        name: the schedule's.
        start: the first time that belongs to it; without a time zone, in the schedule's.
        end: the first time that does not.

    Raises:
        PolicyError: not an admin (not retryable).
        NotFoundError: there is no such schedule (not retryable).
        InputError: the times do not fit (not retryable).
    """
    require(actor, Role.ADMIN)
    times = {"start": start.isoformat(), "end": end.isoformat()}

    def carry_out(session: Session) -> Sequence[Instance]:
        made = app.engine.schedules.backfill(name, start, end, session)
        _record(session, actor, name, "backfilled", **times, instances=len(made))
        return made

    return in_transaction(app, carry_out)


def _operate(
    app: App, actor: Actor, name: str, done: str, work: Callable[[Session], ResultT]
) -> ResultT:
    require(actor, Role.ADMIN)

    def carry_out(session: Session) -> ResultT:
        result = work(session)
        if result is not False:
            _record(session, actor, name, done)
        return result

    return in_transaction(app, carry_out)


def _record(session: Session, actor: Actor, name: str, done: str, **details: object) -> None:
    audit.append(
        session,
        actor_id=actor.user_id,
        action=f"schedule.{done}",
        run_id=None,
        details={"schedule": name, "channel": actor.channel, **details},
    )
