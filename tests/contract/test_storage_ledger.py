"""The ledger of calls on both databases: turns, budgets, kept answers."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta

import pytest
import sqlalchemy as sa
from sqlmodel import Session, col

from configs.errors import OverBudgetError
from storage import ledger, operations
from storage.artifacts import ArtifactRef
from storage.database import database_now, reading, transaction
from storage.ledger import Admission, Call, Limits
from storage.statuses import RunStatus
from storage.tables import ModelCall
from tests.rows import make_run

KEPT = ArtifactRef("b", "k", "a" * 64, "v1", 10, "application/json")


def run_of(database: sa.Engine, tenant: str = "default") -> str:
    with transaction(database) as session:
        return make_run(session, tenant=tenant).id


def call_of(run_id: str, request: str = "r", *, cost_usd: float = 0.0, tokens: int = 100) -> Call:
    return Call(run_id, 1, "summarize", "primary", "m", request, "p" * 64, tokens, cost_usd)


def admit(database: sa.Engine, call: Call, limits: Limits) -> Admission:
    with transaction(database) as session:
        return ledger.admit(session, call, limits)


def close(session: Session, key: str, cost_usd: float, answer: ArtifactRef | None = None) -> None:
    ledger.close(
        session,
        key,
        "answered",
        input_tokens=70,
        output_tokens=5,
        cost_usd=cost_usd,
        latency_s=1.5,
        answer=answer,
    )


def let_pass(database: sa.Engine, seconds: float) -> None:
    """Move all turns into the past, as time would."""
    with transaction(database) as session:
        for row in session.exec(sa.select(ModelCall)).scalars():  # type: ignore[call-overload]
            if row.due_at is not None:
                row.due_at -= timedelta(seconds=seconds)


def test_turns_when_many_ask_at_once_then_as_many_as_the_limit_go_and_the_rest_queue(
    migrated: sa.Engine,
) -> None:
    calls = [call_of(run_of(migrated)) for _ in range(8)]
    limits = Limits(requests_per_minute=3)

    with ThreadPoolExecutor(8) as pool:
        waits = sorted(a.wait_s for a in pool.map(lambda c: admit(migrated, c, limits), calls))

    assert waits[:3] == [0.0] * 3
    assert [round(wait / 60) for wait in waits[3:]] == [1, 1, 1, 2, 2]


def test_turn_when_asked_for_again_then_it_was_kept_before_later_ones(
    migrated: sa.Engine,
) -> None:
    limits = Limits(requests_per_minute=1)
    first, second, third = (call_of(run_of(migrated)) for _ in range(3))
    admit(migrated, first, limits)
    told = admit(migrated, second, limits)
    let_pass(migrated, told.wait_s + 1)

    late = admit(migrated, third, limits)
    kept = admit(migrated, second, limits)

    assert kept == Admission(told.key, 0.0)
    assert late.wait_s > 50


def test_turn_when_one_before_it_came_late_then_it_waits_for_the_minute_to_have_room(
    migrated: sa.Engine,
) -> None:
    limits = Limits(requests_per_minute=1)
    first, second, third = (call_of(run_of(migrated)) for _ in range(3))
    for call in (first, second, third):
        admit(migrated, call, limits)
    let_pass(migrated, 180)

    assert admit(migrated, second, limits).wait_s == 0
    assert admit(migrated, third, limits).wait_s > 50


def test_turn_when_tokens_of_the_minute_are_used_up_then_it_waits(migrated: sa.Engine) -> None:
    limits = Limits(tokens_per_minute=250)
    waits = [
        admit(migrated, call_of(run_of(migrated), tokens=tokens), limits).wait_s
        for tokens in (100, 150, 1)
    ]
    assert waits[:2] == [0, 0]
    assert waits[2] > 50


def test_turn_when_one_call_alone_is_above_the_limit_then_it_goes_when_nothing_else_does(
    migrated: sa.Engine,
) -> None:
    call = call_of(run_of(migrated), tokens=10_000)
    assert admit(migrated, call, Limits(tokens_per_minute=250)).wait_s == 0


def test_turn_when_another_endpoint_is_full_then_at_once(migrated: sa.Engine) -> None:
    call, limits = call_of(run_of(migrated)), Limits(requests_per_minute=1)
    admit(migrated, call, limits)
    assert admit(migrated, replace(call, endpoint="fallback-1"), limits).wait_s == 0


def test_budget_when_a_call_could_pass_it_then_refused_before_and_nothing_is_noted(
    migrated: sa.Engine,
) -> None:
    run_id, limits = run_of(migrated), Limits(run_usd=1.0)
    first = admit(migrated, call_of(run_id, cost_usd=0.7), limits)
    with pytest.raises(OverBudgetError) as raised:
        admit(migrated, call_of(run_id, "other", cost_usd=0.7), limits)
    assert raised.value.details["budget"] == "run"

    with transaction(migrated) as session:
        close(session, first.key, cost_usd=0.1)
    assert admit(migrated, call_of(run_id, "other", cost_usd=0.7), limits).wait_s == 0


def test_budget_when_calls_come_at_once_then_together_they_stay_below_it(
    migrated: sa.Engine,
) -> None:
    calls = [call_of(run_of(migrated), cost_usd=1.0) for _ in range(6)]

    def admitted(call: Call) -> bool:
        try:
            admit(migrated, call, Limits(tenant_usd_per_month=3.5))
        except OverBudgetError:
            return False
        return True

    with ThreadPoolExecutor(6) as pool:
        assert sum(pool.map(admitted, calls)) == 3


def test_budget_when_another_tenant_or_month_spent_it_then_it_is_there(
    migrated: sa.Engine,
) -> None:
    limits = Limits(tenant_usd_per_month=1.0)
    ours, theirs = run_of(migrated), run_of(migrated, "other")
    admit(migrated, call_of(theirs, cost_usd=0.9), limits)
    old = admit(migrated, call_of(ours, cost_usd=0.9), limits)
    with pytest.raises(OverBudgetError):
        admit(migrated, call_of(ours, "other", cost_usd=0.9), limits)

    with transaction(migrated) as session:
        month = database_now(session).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
        changed = sa.update(ModelCall).where(col(ModelCall.key) == old.key)
        session.connection().execute(changed.values(at=month - timedelta(seconds=1)))
    assert admit(migrated, call_of(ours, "other", cost_usd=0.9), limits).wait_s == 0


def test_budget_when_used_up_then_what_costs_nothing_still_goes(migrated: sa.Engine) -> None:
    call = call_of(run_of(migrated), cost_usd=0.0)
    assert admit(migrated, call, Limits(run_usd=0.0, tenant_usd_per_month=0.0)).wait_s == 0


def test_answer_when_kept_then_found_by_its_own_tenant_until_the_run_is_erased(
    migrated: sa.Engine,
) -> None:
    run_id = run_of(migrated)
    entry = admit(migrated, call_of(run_id), Limits())
    with transaction(migrated) as session:
        close(session, entry.key, 0.0, KEPT)

    with reading(migrated) as session:
        assert ledger.find_answer(session, "default", "r") == KEPT
        assert ledger.find_answer(session, "default", "another") is None
        assert ledger.find_answer(session, "other", "r") is None
    with transaction(migrated) as session:
        run = make_run(session)  # the erased one's answer is not found through another run
        assert run.id != run_id
        session.connection().execute(
            sa.text("UPDATE run SET status = :status WHERE id = :id"),
            {"status": RunStatus.ERASED.value, "id": run_id},
        )
    with reading(migrated) as session:
        assert ledger.find_answer(session, "default", "r") is None


def test_sums_when_a_call_waits_or_was_cached_then_neither_counts_tokens(
    migrated: sa.Engine,
) -> None:
    run_id, limits = run_of(migrated), Limits(requests_per_minute=1)
    entry = admit(migrated, call_of(run_id, cost_usd=0.5), limits)
    admit(migrated, call_of(run_id, "waits", cost_usd=0.5), limits)
    with transaction(migrated) as session:
        close(session, entry.key, 0.25)
        ledger.note_cached(session, call_of(run_id))

    with reading(migrated) as session:
        numbers = operations.run_numbers(session, run_id)
        outcomes = [call.outcome for call in ledger.calls_of(session, run_id)]
    assert (numbers.calls, numbers.input_tokens, numbers.output_tokens) == (2, 70, 5)
    assert numbers.cost_usd == 0.25
    assert sorted(outcomes) == ["answered", "cached", "waiting"]
