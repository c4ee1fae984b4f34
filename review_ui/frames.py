"""The frame around a page: who looks, where one is, what waits."""

from fastapi import Request

from review_ui import contexts
from review_ui.visitors import Visitor
from review_ui.web import Web, notice_of
from storage import reviews
from storage.database import reading

_MOST_WAITING = 100


def viewer_of(visitor: Visitor) -> contexts.Viewer:
    """Return what a page shows of the person who looks at it."""
    return contexts.Viewer(
        name=visitor.user.name,
        role=visitor.user.role.value,
        can_edit=visitor.can_edit,
        can_administer=visitor.can_administer,
    )


def frame_of(request: Request, web: Web, visitor: Visitor | None, section: str) -> contexts.Frame:
    """Return the frame of a page for a visitor, or for a stranger."""
    path = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    if visitor is None:
        return contexts.Frame(None, section, 0, path)
    return contexts.Frame(
        viewer=viewer_of(visitor),
        section=section,
        waiting=_waiting(web, visitor) if visitor.can_edit else 0,
        path=path if request.method == "GET" else "/",
        notice=notice_of(request),
    )


def _waiting(web: Web, visitor: Visitor) -> int:
    with reading(web.app.database) as session:
        found = reviews.waiting_reviews(session, visitor.actor.tenant, limit=_MOST_WAITING)
    return len(found)
