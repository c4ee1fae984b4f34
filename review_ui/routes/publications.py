"""What is published, for everybody who has the address."""

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from configs.errors import IntegrityError, NotFoundError
from review_ui.published import published_response
from review_ui.web import Web, WebDep
from storage import publications, runs
from storage.database import reading
from storage.refs import ArtifactRef
from storage.statuses import RunStatus

router = APIRouter(include_in_schema=False)


@router.get("/p/{run_id}")
def without_slash(run_id: str) -> Response:
    """Send on to where the page's own links work."""
    return RedirectResponse(f"/p/{run_id}/", 308)


@router.api_route("/p/{run_id}/", methods=["GET", "HEAD"])
def index(request: Request, web: WebDep, run_id: str) -> Response:
    """Answer with the published page."""
    return published(request, web, run_id, "index.html")


@router.api_route("/p/{run_id}/{name}", methods=["GET", "HEAD"])
def published(request: Request, web: WebDep, run_id: str, name: str) -> Response:
    """Answer with one published file, checked against what was recorded."""
    return published_response(request, web.app.store, _published_ref(web, run_id, name), name)


def _published_ref(web: Web, run_id: str, name: str) -> ArtifactRef:
    with reading(web.app.database) as session:
        row = publications.latest_publication(session, run_id)
        is_erased = row is not None and runs.get_run(session, run_id).status is RunStatus.ERASED
    about = row.files.get(name) if row is not None and not is_erased else None
    if row is None or not isinstance(about, dict):
        raise NotFoundError("Nothing is published at this address.")
    ref = web.app.store.published(row.prefix, name).ref
    if (ref.sha256, ref.bytes) != (about["sha256"], about["bytes"]):
        raise IntegrityError("A published file is not what was recorded.", {"name": name})
    return ref
