"""Puts the web application together."""

from contextlib import suppress
from datetime import timedelta
from pathlib import Path

from fastapi import APIRouter, Depends, FastAPI
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Lifespan

from configs.clock import utc_now
from pipeline.commands import App
from pipeline.version import VERSION
from review_ui.errors import add_error_handlers
from review_ui.forms import BodyLimit
from review_ui.receive import PREFIX
from review_ui.routes import (
    api_instances,
    api_runs,
    api_search,
    api_uploads,
    edits,
    instances,
    operations,
    publications,
    review,
    runs,
    schedules,
    sign_in,
    upload,
)
from review_ui.security import CrossOriginCheck, SecurityHeaders, SignInLimiter
from review_ui.templating import STATIC
from review_ui.web import Web, WebConfig, require_printable_path

_LEFT_OVER = timedelta(hours=24)
_PAGES = (sign_in, upload, runs, review, edits, publications, operations, instances, schedules)
_API = (api_runs, api_uploads, api_instances, api_search)


def create_app(app: App, config: WebConfig, lifespan: Lifespan[FastAPI] | None = None) -> FastAPI:
    """Return the web application.

    Args:
        app: database, store and engine; the engine is connected, not started.
        config: the web's own values.
        lifespan: what to do around serving.
    """
    prepare_upload_folder(config.upload_folder)
    web = FastAPI(
        title="Kikigaki",
        version=VERSION,
        openapi_url="/api/v1/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        dependencies=[Depends(require_printable_path)],
    )
    web.state.web = Web(app, config, SignInLimiter())
    web.mount("/static", _Static(directory=STATIC))
    for module in _PAGES:
        web.include_router(module.router)
    api = APIRouter(prefix="/api/v1")
    for module in _API:
        api.include_router(module.router)
    web.include_router(api)
    add_error_handlers(web)
    web.add_middleware(BodyLimit)
    web.add_middleware(CrossOriginCheck)
    web.add_middleware(SecurityHeaders, is_secure=config.is_secure)
    return web


def prepare_upload_folder(folder: Path) -> None:
    """Make the folder that uploads wait in, and remove what a killed process left there."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    oldest = (utc_now() - _LEFT_OVER).timestamp()
    for path in folder.glob(f"{PREFIX}*"):
        with suppress(FileNotFoundError):  # another process removed it
            if path.stat().st_mtime < oldest:
                path.unlink()


class _Static(StaticFiles):
    """Static files; their addresses hold their hash, so that browsers need not ask again."""

    def file_response(self, *args: object, **kwargs: object) -> Response:
        response = super().file_response(*args, **kwargs)  # type: ignore[arg-type]
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
        return response
