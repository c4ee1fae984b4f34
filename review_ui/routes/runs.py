"""Lists of runs, the inbox and the page of one run."""

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from pipeline import commands
from review_ui.frames import frame_of
from review_ui.queries import run_pages
from review_ui.visitors import EditorDep, VisitorDep
from review_ui.web import WebDep, page, see_other

router = APIRouter(include_in_schema=False)


@router.get("/")
def home(visitor: VisitorDep) -> Response:
    """Go where the visitor's work is."""
    return RedirectResponse("/inbox" if visitor.can_edit else "/runs", 303)


@router.get("/inbox")
def inbox(request: Request, web: WebDep, visitor: EditorDep) -> Response:
    """Show what waits for a decision."""
    context = run_pages.inbox_page(web, visitor)
    return page(request, "pages/inbox.html", context, frame_of(request, web, visitor, "inbox"))


@router.get("/runs")
def runs(
    request: Request,
    web: WebDep,
    visitor: VisitorDep,
    status: str | None = None,
    before: str | None = None,
) -> Response:
    """Show the runs, newest first."""
    context = run_pages.runs_page(web, visitor, status, before)
    return page(request, "pages/runs.html", context, frame_of(request, web, visitor, "runs"))


@router.get("/runs/{run_id}")
def run(request: Request, web: WebDep, visitor: VisitorDep, run_id: str) -> Response:
    """Show one run."""
    context = run_pages.run_page(web, visitor, run_id)
    return page(request, "pages/run.html", context, frame_of(request, web, visitor, "runs"))


@router.get("/runs/{run_id}/progress")
def progress(request: Request, web: WebDep, visitor: VisitorDep, run_id: str) -> Response:
    """Show the live part of the run page alone."""
    context = run_pages.run_progress(web, visitor, run_id)
    frame = frame_of(request, web, visitor, "runs")
    return page(request, "pages/progress.html", context, frame)


@router.get("/runs/{run_id}/publication")
def publication(request: Request, web: WebDep, visitor: VisitorDep, run_id: str) -> Response:
    """Show what is published of a run."""
    context = run_pages.publication_page(web, visitor, run_id)
    frame = frame_of(request, web, visitor, "runs")
    return page(request, "pages/publication.html", context, frame)


@router.post("/runs/{run_id}/reopen")
def reopen(web: WebDep, visitor: EditorDep, run_id: str) -> Response:
    """Begin the next revision of an ended review."""
    number = commands.reopen(web.app, visitor.actor, run_id)
    return see_other(f"/runs/{run_id}", f"reopened:{number}")
