"""A backup: the database, every object that it refers to, and a list of it all with hashes.

The rows are written first and the objects after them. Objects never change, so what the rows name
is still there, but for what was erased meanwhile: then rows and objects are taken again. The list
is written last: a folder without it is no backup.
"""

import hashlib
import json
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import sqlalchemy as sa

from configs.errors import InputError, IntegrityError, MissingArtifactError, NotFoundError
from models.documents import canonical_json
from storage import migrate
from storage.artifacts import ArtifactStore
from storage.database import database_now, reading
from storage.dump import Referenced, dump, referenced
from storage.refs import ArtifactRef
from storage.uploads import file_blocks, hash_file

LIST = "backup.json"
DATABASE, OBJECTS, KEYS = "database", "objects", "keys"
_FORMAT = 1
_TRIES = 3


@dataclass(frozen=True)
class Backup:
    """What the list of a backup says; `objects` are the artifacts and published files in it."""

    created_at: str
    kind: str
    revision: str
    bucket_prefix: str
    files: Mapping[str, str]
    objects: tuple[ArtifactRef, ...]


def write_backup(database: sa.Engine, store: ArtifactStore, keys: Path, folder: Path) -> Backup:
    """Write a backup into a new or empty folder.

    Args:
        database: all of it, the engine's tables included.
        store: where the objects are.
        keys: the folder of the installation's keys; it may be missing.
        folder: where to.

    Raises:
        InputError: the folder is not empty (not retryable).
        MissingArtifactError: an object that is not erased is not in the store (not retryable).
        TransientError: database or store did not answer (retryable).
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError("The folder for the backup is not empty.")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with reading(database) as session:
        created_at = database_now(session).isoformat()
    objects = _write_rows_and_objects(database, store, folder)
    if keys.is_dir():
        shutil.copytree(keys, folder / KEYS)
    made = Backup(
        created_at=created_at,
        kind=database.dialect.name,
        revision=migrate.current(database) or "",
        bucket_prefix=store.config.bucket_prefix,
        files={name: hash_file(folder / name)[0] for name in _names(folder)},
        objects=objects,
    )
    draft = folder / f"{LIST}.part"
    draft.write_bytes(canonical_json({"format": _FORMAT, **asdict(made)}))
    draft.replace(folder / LIST)
    return made


def read_backup(folder: Path) -> Backup:
    """Read the list of a backup and check every file against it.

    Raises:
        InputError: this is no backup, or of another format (not retryable).
        IntegrityError: a file is missing or changed (not retryable).
    """
    try:
        listed = json.loads((folder / LIST).read_bytes())
        if listed.pop("format") != _FORMAT:
            raise InputError("This backup was written by another version; use that one.")
        objects = tuple(ArtifactRef(**ref) for ref in listed.pop("objects"))
        backup = Backup(objects=objects, **listed)
    except (OSError, ValueError, KeyError, TypeError):
        raise InputError(f"{folder} holds no backup.") from None
    if set(_names(folder)) != set(backup.files):
        raise IntegrityError("The backup lacks files, or has others than it lists.")
    for name, sha256 in backup.files.items():
        if hash_file(folder / name)[0] != sha256:
            raise IntegrityError("A file of the backup is not what was written.", {"file": name})
    return backup


def put_objects(store: ArtifactStore, folder: Path, backup: Backup) -> None:
    """Put the objects of a checked backup into an empty store.

    Raises:
        StoreRefusedError: the store refuses (not retryable).
        StoreUnavailableError: the store did not answer (retryable).
    """
    for ref in backup.objects:
        store.restore(ref, partial(file_blocks, folder / OBJECTS / ref.sha256))


def verify_restored(database: sa.Engine, store: ArtifactStore) -> int:
    """Read everything that the rows refer to, and return how many objects that were.

    Raises:
        IntegrityError: an object is missing or has other bytes (not retryable).
        StoreUnavailableError: the store did not answer (retryable).
    """
    named = referenced(database)
    for ref in named.artifacts:
        for _ in store.read_blocks(ref):
            pass
    for prefix, name, sha256 in named.published:
        if hashlib.sha256(store.read_published(prefix, name)).hexdigest() != sha256:
            raise IntegrityError("A published file is not what was recorded.", {"file": name})
    return len(named.artifacts) + len(named.published)


def _write_rows_and_objects(
    database: sa.Engine, store: ArtifactStore, folder: Path
) -> tuple[ArtifactRef, ...]:
    (folder / OBJECTS).mkdir()
    for left in reversed(range(_TRIES)):
        (folder / DATABASE).mkdir()
        named = dump(database, folder / DATABASE)
        try:
            return _write_objects(store, folder / OBJECTS, named)
        except (MissingArtifactError, NotFoundError):
            if not left:  # not erased meanwhile, but lost
                raise
            shutil.rmtree(folder / DATABASE)
    raise AssertionError("unreachable")


def _write_objects(
    store: ArtifactStore, folder: Path, named: Referenced
) -> tuple[ArtifactRef, ...]:
    published = []
    for prefix, name, sha256 in named.published:
        ref = store.published(prefix, name).ref
        if ref.sha256 != sha256:
            raise IntegrityError("A published file is not what was recorded.", {"file": name})
        published.append(ref)
    objects = (*named.artifacts, *published)
    wanted = {ref.sha256: ref for ref in objects}
    for path in folder.iterdir():
        if path.name not in wanted:  # of an earlier try: erased since
            path.unlink()
    for sha256, ref in wanted.items():
        if not (folder / sha256).exists():
            store.download(ref, folder / sha256)
    return objects


def _names(folder: Path) -> list[str]:
    found = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return sorted(path.as_posix() for path in found if path.name not in {LIST, f"{LIST}.part"})
