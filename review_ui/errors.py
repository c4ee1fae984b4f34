"""Errors as answers: one body for scripts, a page for people."""

import logging
from http import HTTPStatus
from urllib.parse import quote

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, RedirectResponse, Response
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from configs.errors import AppError, TransientError
from review_ui import contexts
from review_ui.forms import read_form
from review_ui.locale import DEFAULT_LOCALE, load_locale
from review_ui.visitors import SignInRequiredError
from review_ui.web import locale_of, page

_log = logging.getLogger(__name__)
_FORM = "application/x-www-form-urlencoded"
_OF_MANY_KINDS = frozenset(
    {"input.invalid", "conflict", "conflict.not_applicable", "policy.denied"}
)
_CODES = {400: "request.invalid", 404: "not_found", 405: "request.method", 413: "input.too_large"}


def add_error_handlers(app: FastAPI) -> None:
    """Let every error be answered in one form."""
    app.add_exception_handler(AppError, _on_app_error)
    app.add_exception_handler(SignInRequiredError, _on_stranger)
    app.add_exception_handler(HTTPException, _on_http_error)
    app.add_exception_handler(RequestValidationError, _on_invalid)
    app.add_middleware(UnexpectedErrors)


class UnexpectedErrors:
    """Answers what nobody expected, and logs its type only: its text may quote a recording.

    A middleware and not a handler, because the framework's own handler of last resort stands
    outside of the one that adds headers, and passes the error with its text on to the server's log.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on. An answer that breaks off in the middle ends with its connection."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        started = False

        async def watched(message: Message) -> None:
            nonlocal started
            started = started or message["type"] == "http.response.start"
            await send(message)

        try:
            await self._app(scope, receive, watched)
        except Exception as error:  # noqa: BLE001 - the last resort
            request = Request(scope)
            _log.error("unexpected %s (%s)", _cause(error), request_id(request))
            if not started:
                response = await run_in_threadpool(_on_unexpected, request)
                await response(scope, receive, send)


def error_body(request: Request, error: AppError) -> dict[str, object]:
    """Return the error body of the API."""
    return {"error": {**error.body(), "request_id": request_id(request)}}


def request_id(request: Request) -> str:
    """Return the id that log and answer have in common."""
    return str(getattr(request.state, "request_id", ""))


def wants_json(request: Request) -> bool:
    """Tell scripts from people."""
    return request.url.path.startswith("/api/") or request.url.path in {"/healthz", "/readyz"}


def message_of(request: Request, error: AppError) -> str:
    """Return the error's message in the reader's language where there is one.

    Where its class stands for many things, its own words follow: better foreign than lost.
    """
    locale, reason = locale_of(request), error.details.get("reason")
    by_reason = locale.maybe(f"error_message.{error.code}.{reason}", "")
    if by_reason:
        return by_reason
    by_code = locale.maybe(f"error_message.{error.code}", "")
    if not by_code:
        return error.message
    return f"{by_code} ({error.message})" if error.code in _OF_MANY_KINDS else by_code


async def _on_stranger(request: Request, error: Exception) -> Response:
    """Ask for a sign-in; a form whose sender's session has ended is kept on the page."""
    if wants_json(request):
        return await run_in_threadpool(_on_app_error, request, error)
    if request.method in {"GET", "HEAD"}:
        return _to_sign_in(request)
    can_resend = request.headers.get("content-type", "").startswith(_FORM)
    fields = (await read_form(request)).multi_items() if can_resend else []
    sent = [(name, str(value)) for name, value in fields]
    context = contexts.SessionEndedPage(request.url.path, can_resend, sent)
    return page(request, "pages/session_ended.html", context, contexts.Frame(None, ""), 401)


def _on_app_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, AppError)  # noqa: S101 - registered for this class
    message = message_of(request, error)
    headers = {"WWW-Authenticate": "Bearer"} if error.http_status == HTTPStatus.UNAUTHORIZED else {}
    if isinstance(error, TransientError):
        headers["Retry-After"] = str(int(error.retry_after_s or 5))
    if error.http_status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        _log.error("request failed: %s (%s)", error.code, request_id(request))
    return _answer(request, error.http_status, error_body(request, error), message, headers)


def _on_http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 - registered for this class
    locale = locale_of(request)
    texts = {404: "error.not_found", 405: "error.method", 413: "error.too_large_form"}
    text = texts.get(error.status_code, "error.invalid")
    code = _CODES.get(error.status_code, "request.invalid")
    return _answer(request, error.status_code, _body(request, code, text, {}), locale(text))


def _on_invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)  # noqa: S101 - registered for this class
    text = "error.invalid"
    places = [".".join(map(str, e["loc"])) + ": " + str(e["msg"]) for e in error.errors()[:10]]
    body = _body(request, "request.invalid", text, {"fields": places})
    return _answer(request, 422, body, locale_of(request)(text))


def _on_unexpected(request: Request) -> Response:
    text = "error.unexpected"
    body = _body(request, "unexpected", text, {})
    return _answer(request, 500, body, locale_of(request)(text))


def _cause(error: BaseException) -> str:
    """Return the names of the error's class and of what it came from."""
    names = [type(error).__name__]
    if error.__cause__ is not None:
        names.append(_cause(error.__cause__))
    return " from ".join(names)


def _body(request: Request, code: str, text: str, details: object) -> dict[str, object]:
    """Return the error body; scripts get the text in English, whatever their reader speaks."""
    error = {"code": code, "message": load_locale(DEFAULT_LOCALE)(text), "details": details}
    return {"error": {**error, "request_id": request_id(request)}}


def _answer(
    request: Request,
    status: int,
    body: dict[str, object],
    message: str,
    headers: dict[str, str] | None = None,
) -> Response:
    if wants_json(request):
        return JSONResponse(body, status, headers)
    error = body["error"]
    assert isinstance(error, dict)  # noqa: S101 - made just above
    context = contexts.ErrorPage(status, str(error["code"]), message, request_id(request))
    response = page(request, "pages/error.html", context, contexts.Frame(None, ""), status)
    response.headers.update(headers or {})
    return response


def _to_sign_in(request: Request) -> Response:
    """Ask a person to sign in and bring them back."""
    path = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    return RedirectResponse(f"/sign-in?next={quote(path, safe='')}", 303)
