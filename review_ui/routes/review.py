"""The review page and the decision."""

from fastapi import APIRouter, Request
from fastapi.responses import Response

from configs.errors import AlreadyDecidedError, AppError, BlockedError, ConflictError, PolicyError
from pipeline import commands
from review_ui.errors import message_of
from review_ui.files import stored_file
from review_ui.forms import FormDep, text
from review_ui.frames import frame_of
from review_ui.published import published_response
from review_ui.queries import review_pages
from review_ui.visitors import EditorDep, Visitor
from review_ui.web import RevisionNumber, Web, WebDep, page, see_other

router = APIRouter(prefix="/runs/{run_id}", include_in_schema=False)


@router.get("/review")
def review(request: Request, web: WebDep, visitor: EditorDep, run_id: str) -> Response:
    """Show what is to be decided on."""
    context = review_pages.review_page(web, visitor, run_id)
    return page(request, "pages/review.html", context, frame_of(request, web, visitor, "inbox"))


@router.post("/decision")
def decide(
    request: Request, web: WebDep, visitor: EditorDep, run_id: str, form: FormDep
) -> Response:
    """Decide on exactly the hash that the page showed."""
    choice, sha256, comment = text(form, "decision"), text(form, "sha256"), text(form, "comment")
    reason = text(form, "override_reason") or None
    try:
        commands.decide(web.app, visitor.actor, run_id, choice, sha256, comment, reason)
    except (BlockedError, PolicyError) as error:
        return _refused(request, web, visitor, run_id, comment, error)
    except ConflictError as error:
        if not _is_own_decision(error, visitor, choice):
            return _too_late(request, web, visitor, run_id, sha256, comment, error)
    return see_other(f"/runs/{run_id}", f"decided_{choice}")


@router.get("/preview")
def preview(
    request: Request,
    web: WebDep,
    visitor: EditorDep,
    run_id: str,
    revision: RevisionNumber | None = None,
) -> Response:
    """Show exactly what an approval publishes, or what an earlier revision was."""
    context = review_pages.preview_page(web, visitor, run_id, revision)
    return page(request, "pages/preview.html", context, frame_of(request, web, visitor, "inbox"))


@router.api_route("/preview/{revision}/{name}", methods=["GET", "HEAD"])
def previewed(
    request: Request,
    web: WebDep,
    visitor: EditorDep,
    run_id: str,
    revision: RevisionNumber,
    name: str,
) -> Response:
    """Answer with one file that would be published, under the same policy as when it is."""
    ref = review_pages.previewed_file(web, visitor, run_id, revision, name)
    return published_response(request, web.app.store, ref, name)


@router.api_route("/audio", methods=["GET", "HEAD"])
def audio(
    request: Request, web: WebDep, visitor: EditorDep, run_id: str, revision: RevisionNumber
) -> Response:
    """Answer with the redacted recording, or the part that the player asks for."""
    ref = review_pages.previewed_file(web, visitor, run_id, revision, "audio.opus")
    return stored_file(request, web.app.store, ref, media_type="audio/ogg")


def _refused(
    request: Request, web: Web, visitor: Visitor, run_id: str, comment: str, error: AppError
) -> Response:
    context = review_pages.review_page(
        web, visitor, run_id, comment=comment, error=message_of(request, error)
    )
    frame = frame_of(request, web, visitor, "inbox")
    return page(request, "pages/review.html", context, frame, error.http_status)


def _too_late(
    request: Request,
    web: Web,
    visitor: Visitor,
    run_id: str,
    sha256: str,
    comment: str,
    error: AppError,
) -> Response:
    context = review_pages.difference_page(web, visitor, run_id, sha256, error, comment)
    frame = frame_of(request, web, visitor, "inbox")
    return page(request, "pages/difference.html", context, frame, error.http_status)


def _is_own_decision(error: ConflictError, visitor: Visitor, choice: str) -> bool:
    """Tell a second click from a second decision: the same person, the same answer."""
    return (
        isinstance(error, AlreadyDecidedError)
        and error.details.get("decided_by") == visitor.user.id
        and error.details.get("decision") == choice
    )
