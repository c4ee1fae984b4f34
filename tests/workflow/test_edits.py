"""A redaction edit over a summary that a person wrote: their words stay, the redactions follow."""

from models.documents import RedactionEdit, Summary, SummaryMethod
from pipeline import commands
from storage.database import reading
from storage.reviews import review_of
from storage.statuses import RunStatus
from tests.deployment import OPERATOR, Deployment
from tests.waiting import wait_until

LIFT = RedactionEdit(action="remove", segment_id=1, start=0, end=16)
LIBRARY = RedactionEdit(
    action="add", segment_id=2, start=19, end=30, entity_type="ORGANIZATION"
)  # "new library"


def test_redaction_edit_over_an_edited_summary_keeps_it_in_the_new_pseudonyms(
    application: Deployment,
) -> None:
    run_id = application.submit_for_review()
    _save_summary(application, run_id, "[PERSON_1] buys shelves for the new library")
    _save_redactions(application, run_id, 3, [LIBRARY])
    kept = Summary.model_validate(application.document(run_id, "summary", 3))
    assert kept.method is SummaryMethod.EDITED
    assert kept.headline == "[PERSON_1] buys shelves for the [ORGANIZATION_1]"
    _save_redactions(application, run_id, 4, [LIBRARY, LIFT])
    kept = Summary.model_validate(application.document(run_id, "summary", 4))
    assert kept.headline == "Marigold Fenwick buys shelves for the [ORGANIZATION_1]"
    names = [s.name for s in application.instance(run_id, 4).history()]
    assert "carry_summary" in names
    assert "summarize" not in names


def test_redaction_edit_over_a_quoted_summary_writes_it_anew(application: Deployment) -> None:
    run_id = application.submit_for_review()
    _save_redactions(application, run_id, 2, [LIFT])
    written = Summary.model_validate(application.document(run_id, "summary", 2))
    assert written.method is SummaryMethod.EXTRACTIVE
    assert "carry_summary" not in [s.name for s in application.instance(run_id, 2).history()]


def _save_summary(application: Deployment, run_id: str, headline: str) -> None:
    summary = Summary.model_validate(application.document(run_id, "summary"))
    edited = summary.model_copy(update={"headline": headline})
    shown = application.review(run_id).sha256
    commands.save_summary(application.runtime.app, OPERATOR, run_id, shown, edited)
    _wait_for_review(application, run_id, 2)


def _save_redactions(
    application: Deployment, run_id: str, number: int, edits: list[RedactionEdit]
) -> None:
    shown = application.review(run_id).sha256
    commands.save_redactions(application.runtime.app, OPERATOR, run_id, shown, edits)
    _wait_for_review(application, run_id, number)


def _wait_for_review(application: Deployment, run_id: str, number: int) -> None:
    def is_asked() -> bool:
        with reading(application.runtime.database) as session:
            return review_of(session, run_id, number) is not None

    wait_until(is_asked, f"the review of revision {number}")
    application.wait_for_run(run_id, RunStatus.AWAITING_REVIEW)
