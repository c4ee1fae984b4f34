"""The pages about schedules, for admins."""

from collections.abc import Callable, Mapping
from datetime import datetime

from fastapi import APIRouter, Request
from fastapi.responses import Response
from starlette.datastructures import FormData

from configs.errors import AppError, InputError, NotFoundError
from pipeline import commands
from review_ui.errors import message_of
from review_ui.forms import FormDep, text
from review_ui.frames import frame_of
from review_ui.locale import Locale
from review_ui.queries.schedule_pages import schedule_confirm_page, schedules_page
from review_ui.visitors import AdminDep, Visitor
from review_ui.web import LocaleDep, Web, WebDep, page, see_other

router = APIRouter(prefix="/schedules", include_in_schema=False)


@router.get("")
def schedules(request: Request, web: WebDep, visitor: AdminDep) -> Response:
    """Show the schedules."""
    frame = frame_of(request, web, visitor, "operations")
    return page(request, "pages/schedules.html", schedules_page(web), frame)


@router.get("/{name}/{operation}")
def ask(request: Request, web: WebDep, visitor: AdminDep, name: str, operation: str) -> Response:
    """Ask before something is done to a schedule."""
    if operation not in OPERATIONS:
        raise NotFoundError
    context = schedule_confirm_page(web, name, operation, {})
    frame = frame_of(request, web, visitor, "operations")
    return page(request, "pages/schedule_confirm.html", context, frame)


@router.post("/{name}/{operation}")
def carry_out(
    request: Request,
    web: WebDep,
    visitor: AdminDep,
    t: LocaleDep,
    name: str,
    operation: str,
    form: FormDep,
) -> Response:
    """Do it, or say in the form why not."""
    if operation not in OPERATIONS:
        raise NotFoundError
    try:
        path, notice = OPERATIONS[operation](web, visitor, name, form, t)
    except InputError as error:
        return _refused(request, web, visitor, name, operation, form, error)
    return see_other(path, notice)


def _pause(web: Web, visitor: Visitor, name: str, _: FormData, __: Locale) -> tuple[str, str]:
    changed = commands.pause_schedule(web.app, visitor.actor, name)
    return "/schedules", "schedule_pause" if changed else "schedule_unchanged"


def _resume(web: Web, visitor: Visitor, name: str, _: FormData, __: Locale) -> tuple[str, str]:
    changed = commands.resume_schedule(web.app, visitor.actor, name)
    return "/schedules", "schedule_resume" if changed else "schedule_unchanged"


def _trigger(web: Web, visitor: Visitor, name: str, _: FormData, __: Locale) -> tuple[str, str]:
    made = commands.trigger_schedule(web.app, visitor.actor, name)
    return f"/instances/{made.id}", "schedule_trigger"


def _backfill(web: Web, visitor: Visitor, name: str, form: FormData, t: Locale) -> tuple[str, str]:
    start, end = _time(text(form, "start"), t), _time(text(form, "end"), t)
    made = commands.backfill_schedule(web.app, visitor.actor, name, start, end)
    return f"/instances?search={name}", f"schedule_backfill:{len(made)}"


OPERATIONS: Mapping[str, Callable[[Web, Visitor, str, FormData, Locale], tuple[str, str]]] = {
    "pause": _pause,
    "resume": _resume,
    "trigger": _trigger,
    "backfill": _backfill,
}
"""What may be done to a schedule, by the last part of the address."""


def _time(value: str, t: Locale) -> datetime:
    """Return a time as the form gives it: without a zone, on the schedule's own wall clock."""
    try:
        return datetime.fromisoformat(value)
    except ValueError:
        raise InputError(t("schedules.bad_times")) from None


def _refused(
    request: Request,
    web: Web,
    visitor: Visitor,
    name: str,
    operation: str,
    form: FormData,
    error: AppError,
) -> Response:
    values = {field: text(form, field) for field in ("start", "end")}
    why = message_of(request, error)
    context = schedule_confirm_page(web, name, operation, values, why)
    frame = frame_of(request, web, visitor, "operations")
    return page(request, "pages/schedule_confirm.html", context, frame, error.http_status)
