"""`/api/v1`: one error body, decisions, edits with If-Match, artifacts, events, operations."""

import json
from collections.abc import Mapping
from datetime import timedelta

import pytest
from sqlmodel import col, select

from models.documents import Chapter, Summary, SummaryMethod
from storage import runs
from storage.database import reading
from storage.statuses import RunStatus
from storage.tables import AuditEvent
from tests.web.world import AUDIO, World, make_summary


def test_openapi_when_asked_for_is_there(world: World) -> None:
    paths = world.client.get("/api/v1/openapi.json").json()["paths"]
    assert {"/api/v1/runs", "/api/v1/runs/{run_id}/decision"} <= set(paths)
    assert not any(path.startswith("/sign-in") for path in paths)


def test_run_when_shown_has_the_fields_of_runs_show(world: World) -> None:
    seeded = world.seed_review()
    document = world.client.get(f"/api/v1/runs/{seeded.id}", headers=world.token("editor")).json()
    assert document["run"] == seeded.id
    assert document["status"] == "awaiting_review"
    assert document["review"]["sha256"] == seeded.sha256
    assert document["publication"] is None
    assert set(document["coverage"]) >= {"container_s", "decoded_s", "cited_ratio"}
    assert all("key" in artifact for artifact in document["artifacts"])


def test_list_when_paged_gives_each_run_once(world: World) -> None:
    made = {world.submit() for _ in range(3)}
    headers = world.token("editor")
    first = world.client.get("/api/v1/runs?limit=2", headers=headers).json()
    rest = world.client.get(f"/api/v1/runs?limit=2&after={first['next']}", headers=headers).json()
    assert {run["run"] for run in first["runs"] + rest["runs"]} == made
    assert rest["next"] is None
    assert world.client.get("/api/v1/runs?status=failed", headers=headers).json()["runs"] == []


def decide(
    world: World, run_id: str, body: Mapping[str, object], who: str = "editor"
) -> tuple[int, str]:
    answer = world.client.post(
        f"/api/v1/runs/{run_id}/decision", json=body, headers=world.token(who)
    )
    return answer.status_code, answer.json().get("error", {}).get("code", "")


def test_decision_when_stale_decided_or_expired_says_which(world: World) -> None:
    seeded = world.seed_review()
    other = {"decision": "approve", "sha256": "0" * 64}
    assert decide(world, seeded.id, other) == (409, "conflict.stale_review")
    right = {"decision": "approve", "sha256": seeded.sha256, "comment": "ok"}
    assert decide(world, seeded.id, right) == (200, "")
    assert decide(world, seeded.id, right, "other") == (409, "conflict.already_decided")
    late = world.seed_review(timeout=timedelta(0))
    expired = {"decision": "approve", "sha256": late.sha256}
    assert decide(world, late.id, expired) == (409, "conflict.review_expired")


def test_decision_when_made_names_who_decided_by_the_same_id_everywhere(world: World) -> None:
    seeded, headers = world.seed_review(), world.token("editor")
    body = {"decision": "approve", "sha256": seeded.sha256}
    url = f"/api/v1/runs/{seeded.id}"
    made = world.client.post(f"{url}/decision", json=body, headers=headers).json()
    shown = world.client.get(url, headers=headers).json()["review"]
    again = world.client.post(f"{url}/decision", json=body, headers=world.token("other")).json()
    editor = world.people["editor"].id
    assert made["decided_by"] == shown["decided_by"] == editor
    assert again["error"]["details"]["decided_by"] == editor


@pytest.mark.parametrize(
    "body",
    [
        {"decision": "maybe", "sha256": "0" * 64},
        {"decision": "approve"},
        {"decision": "approve", "sha256": "short"},
        {"decision": "approve", "sha256": "0" * 64, "unknown": 1},
    ],
)
def test_decision_when_malformed_gets_the_error_body(world: World, body: dict[str, object]) -> None:
    seeded = world.seed_review()
    assert decide(world, seeded.id, body) == (422, "request.invalid")
    assert world.status_of(seeded.id) is RunStatus.AWAITING_REVIEW


def put_summary(
    world: World, run_id: str, summary: Summary, headers: dict[str, str]
) -> tuple[int, dict[str, object]]:
    answer = world.client.put(
        f"/api/v1/runs/{run_id}/summary",
        json=summary.model_dump(mode="json"),
        headers={**world.token("editor"), **headers},
    )
    return answer.status_code, answer.json()


def test_summary_when_put_needs_the_hash_it_is_based_on(world: World) -> None:
    seeded, summary = world.seed_review(), make_summary("New")
    status, body = put_summary(world, seeded.id, summary, {})
    assert status == 428
    status, body = put_summary(world, seeded.id, summary, {"If-Match": f'"{"0" * 64}"'})
    assert (status, body["error"]["code"]) == (409, "conflict.stale_review")  # type: ignore[index]
    status, body = put_summary(world, seeded.id, summary, {"If-Match": f'"{seeded.sha256}"'})
    assert (status, body) == (200, {"run": seeded.id, "revision": 2})


def test_summary_when_it_cites_what_is_not_there_is_refused(world: World) -> None:
    seeded, summary = (
        world.seed_review(),
        make_summary("New", ["One", "Two", "Three", "Four", "Five"]),
    )
    status, body = put_summary(world, seeded.id, summary, {"If-Match": f'"{seeded.sha256}"'})
    assert status == 422
    assert body["error"]["details"] == {"places": ["abstract[4]"]}  # type: ignore[index]


def stored_summary(world: World, run_id: str, revision: int) -> Summary:
    with reading(world.app.database) as session:
        ref = runs.artifacts_of(session, run_id, revision)["summary"]
    return Summary.model_validate_json(world.app.store.read_bytes(ref))


def test_summary_when_put_keeps_what_is_known_of_how_it_came_to_be(world: World) -> None:
    seeded, before = world.seed_review(), make_summary("Old")
    forged = before.model_copy(
        update={
            "headline": "New",
            "chapters": (Chapter(title="All", first_segment=1, last_segment=3),),
            "method": SummaryMethod.LLM,
            "language": "xx",
            "model_input_ratio": 0.0,
            "fallback_reason": "model.schema",
        }
    )
    status, _ = put_summary(world, seeded.id, forged, {"If-Match": f'"{seeded.sha256}"'})
    kept = {"method": SummaryMethod.EDITED, "headline": "New", "chapters": forged.chapters}
    assert status == 200
    assert stored_summary(world, seeded.id, 2) == before.model_copy(update=kept)


def test_summary_when_its_chapters_are_of_no_segment_is_refused(world: World) -> None:
    seeded = world.seed_review()
    chapters = (Chapter(title="Beyond", first_segment=1, last_segment=99),)
    summary = make_summary("New").model_copy(update={"chapters": chapters})
    status, body = put_summary(world, seeded.id, summary, {"If-Match": f'"{seeded.sha256}"'})
    assert status == 422
    assert body["error"]["details"] == {"places": ["chapters[0]"]}  # type: ignore[index]


@pytest.mark.parametrize(
    ("title", "status", "shown"),
    [
        ("  Board meeting ", 200, "Board meeting"),
        (None, 200, "Planning call"),
        (" ", 422, "Planning call"),
        ("\x00", 422, "Planning call"),
        ("x" * 301, 422, "Planning call"),
    ],
)
def test_title_when_put_with_the_summary_is_the_runs(
    world: World, title: str | None, status: int, shown: str
) -> None:
    seeded = world.seed_review()
    url, headers = f"/api/v1/runs/{seeded.id}", world.token("editor")
    answer = world.client.put(
        f"{url}/summary",
        json={**make_summary("New").model_dump(mode="json"), "title": title},
        headers={**headers, "If-Match": f'"{seeded.sha256}"'},
    )
    assert answer.status_code == status
    assert world.client.get(url, headers=headers).json()["title"] == shown


def test_redactions_when_put_in_shown_offsets_become_original_ones(world: World) -> None:
    seeded = world.seed_review()
    edit = {"action": "add", "segment_id": 2, "start": 40, "end": 45, "entity_type": "PERSON"}
    answer = world.client.put(
        f"/api/v1/runs/{seeded.id}/redactions",
        json={"edits": [edit], "offsets": "redacted"},
        headers={**world.token("editor"), "If-Match": f'"{seeded.sha256}"'},
    )
    assert (answer.status_code, answer.json()["revision"]) == (200, 2)


def test_artifact_when_asked_for_in_part_is_that_part(world: World) -> None:
    seeded = world.seed_review()
    url = f"/api/v1/runs/{seeded.id}/artifacts/redacted_audio"
    headers = {**world.token("editor"), "Range": "bytes=10-19"}
    answer = world.client.get(url, headers=headers)
    assert (answer.status_code, answer.content) == (206, AUDIO.read_bytes()[10:20])
    assert answer.headers["content-disposition"].startswith("attachment")
    assert "sandbox" in answer.headers["content-security-policy"]


def test_raw_artifact_when_read_is_for_admins_and_is_audited(world: World) -> None:
    seeded = world.seed_review()
    url = f"/api/v1/runs/{seeded.id}/artifacts/source"
    refused = world.client.get(url, headers=world.token("editor"))
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "policy.denied")
    assert world.client.get(url, headers=world.token("admin")).status_code == 200
    with reading(world.app.database) as session:
        read = session.exec(select(AuditEvent).where(col(AuditEvent.action) == "artifact.read"))
        assert [event.actor_id for event in read] == [world.people["admin"].id]


def test_events_when_the_run_has_ended_tell_its_state_and_end(world: World) -> None:
    seeded = world.seed_review()
    body: dict[str, object] = {"decision": "reject", "sha256": seeded.sha256}
    assert decide(world, seeded.id, body)[0] == 200
    answer = world.client.get(f"/api/v1/runs/{seeded.id}/events", headers=world.token("editor"))
    assert answer.headers["content-type"].startswith("text/event-stream")
    events = [
        dict(line.split(": ", 1) for line in block.splitlines())
        for block in answer.text.split("\n\n")
        if block
    ]
    assert [event["event"] for event in events] == ["run", "end"]
    assert json.loads(events[0]["data"])["status"] == "rejected"


def test_reopen_when_the_run_is_not_ended_is_a_conflict(world: World) -> None:
    seeded = world.seed_review()
    answer = world.client.post(f"/api/v1/runs/{seeded.id}/reopen", headers=world.token("editor"))
    assert answer.status_code == 409
    assert answer.json()["error"]["request_id"]


def test_metrics_when_scraped_count_runs_and_name_nobody(world: World) -> None:
    seeded = world.seed_review(title="Secret title")
    text = world.client.get("/metrics").text
    assert 'kikigaki_runs{status="awaiting_review"} 1.0' in text
    assert "kikigaki_reviews_waiting 1.0" in text
    assert seeded.id not in text
    assert "Secret title" not in text


def test_health_when_all_answers_is_ok(world: World) -> None:
    assert world.client.get("/healthz").json() == {"status": "ok"}
    ready = world.client.get("/readyz")
    assert (ready.status_code, ready.json()["checks"]) == (200, {"database": "ok", "store": "ok"})


def test_operations_page_when_reviews_wait_shows_them(world: World) -> None:
    world.seed_review()
    page = world.sign_in("editor").get("/operations")
    assert page.status_code == 200
    assert "Reviews waiting" in page.text


def test_unknown_address_when_asked_for_answers_in_the_askers_form(world: World) -> None:
    page = world.client.get("/nowhere")
    assert page.status_code == 404
    assert "<h1>Nothing here</h1>" in page.text
    answer = world.client.get("/api/v1/nowhere")
    assert answer.json()["error"]["code"] == "not_found"
