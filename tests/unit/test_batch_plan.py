"""What a batch would do is checked once, before it begins."""

from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlmodel import Session

from configs.errors import InputError, NotApplicableError, UnknownModelError
from configs.settings import Settings
from pipeline.batch_plan import Change, plan
from pipeline.commands import Actor, require_beginning
from pipeline.model_check import require_model
from storage import runs
from storage.database import transaction
from storage.statuses import Role, RunStatus
from storage.tables import Run
from tests.rows import make_ref, make_run

OPERATOR = Actor("operator", "operator", Role.ADMIN, None, "cli")
BEAM = Change("asr.beam_size", "2")
TIMEOUT = Change("llm.timeout", "60")


def insert(
    session: Session, media_type: str, status: RunStatus, *roles: str, tenant: str = "default"
) -> Run:
    run = make_run(session, tenant=tenant)
    run.media_type, run.status = media_type, status
    session.add(run)
    for role in roles:
        runs.keep(session, run.id, 1, role, make_ref(run.id, role))
    return run


RECORDING = ("source", "normalized_audio", "transcript")
REVIEWABLE = (*RECORDING, "redacted_transcript", "pseudonym_map", "summary")


@pytest.mark.parametrize(
    ("media_type", "status", "roles", "from_step", "reason"),
    [
        ("application/pdf", RunStatus.PUBLISHED, REVIEWABLE, "transcribe", "is_document"),
        ("audio/wav", RunStatus.PUBLISHED, REVIEWABLE, "extract", "is_recording"),
        ("audio/wav", RunStatus.FAILED, ("source",), "summarize", "artifact_missing"),
        ("audio/wav", RunStatus.PUBLISHED, ("summary",), "probe", "artifact_missing"),
        ("audio/wav", RunStatus.PUBLISHED, ("transcript",), "anonymize", "artifact_missing"),
        ("audio/wav", RunStatus.NO_SPEECH, RECORDING, "anonymize", "no_speech"),
        ("audio/wav", RunStatus.PUBLISHING, REVIEWABLE, "summarize", "being_published"),
    ],
)
def test_beginning_when_the_run_does_not_have_it_then_refused_with_the_reason(
    rows: sa.Engine,
    media_type: str,
    status: RunStatus,
    roles: tuple[str, ...],
    from_step: str,
    reason: str,
) -> None:
    with transaction(rows) as session:
        run = insert(session, media_type, status, *roles)
        with pytest.raises(NotApplicableError) as refused:
            require_beginning(session, run, from_step)
    assert refused.value.details["reason"] == reason


@pytest.mark.parametrize("from_step", ["probe", "transcribe", "anonymize", "summarize", "render"])
def test_beginning_when_the_run_has_it_then_allowed(rows: sa.Engine, from_step: str) -> None:
    with transaction(rows) as session:
        run = insert(session, "audio/wav", RunStatus.PUBLISHED, *REVIEWABLE)
        require_beginning(session, run, from_step)


def test_plan_when_runs_differ_then_those_that_do_not_fit_are_skipped_with_the_reason(
    rows: sa.Engine,
) -> None:
    with transaction(rows) as session:
        fits = insert(session, "audio/wav", RunStatus.PUBLISHED, *REVIEWABLE).id
        text = insert(session, "text/plain", RunStatus.PUBLISHED, *REVIEWABLE).id
        odd = insert(session, "audio/wav", RunStatus.PUBLISHED, *REVIEWABLE, tenant="gone").id

    def allows(tenant: str, _overrides: object) -> None:
        if tenant != "default":
            raise InputError("There is no such tenant.")

    planned = plan(rows, OPERATOR, "status=published", "transcribe", BEAM, allows)
    assert planned.run_ids == (fits,)
    assert {one.run_id: one.reason for one in planned.skipped} == {
        text: "is_document",
        odd: "input.invalid",
    }


def test_plan_when_the_change_touches_a_step_the_run_has_not_then_skipped(rows: sa.Engine) -> None:
    with transaction(rows) as session:
        insert(session, "text/plain", RunStatus.PUBLISHED, *REVIEWABLE)
    planned = plan(rows, OPERATOR, "status=published", "probe", BEAM, lambda *_: None)
    assert [one.reason for one in planned.skipped] == ["is_document"]


def test_plan_when_runs_are_another_tenants_then_skipped(rows: sa.Engine) -> None:
    with transaction(rows) as session:
        insert(session, "audio/wav", RunStatus.PUBLISHED, *REVIEWABLE, tenant="other")
    editor = Actor("usr_1", "mia", Role.EDITOR, "default", "cli")
    planned = plan(rows, editor, "status=published", "summarize", TIMEOUT, lambda *_: None)
    assert [one.reason for one in planned.skipped] == ["tenant"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("asr.model", "huge"),
        ("asr.model", "/nowhere"),
        ("llm.local_model", "/nowhere"),
        ("quality.entailment_model", "/nowhere"),
    ],
)
def test_model_when_it_is_not_there_then_refused(name: str, value: str, tmp_path: Path) -> None:
    with pytest.raises(UnknownModelError):
        require_model(Settings(home=tmp_path).with_overrides({name: value}), name)
    assert list(tmp_path.iterdir()) == []


def test_model_when_installed_then_accepted_without_putting_it_together(tmp_path: Path) -> None:
    require_model(Settings(home=tmp_path).with_overrides({"asr.model": "tiny.en"}), "asr.model")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "value"), [("llm.model", "x"), ("summary.prompt_sha256", "0" * 64)]
)
def test_model_when_nothing_would_read_the_change_then_refused(name: str, value: str) -> None:
    with pytest.raises(InputError):
        require_model(Settings().with_overrides({name: value}), name)


def test_template_when_summaries_are_quoted_then_accepted_for_it_changes_parts_and_headings() -> (
    None
):
    name = "summary.template"
    require_model(Settings().with_overrides({name: "meeting"}), name)
    with pytest.raises(InputError):
        require_model(Settings().with_overrides({name: "nobodys"}), name)
