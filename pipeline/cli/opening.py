"""Opens the installation for a command, and says who is asking."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.cli.console import UsageProblem

if TYPE_CHECKING:
    import sqlalchemy as sa

    from configs.settings import Settings
    from pipeline.commands import Actor, App

OPERATOR_ID = "operator"

AsOption = Annotated[
    str | None,
    typer.Option("--as", metavar="USER", help="Act as this user instead of as an admin."),
]


@dataclass(frozen=True)
class Opened:
    """The installation, as long as the command runs."""

    settings: "Settings"
    app: "App"


def copy_in(home: Path, run_id: str) -> Path:
    """Return where the demonstration puts its copy of what it has published."""
    return home / "published" / run_id


@contextmanager
def opened() -> Iterator[Opened]:
    """Open database, store and engine; the embedded store is started if nobody runs it yet."""
    from configs.settings import load_settings
    from pipeline.runtime import open_runtime

    settings = load_settings()
    with open_runtime(settings) as runtime:
        yield Opened(settings, runtime.app)


@contextmanager
def opened_database() -> Iterator["tuple[Settings, sa.Engine]"]:
    """Open the database alone, at this version: for commands that need no store and no engine."""
    from configs.settings import load_settings
    from storage.database import create_database
    from storage.migrate import upgrade

    settings = load_settings()
    settings.home.mkdir(parents=True, exist_ok=True, mode=0o700)
    database = create_database(settings.database_url)
    try:
        upgrade(database)
        yield settings, database
    finally:
        database.dispose()


def operator(installation: Opened) -> "Actor":
    """Return the local operator, an admin: whoever has this shell has the data."""
    return acting(installation.app.database, None)


def acting(database: "sa.Engine", name: str | None) -> "Actor":
    """Return who asks: an admin, since whoever has this shell has the data, or a named user.

    Raises:
        UsageProblem: there is no such user, or it is disabled (not retryable).
    """
    from pipeline.commands import Actor
    from storage import users
    from storage.database import reading
    from storage.statuses import Role

    if name is None:
        return Actor(OPERATOR_ID, "local operator", Role.ADMIN, None, "cli")
    with reading(database) as session:
        user = users.find_user(session, name)
        if user is None or user.disabled_at is not None:
            raise UsageProblem(f"There is no active user {name!r}.")
        policy = users.actor_of(user)
        return Actor(user.id, user.name, user.role, policy.tenant, "cli")
