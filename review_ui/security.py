"""Headers, the cross-origin check and the limit on sign-in attempts."""

from collections import OrderedDict, deque
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from threading import Lock
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from configs.clock import new_id, utc_now

PAGE_CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; "
    "connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": PAGE_CSP,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=()",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-store",
}
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


def published_csp(style_hashes: str = "") -> str:
    """Return the policy of a publication's page: no script at all, the style it was made with."""
    style = f"style-src {style_hashes}; " if style_hashes else ""
    return (
        f"default-src 'none'; {style}img-src 'self' data:; media-src 'self'; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'self'; sandbox allow-same-origin allow-popups"
    )


class SecurityHeaders:
    """Adds the headers that a response does not set itself, and an id to each request."""

    def __init__(self, app: ASGIApp, *, is_secure: bool) -> None:
        self._app = app
        self._is_secure = is_secure
        self._headers = dict(_HEADERS)
        if is_secure:
            self._headers["Strict-Transport-Security"] = "max-age=31536000"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        request_id = scope.setdefault("state", {}).setdefault("request_id", new_id("req"))

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers["X-Request-Id"] = request_id
                for name, value in self._headers.items():
                    headers.setdefault(name, value)
                if self._is_secure:
                    message["headers"] = [_secured(*header) for header in message["headers"]]
            await send(message)

        return await self._app(scope, receive, send_with_headers)


def _secured(name: bytes, value: bytes) -> tuple[bytes, bytes]:
    """Return the header; a cookie goes over https only."""
    if name.lower() == b"set-cookie" and b"; secure" not in value.lower():
        return name, value + b"; Secure"
    return name, value


class CrossOriginCheck:
    """Refuses requests that change something and come from another site.

    Browsers say where a request comes from (`Sec-Fetch-Site`, else `Origin`), and pages cannot
    change that. A client that says neither is no browser and carries no cookie against its
    owner's will. Source: https://words.filippo.io/csrf/ (as in Go's `CrossOriginProtection`).
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or answer 403."""
        if scope["type"] == "http" and not is_same_origin(scope["method"], Headers(scope=scope)):
            response = JSONResponse(_refusal(scope), 403)
            return await response(scope, receive, send)
        return await self._app(scope, receive, send)


def is_same_origin(method: str, headers: Headers) -> bool:
    """Tell whether a request may change something, by what the browser says of its origin."""
    if method in _SAFE_METHODS:
        return True
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site in {"same-origin", "none"}
    origin = headers.get("origin")
    try:
        return origin is None or urlsplit(origin).netloc == headers.get("host", "")
    except ValueError:  # it is no address at all
        return False


def _refusal(scope: Scope) -> dict[str, object]:
    message = "This request came from another site and was refused."
    request_id = scope.get("state", {}).get("request_id", "")
    error = {"code": "policy.cross_origin", "message": message, "details": {}}
    return {"error": {**error, "request_id": request_id}}


@dataclass
class SignInLimiter:
    """Counts sign-ins that did not succeed by name and by address, in this process.

    An attempt counts before its password is looked at, so that attempts made at the same time
    cannot all pass. A right password after too many wrong ones waits like the others: otherwise
    the limit would tell when a guess was right.
    """

    window: timedelta = timedelta(minutes=15)
    per_name: int = 5
    per_address: int = 30
    max_entries: int = 100_000
    _attempts: OrderedDict[tuple[str, str], deque[datetime]] = field(default_factory=OrderedDict)
    _lock: Lock = field(default_factory=Lock, repr=False)

    def begin(self, name: str, address: str) -> bool:
        """Count an attempt; False, and not counted, where there were too many lately."""
        now = utc_now()
        with self._lock:
            self._evict(now - self.window)
            limits = {("name", name): self.per_name, ("address", address): self.per_address}
            if any(self._count(key, now - self.window) >= most for key, most in limits.items()):
                return False
            for key in limits:
                self._attempts.setdefault(key, deque()).append(now)
                self._attempts.move_to_end(key)
            return True

    def take_back(self, name: str, address: str) -> None:
        """Forget one attempt that was no wrong guess."""
        with self._lock:
            for key in (("name", name), ("address", address)):
                found = self._attempts.get(key)
                if found:
                    found.pop()

    def clear(self, name: str) -> None:
        """Forget the attempts of a name that has signed in."""
        with self._lock:
            self._attempts.pop(("name", name), None)

    def _count(self, key: tuple[str, str], since: datetime) -> int:
        found = self._attempts.get(key, deque())
        while found and found[0] <= since:
            found.popleft()
        return len(found)

    def _evict(self, since: datetime) -> None:
        """Drop entries from the front, where those tried longest ago are; each is dropped once."""
        while self._attempts:
            found = next(iter(self._attempts.values()))
            if found and found[-1] > since and len(self._attempts) < self.max_entries:
                return
            self._attempts.popitem(last=False)
