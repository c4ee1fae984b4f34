"""The pages about instances, for admins: the list, one instance, and what is done to it."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response

from configs.errors import AppError, NotFoundError
from review_ui.engine_contexts import InstanceFilter, InstancePage
from review_ui.errors import message_of
from review_ui.forms import FormDep, text, whole_number
from review_ui.frames import frame_of
from review_ui.instance_forms import FIELDS, OPERATIONS
from review_ui.queries.instance_list import instances_page
from review_ui.queries.instance_pages import confirm_page, instance_page
from review_ui.visitors import AdminDep
from review_ui.web import LocaleDep, WebDep, is_partial, page, see_other

router = APIRouter(prefix="/instances", include_in_schema=False)


def wanted_page(
    web: WebDep, _: AdminDep, instance_id: str, start: str = "", steps: str = ""
) -> InstancePage:
    """Return the page of one instance as its address asks for it."""
    return instance_page(web, instance_id, whole_number(start), steps)


WantedDep = Annotated[InstancePage, Depends(wanted_page)]


@router.get("")
def instances(
    request: Request,
    web: WebDep,
    visitor: AdminDep,
    search: str = "",
    workflow: str = "",
    status: str = "",
    tenant: str = "",
    before: str | None = None,
) -> Response:
    """Show the instances, newest first; htmx is given the list alone."""
    chosen = InstanceFilter(search.strip(), workflow, status, tenant.strip())
    context = instances_page(web, chosen, before)
    name = "pages/instance_list.html" if is_partial(request) else "pages/instances.html"
    return page(request, name, context, frame_of(request, web, visitor, "operations"))


@router.get("/{instance_id}")
def instance(request: Request, web: WebDep, visitor: AdminDep, wanted: WantedDep) -> Response:
    """Show one instance."""
    frame = frame_of(request, web, visitor, "operations")
    return page(request, "pages/instance.html", wanted, frame)


@router.get("/{instance_id}/live")
def live(request: Request, web: WebDep, visitor: AdminDep, wanted: WantedDep) -> Response:
    """Show the part of an instance's page that changes alone."""
    frame = frame_of(request, web, visitor, "operations")
    return page(request, "pages/instance_live.html", wanted, frame)


@router.get("/{instance_id}/{operation}")
def ask(
    request: Request, web: WebDep, visitor: AdminDep, instance_id: str, operation: str
) -> Response:
    """Ask before something is done to an instance."""
    if operation not in OPERATIONS:
        raise NotFoundError
    context = confirm_page(web, instance_id, operation, {})
    frame = frame_of(request, web, visitor, "operations")
    return page(request, "pages/instance_confirm.html", context, frame)


@router.post("/{instance_id}/{operation}")
def carry_out(
    request: Request,
    web: WebDep,
    visitor: AdminDep,
    t: LocaleDep,
    instance_id: str,
    operation: str,
    form: FormDep,
) -> Response:
    """Do it, or say in the form why not."""
    if operation not in OPERATIONS:
        raise NotFoundError
    try:
        notice = OPERATIONS[operation](web, visitor, instance_id, form, t)
    except AppError as error:
        if error.http_status >= 500:
            raise
        values = {name: text(form, name) for name in FIELDS}
        why = message_of(request, error)
        context = confirm_page(web, instance_id, operation, values, why)
        frame = frame_of(request, web, visitor, "operations")
        return page(request, "pages/instance_confirm.html", context, frame, error.http_status)
    return see_other("/instances" if operation == "delete" else f"/instances/{instance_id}", notice)
