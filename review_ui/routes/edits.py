"""Editing the summary and the redactions: each save begins the next revision."""

from fastapi import APIRouter, Request
from fastapi.responses import Response

from configs.errors import (
    AppError,
    ConflictError,
    InputError,
    NotApplicableError,
    StaleReviewError,
)
from pipeline import commands
from review_ui.errors import message_of
from review_ui.forms import FormDep, text, whole_number
from review_ui.frames import frame_of
from review_ui.queries import edit_pages, review_pages
from review_ui.queries.edit_pages import EditedRevision
from review_ui.queries.summary_conflict import conflict_page
from review_ui.redaction_offsets import original_edits
from review_ui.review_contexts import SummaryBase, SummaryForm
from review_ui.visitors import EditorDep, Visitor
from review_ui.web import LocaleDep, Web, WebDep, page, see_other

router = APIRouter(prefix="/runs/{run_id}", include_in_schema=False)


@router.get("/summary/edit")
def edit_summary(request: Request, web: WebDep, visitor: EditorDep, run_id: str) -> Response:
    """Show the summary form."""
    context = edit_pages.summary_edit_page(edit_pages.edited_revision(web, visitor, run_id))
    frame = frame_of(request, web, visitor, "inbox")
    return page(request, "pages/summary_edit.html", context, frame)


@router.post("/summary")
def save_summary(
    request: Request,
    web: WebDep,
    visitor: EditorDep,
    run_id: str,
    data: FormDep,
    locale: LocaleDep,
) -> Response:
    """Save the summary; what was typed is never lost to a refusal."""
    edited = edit_pages.edited_revision(web, visitor, run_id)
    form, base = edit_pages.summary_form(data), edit_pages.posted_base(data, edited)
    summary, errors = edit_pages.read_summary(form, edited, locale)
    if errors:
        return _summary_refused(request, web, visitor, edited, form, errors, base)
    try:
        number = commands.save_summary(
            web.app, visitor.actor, run_id, base.sha256, summary, form.title
        )
    except StaleReviewError:
        edited = edit_pages.edited_revision(web, visitor, run_id)
        context = conflict_page(web, edited, form, base, locale)
        frame = frame_of(request, web, visitor, "inbox")
        return page(request, "pages/summary_edit.html", context, frame, 409)
    except (InputError, ConflictError) as error:
        problems, status = [message_of(request, error)], error.http_status
        return _summary_refused(request, web, visitor, edited, form, problems, base, status)
    return see_other(f"/runs/{run_id}", f"saved:{number}")


@router.get("/segments/{segment_id}")
def edit_segment(
    request: Request, web: WebDep, visitor: EditorDep, run_id: str, segment_id: int
) -> Response:
    """Show the redaction form of one segment."""
    edited = edit_pages.edited_revision(web, visitor, run_id)
    context = edit_pages.redaction_edit_page(edited, segment_id)
    frame = frame_of(request, web, visitor, "inbox")
    return page(request, "pages/redaction_edit.html", context, frame)


@router.post("/redactions")
def save_redactions(
    request: Request,
    web: WebDep,
    visitor: EditorDep,
    run_id: str,
    data: FormDep,
    locale: LocaleDep,
) -> Response:
    """Save corrections of redactions."""
    edited = edit_pages.edited_revision(web, visitor, run_id)
    base = text(data, "base_sha256")
    if base != edited.seen.review.sha256:
        return _redactions_stale(request, web, visitor, run_id, base)
    shown, errors = edit_pages.shown_edits(data, edited, locale)
    try:
        stored = edit_pages.stored_redactions(web, edited.seen)
        edits = [] if errors else original_edits(shown, stored, edited.transcript)
    except InputError as error:
        errors = [message_of(request, error)]
    if errors:
        return _redactions_refused(request, web, visitor, edited, data, errors)
    try:
        number = commands.save_redactions(web.app, visitor.actor, run_id, base, edits)
    except NotApplicableError:
        raise
    except ConflictError as error:
        return _redactions_stale(request, web, visitor, run_id, base, error)
    return see_other(f"/runs/{run_id}", f"saved:{number}")


def _summary_refused(
    request: Request,
    web: Web,
    visitor: Visitor,
    edited: EditedRevision,
    form: SummaryForm,
    errors: list[str],
    base: SummaryBase,
    status: int = 422,
) -> Response:
    context = edit_pages.refused_summary_page(edited, form, errors, base)
    frame = frame_of(request, web, visitor, "inbox")
    return page(request, "pages/summary_edit.html", context, frame, status)


def _redactions_refused(
    request: Request,
    web: Web,
    visitor: Visitor,
    edited: EditedRevision,
    data: FormDep,
    errors: list[str],
) -> Response:
    frame = frame_of(request, web, visitor, "inbox")
    number = whole_number(text(data, "segment_id"))
    if number is None:
        context = review_pages.review_page(web, visitor, edited.seen.head.id, error=errors[0])
        return page(request, "pages/review.html", context, frame, 422)
    typed = edit_pages.typed_additions(data)
    form = edit_pages.redaction_edit_page(edited, number, errors, typed)
    return page(request, "pages/redaction_edit.html", form, frame, 422)


def _redactions_stale(
    request: Request,
    web: Web,
    visitor: Visitor,
    run_id: str,
    base: str,
    error: AppError | None = None,
) -> Response:
    why = error or StaleReviewError()
    context = review_pages.difference_page(web, visitor, run_id, base, why, "")
    frame = frame_of(request, web, visitor, "inbox")
    return page(request, "pages/difference.html", context, frame, 409)
