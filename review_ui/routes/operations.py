"""The operations page, metrics, and what load balancers ask."""

from fastapi import APIRouter, Request
from fastapi.responses import FileResponse, JSONResponse, Response
from prometheus_client import CONTENT_TYPE_LATEST

from review_ui.frames import frame_of
from review_ui.metrics import metrics_text
from review_ui.queries.operations_page import operations_page
from review_ui.readiness import readiness
from review_ui.templating import STATIC
from review_ui.visitors import EditorDep
from review_ui.web import WebDep, page

router = APIRouter(include_in_schema=False)


@router.get("/operations")
def operations(request: Request, web: WebDep, visitor: EditorDep) -> Response:
    """Show how the installation fares."""
    context = operations_page(web, visitor)
    frame = frame_of(request, web, visitor, "operations")
    return page(request, "pages/operations.html", context, frame)


@router.get("/metrics")
def metrics(web: WebDep) -> Response:
    """Answer with the numbers for Prometheus; they name steps and models, never a person or run."""
    return Response(metrics_text(web), headers={"Content-Type": CONTENT_TYPE_LATEST})


@router.get("/healthz")
def healthz() -> Response:
    """Say that the process answers."""
    return JSONResponse({"status": "ok"})


@router.get("/readyz")
def readyz(web: WebDep) -> Response:
    """Say whether database and store answer."""
    checks = readiness(web)
    is_ready = all(check == "ok" for check in checks.values())
    body = {"status": "ok" if is_ready else "unavailable", "checks": checks}
    return JSONResponse(body, 200 if is_ready else 503)


@router.get("/favicon.ico")
def favicon() -> Response:
    """Answer browsers that ask for the icon by its old name."""
    return FileResponse(STATIC / "mark.svg", media_type="image/svg+xml")
