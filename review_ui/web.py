"""What the handlers share: the application, the web's own values, and how a page is answered."""

from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Annotated

from fastapi import Depends, Request
from fastapi.responses import HTMLResponse, RedirectResponse
from pydantic import Field

from configs.errors import NotFoundError
from pipeline.commands import App
from review_ui import contexts
from review_ui.forms import whole_number
from review_ui.locale import Locale, choose_locale
from review_ui.security import SignInLimiter
from review_ui.templating import render_page

LOCALE_COOKIE = "kikigaki_locale"
NOTICE_COOKIE = "kikigaki_notice"
_PLAIN_NOTICES = frozenset(
    {
        "decided_reject",
        "decided_request_changes",
        "instance_unchanged",
        "instance_event_again",
        "schedule_unchanged",
    }
)


@dataclass(frozen=True)
class WebConfig:
    """Values of the web process.

    Uploads wait in `home/tmp`; cookies are `Secure` where `base_url` begins with https.
    """

    home: Path
    base_url: str | None = None
    session_lifetime: timedelta = timedelta(hours=12)

    @property
    def is_secure(self) -> bool:
        """True where people reach the application over https."""
        return (self.base_url or "").startswith("https://")

    @property
    def upload_folder(self) -> Path:
        """Where files wait until they have been probed and stored."""
        return self.home / "tmp"


@dataclass(frozen=True)
class Web:
    """The application behind the handlers."""

    app: App
    config: WebConfig
    limiter: SignInLimiter


def get_web(request: Request) -> Web:
    """Return what `create_app` was given."""
    web = request.app.state.web
    assert isinstance(web, Web)  # noqa: S101 - set by `create_app` alone
    return web


def require_printable_path(request: Request) -> None:
    """Refuse addresses with characters that no id or name of ours has, nor a database may hold.

    Raises:
        NotFoundError: not retryable.
    """
    if not request.scope["path"].isprintable():
        raise NotFoundError("There is nothing at this address.")


def locale_of(request: Request) -> Locale:
    """Return the language of the pages for this request."""
    return choose_locale(request.cookies.get(LOCALE_COOKIE), request.headers.get("accept-language"))


RevisionNumber = Annotated[int, Field(ge=1, le=1_000_000_000)]
WebDep = Annotated[Web, Depends(get_web)]
LocaleDep = Annotated[Locale, Depends(locale_of)]


def page(
    request: Request, name: str, context: object, frame: contexts.Frame, status: int = 200
) -> HTMLResponse:
    """Answer with a page; a notice that a redirect left behind is shown once."""
    html = render_page(name, context, frame, locale_of(request))
    response = HTMLResponse(html, status, headers={"Cache-Control": "no-store"})
    if NOTICE_COOKIE in request.cookies:
        response.delete_cookie(NOTICE_COOKIE)
    return response


def see_other(path: str, notice: str | None = None) -> RedirectResponse:
    """Answer a form that was carried out: go and look at `path`.

    Args:
        path: where to, on this site.
        notice: `name` or `name:number` of a text under `notice`, shown once on the next page.
    """
    response = RedirectResponse(path, 303)
    if notice:
        response.set_cookie(NOTICE_COOKIE, notice, max_age=60, httponly=True, samesite="lax")
    return response


def is_partial(request: Request) -> bool:
    """Tell whether htmx asks for a part of the page."""
    return request.headers.get("hx-request") == "true"


def notice_of(request: Request) -> contexts.Notice | None:
    """Return the notice that the redirect before this page left, if its name is a known one."""
    name, _, number = request.cookies.get(NOTICE_COOKIE, "").partition(":")
    n = whole_number(number) or 0
    text = locale_of(request).maybe(f"notice.{name}", "", n=n) if name.isidentifier() else ""
    if not text:
        return None
    return contexts.Notice("info" if name in _PLAIN_NOTICES else "good", text)
