"""Filled contexts for the pages about instances and schedules; all ids and names are fictional."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from pipeline.engine import (
    AttemptHistory,
    ErrorRecord,
    EventHistory,
    InstanceStatus,
    Status,
    StepHistory,
    StepStatus,
)
from review_ui import engine_contexts as e
from review_ui.queries.instance_pages import (
    head_of,
    operations_of,
    paged,
    waits_of,
)
from review_ui.queries.step_picture import picture_of
from review_ui.queries.timeline import timeline_of

START = datetime(2026, 3, 4, 9, 30, tzinfo=UTC)


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def step(
    name: str,
    began: float | None,
    ended: float | None,
    status: StepStatus = StepStatus.SUCCEEDED,
    **more: object,
) -> StepHistory:
    values: dict[str, object] = {
        "name": name,
        "count": 1,
        "branch": "",
        "kind": "do",
        "status": status,
        "attempts": 1,
        "started_at": None if began is None else at(began),
        "ended_at": None if ended is None else at(ended),
        "error_code": None,
        "error_message": None,
        "waiting_until": None,
        "generation": 1,
        "order": 1,
        "created_at": at(began or 0),
        "event_types": (),
    }
    return StepHistory(**(values | more))  # type: ignore[arg-type]  # a table of test values


def source_steps() -> list[StepHistory]:
    """The steps of a recording that waits for its review, with a failed attempt on the way."""
    parts = [
        step("transcribe", 1 + 42 * n, 42 + 42 * n, count=n + 1, created_at=at(1 + 42 * n))
        for n in range(5)
    ]
    return [
        step("probe", 0.2, 0.9),
        *parts,
        step("join_transcript", 212, 212.2),
        step("anonymize", 213, 219.4),
        step("bleep", 220, 231.8),
        step("plan_summary", 220, 220.1),
        step("summarize", 220.2, 242.5, attempts=2),
        step("validate_summary", 243, 243.3),
        step("render", 244, 244.4),
        step("check_quality", 245, 246.1),
        step("request_review", 246.5, 246.6),
        step(
            "await_decision",
            247,
            None,
            StepStatus.WAITING,
            kind="event",
            waiting_until=at(72 * 3600),
            event_types=("review-decision",),
        ),
    ]


def order_steps() -> list[StepHistory]:
    """A saga with branches, restarted once and failing again, that undoes what it did."""
    first = [
        step("reserve", 0.1, 0.4),
        step("charge", 0.5, 6, StepStatus.CANCELLED, branch="money", created_at=at(0.5)),
    ]
    kept = [step("reserve", 0.1, 0.4, generation=2)]
    second = [
        step("charge", 60, 61, branch="money", generation=2),
        step("pick", 60.1, 63, branch="parcel", generation=2),
        step("cool off", 60.2, 68, branch="", kind="sleep", generation=2),
        step("receipt", 61.2, 61.3, branch="money", generation=2),
        step("pack", 63.1, 64, branch="parcel", generation=2),
        step("call_carrier", 64.5, 69, branch="parcel", generation=2, attempts=3,
             status=StepStatus.FAILED, error_code="transient",
             error_message="The carrier's desk did not answer."),
        step("charge", 69.5, 69.9, kind="rollback", branch="(rollback)", generation=2),
        step("reserve", 70, None, StepStatus.RUNNING, kind="rollback", branch="(rollback)",
             generation=2),
    ]  # fmt: skip
    return [*first, *kept, *second]


def many_steps(number: int = 300) -> list[StepHistory]:
    """Very many steps: a long row of different ones, then a wide block, then some that fail."""
    row = [step(f"import_{n:03d}", n, n + 0.9) for n in range(number - 80)]
    wide = [step("fetch", number, number + 5 + n / 10, count=n + 1, branch=f"page-{n}")
            for n in range(60)]  # fmt: skip
    end = number + 20
    tail = [
        step(f"index_{n:02d}", end + n, end + n + 0.9,
             StepStatus.FAILED if n == 9 else StepStatus.SUCCEEDED)
        for n in range(20)
    ]  # fmt: skip
    return [*row, *wide, *tail]


def attempts_of(steps: Sequence[StepHistory]) -> list[AttemptHistory]:
    tried = []
    for one in steps:
        if one.kind not in ("do", "rollback") or one.started_at is None:
            continue
        length = ((one.ended_at or at(80)) - one.started_at) / one.attempts
        for number in range(1, one.attempts + 1):
            is_last = number == one.attempts
            ended = one.started_at + length * number
            tried.append(
                AttemptHistory(
                    name=one.name,
                    count=one.count,
                    branch=one.branch,
                    number=number,
                    outcome=str(one.status) if is_last else "failed",
                    error_code=one.error_code if is_last else "transient.rate_limited",
                    executor="worker-1",
                    started_at=one.started_at + length * (number - 1),
                    ended_at=None if is_last and one.ended_at is None else ended,
                    generation=one.generation,
                )
            )
    return tried


def status(
    id_: str, workflow: str, state: Status, *, error: ErrorRecord | None = None, generation: int = 1
) -> InstanceStatus:
    ended = state in (Status.COMPLETE, Status.ERRORED, Status.TERMINATED)
    return InstanceStatus(
        id=id_,
        workflow=workflow,
        tenant="default",
        status=state,
        created_at=START,
        updated_at=at(300),
        ended_at=at(400) if ended else None,
        output=None,
        error=error,
        waiting_for=(),
        due_at=None,
        generation=generation,
        rollback=None,
    )


def instance_page(
    known: InstanceStatus,
    steps: Sequence[StepHistory],
    events: Sequence[EventHistory] = (),
    *,
    shown: str = "",
) -> e.InstancePage:
    current = [s for s in steps if s.generation == known.generation]
    entries = timeline_of(known, steps, attempts_of(steps), events)
    timeline, places = paged(entries, None, shown)
    return e.InstancePage(
        instance=head_of(known),
        waits=waits_of(known, current),
        picture=picture_of(
            current, lambda s: places[s.branch, s.name, s.count], everything=shown == "all"
        ),
        timeline=timeline,
        operations=operations_of(known.status),
    )


def waiting_page() -> e.InstancePage:
    events = [EventHistory(1, "note", None, at(50), None)]
    known = status("run_01kc3v9q2m7x-r1", "process-source", Status.WAITING)
    return instance_page(known, source_steps(), events)


def saga_page() -> e.InstancePage:
    events = [EventHistory(1, "approved", "k1", at(58), "reserve (1)")]
    error = ErrorRecord("x", "transient", "The carrier's desk did not answer.")
    known = status("order-2041", "fulfil-order", Status.ROLLING_BACK, error=error, generation=2)
    return instance_page(known, order_steps(), events)


def many_page() -> e.InstancePage:
    known = status("import-2026-03", "import-archive", Status.ERRORED,
                   error=ErrorRecord("x", "engine.step_timeout", ""))  # fmt: skip
    return instance_page(known, many_steps())


def new_page() -> e.InstancePage:
    return instance_page(status("<script>alert(1)</script>", "process-source", Status.QUEUED), [])


def instance_rows() -> list[e.InstanceRow]:
    names = [
        ("run_01kc3v9q2m7x-r1", "process-source", "default", "waiting", ["await_decision (1)"],
         None),
        ("run_01kc3v7d0aa2-r3", "process-source", "default", "running", [], None),
        ("acme.order-2041", "fulfil-order", "acme", "rolling_back", [], None),
        ("nightly-20260304T030000Z", "import-archive", "default", "complete", [], None),
        ("import-2026-03", "import-archive", "default", "errored", [], "engine.step_timeout"),
        ("run_01kc3v1z88qk-r1", "process-source", "default", "paused", [], "engine.drift"),
        ("acme.order-2039", "fulfil-order", "acme", "waiting",
         ["a/charge (1)", "b/pack (1)", "c/call (1)", "d/tell (1)", "e/x (1)"], None),
        ("run_01kc3tzz9f00-r2", "process-source", "default", "terminated", [], None),
    ]  # fmt: skip
    return [e.InstanceRow(*name, at(-60 * n), at(-30 * n)) for n, name in enumerate(names)]


def instances_page(
    rows: Sequence[e.InstanceRow], chosen: e.InstanceFilter, *, newest: bool = True
) -> e.InstancesPage:
    return e.InstancesPage(
        rows=rows,
        filter=chosen,
        workflows=["process-source", "fulfil-order", "import-archive"],
        statuses=[s.value for s in Status],
        older=chosen.query(before="x") if rows else None,
        newest=newest,
    )


def confirm_page(operation: str, *, error: str | None = None) -> e.ConfirmPage:
    known = status("run_01kc3v9q2m7x-r1", "process-source", Status.WAITING)
    return e.ConfirmPage(
        instance=head_of(known),
        operation=operation,
        steps=[
            e.StepChoice('["probe", 1, ""]', "probe", 1, ""),
            e.StepChoice('["charge", 2, "money"]', "charge", 2, "money"),
        ],
        event_types=["note", "go-on"] if operation == "send-event" else [],
        values={"from_step": '["charge", 2, "money"]', "rollback": "1", "type": "note",
                "payload": "null", "key": ""},
        error=error,
    )  # fmt: skip


def schedule_rows() -> list[e.ScheduleRow]:
    return [
        e.ScheduleRow("nightly-import", "import-archive", "0 3 * * *", "Asia/Tokyo",
                      False, at(60_000), at(-20_000)),
        e.ScheduleRow("weekly-digest", "send-digest", "30 9 * * MON", "Europe/Vienna",
                      True, None, at(-500_000)),
        e.ScheduleRow("retention", "tidy-up", "*/15 * * * *", "UTC", False, at(300), None),
    ]  # fmt: skip


def schedule_confirm(operation: str, *, error: str | None = None) -> e.ScheduleConfirmPage:
    times = {"start": "2026-03-01T00:00", "end": ""}
    return e.ScheduleConfirmPage(schedule_rows()[0], operation, times, error)


def engine_pages() -> list[tuple[str, str, object]]:
    """Return (name of the sample, template, context) for every page and state."""
    none, chosen = e.InstanceFilter(), e.InstanceFilter("run_01", "process-source", "waiting", "a")
    operations = ("pause", "resume", "restart", "terminate", "delete", "send-event")
    return [
        ("instances", "pages/instances.html", instances_page(instance_rows(), none)),
        ("instances_next", "pages/instances.html",
         instances_page(instance_rows(), chosen, newest=False)),
        ("instances_none", "pages/instances.html", instances_page([], none)),
        ("instances_filtered", "pages/instances.html", instances_page([], chosen)),
        ("instance_list", "pages/instance_list.html", instances_page(instance_rows(), chosen)),
        ("instance", "pages/instance.html", waiting_page()),
        ("instance_saga", "pages/instance.html", saga_page()),
        ("instance_many", "pages/instance.html", many_page()),
        ("instance_new", "pages/instance.html", new_page()),
        ("instance_live", "pages/instance_live.html", waiting_page()),
        *((f"confirm_{name}", "pages/instance_confirm.html", confirm_page(name))
          for name in operations),
        ("confirm_refused", "pages/instance_confirm.html",
         confirm_page("delete", error="It runs.")),
        ("schedules", "pages/schedules.html", e.SchedulesPage(schedule_rows())),
        ("schedules_none", "pages/schedules.html", e.SchedulesPage([])),
        *((f"schedule_{name}", "pages/schedule_confirm.html", schedule_confirm(name))
          for name in ("pause", "resume", "trigger")),
        ("schedule_backfill", "pages/schedule_confirm.html",
         schedule_confirm("backfill", error="The first before the second.")),
    ]  # fmt: skip
