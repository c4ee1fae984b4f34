"""The ledger of calls to language models: limits and budgets before a call, its outcome after it.

A call is one row of `model_call`. `admit` writes it before the call is made, under a lock that all
workers share, so that calls at the same time cannot together pass a limit or a budget. A call whose
turn has not come waits as a row with its time: turns go in the order in which they were asked for,
and one is kept while its step sleeps.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlmodel import Session, col, select

from configs.clock import new_id
from configs.errors import OverBudgetError
from storage.costs import run_cost_usd
from storage.database import database_now, is_sqlite
from storage.refs import ArtifactRef
from storage.statuses import RunStatus
from storage.tables import ModelCall, Run

WAITING = "waiting"
SENT = "sent"
ANSWERED = "answered"
CACHED = "cached"

_LOCK = 7_107_011  # any number of ours: it names the lock on PostgreSQL
_WINDOW = timedelta(minutes=1)


@dataclass(frozen=True)
class Call:
    """A call that is to be made; `tokens` and `cost_usd` are the most that it may use."""

    run_id: str
    revision: int
    step: str
    endpoint: str
    model: str
    request_sha256: str
    prompt_sha256: str | None
    tokens: int
    cost_usd: float


@dataclass(frozen=True)
class Limits:
    """What an endpoint takes in a minute, and what calls may cost; None: no limit."""

    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    run_usd: float | None = None
    tenant_usd_per_month: float | None = None


@dataclass(frozen=True)
class Admission:
    """The entry of a call, and how long it has to wait; 0 where it may be made now."""

    key: str
    wait_s: float


def admit(session: Session, call: Call, limits: Limits) -> Admission:
    """Give a call its turn; where that is now, note it as sent with the most that it may cost.

    Args:
        session: a write transaction; the turn is kept only where it commits.
        call: what is to be sent.
        limits: what holds for it.

    Raises:
        OverBudgetError: the call could cost more than is left; nothing is noted (not retryable).
    """
    _lock(session)
    now = database_now(session)
    _require_budget(session, call, limits)
    row = _waiting(session, call)
    if row is None:
        row = _entry(call, now, _turn(session, call, limits, now))
    elif row.due_at is None or row.due_at <= now:  # others may have been late, or it is
        row.due_at = _turn(session, call, limits, now, col(ModelCall.outcome) != WAITING)
    wait_s = (row.due_at - now).total_seconds() if row.due_at else 0.0
    if wait_s <= 0:
        row.outcome, row.cost_usd, row.at = SENT, call.cost_usd, now
    session.add(row)
    return Admission(row.key, max(0.0, wait_s))


def close(
    session: Session,
    key: str,
    outcome: str,
    *,
    input_tokens: int,
    output_tokens: int,
    cost_usd: float,
    latency_s: float,
    answer: ArtifactRef | None = None,
) -> None:
    """Note what became of a call, and where its answer is kept."""
    row = session.get_one(ModelCall, key)
    row.outcome, row.latency_s = outcome, latency_s
    row.input_tokens, row.output_tokens, row.cost_usd = input_tokens, output_tokens, cost_usd
    row.answer = None if answer is None else asdict(answer)
    session.add(row)


def find_answer(session: Session, tenant: str, request_sha256: str) -> ArtifactRef | None:
    """Return the kept answer to an equal request of the same tenant, the newest one.

    An erased run's is never returned, even while its objects are being deleted.
    """
    query = (
        select(ModelCall)
        .join(Run, col(Run.id) == col(ModelCall.run_id))
        .where(
            ModelCall.request_sha256 == request_sha256,
            ModelCall.outcome == ANSWERED,
            col(ModelCall.answer).is_not(None),
            Run.tenant == tenant,
            col(Run.status) != RunStatus.ERASED,
        )
        .order_by(col(ModelCall.at).desc())
    )
    row = session.exec(query.limit(1)).first()
    return None if row is None or row.answer is None else _ref(row.answer)


def note_cached(session: Session, call: Call) -> None:
    """Note that a kept answer was used: no token, no cost."""
    now = database_now(session)
    session.add(_entry(call, now, None, outcome=CACHED, tokens=0))


def calls_of(session: Session, run_id: str) -> Sequence[ModelCall]:
    """Return the calls of a run, of all its revisions, in order."""
    query = select(ModelCall).where(ModelCall.run_id == run_id)
    return session.exec(query.order_by(col(ModelCall.at), col(ModelCall.key))).all()


def tenant_spent_usd(session: Session, tenant: str) -> float:
    """Return what the calls of a tenant cost in this calendar month (UTC).

    One that is being made counts with the most that it may cost.
    """
    month = database_now(session).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    query = select(sa.func.coalesce(sa.func.sum(ModelCall.cost_usd), 0.0))
    query = query.join(Run, col(Run.id) == col(ModelCall.run_id))
    query = query.where(Run.tenant == tenant, col(ModelCall.at) >= month)
    return float(session.exec(query).one())


def _require_budget(session: Session, call: Call, limits: Limits) -> None:
    """Refuse a call that could cost more than is left; one that costs nothing is never refused."""
    if call.cost_usd <= 0:
        return
    if limits.run_usd is not None:
        _require_left("run", limits.run_usd, run_cost_usd(session, call.run_id), call)
    if limits.tenant_usd_per_month is not None:
        run = session.get_one(Run, call.run_id)
        spent = tenant_spent_usd(session, run.tenant)
        _require_left("tenant", limits.tenant_usd_per_month, spent, call)


def _require_left(whose: str, budget_usd: float, spent_usd: float, call: Call) -> None:
    if spent_usd + call.cost_usd > budget_usd:
        raise OverBudgetError(
            f"The {whose}'s budget for model calls does not allow this call, so it was not made.",
            {
                "budget": whose,
                "budget_usd": budget_usd,
                "spent_usd": round(spent_usd, 6),
                "call_usd": round(call.cost_usd, 6),
            },
        )


def _turn(
    session: Session,
    call: Call,
    limits: Limits,
    now: datetime,
    *others: sa.ColumnElement[bool],
) -> datetime | None:
    """Return when a call may be made: after the others, when the minute has room for it."""
    if limits.requests_per_minute is None and limits.tokens_per_minute is None:
        return None
    used = col(ModelCall.input_tokens) + col(ModelCall.output_tokens)
    query = select(ModelCall.due_at, used).where(
        ModelCall.endpoint == call.endpoint, col(ModelCall.due_at) > now - _WINDOW, *others
    )
    turn, requests, tokens = now, 1, call.tokens
    for due_at, used_tokens in session.exec(query.order_by(col(ModelCall.due_at).desc())):
        assert due_at is not None  # noqa: S101 - the query asks for later ones
        turn = max(turn, due_at)  # the first is the last in the queue
        requests, tokens = requests + 1, tokens + used_tokens
        if _above(requests, limits.requests_per_minute) or _above(tokens, limits.tokens_per_minute):
            return max(turn, due_at + _WINDOW)
    return turn


def _above(value: int, limit: int | None) -> bool:
    return limit is not None and value > limit


def _waiting(session: Session, call: Call) -> ModelCall | None:
    """Return the turn that this call was given before."""
    query = select(ModelCall).where(
        ModelCall.run_id == call.run_id,
        ModelCall.revision == call.revision,
        ModelCall.endpoint == call.endpoint,
        ModelCall.request_sha256 == call.request_sha256,
        ModelCall.outcome == WAITING,
    )
    return session.exec(query.limit(1)).first()


def _entry(
    call: Call,
    now: datetime,
    due_at: datetime | None,
    *,
    outcome: str = WAITING,
    tokens: int | None = None,
) -> ModelCall:
    return ModelCall(
        key=new_id("call"),
        run_id=call.run_id,
        revision=call.revision,
        step=call.step,
        model=call.model,
        endpoint=call.endpoint,
        outcome=outcome,
        request_sha256=call.request_sha256,
        prompt_sha256=call.prompt_sha256,
        input_tokens=call.tokens if tokens is None else tokens,
        due_at=due_at,
        at=now,
    )


def _ref(row: Mapping[str, object]) -> ArtifactRef:
    return ArtifactRef(**row)  # type: ignore[arg-type]


def _lock(session: Session) -> None:
    """Let one admission at a time; on SQLite a write transaction is alone anyway."""
    if not is_sqlite(session):
        session.connection().execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK)))
