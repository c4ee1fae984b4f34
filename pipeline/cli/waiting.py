"""Waiting for runs, as a person at a terminal waits."""

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from configs.clock import monotonic_s
from configs.durations import parse_duration
from pipeline.cli.console import TimedOutError, progress

if TYPE_CHECKING:
    import sqlalchemy as sa

    from storage.tables import Run

_POLL_S = 0.5


def _seconds(value: str) -> float:
    try:
        return parse_duration(value).total_seconds()
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


DurationOption = Annotated[
    float | None,
    typer.Option(
        parser=_seconds, metavar="DURATION", help="How long to wait: '10 minutes', PT10M, 600."
    ),
]


def wait_for(
    database: "sa.Engine",
    run_ids: Sequence[str],
    timeout_s: float | None,
    settled: "Callable[[Run], bool] | None" = None,
) -> "list[Run]":
    """Wait until each run awaits review or has ended.

    Args:
        database: where to look.
        run_ids: which runs.
        timeout_s: seconds to wait at most; None: for ever.
        settled: when a run need not be waited for any longer.

    Raises:
        TimedOutError: the time has passed (the runs go on).
    """
    from storage import runs
    from storage.database import reading

    done = settled or _is_settled
    until = None if timeout_s is None else monotonic_s() + timeout_s
    left, settled_runs = set(run_ids), {}
    with progress("Waiting", len(left)) as bar:
        while left:
            with reading(database) as session:
                found = [runs.get_run(session, run_id) for run_id in sorted(left)]
            for run in filter(done, found):
                left.discard(run.id)
                settled_runs[run.id] = run
                bar.advance(note=run.status.value)
            if left and until is not None and monotonic_s() >= until:
                raise TimedOutError(details={"waiting": sorted(left)})
            if left:
                time.sleep(_POLL_S)
    return [settled_runs[run_id] for run_id in run_ids]


def _is_settled(run: "Run") -> bool:
    from storage.statuses import AT_WORK, RunStatus

    return run.status not in AT_WORK | {RunStatus.PAUSED}
