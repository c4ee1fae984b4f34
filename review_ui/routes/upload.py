"""The upload form. With script each file goes to the API on its own; without, all come here."""

from fastapi import APIRouter, Request
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool

from configs.errors import InputError
from pipeline.steps.job import DEFAULT_TEMPLATE
from review_ui import contexts
from review_ui.errors import message_of
from review_ui.frames import frame_of
from review_ui.receive import ReceivedForm, received_form
from review_ui.uploads import Outcome, submit_all
from review_ui.visitors import Visitor, VisitorDep
from review_ui.web import Web, WebDep, page, see_other

router = APIRouter(include_in_schema=False)


@router.get("/upload")
def show(request: Request, web: WebDep, visitor: VisitorDep) -> Response:
    """Show the form."""
    context = contexts.UploadPage(_templates(web, visitor), web.app.max_upload_bytes)
    return page(request, "pages/upload.html", context, frame_of(request, web, visitor, "upload"))


@router.post("/upload")
async def upload(request: Request, web: WebDep, visitor: VisitorDep) -> Response:
    """Take one or several files."""
    try:
        async with received_form(
            request, web.config.upload_folder, web.app.max_upload_bytes
        ) as form:
            outcomes = await run_in_threadpool(submit_all, web, visitor, form)
    except InputError as error:
        form, outcomes = ReceivedForm(), [Outcome("", error=error)]
    return await run_in_threadpool(_answer, request, web, visitor, form, list(outcomes))


def _answer(
    request: Request, web: Web, visitor: Visitor, form: ReceivedForm, outcomes: list[Outcome]
) -> Response:
    made = [outcome.run.id for outcome in outcomes if outcome.run]
    if made and len(made) == len(outcomes):
        return see_other(f"/runs/{made[0]}" if len(made) == 1 else "/runs")
    context = contexts.UploadPage(
        templates=_templates(web, visitor),
        max_bytes=web.app.max_upload_bytes,
        language=form.fields.get("language", "auto"),
        template=form.fields.get("template", DEFAULT_TEMPLATE),
        summary_language=form.fields.get("summary_language", ""),
        title=form.fields.get("title", ""),
        vocabulary=form.fields.get("vocabulary", ""),
        accepted=[contexts.Accepted(o.file_name, o.run.id) for o in outcomes if o.run],
        refused=_refused(request, outcomes or [Outcome("", error=InputError(_NO_FILE))]),
    )
    frame = frame_of(request, web, visitor, "upload")
    return page(request, "pages/upload.html", context, frame, _status(outcomes))


def _templates(web: Web, visitor: Visitor) -> list[str]:
    return [DEFAULT_TEMPLATE, *web.app.templates(visitor.user.tenant)]


_NO_FILE = "Choose at least one file."


def _refused(request: Request, outcomes: list[Outcome]) -> list[contexts.Refusal]:
    return [
        contexts.Refusal(o.file_name, o.error.code, message_of(request, o.error))
        for o in outcomes
        if o.error
    ]


def _status(outcomes: list[Outcome]) -> int:
    codes = {outcome.error.http_status for outcome in outcomes if outcome.error}
    return codes.pop() if len(codes) == 1 else 422
