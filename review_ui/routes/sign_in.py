"""Signing in and out, and the language of the pages."""

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from review_ui import contexts
from review_ui.forms import FormDep, local_path, text
from review_ui.frames import frame_of
from review_ui.locale import LOCALES
from review_ui.visitors import SESSION_COOKIE, find_visitor, set_session_cookie
from review_ui.web import LOCALE_COOKIE, LocaleDep, Web, WebDep, page
from storage import users
from storage.database import reading, transaction
from storage.tables import User

router = APIRouter(include_in_schema=False)


@router.get("/sign-in")
def show(request: Request, web: WebDep, next: str = "/") -> Response:  # noqa: A002 - the field's name
    """Show the sign-in form."""
    if find_visitor(request, web):
        return RedirectResponse(local_path(next), 303)
    return _form(request, web, contexts.SignInPage("", local_path(next)))


@router.post("/sign-in")
def sign_in(request: Request, web: WebDep, form: FormDep, locale: LocaleDep) -> Response:
    """Sign in with name and password."""
    name, target = text(form, "name", 200).strip(), local_path(text(form, "next"))
    address = request.client.host if request.client else ""
    if not web.limiter.begin(name, address):
        minutes = int(web.limiter.window.total_seconds() // 60)
        context = contexts.SignInPage(name, target, locale("sign_in.too_many", minutes=minutes))
        return _form(request, web, context, 429)
    user = _authenticated(web, name, text(form, "password", 1000), address)
    if user is None:
        return _form(request, web, contexts.SignInPage(name, target, locale("sign_in.wrong")), 422)
    return _signed_in(web, user, target)


@router.get("/sign-in/link")
def use_link(request: Request, web: WebDep, secret: str, next: str = "/") -> Response:  # noqa: A002
    """Sign in with a one-time link; a used one does no harm to who is signed in already."""
    with transaction(web.app.database) as session:
        user = users.use_sign_in_link(session, secret)
    if user is not None:
        return _signed_in(web, user, local_path(next))
    if find_visitor(request, web):
        return RedirectResponse(local_path(next), 303)
    frame = frame_of(request, web, None, "")
    return page(request, "pages/sign_in_link.html", contexts.SignInLinkPage(), frame, 410)


@router.post("/sign-out")
def sign_out(request: Request, web: WebDep) -> Response:
    """Sign the browser out."""
    with transaction(web.app.database) as session:
        users.close_session(session, request.cookies.get(SESSION_COOKIE, ""))
    response = RedirectResponse("/sign-in", 303)
    response.delete_cookie(SESSION_COOKIE)
    return response


@router.post("/locale")
def choose_locale(form: FormDep) -> Response:
    """Choose the language of the pages."""
    response = RedirectResponse(local_path(text(form, "next")), 303)
    tag = text(form, "locale")
    if tag in LOCALES:
        response.set_cookie(LOCALE_COOKIE, tag, max_age=31_536_000, httponly=True, samesite="lax")
    return response


def _authenticated(web: Web, name: str, password: str, address: str) -> User | None:
    """Return who this is; hashing takes its time, so no stranger holds the write lock meanwhile.

    What was no wrong guess, the database's failure included, counts against nobody.
    """
    is_wrong = False
    try:
        with reading(web.app.database) as session:
            user = users.authenticate(session, name, password)
        is_wrong = user is None
    finally:
        if not is_wrong:
            web.limiter.take_back(name, address)
    if user is not None:
        web.limiter.clear(name)
    return user


def _form(request: Request, web: Web, context: contexts.SignInPage, status: int = 200) -> Response:
    return page(request, "pages/sign_in.html", context, frame_of(request, web, None, ""), status)


def _signed_in(web: Web, user: User, target: str) -> Response:
    with transaction(web.app.database) as session:
        secret = users.open_session(session, user.id, web.config.session_lifetime)
    response = RedirectResponse(target, 303)
    set_session_cookie(response, web, secret)
    return response
