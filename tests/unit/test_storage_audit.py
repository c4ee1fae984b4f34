import hashlib
import json

import pytest
import sqlalchemy as sa
from sqlmodel import Session

from configs.errors import ConflictError, IntegrityError
from storage import audit
from storage.database import reading, transaction

EVENTS = 4


def write(session: Session, *, count: int = EVENTS) -> None:
    for number in range(count):
        audit.append(
            session,
            actor_id="usr_1",
            action="run.created",
            run_id=f"run_{number % 2}",
            details={"number": number, "ratio": 0.1, "名": "値", "nested": {"b": [1, None]}},
        )


@pytest.fixture
def log(rows: sa.Engine) -> sa.Engine:
    with transaction(rows) as session:
        write(session)
    return rows


def change(database: sa.Engine, statement: str) -> None:
    with database.begin() as connection:
        connection.execute(sa.text(statement))


def verified(database: sa.Engine) -> audit.AuditReport:
    with reading(database) as session:
        return audit.verify(session)


def test_verify_when_untouched_then_ok(log: sa.Engine) -> None:
    assert verified(log) == audit.AuditReport(True, EVENTS)


def test_verify_when_empty_then_ok(rows: sa.Engine) -> None:
    assert verified(rows) == audit.AuditReport(True, 0)


@pytest.mark.parametrize(
    "column",
    [
        "actor_id = 'usr_2'",
        "action = 'run.failed'",
        "run_id = NULL",
        "details = '{}'",
        "at = '2020-01-01 00:00:00.000000'",
        "sha256 = 'f'",
        "previous = 'f'",
    ],
)
def test_verify_when_an_event_was_changed_then_it_is_named(log: sa.Engine, column: str) -> None:
    change(log, f"UPDATE audit_event SET {column} WHERE sequence = 2")  # noqa: S608 - ours
    report = verified(log)
    assert (report.ok, report.broken_at) == (False, 2)


@pytest.mark.parametrize("sequence", range(1, EVENTS + 1))
def test_verify_when_an_event_was_deleted_then_its_place_is_named(
    log: sa.Engine, sequence: int
) -> None:
    change(log, f"DELETE FROM audit_event WHERE sequence = {sequence}")  # noqa: S608 - ours
    report = verified(log)
    assert (report.ok, report.broken_at) == (False, sequence)


def test_verify_when_everything_was_deleted_then_it_shows(log: sa.Engine) -> None:
    change(log, "DELETE FROM audit_event")
    assert not verified(log).ok


def test_verify_when_the_head_was_reset_then_it_shows(log: sa.Engine) -> None:
    change(log, "DELETE FROM audit_head")
    assert not verified(log).ok


def test_append_when_the_head_is_lost_then_nothing_can_be_recorded(log: sa.Engine) -> None:
    change(log, "DELETE FROM audit_head")
    with pytest.raises(IntegrityError), transaction(log) as session:
        write(session, count=1)


def test_append_when_the_transaction_fails_then_the_chain_goes_on(log: sa.Engine) -> None:
    def fail() -> None:
        with transaction(log) as session:
            write(session, count=1)
            raise ConflictError

    with pytest.raises(ConflictError):
        fail()
    with transaction(log) as session:
        write(session, count=1)
    assert verified(log) == audit.AuditReport(True, EVENTS + 1)


def test_export_when_of_one_run_then_only_its_events_in_order(log: sa.Engine) -> None:
    with reading(log) as session:
        exported = list(audit.export(session, "run_1"))
        everything = list(audit.export(session))
    assert [event["sequence"] for event in exported] == [2, 4]
    assert [event["sequence"] for event in everything] == [1, 2, 3, 4]
    assert everything[1]["previous"] == everything[0]["sha256"]


def test_export_when_given_away_then_it_can_be_verified_without_the_database(
    log: sa.Engine,
) -> None:
    with reading(log) as session:
        for event in audit.export(session):
            content = {key: value for key, value in event.items() if key != "sha256"}
            text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
            assert hashlib.sha256(text.encode()).hexdigest() == event["sha256"]
