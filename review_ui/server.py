"""The web process: `uvicorn --factory review_ui.server:create`."""

from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager

from fastapi import FastAPI

from configs.settings import Settings, load_settings
from pipeline.logs import configure_logs
from pipeline.runtime import open_runtime
from review_ui.app import create_app
from review_ui.web import WebConfig


def create() -> FastAPI:
    """Return the application over what the settings name; it lets go of all when it stops.

    Raises:
        SettingsError: the settings cannot be used (not retryable).
        TransientError: database or store did not answer (retryable).
    """
    configure_logs()
    settings = load_settings()
    stack = ExitStack()
    runtime = stack.enter_context(open_runtime(settings))

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        with stack:
            yield

    return create_app(runtime.app, web_config(settings), lifespan=lifespan)


def web_config(settings: Settings) -> WebConfig:
    """Return the web's own values."""
    return WebConfig(
        home=settings.home,
        base_url=settings.web.base_url,
        session_lifetime=settings.web.session_lifetime,
    )
