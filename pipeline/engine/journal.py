"""The engine's tables and the rows they hold.

Times are seconds since the epoch on the database's clock. Results, errors and waits are JSON text
(`codec`). The application's rows are written in the same transactions.

What every step or turn executes is built once, with the parameters `of_...` for which row is meant:
building a statement and finding its compiled form costs more than executing it.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.compiler import compiles
from sqlmodel import Session

from pipeline.engine.errors import FencedError, PausingError

metadata = sa.MetaData()

FINAL_STATES = ("complete", "errored", "terminated")
ROLLBACK = "rollback"  # the kind of a step that undoes another
_HELD_BY_A_TURN = ("running", "waiting_for_pause")
_ID = sa.String(201)  # tenant, a dot and the id of 100 characters

instance_table = sa.Table(
    "engine_instance",
    metadata,
    sa.Column("id", _ID, primary_key=True),
    sa.Column("name", sa.String(100), nullable=False, index=True),  # the id without its tenant
    sa.Column("workflow", sa.String(256), nullable=False, index=True),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("tenant", sa.String(100), nullable=False),
    sa.Column("state", sa.String(20), nullable=False, index=True),
    sa.Column("turn", sa.Integer, nullable=False, default=1),
    sa.Column("epoch", sa.Integer, nullable=False, default=0),
    sa.Column("generation", sa.Integer, nullable=False, default=1),
    sa.Column("waiting", sa.Text),  # JSON list of `Wait`, while no turn holds the instance
    sa.Column("rollback", sa.Text),  # JSON of `Ending`, from when it begins to roll back
    sa.Column("retention_s", sa.Double),  # from its end until it is deleted; None: kept
    sa.Column("params", sa.Text, nullable=False),
    sa.Column("output", sa.Text),
    sa.Column("error", sa.Text),
    sa.Column("state_bytes", sa.BigInteger, nullable=False, default=0),
    sa.Column("last_event", sa.Integer, nullable=False, default=0),
    sa.Column("last_outcome", sa.Integer, nullable=False, default=0),
    sa.Column("created_at", sa.Double, nullable=False, index=True),
    sa.Column("updated_at", sa.Double, nullable=False),
    sa.Column("ended_at", sa.Double),
    sa.Column("delete_at", sa.Double, index=True),
)

_STEP_KEY = (
    sa.Column("instance", _ID, primary_key=True),
    sa.Column("branch", sa.String(256), primary_key=True),
    sa.Column("name", sa.String(256), primary_key=True),
    sa.Column("count", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("generation", sa.Integer, primary_key=True, autoincrement=False),
)

step_table = sa.Table(
    "engine_step",
    metadata,
    *_STEP_KEY,
    sa.Column("kind", sa.String(20), nullable=False),
    sa.Column("status", sa.String(20), nullable=False),
    sa.Column("ordinal", sa.Integer, nullable=False),  # order of first start
    sa.Column("outcome", sa.Integer),  # order of ending; None: not ended
    sa.Column("attempts", sa.Integer, nullable=False, default=0),
    sa.Column("failures", sa.Integer, nullable=False, default=0),
    sa.Column("losses", sa.Integer, nullable=False, default=0),
    sa.Column("result", sa.Text),
    sa.Column("error", sa.Text),
    sa.Column("sensitive", sa.Boolean, nullable=False, default=False),
    sa.Column("request", sa.Text),  # what a resource step calls, or what a wait waits for
    sa.Column("claim", sa.String(64)),  # the execution that may commit a resource step
    sa.Column("attempt_at", sa.Double),  # since when an attempt runs; None: none does
    sa.Column("executor", sa.String(100)),  # the process that it runs in
    sa.Column("due_at", sa.Double),  # deadline of a wait, or time of the next attempt
    sa.Column("created_at", sa.Double, nullable=False),
    sa.Column("started_at", sa.Double),
    sa.Column("ended_at", sa.Double),
)

attempt_table = sa.Table(
    "engine_attempt",
    metadata,
    *(column.copy() for column in _STEP_KEY),
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("outcome", sa.String(20), nullable=False),  # succeeded failed lost cancelled
    sa.Column("error_code", sa.String(256)),
    sa.Column("executor", sa.String(100), nullable=False),
    sa.Column("started_at", sa.Double, nullable=False),
    sa.Column("ended_at", sa.Double, nullable=False),
)

event_table = sa.Table(
    "engine_event",
    metadata,
    sa.Column("instance", _ID, primary_key=True),
    sa.Column("seq", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("type", sa.String(100), nullable=False),
    sa.Column("payload", sa.Text, nullable=False),
    sa.Column("key", sa.String(256)),
    sa.Column("sent_at", sa.Double, nullable=False),
    sa.Column("consumed_by", sa.Text),
    sa.UniqueConstraint("instance", "key"),
)

lease_table = sa.Table(
    "engine_lease",
    metadata,
    sa.Column("executor", sa.String(100), primary_key=True),
    sa.Column("started_at", sa.Double, nullable=False),
    sa.Column("expires_at", sa.Double, nullable=False, index=True),
)


def create_schema(engine: sa.Engine) -> None:
    """Create the tables that are not there yet."""
    metadata.create_all(engine)


@dataclass(frozen=True, order=True)
class StepKey:
    """Which step: its name and how many times this name was used so far, in its branch."""

    branch: str
    name: str
    count: int

    def __str__(self) -> str:
        """Return the step as a person reads it."""
        place = f"{self.branch}/" if self.branch else ""
        return f"{place}{self.name} ({self.count})"


@dataclass(frozen=True)
class StepRow:
    """A step as the journal holds it."""

    key: StepKey
    kind: str
    status: str
    ordinal: int
    outcome: int | None
    attempts: int
    failures: int
    losses: int
    result: str | None
    error: str | None
    sensitive: bool
    request: str | None
    due_at: float | None
    attempt_at: float | None = None
    executor: str | None = None


@dataclass(frozen=True)
class Wait:
    """What a parked branch waits for: a time, events, or the end of a resource step."""

    step: StepKey
    due_at: float | None = None
    types: tuple[str, ...] = ()


@dataclass(frozen=True)
class TurnRef:
    """The right to write for an instance: only while its epoch is this one."""

    instance: str
    tenant: str
    epoch: int
    generation: int
    executor: str


class clock(sa.sql.functions.FunctionElement[float]):  # noqa: N801 - a function of SQL
    """The database's clock as seconds since the epoch; not the start of the transaction."""

    type = sa.Double()
    inherit_cache = True


@compiles(clock, "postgresql")
def _clock_of_postgresql(*_: object, **__: object) -> str:
    return "EXTRACT(EPOCH FROM clock_timestamp())::double precision"


@compiles(clock, "sqlite")
def _clock_of_sqlite(*_: object, **__: object) -> str:
    return "((julianday('now') - 2440587.5) * 86400.0)"


_I, _S = instance_table.c, step_table.c
OF_INSTANCE = sa.bindparam("of_instance", type_=_ID)
IS_INSTANCE = _I.id == OF_INSTANCE
IS_OWNED = sa.and_(  # the condition under which a turn may write for its instance
    IS_INSTANCE,
    _I.epoch == sa.bindparam("of_epoch", type_=sa.Integer),
    _I.state.in_(_HELD_BY_A_TURN),
    _I.waiting.is_(None),
)
IS_STEP = sa.and_(
    _S.instance == OF_INSTANCE,
    _S.branch == sa.bindparam("of_branch", type_=sa.String),
    _S.name == sa.bindparam("of_name", type_=sa.String),
    _S["count"] == sa.bindparam("of_count", type_=sa.Integer),
    _S.generation == sa.bindparam("of_generation", type_=sa.Integer),
)
_LOCKED = sa.select(instance_table, clock().label("now")).with_for_update()
_LOCKED_INSTANCE = _LOCKED.where(IS_INSTANCE)
_LOCKED_OWNED = _LOCKED.where(IS_OWNED)
_STEP = sa.select(step_table).where(IS_STEP)
_NOW = sa.select(clock())
_UPDATE_INSTANCE = sa.update(instance_table).where(IS_INSTANCE)


def now(session: Session) -> float:
    """Return the database's clock as seconds since the epoch."""
    return float(execute(session, _NOW).scalar_one())


def moment(value: float | None) -> datetime | None:
    """Return a stored time as an aware datetime."""
    return None if value is None else datetime.fromtimestamp(value, UTC)


def execute(
    session: Session,
    statement: sa.Executable,
    values: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
) -> sa.CursorResult[Any]:
    """Run a Core statement in the session's transaction, after what the session holds unwritten.

    Args:
        session: The transaction.
        statement: What to run.
        values: Its parameters; of an INSERT or UPDATE also columns. Several: it runs for each.
    """
    session.flush()
    result: sa.CursorResult[Any] = session.connection().execute(statement, values)
    return result


def lock_instance(session: Session, instance: str) -> sa.Row[Any] | None:
    """Read an instance's row with the time (`now`) and hold it until the transaction ends."""
    return execute(session, _LOCKED_INSTANCE, {"of_instance": instance}).one_or_none()


def fence(session: Session, ref: TurnRef) -> sa.Row[Any]:
    """Lock the instance's row and check that this turn still owns it.

    Raises:
        FencedError: another turn began, or the instance was let go or terminated.
    """
    row = execute(session, _LOCKED_OWNED, owner(ref)).one_or_none()
    if row is None:
        raise FencedError
    return row


def owner(ref: TurnRef) -> dict[str, Any]:
    """Return the parameters of `IS_OWNED`."""
    return {"of_instance": ref.instance, "of_epoch": ref.epoch}


def admit(session: Session, ref: TurnRef) -> sa.Row[Any]:
    """As `fence`, where something new is about to begin.

    Raises:
        FencedError: another turn began, or the instance was let go or terminated.
        PausingError: the instance is to be paused; what runs may end, nothing begins.
    """
    row = fence(session, ref)
    if row.state == "waiting_for_pause":
        raise PausingError
    return row


def settle_pause(session: Session, instance: sa.Row[Any]) -> None:
    """Pause an instance (whose row is locked) for which this was asked, once nothing runs."""
    if instance.state != "waiting_for_pause" or instance.waiting is None:
        return
    if not has_work(session, instance):
        update_instance(session, instance.id, state="paused", updated_at=now(session))


def has_work(session: Session, instance: sa.Row[Any]) -> bool:
    """Tell whether a step of the instance is at work on a resource."""
    c = step_table.c
    at_work = sa.select(c.claim).where(
        c.instance == instance.id, c.generation == instance.generation, c.claim.is_not(None)
    )
    return execute(session, at_work.limit(1)).first() is not None


def update_instance(session: Session, instance: str, **values: object) -> None:
    """Write columns of an instance whose row is locked."""
    execute(session, _UPDATE_INSTANCE, {"of_instance": instance, **values})


def change(condition: sa.ColumnElement[bool], **values: object) -> sa.Executable:
    """Return a statement that writes columns of the instance for which the condition holds.

    It returns the row as it is then, with the time (`now`).
    """
    statement = sa.update(instance_table).where(condition).values(**values)
    return statement.returning(*instance_table.c, clock().label("now"))


def step_names(instance: str, generation: int, key: StepKey) -> dict[str, Any]:
    """Return the parameters of `IS_STEP`."""
    return {f"of_{name}": part for name, part in key_values(instance, generation, key).items()}


def key_values(instance: str, generation: int, key: StepKey) -> dict[str, Any]:
    """Return the key columns of a step's or attempt's row."""
    return {
        "instance": instance,
        "branch": key.branch,
        "name": key.name,
        "count": key.count,
        "generation": generation,
    }


def read_step(session: Session, instance: str, generation: int, key: StepKey) -> StepRow | None:
    """Read one step's row."""
    row = execute(session, _STEP, step_names(instance, generation, key)).one_or_none()
    return None if row is None else step_row(row)


def step_row(row: sa.Row[Any]) -> StepRow:
    """Return a step's row as a value."""
    m = row._mapping  # noqa: SLF001 - the documented way to columns named like methods
    return StepRow(
        key=StepKey(m["branch"], m["name"], m["count"]),
        kind=m["kind"],
        status=m["status"],
        ordinal=m["ordinal"],
        outcome=m["outcome"],
        attempts=m["attempts"],
        failures=m["failures"],
        losses=m["losses"],
        result=m["result"],
        error=m["error"],
        sensitive=m["sensitive"],
        request=m["request"],
        due_at=m["due_at"],
        attempt_at=m["attempt_at"],
        executor=m["executor"],
    )


def write_waits(waits: list[Wait]) -> str:
    """Return waits as JSON text."""
    return json.dumps(
        [
            {
                "step": [w.step.branch, w.step.name, w.step.count],
                "due_at": w.due_at,
                "types": list(w.types),
            }
            for w in waits
        ]
    )


def read_waits(text: str | None) -> list[Wait]:
    """Return the waits that `write_waits` wrote."""
    return [
        Wait(StepKey(*item["step"]), item["due_at"], tuple(item["types"]))
        for item in json.loads(text or "[]")
    ]
