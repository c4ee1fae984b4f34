"""What happened to an instance, in time."""

from pipeline.engine import EventHistory, Status, StepStatus
from review_ui.engine_contexts import TimelineEntry
from review_ui.queries.instance_pages import ENTRIES, paged
from review_ui.queries.timeline import timeline_of
from tests.web.engine_samples import at, attempts_of, many_steps, order_steps, status, step


def saga(*events: EventHistory) -> list[TimelineEntry]:
    steps = order_steps()
    known = status("order-1", "fulfil-order", Status.ERRORED, generation=2)
    return timeline_of(known, steps, attempts_of(steps), events)


def test_timeline_when_restarted_shows_kept_steps_once_and_where_it_began_again() -> None:
    entries = saga()
    assert [e.name for e in entries].count("reserve") == 2  # done once, undone once
    (restart,) = [n for n, e in enumerate(entries) if e.kind == "restart"]
    assert {e.generation for e in entries[:restart]} == {1}
    assert {e.generation for e in entries[restart:]} == {2}


def test_timeline_when_a_step_was_retried_has_every_attempt() -> None:
    tried = [e for e in saga() if e.name == "call_carrier"]
    assert [(e.number, e.status) for e in tried] == [(1, "failed"), (2, "failed"), (3, "failed")]
    assert [e.error_message is not None for e in tried] == [False, False, True]


def test_timeline_when_a_step_will_be_tried_again_says_when() -> None:
    one = step("a", 0, None, StepStatus.RETRYING, waiting_until=at(90))
    known = status("x", "w", Status.WAITING)
    entries = timeline_of(known, [one], attempts_of([one]), [])
    assert (entries[-1].kind, entries[-1].status, entries[-1].until) == (
        "attempt", "retrying", at(90),
    )  # fmt: skip


def test_timeline_when_a_step_waits_for_a_worker_shows_it_as_queued() -> None:
    one = step("a", None, None, StepStatus.WAITING, attempts=0, created_at=at(5))
    entries = timeline_of(status("x", "w", Status.WAITING), [one], [], [])
    assert (entries[-1].kind, entries[-1].at) == ("queued", at(5))


def test_timeline_when_events_came_shows_who_took_them() -> None:
    events = (
        EventHistory(1, "approved", None, at(0.2), "reserve (1)"),
        EventHistory(2, "note", None, at(99), None),
    )
    arrived = [e for e in saga(*events) if e.kind == "arrival"]
    assert [(e.event_type, e.consumed_by) for e in arrived] == [
        ("approved", "reserve (1)"), ("note", None),
    ]  # fmt: skip


def test_timeline_when_long_shows_its_end_and_links_to_the_rest() -> None:
    steps = many_steps(300)
    known = status("x", "w", Status.ERRORED)
    entries = timeline_of(known, steps, attempts_of(steps), [])
    last, places = paged(entries, None, "")
    assert last.entries[-1].kind == "ended"
    assert (len(last.entries), last.later) == (ENTRIES, None)
    assert places["", "index_19", 1].startswith("#t")
    assert places["", "import_000", 1] == "?start=1#t2"
    first, _ = paged(entries, 1, "all")
    assert first.entries[0].kind == "created"
    assert (first.earlier, first.later) == (None, "start=101&steps=all")
