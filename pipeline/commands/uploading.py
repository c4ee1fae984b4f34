"""begin_upload, complete_upload: a large file goes straight to the store, then becomes a run."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from pathlib import Path

from pydantic import TypeAdapter

from configs.clock import new_id, utc_now
from configs.errors import AppError, EmptyInputError, InputError
from pipeline.commands.context import Actor, App, in_transaction
from pipeline.commands.submitting import (
    Announcement,
    Upload,
    require_allowed,
    require_size,
    submit,
)
from storage import pending_uploads
from storage.database import reading
from storage.tables import PendingUpload, Run

_LIFETIME = timedelta(hours=24)
_ANNOUNCEMENT = TypeAdapter(Announcement)


@dataclass(frozen=True)
class Begun:
    """Where to PUT each part of a file, in order, and until when; `id` will be the run's."""

    id: str
    part_bytes: int
    urls: Sequence[str]
    expires_at: datetime


def begin_upload(app: App, actor: Actor, announcement: Announcement, size: int) -> Begun:
    """Let a file be sent straight to the store.

    Args:
        app: the application.
        actor: who is going to send it.
        announcement: what is said of the file.
        size: its exact size in bytes.

    Raises:
        InputError: what is said of the file cannot be used, or it is empty or too large (not
            retryable).
        PolicyError: another tenant's (not retryable).
        SettingsError: there is no such tenant (not retryable).
        TransientError: store or database did not answer (retryable).
    """
    require_allowed(app, actor, announcement)
    require_size(app, size)
    if not size:
        raise EmptyInputError
    row = PendingUpload(
        id=new_id("run"),
        tenant=announcement.tenant,
        user_id=actor.user_id,
        store_upload_id="",
        bytes=size,
        announcement=asdict(announcement),
        expires_at=utc_now() + _LIFETIME,
    )
    file = app.store.incoming(row.tenant, row.id, size)
    row.store_upload_id = file.begin()
    in_transaction(app, lambda session: session.add(row))
    urls = file.part_urls(row.store_upload_id, _LIFETIME)
    return Begun(row.id, file.part_bytes, urls, row.expires_at)


def complete_upload(
    app: App, actor: Actor, upload_id: str, etags: Mapping[int, str], path: Path
) -> Run:
    """Make a run of a file that has been sent; of one that is a run already, return that.

    Broken off anywhere, the same call again completes it.

    Args:
        app: the application.
        actor: who began the upload.
        upload_id: the upload.
        etags: what the store answered to each part, by number.
        path: a local temporary file to look into the upload with.

    Raises:
        PartsError: parts are missing or not as announced; the upload goes on (not retryable).
        InputError: the file cannot be used and has been deleted (not retryable).
        NotFoundError: there is no such upload of this user (not retryable).
        UploadExpiredError: it is too late (not retryable).
        TransientError: store or database did not answer (retryable).
    """
    run = _run_of(app, actor, upload_id)
    if run is None:
        try:
            run = _make_run(app, actor, upload_id, etags, path)
        except AppError:  # another request may have been faster, and have taken the file away
            run = _run_of(app, actor, upload_id)
            if run is None:
                raise
    pending_uploads.clear(app.database, app.store, upload_id)
    return run


def _run_of(app: App, actor: Actor, upload_id: str) -> Run | None:
    with reading(app.database) as session:
        run = session.get(Run, upload_id)
    return run if run is not None and run.uploader_id == actor.user_id else None


def _make_run(app: App, actor: Actor, upload_id: str, etags: Mapping[int, str], path: Path) -> Run:
    with reading(app.database) as session:
        row = pending_uploads.find(session, upload_id, actor.user_id)
    file = app.store.incoming(row.tenant, row.id, row.bytes)
    file.complete(row.store_upload_id, etags)
    announcement = _ANNOUNCEMENT.validate_python(row.announcement)
    try:
        file.download(path)
        return submit(app, actor, Upload(path=path, **vars(announcement)), pending_id=row.id)
    except InputError:
        pending_uploads.clear(app.database, app.store, row.id)
        raise
