"""`/api/v1/search`: what is published and holds these words."""

from typing import Annotated

from fastapi import APIRouter, Query, Request

from review_ui.api_models import SearchHit, SearchResults
from review_ui.visitors import VisitorDep
from review_ui.web import WebDep
from storage.database import reading
from storage.search import Hit, search_published

router = APIRouter(prefix="/search", tags=["search"])


@router.get("")
def search(
    request: Request,
    web: WebDep,
    visitor: VisitorDep,
    q: Annotated[str, Query(min_length=1, max_length=200, pattern=r"\S")],
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> SearchResults:
    """Find publications that hold every word; nothing that is not published is looked at."""
    uploader_id = None if visitor.can_edit else visitor.user.id
    with reading(web.app.database) as session:
        hits = search_published(
            session, q, tenant=visitor.actor.tenant, uploader_id=uploader_id, limit=limit
        )
    base_url = (web.config.base_url or str(request.base_url)).rstrip("/")
    return SearchResults(results=[_shown(hit, base_url) for hit in hits])


def _shown(hit: Hit, base_url: str) -> SearchHit:
    publication = hit.publication
    return SearchHit(
        run=publication.run_id,
        revision=publication.revision,
        title=hit.title,
        excerpt=hit.excerpt,
        published_at=publication.published_at,
        url=f"{base_url}/p/{publication.run_id}/",
    )
