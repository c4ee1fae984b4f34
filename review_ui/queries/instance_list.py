"""Lists of instances, for the page and for the API."""

from collections.abc import Sequence

from pipeline.engine import InstanceStatus, Status
from review_ui.engine_contexts import InstanceFilter, InstanceRow, InstancesPage
from review_ui.web import Web

PAGE_SIZE = 50


def instances_page(web: Web, chosen: InstanceFilter, before: str | None) -> InstancesPage:
    """Return one page of the list; an unknown status, workflow or tenant lists none."""
    shown, following = found_instances(web, chosen, before, PAGE_SIZE)
    return InstancesPage(
        rows=[_row(status) for status in shown],
        filter=chosen,
        workflows=web.app.engine.workflows.names(),
        statuses=[status.value for status in Status],
        older=chosen.query(before=following) if following else None,
        newest=before is None,
    )


def found_instances(
    web: Web, chosen: InstanceFilter, before: str | None, limit: int
) -> tuple[Sequence[InstanceStatus], str | None]:
    """Return instances, newest first, and the id that the next page comes after, if there is one.

    Args:
        web: the application.
        chosen: what the list is narrowed to.
        before: the id that this page comes after.
        limit: at most so many.
    """
    asked = (chosen.search, chosen.workflow, chosen.status, chosen.tenant, before or "")
    if not "".join(asked).isprintable():  # no id holds such a character, nor may a database
        return [], None
    found = web.app.engine.instances(
        chosen.workflow or None,
        chosen.status or None,
        limit + 1,
        tenant=chosen.tenant or None,
        search=chosen.search or None,
        before=before or None,
    )
    shown = found[:limit]
    return shown, shown[-1].id if len(found) > limit else None


def _row(status: InstanceStatus) -> InstanceRow:
    return InstanceRow(
        id=status.id,
        workflow=status.workflow,
        tenant=status.tenant,
        status=str(status.status),
        waiting_for=status.waiting_for,
        error_code=status.error.code if status.error else None,
        created_at=status.created_at,
        updated_at=status.updated_at,
    )
