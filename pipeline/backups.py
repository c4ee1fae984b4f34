"""backup and restore: a whole installation into a folder, and back into an empty one."""

import shutil
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa

from configs.errors import ConflictError, InputError, IntegrityError
from configs.settings import Settings
from pipeline.engine import Engine
from pipeline.runtime import Runtime, configured_store, open_runtime
from pipeline.workflow import ProcessSource
from storage import audit, migrate
from storage.artifacts import ArtifactStore
from storage.backup import (
    DATABASE,
    KEYS,
    Backup,
    put_objects,
    read_backup,
    verify_restored,
    write_backup,
)
from storage.database import create_database, reading
from storage.dump import SQLITE_FILE, is_empty, load


@dataclass(frozen=True)
class Restored:
    """What was restored and read again."""

    backup: Backup
    objects: int
    audit_events: int


def back_up(runtime: Runtime, folder: Path) -> Backup:
    """Write a backup of the installation; workers may go on meanwhile.

    Raises:
        InputError: the folder is not empty (not retryable).
        IntegrityError: an object is missing or changed (not retryable).
        TransientError: database or store did not answer (retryable).
    """
    return write_backup(runtime.database, runtime.store, runtime.settings.home / "keys", folder)


def restore(settings: Settings, folder: Path) -> Restored:
    """Fill an empty installation from a backup, and read all of it again.

    Args:
        settings: of the installation to fill, which nobody runs.
        folder: of the backup.

    Raises:
        ConflictError: there is something in home, database or store already; nothing was changed
            (not retryable).
        InputError: it is no backup, or of another kind of database (not retryable).
        IntegrityError: backup or restored data are not what was recorded (not retryable).
        TransientError: database or store did not answer (retryable).
    """
    _require_empty_home(settings)
    backup = read_backup(folder)
    _require_same_kind(settings, backup)
    _require_empty_store(settings)
    settings.home.mkdir(parents=True, exist_ok=True, mode=0o700)
    if (folder / KEYS).is_dir():
        shutil.copytree(folder / KEYS, settings.home / KEYS)
    _restore_rows(settings, folder, backup)
    with open_runtime(settings) as runtime:
        put_objects(runtime.store, folder, backup)
        objects = verify_restored(runtime.database, runtime.store)
        with reading(runtime.database) as session:
            report = audit.verify(session)
    if not report.ok:
        raise IntegrityError(f"The audit log is not whole: {report.detail}.")
    return Restored(backup, objects, report.events)


def _require_empty_home(settings: Settings) -> None:
    if settings.home.exists() and any(settings.home.iterdir()):
        raise ConflictError(f"{settings.home} is not empty; restore into a new home.")


def _require_empty_store(settings: Settings) -> None:
    """Look at a store that the settings name; the embedded one is in the home, which is empty."""
    config = configured_store(settings)
    if config is not None and not ArtifactStore(config).is_empty():
        raise ConflictError("The object store is not empty; nothing was restored.")


def _require_same_kind(settings: Settings, backup: Backup) -> None:
    if sa.make_url(settings.database_url).get_backend_name() != backup.kind:
        raise InputError(f"The backup is of {backup.kind}; set database.url to one of that kind.")
    if settings.s3.bucket_prefix != backup.bucket_prefix:
        raise InputError(f"The backup needs s3.bucket_prefix={backup.bucket_prefix}.")


def _restore_rows(settings: Settings, folder: Path, backup: Backup) -> None:
    database = create_database(settings.database_url)
    try:
        if not is_empty(database):
            raise ConflictError("The database is not empty; nothing was put into it.")
        if backup.kind == "postgresql":
            migrate.upgrade(database, backup.revision)
            Engine(database, settings.database_url, workflows=[ProcessSource()]).create_schema()
            load(database, folder / DATABASE)
            return
    finally:
        database.dispose()
    path = Path(sa.make_url(settings.database_url).database or "")
    for beside in (path, *(path.with_name(path.name + end) for end in ("-wal", "-shm"))):
        beside.unlink(missing_ok=True)
    shutil.copyfile(folder / DATABASE / SQLITE_FILE, path)
    path.chmod(0o600)
