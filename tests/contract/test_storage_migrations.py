import pytest
import sqlalchemy as sa
from alembic import command

from storage import audit, migrate, publications
from storage.database import reading, transaction
from storage.tables import Review
from tests.rows import make_review


def test_upgrade_when_empty_then_the_database_is_what_the_code_says(database: sa.Engine) -> None:
    migrate.upgrade(database)
    assert migrate.is_current(database)
    assert migrate.differences(database) == []


def test_upgrade_when_repeated_then_nothing_happens_to_what_is_there(database: sa.Engine) -> None:
    migrate.upgrade(database)
    with transaction(database) as session:
        make_review(session)
    migrate.upgrade(database)
    with reading(database) as session:
        assert audit.verify(session).events == 2


def test_differences_when_other_tables_share_the_database_then_they_are_left_out(
    database: sa.Engine,
) -> None:
    migrate.upgrade(database)
    with database.begin() as connection:
        connection.execute(sa.text("CREATE TABLE instance (id VARCHAR PRIMARY KEY)"))
        connection.execute(sa.text("CREATE TABLE workflow_status (id VARCHAR PRIMARY KEY)"))
    assert migrate.differences(database) == []


@pytest.mark.parametrize(
    "change",
    [
        "ALTER TABLE run ADD COLUMN surplus VARCHAR",
        "DROP TABLE notification",
        "DROP INDEX ix_run_status",
    ],
)
def test_differences_when_a_table_of_ours_differs_then_it_is_found(
    database: sa.Engine, change: str
) -> None:
    migrate.upgrade(database)
    with database.begin() as connection:
        connection.execute(sa.text(change))
    assert migrate.differences(database)


def test_is_current_when_never_migrated_then_false(database: sa.Engine) -> None:
    assert not migrate.is_current(database)


def test_upgrade_when_a_review_was_blocked_by_sentences_then_they_are_kept(
    database: sa.Engine,
) -> None:
    migrate.upgrade(database)
    with transaction(database) as session:
        review_id = make_review(session).id
    with migrate._migrating(database) as config:
        command.downgrade(config, "0002")
    reasons = sa.text("UPDATE review SET reasons = :reasons")
    with database.begin() as connection:
        connection.execute(reasons, {"reasons": '["a gap"]'})
    migrate.upgrade(database)
    with reading(database) as session:
        kept = session.get_one(Review, review_id).reasons
    assert kept == [{"check": "", "place": "", "segments": [], "reason": "a gap"}]


def test_upgrade_when_taken_back_with_rows_and_repeated_then_the_same(database: sa.Engine) -> None:
    migrate.upgrade(database)
    with transaction(database) as session:
        review = make_review(session)
        publications.record_notification(
            session, key="k", run_id=review.run_id, revision=1, host="hooks.example.com"
        )
    with migrate._migrating(database) as config:
        command.downgrade(config, "0001")
    migrate.upgrade(database)
    assert migrate.differences(database) == []
    with reading(database) as session:
        assert session.get_one(Review, review.id).sha256 == review.sha256
        assert len(publications.notifications_of(session, review.run_id)) == 1
