"""Who asks: a signed-in browser (cookie) or a script (bearer token)."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request, Response

from configs.errors import AppError, PolicyError
from pipeline.commands import Actor
from review_ui.web import Web, WebDep
from storage import users
from storage.database import reading
from storage.statuses import Role
from storage.tables import User

SESSION_COOKIE = "kikigaki_session"
_BEARER = "bearer "


class SignInRequiredError(AppError):
    """Sign in first, or send an API token as `Authorization: Bearer ...`."""

    code = "auth.required"
    http_status = 401


@dataclass(frozen=True)
class Visitor:
    """A person or script that has proved who they are."""

    user: User
    actor: Actor

    @property
    def can_edit(self) -> bool:
        """True for editors and admins."""
        return self.actor.in_policy.has_role(Role.EDITOR)

    @property
    def can_administer(self) -> bool:
        """True for admins."""
        return self.actor.in_policy.has_role(Role.ADMIN)


def find_visitor(request: Request, web: Web) -> Visitor | None:
    """Return who asks, or None for a stranger."""
    header = request.headers.get("authorization", "")
    cookie = request.cookies.get(SESSION_COOKIE)
    if not header and not cookie:
        return None
    with reading(web.app.database) as session:
        if header.lower().startswith(_BEARER):
            user = users.user_for_token(session, header[len(_BEARER) :].strip())
            return _visitor(user, "api")
        return _visitor(users.user_for_session(session, cookie) if cookie else None, "web")


def require_visitor(request: Request, web: WebDep) -> Visitor:
    """Return who asks.

    Raises:
        SignInRequiredError: a stranger (not retryable).
    """
    visitor = find_visitor(request, web)
    if visitor is None:
        raise SignInRequiredError
    return visitor


VisitorDep = Annotated[Visitor, Depends(require_visitor)]


def require_editor(visitor: VisitorDep) -> Visitor:
    """Return who asks, an editor or admin.

    Raises:
        PolicyError: an uploader (not retryable).
    """
    if not visitor.can_edit:
        raise PolicyError("This needs the role editor.", {"reason": "role"})
    return visitor


def require_admin(visitor: VisitorDep) -> Visitor:
    """Return who asks, an admin.

    Raises:
        PolicyError: somebody else (not retryable).
    """
    if not visitor.can_administer:
        raise PolicyError("This needs the role admin.", {"reason": "role"})
    return visitor


EditorDep = Annotated[Visitor, Depends(require_editor)]
AdminDep = Annotated[Visitor, Depends(require_admin)]


def set_session_cookie(response: Response, web: Web, secret: str) -> None:
    """Sign the browser in: script cannot read the cookie, other sites cannot send it along."""
    response.set_cookie(
        SESSION_COOKIE,
        secret,
        max_age=int(web.config.session_lifetime.total_seconds()),
        httponly=True,
        samesite="lax",
        secure=web.config.is_secure,
    )


def _visitor(user: User | None, channel: str) -> Visitor | None:
    if user is None:
        return None
    known = users.actor_of(user)
    return Visitor(user, Actor(user.id, user.name, user.role, known.tenant, channel))
