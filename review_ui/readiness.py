"""Whether what the web process needs answers."""

from collections.abc import Callable

from configs.errors import AppError
from review_ui.web import Web
from storage.database import database_now, reading
from storage.refs import Area, ArtifactRef


def readiness(web: Web) -> dict[str, str]:
    """Return `ok` or an error code for the database and the object store."""
    return {"database": _outcome(lambda: _ask_database(web)), "store": _outcome(lambda: _ask(web))}


def _ask_database(web: Web) -> None:
    with reading(web.app.database) as session:
        database_now(session)


def _ask(web: Web) -> None:
    bucket = web.app.store.bucket(Area.DERIVED)
    web.app.store.exists(ArtifactRef(bucket, "readiness", "", "", 0, ""))


def _outcome(ask: Callable[[], None]) -> str:
    try:
        ask()
    except AppError as error:
        return error.code
    return "ok"
