from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest
import sqlalchemy as sa
from sqlmodel import Session, select

from configs.errors import AppError, ConflictError, ErasedError, NotFoundError
from models.documents import Verdict
from storage import audit, reviews, revisions, run_list, runs
from storage.database import database_now, transaction
from storage.run_list import RunFilter
from storage.statuses import AT_WORK, FINISHED, ReviewStatus, Role, RunStatus
from storage.tables import Artifact, Run, User
from tests.rows import EDITOR, RAW, REVIEWED, keep_artifacts, make_ref, make_review, make_run


@pytest.fixture
def session(rows: sa.Engine) -> Iterator[Session]:
    with transaction(rows) as opened:
        yield opened


def test_create_when_uploaded_then_it_is_queued_with_its_first_revision(session: Session) -> None:
    run = make_run(session)
    assert run.status is RunStatus.QUEUED
    revision = revisions.latest_revision(session, run.id)
    assert (revision.number, revision.instance_id) == (1, f"{run.id}-r1")
    assert [e["action"] for e in audit.export(session, run.id)] == ["run.created"]


def test_create_when_names_hold_what_a_database_refuses_then_it_is_left_out(
    session: Session,
) -> None:
    run = make_run(session, title="a\x00b\ud800c\nd")
    assert run.title == "abc d"
    assert run.file_name == "会議録音 😀 (最終).wav"


def test_enums_when_read_back_then_they_are_members(session: Session) -> None:
    run = make_run(session)
    session.add(User(id="u", name="n", role=Role.EDITOR, created_at=database_now(session)))
    session.flush()
    session.expire_all()
    assert session.get_one(Run, run.id).status is RunStatus.QUEUED
    assert session.get_one(User, "u").role is Role.EDITOR


def test_get_when_there_is_none_then_not_found(session: Session) -> None:
    with pytest.raises(NotFoundError):
        runs.get_run(session, "run_none")


def test_status_when_an_older_revision_speaks_then_nothing_changes(session: Session) -> None:
    run = make_run(session)
    revisions.add_revision(
        session, run.id, reason="reopen", begins_at="render", actor=EDITOR, carry=()
    )
    assert not runs.set_status(session, run.id, RunStatus.FAILED, revision=1)
    assert runs.get_run(session, run.id).status is RunStatus.QUEUED
    assert runs.set_status(session, run.id, RunStatus.PROCESSING, revision=2)


def test_status_when_the_run_is_erased_then_nothing_changes(session: Session) -> None:
    run = make_run(session)
    runs.set_status(session, run.id, RunStatus.ERASED)
    assert not runs.set_status(session, run.id, RunStatus.PUBLISHED, revision=1)
    assert runs.get_run(session, run.id).status is RunStatus.ERASED


def test_status_when_it_failed_and_goes_on_then_the_error_is_gone(session: Session) -> None:
    run = make_run(session)
    runs.set_status(session, run.id, RunStatus.FAILED, error_code="input.corrupt")
    runs.set_status(session, run.id, RunStatus.PROCESSING)
    assert runs.get_run(session, run.id).error_code is None


def test_facts_when_coverage_comes_in_parts_then_it_is_merged(session: Session) -> None:
    run = make_run(session)
    runs.set_facts(session, run.id, language="ja", coverage={"decoded_s": 10.0})
    runs.set_facts(session, run.id, coverage={"cited_ratio": 0.5})
    stored = runs.get_run(session, run.id)
    assert stored.coverage == {"decoded_s": 10.0, "cited_ratio": 0.5}
    assert stored.language == "ja"


def test_artifact_when_recorded_twice_then_the_first_version_is_kept(session: Session) -> None:
    run = make_run(session)
    first = runs.keep(session, run.id, 1, "summary", make_ref(run.id, "summary", version="v1"))
    again = runs.keep(session, run.id, 1, "summary", make_ref(run.id, "summary", version="v2"))
    assert again == first
    assert runs.artifacts_of(session, run.id, 1) == {"summary": first}
    assert len(session.exec(select(Artifact)).all()) == 1


def test_artifact_when_the_bytes_are_others_then_the_role_moves(session: Session) -> None:
    run = make_run(session)
    runs.keep(session, run.id, 1, "summary", make_ref(run.id, "summary"))
    other = runs.keep(session, run.id, 1, "summary", make_ref(run.id, "summary", sha256="9" * 64))
    assert runs.artifacts_of(session, run.id, 1) == {"summary": other}
    assert len(session.exec(select(Artifact)).all()) == 2


def test_artifact_when_two_windows_have_the_same_bytes_then_both_have_their_role(
    session: Session,
) -> None:
    run = make_run(session)
    ref = make_ref(run.id, "transcript")
    runs.keep(session, run.id, 1, "transcript/1", ref)
    runs.keep(session, run.id, 1, "transcript/2", ref)
    assert runs.artifacts_of(session, run.id, 1) == {"transcript/1": ref, "transcript/2": ref}


def test_artifact_when_it_is_stored_again_after_its_deletion_then_the_new_version_counts(
    session: Session,
) -> None:
    run = make_run(session)
    runs.keep(session, run.id, 1, "source", make_ref(run.id, "source", version="v1"))
    row = session.exec(select(Artifact)).one()
    row.deleted_at = database_now(session)
    session.add(row)
    assert runs.artifacts_of(session, run.id, 1) == {}
    runs.keep(session, run.id, 1, "source", make_ref(run.id, "source", version="v2"))
    assert runs.artifacts_of(session, run.id, 1)["source"].version_id == "v2"


def test_artifact_when_the_run_is_erased_then_refused(session: Session) -> None:
    run = make_run(session)
    runs.set_status(session, run.id, RunStatus.ERASED)
    with pytest.raises(ErasedError):
        runs.keep(session, run.id, 1, "summary", make_ref(run.id, "summary"))


def test_artifact_when_the_kind_is_unknown_then_refused(session: Session) -> None:
    run = make_run(session)
    with pytest.raises(ValueError, match="kind"):
        runs.record_artifact(session, run.id, "secret", "", make_ref(run.id, "secret"))


def test_assign_when_the_artifact_is_not_recorded_then_not_found(session: Session) -> None:
    run = make_run(session)
    with pytest.raises(NotFoundError):
        runs.assign(session, run.id, 1, "summary", make_ref(run.id, "summary"))


def test_revision_when_begun_then_it_carries_the_kinds_that_stay(session: Session) -> None:
    run = make_run(session)
    keep_artifacts(session, run.id)
    revision = revisions.add_revision(
        session,
        run.id,
        reason="summary_edit",
        begins_at="render",
        actor=EDITOR,
        carry={*RAW, "redacted_transcript", "rendered"},
        overrides={"llm.model": "another"},
    )
    assert (revision.number, revision.based_on, revision.instance_id) == (2, 1, f"{run.id}-r2")
    carried = set(runs.artifacts_of(session, run.id, 2))
    rendered = {role for role in REVIEWED if role.startswith("rendered/")}
    assert carried == {*RAW, "redacted_transcript", *rendered}
    assert set(runs.artifacts_of(session, run.id, 1)) == {*RAW, *REVIEWED}


def test_revision_when_begun_then_the_open_review_is_superseded(session: Session) -> None:
    review = make_review(session)
    revisions.add_revision(
        session, review.run_id, reason="summary_edit", begins_at="render", actor=EDITOR, carry=()
    )
    assert reviews.get_review(session, review.id).status is ReviewStatus.SUPERSEDED
    assert runs.get_run(session, review.run_id).status is RunStatus.QUEUED
    assert audit.verify(session).ok


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (RunStatus.APPROVED, ConflictError),
        (RunStatus.PUBLISHING, ConflictError),
        (RunStatus.ERASED, ErasedError),
    ],
)
def test_revision_when_the_run_is_being_published_or_erased_then_refused(
    session: Session, status: RunStatus, error: type[AppError]
) -> None:
    run = make_run(session)
    runs.set_status(session, run.id, status)
    with pytest.raises(error):
        revisions.add_revision(
            session, run.id, reason="reprocess", begins_at="summarize", actor=EDITOR, carry=()
        )


def test_reopen_when_expired_then_the_same_artifacts_have_a_new_review_and_deadline(
    session: Session,
) -> None:
    review = make_review(session, timeout=timedelta(0))
    reviews.expire(session, review.id)
    revisions.add_revision(
        session,
        review.run_id,
        reason="reopen",
        begins_at="check_quality",
        actor=EDITOR,
        carry={role.split("/")[0] for role in REVIEWED},
    )
    again = reviews.open_review(
        session, review.run_id, 2, verdict=Verdict.PASS, timeout=timedelta(hours=1)
    )
    assert again.status is ReviewStatus.OPEN
    assert again.artifacts == review.artifacts
    assert again.sha256 != review.sha256
    assert again.deadline > review.deadline
    assert reviews.get_review(session, review.id).status is ReviewStatus.EXPIRED


@pytest.mark.parametrize("status", list(RunStatus))
def test_status_when_sets_of_them_are_used_then_each_is_at_work_waiting_or_finished(
    status: RunStatus,
) -> None:
    waiting = {RunStatus.AWAITING_REVIEW, RunStatus.PAUSED}
    assert [status in group for group in (AT_WORK, waiting, FINISHED)].count(True) == 1


def _record(
    session: Session, run_id: str, step: str, revision: int, model: str, count: int = 1
) -> None:
    runs.record_step(
        session,
        run_id=run_id,
        revision=revision,
        step=step,
        count=count,
        inputs={},
        outputs={},
        model={"name": model, "digest": "d"},
        prompt_sha256=None,
        config_sha256="c",
    )


def test_provenance_when_later_revisions_ran_some_steps_then_the_newest_of_each_counts(
    session: Session,
) -> None:
    run = make_run(session)
    _record(session, run.id, "transcribe", 1, "base")
    _record(session, run.id, "summarize", 1, "old")
    _record(session, run.id, "summarize", 2, "new")
    found = {r.step: r.model["name"] for r in runs.steps_of(session, run.id, 2)}
    assert found == {"transcribe": "base", "summarize": "new"}
    before = {r.step: r.model["name"] for r in runs.steps_of(session, run.id, 1)}
    assert before == {"transcribe": "base", "summarize": "old"}


def test_provenance_when_a_later_revision_has_fewer_windows_then_none_of_the_older_counts(
    session: Session,
) -> None:
    run = make_run(session)
    for count in (1, 2, 3):
        _record(session, run.id, "transcribe", 1, "base", count)
    for count in (1, 2):
        _record(session, run.id, "transcribe", 2, "large", count)
    found = [(r.count, r.revision) for r in runs.steps_of(session, run.id, 2)]
    assert found == [(1, 2), (2, 2)]
    assert [r.count for r in runs.steps_of(session, run.id, 1)] == [1, 2, 3]


def test_provenance_when_a_step_ran_twice_then_it_is_one_record(session: Session) -> None:
    run = make_run(session)
    _record(session, run.id, "transcribe", 1, "base")
    _record(session, run.id, "transcribe", 1, "large")
    assert [r.model["name"] for r in runs.steps_of(session, run.id, 1)] == ["large"]


def test_list_when_filtered_then_only_those(session: Session) -> None:
    first = make_run(session, title="Budget 100%")
    second = make_run(session, tenant="other", title="Budget 100 percent", template="minutes")
    runs.set_facts(session, second.id, language="ja")
    runs.set_status(session, second.id, RunStatus.PUBLISHED)
    _record(session, first.id, "transcribe", 1, "base")
    cases = [
        (RunFilter(), [second.id, first.id]),
        (RunFilter(tenant="other"), [second.id]),
        (RunFilter(statuses=(RunStatus.QUEUED, RunStatus.FAILED)), [first.id]),
        (RunFilter(language="ja"), [second.id]),
        (RunFilter(template="minutes"), [second.id]),
        (RunFilter(model="base"), [first.id]),
        (RunFilter(model="none"), []),
        (RunFilter(text="100%"), [first.id]),
        (RunFilter(text="BUDGET"), [second.id, first.id]),
        (RunFilter(created_from=second.created_at), [second.id]),
        (RunFilter(created_before=second.created_at), [first.id]),
        (RunFilter(uploader_id="nobody"), []),
    ]
    for filters, expected in cases:
        assert [run.id for run in run_list.list_runs(session, filters)] == expected, filters
        assert run_list.count_runs(session, filters) == len(expected)


def test_list_when_read_in_pages_then_each_run_comes_once(session: Session) -> None:
    made = sorted((make_run(session).id for _ in range(5)), reverse=True)
    first = run_list.list_runs(session, limit=2)
    rest = run_list.list_runs(session, limit=10, after=first[-1].id)
    assert [run.id for run in (*first, *rest)] == made


def test_model_filter_when_a_later_revision_used_another_model_then_the_old_one_is_gone(
    session: Session,
) -> None:
    run = make_run(session)
    _record(session, run.id, "summarize", 1, "old")
    _record(session, run.id, "summarize", 2, "new")
    assert run_list.list_runs(session, RunFilter(model="old")) == []
    assert [r.id for r in run_list.list_runs(session, RunFilter(model="new"))] == [run.id]


def test_refs_when_compared_then_versions_tell_them_apart() -> None:
    ref = make_ref("run_1", "summary")
    assert ref != replace(ref, version_id="v2")
