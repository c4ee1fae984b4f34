"""Files that have arrived become runs, or are refused with a reason."""

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from configs.errors import InputError, PolicyError
from pipeline import commands
from pipeline.steps.job import DEFAULT_TEMPLATE
from review_ui.api_models import CompleteIn, UploadIn
from review_ui.receive import PREFIX, ReceivedFile, ReceivedForm
from review_ui.visitors import Visitor
from review_ui.web import Web
from storage.tables import Run


@dataclass(frozen=True)
class Outcome:
    """What became of one file: a run or an error."""

    file_name: str
    run: Run | None = None
    error: InputError | None = None


def submit_all(web: Web, visitor: Visitor, form: ReceivedForm) -> Sequence[Outcome]:
    """Make a run of each file that can be used; a title is for one file only."""
    title = form.fields.get("title") if len(form.files) == 1 else None
    outcomes = []
    for file in form.files:
        name = commands.display_name(file.name)
        try:
            run = submit_one(web, visitor, form, file, title=title)
            outcomes.append(Outcome(name, run=run))
        except InputError as error:
            outcomes.append(Outcome(name, error=error))
    return outcomes


def submit_one(
    web: Web,
    visitor: Visitor,
    form: ReceivedForm,
    file: ReceivedFile,
    *,
    title: str | None = None,
    idempotency_key: str | None = None,
) -> Run:
    """Make a run of a file.

    Raises:
        InputError: the file cannot be used; no run is made (not retryable).
        ConflictError: the key was used for another request (not retryable).
        PolicyError: another tenant's (not retryable).
        TransientError: store or database did not answer (retryable).
    """
    announced = _announcement(visitor, form.fields, file.name, title)
    upload = commands.Upload(path=file.path, **vars(announced))
    return commands.submit(web.app, visitor.actor, upload, idempotency_key)


def begin(web: Web, visitor: Visitor, body: UploadIn) -> commands.Begun:
    """Let a file be sent straight to the store; see `commands.begin_upload`."""
    announced = _announcement(visitor, body.model_dump(), body.file, body.title)
    return commands.begin_upload(web.app, visitor.actor, announced, body.bytes)


def complete(web: Web, visitor: Visitor, upload_id: str, body: CompleteIn) -> Run:
    """Make a run of a file that has been sent to the store; see `commands.complete_upload`."""
    etags = {part.number: part.etag for part in body.parts}
    with tempfile.NamedTemporaryFile(dir=web.config.upload_folder, prefix=PREFIX) as file:
        path = Path(file.name)
        return commands.complete_upload(web.app, visitor.actor, upload_id, etags, path)


def _announcement(
    visitor: Visitor, fields: Mapping[str, str | None], file_name: str, title: str | None
) -> commands.Announcement:
    return commands.Announcement(
        file_name=file_name,
        title=title,
        language=fields.get("language") or "auto",
        template=fields.get("template") or DEFAULT_TEMPLATE,
        summary_language=fields.get("summary_language") or None,
        tenant=_tenant(visitor, fields.get("tenant")),
        vocabulary=(fields.get("vocabulary") or "",),
    )


def _tenant(visitor: Visitor, asked: str | None) -> str:
    tenant = asked or visitor.user.tenant
    if not visitor.actor.in_policy.serves(tenant):
        raise PolicyError("You may upload for your own tenant only.", {"reason": "tenant"})
    return tenant
