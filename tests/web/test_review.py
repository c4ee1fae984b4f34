"""The review in the browser: deciding on exactly what was shown, edits, previews, audio."""

import html
import re
from collections import defaultdict
from datetime import timedelta

import pytest
from sqlmodel import col, select

from models.documents import Redactions, Verdict
from pipeline import commands
from review_ui.queries.findings import place_of
from review_ui.review_contexts import Place
from storage import reviews, runs
from storage.database import reading, transaction
from storage.statuses import RunStatus
from storage.tables import Decision, Review
from tests.web.world import AUDIO, Seeded, World, make_summary


def decide(world: World, run_id: str, sha256: str, choice: str = "approve", **more: str) -> int:
    answer = world.client.post(
        f"/runs/{run_id}/decision", data={"sha256": sha256, "decision": choice, **more}
    )
    return answer.status_code


def decisions(world: World) -> list[Decision]:
    with reading(world.app.database) as session:
        return list(session.exec(select(Decision).order_by(col(Decision.decided_at))))


def edited_by_another(world: World) -> Seeded:
    """Return a review that another person's edit has ended."""
    seeded = world.seed_review()
    commands.save_summary(
        world.app, world.actor("other"), seeded.id, seeded.sha256, make_summary("Another headline")
    )
    return seeded


def test_review_page_when_open_shows_what_is_decided_on(world: World) -> None:
    seeded = world.seed_review(title="<b>Call</b>")
    page = world.sign_in("editor").get(f"/runs/{seeded.id}/review").text
    assert f'name="sha256" value="{seeded.sha256}"' in page
    assert seeded.sha256[:12] in page
    assert "&lt;b&gt;Call&lt;/b&gt;" in page
    assert '<mark class="r r-person" title="Person">[PERSON_1]</mark>' in page
    assert 'data-seek="6.0"' in page
    assert "Marigold" not in page
    assert "020 7946" not in page


@pytest.mark.parametrize(
    ("choice", "status"),
    [
        ("approve", RunStatus.APPROVED),
        ("reject", RunStatus.REJECTED),
        ("request_changes", RunStatus.CHANGES_REQUESTED),
    ],
)
def test_decision_when_the_hash_is_current_is_recorded(
    world: World, choice: str, status: RunStatus
) -> None:
    seeded = world.seed_review()
    client = world.sign_in("editor")
    assert decide(world, seeded.id, seeded.sha256, choice, comment="Looked at it.") == 303
    assert world.status_of(seeded.id) is status
    assert [(d.sha256, d.comment, d.channel) for d in decisions(world)] == [
        (seeded.sha256, "Looked at it.", "web")
    ]
    assert client.get(f"/runs/{seeded.id}").status_code == 200


def test_decision_when_the_page_is_stale_changes_nothing_and_shows_what_differs(
    world: World,
) -> None:
    seeded = edited_by_another(world)
    world.open_review(seeded.id, 2, headline="Another headline")
    client = world.sign_in("editor")
    answer = client.post(
        f"/runs/{seeded.id}/decision",
        data={"sha256": seeded.sha256, "decision": "approve", "comment": "My words"},
    )
    assert answer.status_code == 409
    assert "The draft has changed" in answer.text
    assert "My words" in answer.text
    assert "Launch moves to 9 April" in answer.text
    assert "Another headline" in answer.text
    assert decisions(world) == []
    assert world.status_of(seeded.id) is RunStatus.AWAITING_REVIEW


def test_decision_when_the_deadline_has_passed_is_refused(world: World) -> None:
    seeded = world.seed_review(timeout=timedelta(0))
    client = world.sign_in("editor")
    assert "The deadline has passed" in client.get(f"/runs/{seeded.id}/review").text
    answer = client.post(
        f"/runs/{seeded.id}/decision", data={"sha256": seeded.sha256, "decision": "approve"}
    )
    assert answer.status_code == 409
    assert "The deadline passed before you decided" in answer.text
    assert decisions(world) == []


def test_decision_when_clicked_twice_is_one_decision(world: World) -> None:
    seeded = world.seed_review()
    world.sign_in("editor")
    assert decide(world, seeded.id, seeded.sha256) == 303
    assert decide(world, seeded.id, seeded.sha256) == 303
    assert len(decisions(world)) == 1


def test_decision_when_somebody_else_was_faster_says_who(world: World) -> None:
    seeded = world.seed_review()
    world.sign_in("other")
    assert decide(world, seeded.id, seeded.sha256, "reject") == 303
    answer = world.sign_in("editor").post(
        f"/runs/{seeded.id}/decision", data={"sha256": seeded.sha256, "decision": "approve"}
    )
    assert answer.status_code == 409
    assert "Somebody has already decided" in answer.text
    assert "other" in answer.text
    assert len(decisions(world)) == 1


def test_decision_when_the_checks_block_needs_an_admins_reason(world: World) -> None:
    seeded = world.seed_review(verdict=Verdict.BLOCK)
    page = world.sign_in("editor").get(f"/runs/{seeded.id}/review").text
    assert 'value="approve"' not in page
    assert decide(world, seeded.id, seeded.sha256) == 409
    assert decide(world, seeded.id, seeded.sha256, override_reason="I know") == 403
    world.sign_in("admin")
    assert decide(world, seeded.id, seeded.sha256, override_reason="Read out twice.") == 303
    assert [d.override_reason for d in decisions(world)] == ["Read out twice."]


def test_decision_when_it_is_ones_own_upload_is_refused_by_the_policy(world: World) -> None:
    seeded = world.seed_review(uploader="editor")
    client = world.sign_in("editor")
    answer = client.post(
        f"/runs/{seeded.id}/decision",
        data={"sha256": seeded.sha256, "decision": "approve", "comment": "mine"},
    )
    assert answer.status_code == 403
    assert "mine" in answer.text
    assert decisions(world) == []


def test_uploader_when_deciding_is_refused(world: World) -> None:
    seeded = world.seed_review()
    world.sign_in("uploader")
    assert decide(world, seeded.id, seeded.sha256) == 403
    assert decisions(world) == []


def test_preview_when_opened_is_the_bytes_that_would_be_published(world: World) -> None:
    seeded = world.seed_review()
    client = world.sign_in("editor")
    assert "sandbox=" in client.get(f"/runs/{seeded.id}/preview").text
    answer = client.get(f"/runs/{seeded.id}/preview/1/index.html")
    with reading(world.app.database) as session:
        ref = runs.artifacts_of(session, seeded.id, 1)["rendered/index.html"]
    assert answer.content == world.app.store.read_bytes(ref)
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    policy = answer.headers["content-security-policy"]
    assert "script-src" not in policy
    assert "default-src 'none'" in policy
    assert "sandbox" in policy
    assert "unsafe-inline" not in policy
    assert answer.headers["x-frame-options"] == "SAMEORIGIN"


def test_preview_when_an_earlier_revision_is_asked_for_shows_what_that_one_was(
    world: World,
) -> None:
    seeded = edited_by_another(world)
    world.open_review(seeded.id, 2, headline="Another headline")
    client = world.sign_in("editor")
    page = client.get(f"/runs/{seeded.id}").text
    assert f'href="/runs/{seeded.id}/preview?revision=1"' in page
    earlier = client.get(f"/runs/{seeded.id}/preview?revision=1").text
    assert "Revision 1 as it was" in earlier
    assert seeded.sha256[:12] in earlier
    assert f'src="/runs/{seeded.id}/preview/1/index.html"' in earlier
    assert "Launch moves" in client.get(f"/runs/{seeded.id}/preview/1/index.html").text
    assert "as it was" not in client.get(f"/runs/{seeded.id}/preview").text
    assert client.get(f"/runs/{seeded.id}/preview?revision=3").status_code == 404


@pytest.mark.parametrize(
    ("asked", "start", "end"),
    [
        ("bytes=0-99", 0, 100),
        ("bytes=100-", 100, None),
        ("bytes=-50", -50, None),
        ("bytes=0-99999999", 0, None),
    ],
)
def test_audio_when_a_part_is_asked_for_is_that_part(
    world: World, asked: str, start: int, end: int | None
) -> None:
    seeded, whole = world.seed_review(), AUDIO.read_bytes()
    client = world.sign_in("editor")
    answer = client.get(f"/runs/{seeded.id}/audio?revision=1", headers={"Range": asked})
    assert answer.status_code == 206
    assert answer.content == whole[start:end]
    first = len(whole) + start if start < 0 else start
    last = first + len(answer.content) - 1
    assert answer.headers["content-range"] == f"bytes {first}-{last}/{len(whole)}"


def test_audio_when_the_range_is_beyond_the_end_says_so(world: World) -> None:
    seeded = world.seed_review()
    client = world.sign_in("editor")
    url = f"/runs/{seeded.id}/audio?revision=1"
    answer = client.get(url, headers={"Range": "bytes=99999999-"})
    assert answer.status_code == 416
    assert answer.headers["content-range"] == f"bytes */{len(AUDIO.read_bytes())}"
    whole = client.get(url)
    assert (whole.status_code, whole.content) == (200, AUDIO.read_bytes())
    tag = whole.headers["etag"]
    assert client.get(url, headers={"If-None-Match": tag}).status_code == 304
    other = {"Range": "bytes=0-1", "If-Range": '"other"'}
    assert client.get(url, headers=other).status_code == 200


def summary_fields(base: str, **more: object) -> dict[str, object]:
    return {
        "base_sha256": base,
        "title": "Planning call",
        "headline": "Edited headline",
        "abstract.text": ["The launch moves.", ""],
        "abstract.citations": ["1, 2", ""],
        **more,
    }


def test_summary_when_saved_begins_the_next_revision(world: World) -> None:
    seeded = world.seed_review()
    client = world.sign_in("editor")
    assert "Launch moves" in client.get(f"/runs/{seeded.id}/summary/edit").text
    answer = client.post(f"/runs/{seeded.id}/summary", data=summary_fields(seeded.sha256))
    assert answer.status_code == 303
    assert "Revision 2" in client.get(answer.headers["location"]).text
    assert world.review_of(seeded.id).status == "superseded"
    assert decide(world, seeded.id, seeded.sha256) == 409


def test_title_when_edited_with_the_summary_is_the_runs(world: World) -> None:
    seeded = world.seed_review()
    client = world.sign_in("editor")
    assert (
        'name="title" value="Planning call"' in client.get(f"/runs/{seeded.id}/summary/edit").text
    )
    data = summary_fields(seeded.sha256, title="Board <meeting>")
    answer = client.post(f"/runs/{seeded.id}/summary", data=data)
    page = client.get(answer.headers["location"]).text
    assert "<h1>Board &lt;meeting&gt;</h1>" in page


def test_title_when_changed_by_two_editors_shows_the_other_one(world: World) -> None:
    seeded = world.seed_review()
    data = summary_fields(seeded.sha256, title="Theirs")
    assert world.sign_in("other").post(f"/runs/{seeded.id}/summary", data=data).is_redirect
    world.open_review(seeded.id, 2)
    data = summary_fields(seeded.sha256, title="Mine")
    answer = world.sign_in("editor").post(f"/runs/{seeded.id}/summary", data=data)
    assert answer.status_code == 409
    assert 'name="title" value="Mine"' in answer.text
    assert '<li class="diff-added">' in answer.text
    assert "Theirs</li>" in answer.text


def test_inbox_when_titles_are_alike_shows_the_files_names(world: World) -> None:
    for name in ("monday.wav", "tuesday.wav"):
        world.seed_review(title="", file_name=name)
    page = world.sign_in("editor").get("/inbox").text
    assert "monday.wav" in page
    assert "tuesday.wav" in page


def test_summary_when_two_editors_save_keeps_the_losers_text(world: World) -> None:
    seeded = world.seed_review()
    winner = world.sign_in("other")
    data = summary_fields(seeded.sha256, headline="The winner's")
    assert winner.post(f"/runs/{seeded.id}/summary", data=data).status_code == 303
    loser = world.sign_in("editor")
    data = summary_fields(seeded.sha256, headline="The loser's words")
    answer = loser.post(f"/runs/{seeded.id}/summary", data=data)
    assert answer.status_code == 409
    assert "Somebody saved revision 2" in answer.text
    assert "The loser&#39;s words" in answer.text
    assert "The launch moves." in answer.text


def posted_again(page: str) -> dict[str, object]:
    """Return what the browser sends where a page's form is sent as it is."""
    data: dict[str, list[str]] = defaultdict(list)
    form = page[page.index('id="editor"') : page.index("</form>", page.index('id="editor"'))]
    pattern = r'<input[^>]* name="([^"]+)" value="([^"]*)"|<textarea name="([^"]+)"[^>]*>([^<]*)<'
    for name, value, area, words in re.findall(pattern, form):
        data[name or area].append(html.unescape(value or words))
    return dict(data)


def test_summary_when_another_is_still_being_prepared_shows_it_and_keeps_what_was_not_touched(
    world: World,
) -> None:
    seeded = world.seed_review()
    client = world.sign_in("editor")
    mine = posted_again(client.get(f"/runs/{seeded.id}/summary/edit").text)
    theirs = summary_fields(seeded.sha256, title="Their title", headline="Their headline")
    assert world.sign_in("other").post(f"/runs/{seeded.id}/summary", data=theirs).is_redirect
    client = world.sign_in("editor")
    data = {**mine, "headline": "My headline"}
    answer = client.post(f"/runs/{seeded.id}/summary", data=data)
    assert answer.status_code == 409
    assert "still being prepared" in answer.text
    kept = posted_again(answer.text)
    assert (kept["title"], kept["headline"]) == (["Their title"], ["My headline"])
    assert kept["abstract.text"] == ["The launch moves.", "", ""]
    assert "Their headline</li>" in answer.text
    assert client.post(f"/runs/{seeded.id}/summary", data=kept).status_code == 409
    world.open_review(seeded.id, 2, headline="Their headline")
    assert client.post(f"/runs/{seeded.id}/summary", data=kept).status_code == 303


def test_summary_when_another_waits_already_is_saved_after_one_look(world: World) -> None:
    seeded = world.seed_review()
    client = world.sign_in("editor")
    mine = posted_again(client.get(f"/runs/{seeded.id}/summary/edit").text)
    theirs = summary_fields(seeded.sha256, headline="Their headline")
    assert world.sign_in("other").post(f"/runs/{seeded.id}/summary", data=theirs).is_redirect
    world.open_review(seeded.id, 2, headline="Their headline")
    client = world.sign_in("editor")
    answer = client.post(f"/runs/{seeded.id}/summary", data={**mine, "headline": "My headline"})
    assert answer.status_code == 409
    assert "still being prepared" not in answer.text
    again = client.post(f"/runs/{seeded.id}/summary", data=posted_again(answer.text))
    assert again.status_code == 303


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"abstract.citations": ["", ""]}, "cites no segment"),
        ({"abstract.citations": ["99", ""]}, "There is no segment 99"),
        ({"abstract.text": ["", ""]}, "at least one sentence"),
        ({"title": " "}, "The title needs 1 to 300 characters."),
        ({"title": "x" * 301}, "The title needs 1 to 300 characters."),
        ({"title": "\x00"}, "A title cannot be empty."),
    ],
)
def test_summary_when_its_evidence_is_wrong_is_shown_again(
    world: World, fields: dict[str, object], message: str
) -> None:
    seeded = world.seed_review()
    client = world.sign_in("editor")
    data = summary_fields(seeded.sha256, **fields)
    answer = client.post(f"/runs/{seeded.id}/summary", data=data)
    assert answer.status_code == 422
    assert message in answer.text
    assert "Edited headline" in answer.text


def test_summary_when_the_session_has_ended_is_kept_until_it_is_sent_again(world: World) -> None:
    seeded = world.seed_review()
    data = summary_fields(seeded.sha256, headline="Long <typed> words\nof mine")
    answer = world.client.post(f"/runs/{seeded.id}/summary", data=data)
    assert answer.status_code == 401
    assert "Your session has ended" in answer.text
    fields = re.findall(r'<textarea name="([^"]+)" hidden>\n?([^<]*)</textarea>', answer.text)
    kept: dict[str, list[str]] = defaultdict(list)
    for name, value in fields:
        kept[name].append(html.unescape(value))
    assert kept["headline"] == ["Long <typed> words\nof mine"]
    assert kept["abstract.citations"] == ["1, 2", ""]
    again = world.sign_in("editor").post(f"/runs/{seeded.id}/summary", data=kept)
    assert again.status_code == 303


def test_upload_when_the_session_has_ended_says_that_the_file_must_be_chosen_again(
    world: World,
) -> None:
    answer = world.client.post("/upload", files={"file": ("a.wav", b"x")})
    assert answer.status_code == 401
    assert "Send again" not in answer.text
    assert "Sign in and send the form again" in answer.text


def stored_edits(world: World, run_id: str) -> Redactions:
    with reading(world.app.database) as session:
        ref = runs.artifacts_of(session, run_id, 2)["redactions/edits"]
    return Redactions.model_validate_json(world.app.store.read_bytes(ref))


def test_redactions_when_edited_are_kept_in_offsets_of_the_original(world: World) -> None:
    seeded = world.seed_review()
    client = world.sign_in("editor")
    assert "[PHONE_NUMBER_1]" in client.get(f"/runs/{seeded.id}/segments/1").text
    data = {
        "base_sha256": seeded.sha256,
        "edit": ["remove:1:45:61:PHONE_NUMBER", "add:1:21:27:PERSON", "add:2:46:51:PERSON"],
    }
    answer = client.post(f"/runs/{seeded.id}/redactions", data=data)
    assert answer.status_code == 303, answer.text
    found = [(e.action, e.segment_id, e.start, e.end) for e in stored_edits(world, seeded.id).edits]
    assert found == [("remove", 1, 51, 64), ("add", 1, 27, 33), ("add", 2, 46, 51)]


def test_redactions_when_typed_without_script_are_found_in_the_segment(world: World) -> None:
    seeded = world.seed_review()
    client = world.sign_in("editor")
    data = {
        "base_sha256": seeded.sha256,
        "segment_id": "2",
        "add_text": ["Rowan", ""],
        "add_type": ["PERSON", "PERSON"],
    }
    assert client.post(f"/runs/{seeded.id}/redactions", data=data).status_code == 303
    found = [(e.start, e.end, e.entity_type) for e in stored_edits(world, seeded.id).edits]
    assert found == [(40, 45, "PERSON")]


def test_redaction_when_lifted_concerns_all_places_and_the_form_says_how_many(
    world: World,
) -> None:
    seeded = world.seed_review()
    client = world.sign_in("editor")
    form = client.get(f"/runs/{seeded.id}/segments/1").text
    assert form.count("all 3 places") == 1
    data = {"base_sha256": seeded.sha256, "edit": ["remove:1:0:10:PERSON"]}
    assert client.post(f"/runs/{seeded.id}/redactions", data=data).status_code == 303
    found = [(e.segment_id, e.start, e.end) for e in stored_edits(world, seeded.id).edits]
    assert found == [(1, 0, 16), (4, 0, 16), (4, 30, 37)]


@pytest.mark.parametrize(
    ("edited", "words"), [(False, "written anew"), (True, "its pseudonyms follow")]
)
def test_redaction_form_when_a_person_edited_the_summary_says_what_becomes_of_it(
    world: World, edited: bool, words: str
) -> None:
    seeded = world.seed_review(edited=edited)
    client = world.sign_in("editor")
    for path in ("segments/1", "review"):
        assert words in client.get(f"/runs/{seeded.id}/{path}").text


def test_redactions_when_a_person_edited_the_summary_take_it_along(world: World) -> None:
    seeded = world.seed_review(edited=True)
    client = world.sign_in("editor")
    data = {"base_sha256": seeded.sha256, "edit": ["add:2:46:51:PERSON"]}
    assert client.post(f"/runs/{seeded.id}/redactions", data=data).status_code == 303
    with reading(world.app.database) as session:
        before = runs.artifacts_of(session, seeded.id, 1)
        after = runs.artifacts_of(session, seeded.id, 2)
    assert after["summary/edited"] == before["summary"]
    assert after["pseudonym_map/edited"] == before["pseudonym_map"]


@pytest.mark.parametrize(
    "fields",
    [
        {"edit": ["add:9:0:1:PERSON"]},
        {"edit": ["add:1:0:9999:PERSON"]},
        {"edit": ["remove:1:0:5:PERSON"]},
        {"edit": ["nonsense"]},
        {},
        {"segment_id": "2", "add_text": ["Marigold"], "add_type": ["PERSON"]},
    ],
)
def test_redactions_when_they_make_no_sense_save_nothing(
    world: World, fields: dict[str, object]
) -> None:
    seeded = world.seed_review()
    client = world.sign_in("editor")
    data = {"base_sha256": seeded.sha256, **fields}
    assert client.post(f"/runs/{seeded.id}/redactions", data=data).status_code == 422
    assert world.status_of(seeded.id) is RunStatus.AWAITING_REVIEW


def test_run_when_expired_can_be_reopened(world: World) -> None:
    seeded = world.seed_review(timeout=timedelta(0))
    with transaction(world.app.database) as session:
        review = session.exec(select(Review).where(Review.run_id == seeded.id)).one()
        reviews.expire(session, review.id)
    client = world.sign_in("editor")
    assert "Reopen" in client.get(f"/runs/{seeded.id}").text
    assert client.post(f"/runs/{seeded.id}/reopen").status_code == 303
    assert world.status_of(seeded.id) is RunStatus.QUEUED


def test_review_page_when_findings_block_links_each_to_its_place(world: World) -> None:
    seeded = world.seed_review(verdict=Verdict.BLOCK)
    page = world.sign_in("editor").get(f"/runs/{seeded.id}/review").text
    panel = page[page.index('id="decision-form"') :]
    assert '<a href="#s3">Segment 3</a>' in panel
    assert 'id="s3"' in page


@pytest.mark.parametrize(
    ("tag", "words"),
    [
        ("en", "also compared with its evidence by the model “nli-harbour”"),
        ("ja", "含意判定モデル「nli-harbour」"),
        ("zh-Hant", "蘊涵判斷模型「nli-harbour」"),
    ],
)
def test_review_page_when_a_model_of_entailment_judged_names_it(
    world: World, tag: str, words: str
) -> None:
    seeded = world.seed_review(entailment_model="nli-harbour")
    client = world.sign_in("editor")
    page = client.get(f"/runs/{seeded.id}/review", headers={"Accept-Language": tag}).text
    findings = page[page.index('id="findings"') :]
    assert words in findings[: findings.index("</section>")]


def test_review_page_when_no_model_of_entailment_judged_names_none(world: World) -> None:
    seeded = world.seed_review()
    page = world.sign_in("editor").get(f"/runs/{seeded.id}/review").text
    assert 'id="entailment-model"' not in page


def test_decision_when_blocked_names_codes_and_places_to_scripts(world: World) -> None:
    seeded = world.seed_review(verdict=Verdict.BLOCK)
    answer = world.client.post(
        f"/api/v1/runs/{seeded.id}/decision",
        json={"decision": "approve", "sha256": seeded.sha256},
        headers=world.token("editor"),
    )
    assert answer.status_code == 409
    assert answer.json()["error"]["details"] == {
        "findings": [{"check": "suspect", "place": "segment 3", "segments": [3]}]
    }


@pytest.mark.parametrize("place", ["headline", "summary", "transcript", "audio", "titles[0]",
                                   "abstract[1]", "segment 2"])  # fmt: skip
def test_review_page_when_a_finding_has_a_place_has_an_element_of_that_id(
    world: World, place: str
) -> None:
    seeded = world.seed_review()
    page = world.sign_in("editor").get(f"/runs/{seeded.id}/review").text
    href = place_of(place, "/preview").href
    assert href is not None
    assert f'id="{href.removeprefix("#")}"' in page


def test_place_when_it_is_a_file_leads_to_its_preview() -> None:
    assert place_of("rendered/index.html", "/runs/r/preview/2") == Place(
        "file", name="index.html", href="/runs/r/preview/2/index.html"
    )


@pytest.mark.parametrize("place", ["", "somewhere", "segment x", "rendered/", "owner[0]"])
def test_place_when_it_is_not_known_is_named_without_a_link(place: str) -> None:
    assert place_of(place, "/preview") == Place("other", name=place)


def test_decision_when_the_run_is_erased_says_so(world: World) -> None:
    seeded = world.seed_review()
    client = world.sign_in("editor")
    with transaction(world.app.database) as session:
        runs.set_status(session, seeded.id, RunStatus.ERASED)
    assert decide(world, seeded.id, seeded.sha256) == 410
    assert client.get(f"/runs/{seeded.id}/review").status_code == 410
    answer = client.post(
        f"/api/v1/runs/{seeded.id}/decision",
        json={"decision": "approve", "sha256": seeded.sha256},
        headers=world.token("editor"),
    )
    assert answer.status_code == 410
    assert answer.json()["error"]["code"] == "not_found.erased"


def test_decision_when_the_next_review_is_not_open_yet_names_no_hash_as_current(
    world: World,
) -> None:
    seeded = edited_by_another(world)
    client = world.sign_in("editor")
    answer = client.post(
        f"/runs/{seeded.id}/decision", data={"sha256": seeded.sha256, "decision": "approve"}
    )
    assert answer.status_code == 409
    assert "The review of revision 2 has not been opened yet." in answer.text


@pytest.mark.parametrize(
    ("tag", "words"),
    [
        ("ja", "自分がアップロードしたものは承認できません。"),
        ("zh-Hant", "不能核准自己上傳的內容。"),
    ],
)
def test_refusal_when_the_page_is_in_another_language_is_in_it_and_english_for_scripts(
    world: World, tag: str, words: str
) -> None:
    seeded = world.seed_review(uploader="editor")
    client = world.sign_in("editor")
    wish = {"sha256": seeded.sha256, "decision": "approve"}
    page = client.post(f"/runs/{seeded.id}/decision", data=wish, headers={"Accept-Language": tag})
    assert words in page.text
    answer = client.post(
        f"/api/v1/runs/{seeded.id}/decision", json=wish, headers={"Accept-Language": tag}
    )
    assert answer.json()["error"]["message"] == "You cannot approve your own upload."
    missing = client.get("/api/v1/nothing", headers={"Accept-Language": tag})
    assert missing.json()["error"]["message"].isascii()
