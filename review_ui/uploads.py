"""Files that have arrived become runs, or are refused with a reason."""

from collections.abc import Sequence
from dataclasses import dataclass

from configs.errors import InputError, PolicyError
from pipeline import commands
from pipeline.steps.job import DEFAULT_TEMPLATE
from review_ui.receive import ReceivedFile, ReceivedForm
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
    upload = commands.Upload(
        path=file.path,
        file_name=file.name,
        title=title,
        language=form.fields.get("language") or "auto",
        template=form.fields.get("template") or DEFAULT_TEMPLATE,
        summary_language=form.fields.get("summary_language") or None,
        tenant=_tenant(visitor, form.fields.get("tenant")),
        vocabulary=(form.fields.get("vocabulary", ""),),
    )
    return commands.submit(web.app, visitor.actor, upload, idempotency_key)


def _tenant(visitor: Visitor, asked: str | None) -> str:
    tenant = asked or visitor.user.tenant
    if not visitor.actor.in_policy.serves(tenant):
        raise PolicyError("You may upload for your own tenant only.", {"reason": "tenant"})
    return tenant
