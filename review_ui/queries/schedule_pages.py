"""The pages about schedules: the list, and the question before something is done to one."""

from collections.abc import Mapping

from pipeline.engine import ScheduleState, ScheduleStatus
from review_ui.engine_contexts import ScheduleConfirmPage, ScheduleRow, SchedulesPage
from review_ui.web import Web

_NO_VALUES = {"start": "", "end": ""}


def schedules_page(web: Web) -> SchedulesPage:
    """Return the schedules in the order in which they are declared."""
    return SchedulesPage([_row(schedule) for schedule in web.app.engine.schedules.list()])


def schedule_confirm_page(
    web: Web, name: str, operation: str, values: Mapping[str, str], error: str | None = None
) -> ScheduleConfirmPage:
    """Return the question before an operation, with what was filled in already.

    Raises:
        NotFoundError: there is no such schedule (not retryable).
    """
    row = _row(web.app.engine.schedules.get(name))
    return ScheduleConfirmPage(row, operation, {**_NO_VALUES, **values}, error)


def _row(status: ScheduleStatus) -> ScheduleRow:
    return ScheduleRow(
        name=status.name,
        workflow=status.workflow,
        cron=status.cron,
        time_zone=status.time_zone,
        paused=status.status is ScheduleState.PAUSED,
        next_at=status.next_at,
        last_at=status.last_at,
    )
