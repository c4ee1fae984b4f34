"""`backup`, `restore`: the whole installation in a folder."""

from pathlib import Path
from typing import Annotated

import typer

from pipeline.cli.console import JsonOption, existing_folder, say, show


def add_to(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(backup)
    app.command()(restore)


def backup(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new or empty folder.")],
    as_json: JsonOption = False,
) -> None:
    """Write database, objects and keys to a folder; it is as secret as the installation."""
    from configs.settings import load_settings
    from pipeline.backups import back_up
    from pipeline.runtime import open_runtime

    with open_runtime(load_settings()) as runtime:
        made = back_up(runtime, folder)
    document: dict[str, object] = {
        "folder": str(folder),
        "created_at": made.created_at,
        "objects": len(made.objects),
        "files": len(made.files),
    }
    show(document, as_json, lambda: say(f"{folder}: {len(made.objects)} objects"))


def restore(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder that backup wrote.")],
    as_json: JsonOption = False,
) -> None:
    """Fill an empty home, database and store from a backup, and check all of it."""
    from configs.settings import load_settings
    from pipeline.backups import restore as fill

    restored = fill(load_settings(), existing_folder(folder))
    document: dict[str, object] = {
        "folder": str(folder),
        "created_at": restored.backup.created_at,
        "objects": restored.objects,
        "audit_events": restored.audit_events,
        "verified": True,
    }
    show(document, as_json, lambda: say(f"{restored.objects} objects restored and read again"))
