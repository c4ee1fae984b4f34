"""The pages about instances: the list, one instance, and what operators do, without script."""

import re

import pytest
import sqlalchemy as sa
from sqlmodel import col, select

from pipeline.engine import Instance, Status
from pipeline.engine.journal import attempt_table, event_table, instance_table, step_table
from storage import audit
from storage.database import reading, transaction
from storage.statuses import RunStatus
from storage.tables import AuditEvent
from tests.web.world import World

SECRET = "Marigold Fenwick"


def instance_of(world: World) -> Instance:
    """Return the instance of a new run, which no worker takes."""
    return world.app.engine.instance(f"{world.seed_review().id}-r1")


def add_step(world: World, instance: Instance, name: str, **values: object) -> None:
    row = {
        "instance": instance.id, "generation": 1, "branch": "", "name": name, "count": 1,
        "kind": "do", "status": "succeeded", "ordinal": 1, "outcome": 1, "attempts": 1,
        "created_at": 1.0, "started_at": 1.0, "ended_at": 2.0, **values,
    }  # fmt: skip
    with transaction(world.app.database) as session:
        session.connection().execute(sa.insert(step_table).values(row))


def actions(world: World) -> list[tuple[str, str, object]]:
    """Return what the audit log holds about instances."""
    with reading(world.app.database) as session:
        assert audit.verify(session).ok
        events = session.exec(select(AuditEvent).order_by(col(AuditEvent.sequence)))
        return [
            (event.action, event.actor_id, event.details["instance"])
            for event in events
            if event.action.startswith("instance.")
        ]


def test_list_when_searched_and_filtered_shows_what_matches(world: World) -> None:
    one, other = instance_of(world), instance_of(world)
    client = world.sign_in("admin")
    assert one.id in client.get("/instances").text
    found = client.get(f"/instances?search={one.id[-8:]}&status=queued").text
    assert one.id in found
    assert other.id not in found
    assert one.id not in client.get("/instances?status=complete").text
    assert one.id not in client.get("/instances?tenant=acme").text


def test_list_when_there_are_more_than_a_page_links_to_the_older_ones(world: World) -> None:
    first = instance_of(world)
    with transaction(world.app.database) as session:
        row = session.connection().execute(sa.select(instance_table)).mappings().one()
        copies = [
            {**row, "id": f"copy-{n:02d}", "name": f"copy-{n:02d}", "created_at": n}
            for n in range(60)
        ]
        session.connection().execute(sa.insert(instance_table), copies)
    client = world.sign_in("admin")
    page = client.get("/instances?search=copy").text
    (older,) = re.findall(r'href="(/instances\?[^"]*before=[^"]*)"', page)
    rest = client.get(older.replace("&amp;", "&")).text
    assert "copy-59" in page
    assert "copy-00" not in page
    assert "copy-00" in rest
    assert first.id not in rest


def test_list_when_htmx_asks_is_the_list_alone(world: World) -> None:
    instance = instance_of(world)
    page = world.sign_in("admin").get("/instances", headers={"HX-Request": "true"}).text
    assert instance.id in page
    assert "<html" not in page


@pytest.mark.parametrize("who", ["uploader", "editor"])
@pytest.mark.parametrize("path", ["", "/pause", "/live"])
def test_instance_pages_when_asked_for_by_others_than_admins_are_refused(
    world: World, who: str, path: str
) -> None:
    instance = instance_of(world)
    client = world.sign_in(who)
    assert client.get(f"/instances/{instance.id}{path}").status_code == 403
    assert client.get("/instances").status_code == 403
    assert client.post(f"/instances/{instance.id}/terminate").status_code == 403
    assert instance.status().status is Status.QUEUED


def test_instance_when_it_waits_says_for_what_and_until_when(world: World) -> None:
    instance = instance_of(world)
    add_step(world, instance, "await_decision", kind="event", status="waiting", outcome=None,
             ended_at=None, due_at=86_400.0, request='["go-on"]')  # fmt: skip
    page = world.sign_in("admin").get(f"/instances/{instance.id}").text
    assert "Waits for an event" in page
    assert "<code>go-on</code>" in page
    assert 'datetime="1970-01-02T00:00:00Z"' in page


def test_instance_when_a_step_was_tried_again_shows_each_attempt(world: World) -> None:
    instance = instance_of(world)
    add_step(world, instance, "summarize", attempts=2)
    key = {"instance": instance.id, "generation": 1, "branch": "", "name": "summarize", "count": 1}
    tries = [
        {**key, "number": 1, "outcome": "failed", "error_code": "transient.rate_limited"},
        {**key, "number": 2, "outcome": "succeeded", "error_code": None},
    ]
    with transaction(world.app.database) as session:
        for one in tries:
            values = {**one, "executor": "w", "started_at": one["number"], "ended_at": 9.0}
            session.connection().execute(sa.insert(attempt_table).values(values))
    page = world.sign_in("admin").get(f"/instances/{instance.id}").text
    assert "attempt 1 · Failed" in page
    assert "The model's endpoint asked to slow down" in page.replace("&#39;", "'")
    assert "attempt 2 · Done" in page


def test_instance_when_its_step_is_sensitive_shows_the_code_but_no_text(world: World) -> None:
    instance = instance_of(world)
    error = f'{{"type": "x:y", "code": "model.failed", "message": "{SECRET}", "sensitive": true}}'
    add_step(world, instance, "anonymize", status="failed", error=error, result=f'"{SECRET}"',
             request=f'{{"args": ["{SECRET}"]}}')  # fmt: skip
    event = {"instance": instance.id, "seq": 1, "type": "note", "payload": f'"{SECRET}"'}
    with transaction(world.app.database) as session:
        session.connection().execute(sa.insert(event_table).values(sent_at=1.0, **event))
        mark = sa.update(instance_table).values(error=error, output=f'"{SECRET}"')
        session.connection().execute(mark)
    client = world.sign_in("admin")
    for path in ("", "/live", "/restart"):
        page = client.get(f"/instances/{instance.id}{path}").text
        assert SECRET not in page
    assert "The model failed" in client.get(f"/instances/{instance.id}").text


def test_operation_when_asked_for_is_confirmed_before_it_is_done(world: World) -> None:
    instance = instance_of(world)
    client = world.sign_in("admin")
    question = client.get(f"/instances/{instance.id}/pause")
    assert "Pause this instance?" in question.text
    assert instance.status().status is Status.QUEUED
    answer = client.post(f"/instances/{instance.id}/pause")
    assert (answer.status_code, answer.headers["location"]) == (303, f"/instances/{instance.id}")
    assert instance.status().status is Status.PAUSED
    assert "The instance pauses." in client.get(f"/instances/{instance.id}").text
    assert world.status_of(instance.id.removesuffix("-r1")) is RunStatus.PAUSED


def test_operations_when_done_are_in_the_audit_log_with_who_did_them(world: World) -> None:
    instance = instance_of(world)
    client = world.sign_in("admin")
    for operation in ("pause", "resume", "restart", "terminate", "delete"):
        assert client.post(f"/instances/{instance.id}/{operation}").status_code == 303
    admin = world.people["admin"].id
    assert actions(world) == [
        (f"instance.{done}", admin, instance.id)
        for done in ("paused", "resumed", "restarted", "terminated", "deleted")
    ]
    assert client.get(f"/instances/{instance.id}").status_code == 404


def test_operation_when_there_is_nothing_to_do_says_so_and_is_not_recorded(world: World) -> None:
    instance = instance_of(world)
    client = world.sign_in("admin")
    client.post(f"/instances/{instance.id}/resume")
    assert "nothing was changed" in client.get(f"/instances/{instance.id}").text
    assert actions(world) == []


@pytest.mark.parametrize("operation", ["terminate", "delete"])
def test_confirmation_when_destructive_names_the_instance_on_the_button(
    world: World, operation: str
) -> None:
    instance = instance_of(world)
    page = world.sign_in("admin").get(f"/instances/{instance.id}/{operation}").text
    (button,) = re.findall(r'<button type="submit" class="button button-destroy">.*</button>', page)
    assert instance.id in button


def test_operation_when_the_status_does_not_allow_it_says_so_in_the_readers_language(
    world: World,
) -> None:
    instance = instance_of(world)
    client = world.sign_in("admin")
    refused = client.post(f"/instances/{instance.id}/delete")
    assert refused.status_code == 409
    assert "The instance is queued; it cannot be deleted before it is terminated." in refused.text
    client.cookies.set("kikigaki_locale", "ja")
    refused = client.post(f"/instances/{instance.id}/delete")
    assert "インスタンスの今の状態では行えません" in refused.text


def test_restart_when_a_step_is_chosen_keeps_what_came_before(world: World) -> None:
    instance = instance_of(world)
    add_step(world, instance, "probe")
    add_step(world, instance, "transcribe", ordinal=2, outcome=2)
    client = world.sign_in("admin")
    page = client.get(f"/instances/{instance.id}/restart").text
    assert "transcribe (1)" in page
    chosen = {"from_step": '["", "transcribe", 1]'}
    assert client.post(f"/instances/{instance.id}/restart", data=chosen).status_code == 303
    assert [(s.name, s.generation) for s in instance.history()] == [("probe", 2)]
    assert instance.status().generation == 2


@pytest.mark.parametrize(
    ("value", "status"), [("x", 422), ('["a"]', 422), ("[1, 2, 3]", 422), ('["", "none", 1]', 404)]
)
def test_restart_when_the_step_is_none_is_refused(world: World, value: str, status: int) -> None:
    instance = instance_of(world)
    client = world.sign_in("admin")
    refused = client.post(f"/instances/{instance.id}/restart", data={"from_step": value})
    assert refused.status_code == status
    assert instance.status().generation == 1


def test_event_when_its_payload_is_no_json_keeps_what_was_typed(world: World) -> None:
    instance = instance_of(world)
    client = world.sign_in("admin")
    form = {"type": "note", "payload": "{oops", "key": "k1"}
    refused = client.post(f"/instances/{instance.id}/send-event", data=form)
    assert refused.status_code == 422
    assert "The payload is not valid JSON." in refused.text
    assert "{oops" in refused.text
    sent = client.post(f"/instances/{instance.id}/send-event", data={**form, "payload": "1"})
    assert sent.status_code == 303
    assert [(e.type, e.key) for e in instance.events()] == [("note", "k1")]


def test_event_when_it_would_forge_a_decision_is_refused(world: World) -> None:
    instance = instance_of(world)
    client = world.sign_in("admin")
    form = {"type": "review-decision", "payload": '{"decision_id": "dec_1"}'}
    assert client.post(f"/instances/{instance.id}/send-event", data=form).status_code == 403
    assert instance.events() == []


def test_operation_when_it_comes_from_another_site_is_refused(world: World) -> None:
    instance = instance_of(world)
    client = world.sign_in("admin")
    headers = {"Sec-Fetch-Site": "cross-site"}
    refused = client.post(f"/instances/{instance.id}/terminate", headers=headers)
    assert refused.status_code == 403
    assert instance.status().status is Status.QUEUED


def test_operation_when_it_is_none_finds_nothing(world: World) -> None:
    instance = instance_of(world)
    client = world.sign_in("admin")
    assert client.get(f"/instances/{instance.id}/explode").status_code == 404
    assert client.post(f"/instances/{instance.id}/explode").status_code == 404


def test_events_when_followed_end_with_the_instance(world: World) -> None:
    instance = instance_of(world)
    instance.terminate()
    headers = world.token("admin")
    text = world.client.get(f"/api/v1/instances/{instance.id}/events", headers=headers).text
    assert re.findall(r"event: (\w+)", text) == ["instance", "end"]
    assert '"status": "terminated"' in text


@pytest.mark.parametrize("path", ["?search=%00", "?before=%00", "/%00", "/%00/pause", "/%0a%F0%9F"])
def test_instances_when_asked_for_with_what_no_id_holds_find_nothing(
    world: World, path: str
) -> None:
    status = world.sign_in("admin").get(f"/instances{path}").status_code
    assert status == (200 if path.startswith("?") else 404)
