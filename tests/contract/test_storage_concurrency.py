"""Several writers at once, on SQLite and on PostgreSQL: one wins, nothing is lost, none hangs."""

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import TypeVar

import pytest
import sqlalchemy as sa
from sqlmodel import select

from configs.errors import (
    AlreadyDecidedError,
    AppError,
    DatabaseBusyError,
    ReviewExpiredError,
    StaleReviewError,
)
from models.documents import Verdict
from storage import (
    audit,
    costs,
    idempotency,
    migrate,
    pending_uploads,
    reviews,
    revisions,
    runs,
    users,
)
from storage.database import create_database, reading, transaction
from storage.decisions import Choice, decide
from storage.policy import Actor, ReviewPolicy
from storage.statuses import ReviewStatus, Role
from storage.tables import Decision, ModelCall, Review
from tests.rows import (
    EDITOR,
    OTHER_EDITOR,
    committed_review,
    keep_artifacts,
    make_pending_upload,
    make_ref,
    make_review,
    make_run,
)

ResultT = TypeVar("ResultT")

ROUNDS = 5


def at_once(*works: Callable[[], ResultT]) -> list[ResultT | AppError]:
    """Run all at the same moment and return what each returned or raised."""
    barrier = threading.Barrier(len(works))
    results: dict[int, ResultT | AppError] = {}

    def run(number: int, work: Callable[[], ResultT]) -> None:
        barrier.wait()
        try:
            results[number] = work()
        except AppError as error:
            results[number] = error

    threads = [threading.Thread(target=run, args=pair) for pair in enumerate(works)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [results[number] for number in range(len(works))]


def deciding(
    database: sa.Engine, review: Review, actor: Actor, choice: Choice
) -> Callable[[], str]:
    def work() -> str:
        with transaction(database) as session:
            decide(
                session,
                run_id=review.run_id,
                sha256=review.sha256,
                choice=choice,
                actor=actor,
                policy=ReviewPolicy(),
                channel="web",
            )
        return choice.value

    return work


def editing(database: sa.Engine, run_id: str) -> Callable[[], int]:
    def work() -> int:
        with transaction(database) as session:
            return revisions.add_revision(
                session,
                run_id,
                reason="summary_edit",
                begins_at="render",
                actor=EDITOR,
                carry=(),
            ).number

    return work


def kinds(results: list[str | AppError]) -> Counter[str]:
    return Counter(r if isinstance(r, str) else type(r).__name__ for r in results)


def test_decide_when_two_editors_decide_at_once_then_one_wins(migrated: sa.Engine) -> None:
    for _ in range(ROUNDS):
        review = committed_review(migrated)
        results = at_once(
            deciding(migrated, review, EDITOR, Choice.APPROVE),
            deciding(migrated, review, OTHER_EDITOR, Choice.REJECT),
        )
        won = [result for result in results if isinstance(result, str)]
        lost = [result for result in results if isinstance(result, AlreadyDecidedError)]
        assert (len(won), len(lost)) == (1, 1)
        assert lost[0].details["decision"] == won[0]
        with reading(migrated) as session:
            rows = reviews.decisions_of(session, review.id)
            assert [row.decision for row in rows] == won


def test_decide_when_one_editor_clicks_many_times_then_it_is_one_decision(
    migrated: sa.Engine,
) -> None:
    review = committed_review(migrated)
    clicks = [deciding(migrated, review, EDITOR, Choice.APPROVE)] * 6
    assert kinds(at_once(*clicks)) == {"approve": 1, "AlreadyDecidedError": 5}


def test_decide_when_a_new_revision_begins_at_once_then_never_both(migrated: sa.Engine) -> None:
    for _ in range(ROUNDS):
        review = committed_review(migrated)
        decided, edited = at_once(
            deciding(migrated, review, EDITOR, Choice.REQUEST_CHANGES),
            editing(migrated, review.run_id),
        )
        with reading(migrated) as session:
            status = reviews.get_review(session, review.id).status
        assert edited == 2
        if isinstance(decided, StaleReviewError):
            assert status is ReviewStatus.SUPERSEDED
        else:
            assert (decided, status) == ("request_changes", ReviewStatus.CHANGES_REQUESTED)


def test_decide_when_it_expires_at_once_then_one_outcome(migrated: sa.Engine) -> None:
    with transaction(migrated) as session:
        review = make_review(session, timeout=timedelta(0))

    def expire() -> str:
        with transaction(migrated) as session:
            return reviews.expire(session, review.id).status.value

    decided, expired, again = at_once(
        deciding(migrated, review, EDITOR, Choice.APPROVE), expire, expire
    )
    assert isinstance(decided, ReviewExpiredError)
    assert (expired, again) == ("expired", "expired")
    with reading(migrated) as session:
        events = [e["action"] for e in audit.export(session, review.run_id)]
    assert events.count("review.expired") == 1


def test_quorum_when_two_approve_at_once_then_both_count(migrated: sa.Engine) -> None:
    for _ in range(ROUNDS):
        with transaction(migrated) as session:
            review = make_review(session, approvals_needed=2)
        results = at_once(
            deciding(migrated, review, EDITOR, Choice.APPROVE),
            deciding(migrated, review, OTHER_EDITOR, Choice.APPROVE),
        )
        assert results == ["approve", "approve"]
        with reading(migrated) as session:
            assert reviews.approval_of(session, review.run_id, 1).review.id == review.id


def test_revision_when_several_begin_at_once_then_each_has_its_own_number(
    migrated: sa.Engine,
) -> None:
    review = committed_review(migrated)
    results = at_once(*[editing(migrated, review.run_id)] * 3)
    assert sorted(r for r in results if isinstance(r, int)) == [2, 3, 4]


def test_review_when_opened_twice_at_once_then_it_is_one(migrated: sa.Engine) -> None:
    with transaction(migrated) as session:
        run_id = make_run(session).id
        keep_artifacts(session, run_id)

    def work() -> str:
        with transaction(migrated) as session:
            return reviews.open_review(
                session, run_id, 1, verdict=Verdict.PASS, timeout=timedelta(hours=1)
            ).id

    results = at_once(*[work] * 4)
    assert len(set(results)) == 1


def test_artifact_when_recorded_by_several_at_once_then_one_version_is_kept(
    migrated: sa.Engine,
) -> None:
    with transaction(migrated) as session:
        run_id = make_run(session).id

    def recording(version: str) -> Callable[[], str]:
        def work() -> str:
            with transaction(migrated) as session:
                ref = make_ref(run_id, "summary", version=version)
                return runs.keep(session, run_id, 1, "summary", ref).version_id

        return work

    results = at_once(*(recording(f"v{number}") for number in range(6)))
    assert len(set(results)) == 1


def test_audit_when_many_append_at_once_then_the_chain_is_whole(migrated: sa.Engine) -> None:
    def work() -> str:
        for _ in range(5):
            with transaction(migrated) as session:
                audit.append(session, actor_id="u", action="a.done", run_id=None, details={})
        return "done"

    assert at_once(*[work] * 8) == ["done"] * 8
    with reading(migrated) as session:
        assert audit.verify(session) == audit.AuditReport(True, 40)


def test_keys_when_inserted_by_several_at_once_then_once_and_nobody_fails(
    migrated: sa.Engine,
) -> None:
    def work() -> str:
        with transaction(migrated) as session:
            usage = costs.Usage(model="m", cost_usd=1.0)
            is_new = costs.record_call(
                session, "key", run_id="run_1", revision=1, step="summarize", usage=usage
            )
        return str(is_new)

    assert kinds(at_once(*[work] * 6)) == {"True": 1, "False": 5}
    with reading(migrated) as session:
        assert len(session.exec(select(ModelCall)).all()) == 1


def test_idempotency_key_when_used_by_several_at_once_then_one_run(migrated: sa.Engine) -> None:
    def work() -> str:
        with transaction(migrated) as session:
            known = idempotency.run_for(session, "usr", "key", "a" * 64)
            if known is not None:
                return known
            run = make_run(session)
            idempotency.remember(session, "usr", "key", "a" * 64, run_id=run.id)
            return run.id

    results = at_once(*[work] * 4)
    made = {result for result in results if isinstance(result, str)}
    assert len(made) == 1
    assert all(isinstance(r, DatabaseBusyError) for r in results if not isinstance(r, str))
    assert work() in made


def test_pending_upload_when_completed_by_several_at_once_then_one_run(
    migrated: sa.Engine,
) -> None:
    with transaction(migrated) as session:
        upload = make_pending_upload(session)

    def work() -> str:
        with transaction(migrated) as session:
            made = pending_uploads.claim(session, upload.id)
            return f"found {made.id}" if made else make_run(session, run_id=upload.id).id

    found = f"found {upload.id}"
    assert kinds(at_once(*[work] * 4)) == {upload.id: 1, found: 3}
    with transaction(migrated) as session:
        pending_uploads.forget(session, upload.id)
    assert work() == found


def test_sign_in_link_when_used_by_several_at_once_then_it_works_once(
    migrated: sa.Engine,
) -> None:
    with transaction(migrated) as session:
        user = users.create_user(session, "hanako", Role.EDITOR)
        secret = users.create_sign_in_link(session, user.id, timedelta(hours=1))

    def work() -> str:
        with transaction(migrated) as session:
            return str(users.use_sign_in_link(session, secret) is not None)

    assert kinds(at_once(*[work] * 5)) == {"True": 1, "False": 4}


@pytest.fixture
def processes(database_url: str) -> Iterator[list[sa.Engine]]:
    """Connection pools that share nothing but the database, as processes do."""
    engines = [create_database(database_url) for _ in range(4)]
    yield engines
    for engine in engines:
        engine.dispose()


def test_upgrade_when_several_processes_start_at_once_then_all_succeed(
    processes: list[sa.Engine],
) -> None:
    def upgrading(engine: sa.Engine) -> Callable[[], bool]:
        def work() -> bool:
            migrate.upgrade(engine)
            return migrate.is_current(engine)

        return work

    assert at_once(*(upgrading(engine) for engine in processes)) == [True] * 4


def test_writes_when_from_several_processes_at_once_then_none_is_locked_out(
    processes: list[sa.Engine],
) -> None:
    migrate.upgrade(processes[0])

    def writing(engine: sa.Engine) -> Callable[[], int]:
        def work() -> int:
            for _ in range(10):
                with transaction(engine) as session:
                    make_run(session)
            return 10

        return work

    assert at_once(*(writing(engine) for engine in processes)) == [10] * 4
    with reading(processes[0]) as session:
        assert audit.verify(session) == audit.AuditReport(True, 40)
        assert session.exec(select(Decision)).all() == []
