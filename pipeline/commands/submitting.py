"""submit: a file that has arrived becomes a run."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from sqlmodel import Session

from configs.clock import new_id, new_secret, utc_now
from configs.errors import InputError, PolicyError, TooLargeError
from models import audio, extractor
from models.documents import LANGUAGES, canonical_json
from models.vocabulary import Vocabulary, parse_terms
from pipeline.commands.beginnings import DOCUMENT_TYPES
from pipeline.commands.context import Actor, App, in_transaction
from pipeline.commands.revising import start_revision
from pipeline.steps.job import DEFAULT_TEMPLATE, Overrides
from storage import idempotency, pending_uploads, runs
from storage.database import reading
from storage.refs import Area, ArtifactRef, run_prefix
from storage.tables import Run

_TITLES = {
    "en": {"recording": "Recording of {date}", "document": "Document of {date}"},
    "ja": {"recording": "{date} の録音", "document": "{date} の文書"},
    "zh": {"recording": "{date} 的录音", "document": "{date} 的文档"},
}


@dataclass(frozen=True, kw_only=True)
class Announcement:
    """What an uploader says of a file; `file_name` is only a label.

    `template` and `summary_language` are the tenant's where they are `DEFAULT_TEMPLATE` and None.
    `vocabulary` are texts with names and terms to expect, separated by commas or line ends.
    """

    file_name: str
    title: str | None = None
    language: str = "auto"
    template: str = DEFAULT_TEMPLATE
    tenant: str = "default"
    summary_language: str | None = None
    vocabulary: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Upload(Announcement):
    """A file that has arrived; `path` is a local temporary file."""

    path: Path


@dataclass(frozen=True)
class _Source:
    media_type: str
    is_document: bool
    sha256: str
    size_bytes: int


def submit(
    app: App,
    actor: Actor,
    upload: Upload,
    idempotency_key: str | None = None,
    *,
    pending_id: str | None = None,
) -> Run:
    """Store an uploaded file and begin its run.

    Args:
        app: the application.
        actor: who uploads; uploaders and above.
        upload: the file.
        idempotency_key: the same key by the same user with the same request gives the same run,
            as long as that has its raw artifacts.
        pending_id: of the pending upload that the file comes from; it becomes the run's.

    Returns:
        The run, `queued`.

    Raises:
        InputError: the file cannot be used; no run is made (not retryable).
        PolicyError: another tenant's (not retryable).
        SettingsError: there is no such tenant (not retryable).
        ConflictError: the key was used for another request, or the pending upload has been given
            up (not retryable).
        TransientError: store or database did not answer (retryable).
    """
    overrides, terms = require_allowed(app, actor, upload)
    source = inspect(app, upload)
    request = _request_sha256(upload, source, terms)
    known = _known_run(app, actor, idempotency_key, request)
    if known is not None:
        return known
    run_id = pending_id or new_id("run")
    stored = _stored(app, upload, source, run_id, terms)

    def begin(session: Session) -> Run:
        if pending_id and (made := pending_uploads.claim(session, pending_id)):
            return made
        if idempotency_key:
            found = idempotency.run_for(session, actor.user_id, idempotency_key, request)
            if found is not None:
                return runs.get_run(session, found)
        run = _insert_run(session, actor, upload, source, run_id, stored, overrides)
        start_revision(app, session, run, 1, overrides=overrides)
        if idempotency_key:
            idempotency.remember(session, actor.user_id, idempotency_key, request, run_id=run.id)
        return run

    run = in_transaction(app, begin)
    if run.id != run_id:  # another request with this key was faster: nothing refers to this file
        app.store.delete_prefix(Area.RAW, run_prefix(upload.tenant, run_id))
    return run


def require_allowed(
    app: App, actor: Actor, upload: Announcement
) -> tuple[Overrides, tuple[str, ...]]:
    """Refuse what may not be uploaded by what is said of it.

    Returns:
        The settings that the uploader chose, and the terms of the vocabulary.

    Raises:
        InputError: what is said cannot be used (not retryable).
        PolicyError: another tenant's (not retryable).
        SettingsError: there is no such tenant (not retryable).
    """
    if not actor.in_policy.serves(upload.tenant):
        raise PolicyError("You may upload for your own tenant only.", {"reason": "tenant"})
    names = app.templates(upload.tenant)
    if upload.language not in ("auto", *LANGUAGES):
        raise InputError("Choose the language auto, en, ja or zh.")
    if upload.template not in (DEFAULT_TEMPLATE, *names):
        known = ", ".join(names)
        raise InputError(f"There is no template of this name; choose one of: {known}.")
    if upload.summary_language not in (None, "source", *LANGUAGES):
        raise InputError("Choose the language of the summary: source, en, ja or zh.")
    chosen = upload.summary_language
    overrides: Overrides = {} if chosen is None else {"summary.language": chosen}
    return overrides, parse_terms(upload.vocabulary)


def require_size(app: App, size: int) -> None:
    """Refuse what is larger than the limit.

    Raises:
        TooLargeError: not retryable.
    """
    if size > app.max_upload_bytes:
        raise TooLargeError(details={"bytes": size, "max_bytes": app.max_upload_bytes})


def inspect(app: App, upload: Upload) -> _Source:
    """Refuse at once what the first bytes and a probe show to be unusable.

    Raises:
        InputError: with the uploader's message (not retryable).
    """
    size = upload.path.stat().st_size
    require_size(app, size)
    document = extractor.sniff(upload.path, upload.file_name)
    if document is not None:
        media_type = DOCUMENT_TYPES[document.value]
    else:
        probe = audio.probe(upload.path)
        media_type = "video/mp4" if probe.has_video else "application/octet-stream"
    with upload.path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return _Source(media_type, document is not None, digest, size)


def default_title(source: _Source, language: str) -> str:
    """Return a title that tells nothing of the file's name, which may hold a person's name."""
    form = _TITLES.get(language, _TITLES["en"])["document" if source.is_document else "recording"]
    return form.format(date=utc_now().date().isoformat())


def display_name(file_name: str) -> str:
    """Return the last part of an uploaded file's name, without control characters.

    It is only ever shown (escaped) and offered for downloads; no path or key is made of it.
    """
    last = file_name.replace("\\", "/").rstrip("/").rpartition("/")[2]
    cleaned = "".join(c for c in last if c.isprintable() or c in "\u200d\ufe0f").strip()
    return cleaned[:255] or "unnamed"


def _stored(
    app: App, upload: Upload, source: _Source, run_id: str, terms: tuple[str, ...]
) -> dict[str, ArtifactRef]:
    """Store what was uploaded, by role."""
    tenant = upload.tenant
    stored = {
        "source": app.store.put_file(
            tenant, run_id, "source", upload.path, ext="bin", media_type=source.media_type
        )
    }
    if terms:
        data = canonical_json(Vocabulary(terms=terms, salt=new_secret()))
        stored["vocabulary"] = app.store.put_bytes(
            tenant, run_id, "vocabulary", data, ext="json", media_type="application/json"
        )
    return stored


def _insert_run(
    session: Session,
    actor: Actor,
    upload: Upload,
    source: _Source,
    run_id: str,
    stored: dict[str, ArtifactRef],
    overrides: Overrides,
) -> Run:
    label = display_name(upload.file_name)
    new = runs.NewRun(
        id=run_id,
        tenant=upload.tenant,
        title=(upload.title or "").strip() or default_title(source, upload.language),
        file_name=label,
        media_type=source.media_type,
        source_sha256=source.sha256,
        source_bytes=source.size_bytes,
        uploader_id=actor.user_id,
        requested_language=upload.language,
        template=upload.template,
    )
    run = runs.create_run(session, new, {**overrides})
    for role, ref in stored.items():
        runs.keep(session, run_id, 1, role, ref)
    return run


def _known_run(app: App, actor: Actor, key: str | None, request_sha256: str) -> Run | None:
    if not key:
        return None
    with reading(app.database) as session:
        found = idempotency.run_for(session, actor.user_id, key, request_sha256)
        return runs.get_run(session, found) if found else None


def _request_sha256(upload: Upload, source: _Source, terms: tuple[str, ...]) -> str:
    request = canonical_json(
        {
            "file": source.sha256,
            "language": upload.language,
            "summary_language": upload.summary_language,
            "template": upload.template,
            "tenant": upload.tenant,
            "title": upload.title,
            "vocabulary": list(terms),
        }
    )
    return hashlib.sha256(request).hexdigest()
