"""`/api/v1/instances`: as on the command line, with one error body."""

import pytest
import sqlalchemy as sa

from pipeline.engine import Status
from pipeline.engine.journal import step_table
from storage.database import transaction
from tests.web.test_instances import actions, add_step, instance_of
from tests.web.world import World


def call(world: World, path: str, body: object = None, who: str = "admin") -> tuple[int, object]:
    """POST and return the status with the answer, or with the error's code."""
    answer = world.client.post(f"/api/v1/instances{path}", json=body, headers=world.token(who))
    document = answer.json()
    return answer.status_code, document["error"]["code"] if "error" in document else document


def test_instances_when_listed_and_shown_have_their_steps(world: World) -> None:
    instance, headers = instance_of(world), world.token("admin")
    document = world.client.get("/api/v1/instances", headers=headers).json()
    assert [line["id"] for line in document["instances"]] == [instance.id]
    assert document["next"] is None
    assert set(document["instances"][0]) == {
        "id", "workflow", "tenant", "status", "created_at", "updated_at",
    }  # fmt: skip
    shown = world.client.get(f"/api/v1/instances/{instance.id}", headers=headers).json()
    assert shown["status"] == "queued"
    assert shown["steps"] == []
    missing = world.client.get("/api/v1/instances/none", headers=headers)
    assert (missing.status_code, missing.json()["error"]["code"][:9]) == (404, "not_found")


def test_instances_when_paged_and_searched_give_each_once(world: World) -> None:
    made, headers = {instance_of(world).id for _ in range(3)}, world.token("admin")
    path = "/api/v1/instances?limit=2&search=run_"
    first = world.client.get(path, headers=headers).json()
    rest = world.client.get(f"{path}&before={first['next']}", headers=headers).json()
    assert {line["id"] for line in first["instances"] + rest["instances"]} == made
    assert rest["next"] is None
    wrong = world.client.get("/api/v1/instances?status=nearly", headers=headers)
    assert (wrong.status_code, wrong.json()["error"]["code"]) == (422, "request.invalid")


def test_instance_when_a_step_waits_tells_until_when(world: World) -> None:
    instance = instance_of(world)
    waiting = sa.insert(step_table).values(
        instance=instance.id, generation=1, branch="", name="await_decision", count=1, kind="event",
        status="waiting", ordinal=1, attempts=1, created_at=1.0, started_at=1.0, due_at=86_400.0,
    )  # fmt: skip
    with transaction(world.app.database) as session:
        session.connection().execute(waiting)
    headers = world.token("admin")
    shown = world.client.get(f"/api/v1/instances/{instance.id}", headers=headers).json()
    (step,) = shown["steps"]
    assert set(step) == {
        "name", "count", "attempts", "status", "started_at", "ended_at", "error_code", "branch",
        "kind", "generation", "waiting_until",
    }  # fmt: skip
    assert step["waiting_until"] == "1970-01-02T00:00:00Z"


def test_instance_when_operated_says_where_it_stands_and_is_audited(world: World) -> None:
    instance = instance_of(world)
    add_step(world, instance, "probe")
    said = {"id": instance.id, "changed": True}
    assert call(world, f"/{instance.id}/pause") == (200, {**said, "status": "paused"})
    again = {**said, "status": "paused", "changed": False}
    assert call(world, f"/{instance.id}/pause") == (200, again)
    assert call(world, f"/{instance.id}/resume") == (200, {**said, "status": "queued"})
    restart = call(world, f"/{instance.id}/restart", {"from_step": "probe:1"})
    assert restart == (200, {**said, "status": "queued"})
    ended = call(world, f"/{instance.id}/terminate", {"rollback": False})
    assert ended == (200, {**said, "status": "terminated"})
    gone = {"id": instance.id, "deleted": True}
    assert call(world, f"/{instance.id}/delete") == (200, gone)
    assert [action for action, _, _ in actions(world)] == [
        "instance.paused", "instance.resumed", "instance.restarted", "instance.terminated",
        "instance.deleted",
    ]  # fmt: skip


def test_instance_when_its_status_does_not_allow_it_answers_409(world: World) -> None:
    instance = instance_of(world)
    headers = world.token("admin")
    deleted = world.client.delete(f"/api/v1/instances/{instance.id}", headers=headers)
    assert (deleted.status_code, deleted.json()["error"]["code"]) == (
        409,
        "conflict.instance_state",
    )
    instance.terminate()
    assert call(world, f"/{instance.id}/pause") == (409, "conflict.instance_state")
    event = {"type": "note", "payload": 1}
    assert call(world, f"/{instance.id}/send-event", event) == (409, "conflict.instance_ended")


def test_instance_when_a_step_is_none_answers_404(world: World) -> None:
    instance = instance_of(world)
    body = {"from_step": {"name": "nothing", "count": 2}}
    assert call(world, f"/{instance.id}/restart", body) == (404, "not_found.step")
    assert instance.status().generation == 1


def test_event_when_sent_twice_with_a_key_is_one(world: World) -> None:
    instance = instance_of(world)
    body = {"type": "note", "payload": {"a": 1}, "key": "k1"}
    assert call(world, f"/{instance.id}/send-event", body) == (202, {"sent": True})
    assert call(world, f"/{instance.id}/send-event", body) == (202, {"sent": False})
    assert len(instance.events()) == 1


def test_decision_event_when_sent_by_hand_is_refused(world: World) -> None:
    instance = instance_of(world)
    body = {"type": "review-decision", "payload": {"decision_id": "dec_x"}}
    assert call(world, f"/{instance.id}/send-event", body) == (403, "policy.denied")


@pytest.mark.parametrize("operation", ["pause", "terminate", "delete", "send-event"])
def test_instance_when_operated_by_an_editor_is_refused(world: World, operation: str) -> None:
    instance = instance_of(world)
    path, body = f"/{instance.id}/{operation}", {"type": "note"}
    assert call(world, path, body, "editor") == (403, "policy.denied")
    assert instance.status().status is Status.QUEUED


def test_create_when_parameters_do_not_fit_names_the_field(world: World) -> None:
    body = {"workflow": "process-source", "params": {"job": {"run_id": 7}}}
    answer = world.client.post("/api/v1/instances", json=body, headers=world.token("admin"))
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (422, "input.invalid")
    assert error["details"]["fields"]["job.run_id"] == "Input should be a valid string"
    assert call(world, "", {"workflow": "none"}) == (404, "not_found")


@pytest.mark.parametrize(
    "body",
    [
        '{"type": "a b"}',
        '{"type": "-x"}',
        r'{"type": "note", "key": "a\u0000"}',
        '{"type": "note", "key": ""}',
        '{"type": "note", "key": "%s"}' % ("k" * 300),
        r'{"type": "note", "payload": "\ud800"}',
    ],
)
def test_event_when_it_cannot_be_taken_is_an_input_error(world: World, body: str) -> None:
    instance = instance_of(world)
    headers = {**world.token("admin"), "Content-Type": "application/json"}
    path = f"/api/v1/instances/{instance.id}/send-event"
    assert world.client.post(path, content=body, headers=headers).status_code == 422
    assert instance.events() == []
