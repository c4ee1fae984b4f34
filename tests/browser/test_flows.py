"""What people do, in a real browser."""

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
import sqlalchemy as sa
from playwright.sync_api import Dialog, Page, expect
from sqlmodel import col, select

from configs.clock import utc_now
from models.documents import Redactions
from pipeline import commands
from storage import runs
from storage.database import reading, transaction
from storage.statuses import RunStatus
from storage.tables import Decision, Review
from tests.browser.conftest import NewPage, Site, sign_in
from tests.web.world import DATA, PASSWORD, SPEECH, make_summary


def decisions(site: Site) -> list[Decision]:
    with reading(site.world.app.database) as session:
        return list(session.exec(select(Decision).order_by(col(Decision.decided_at))))


def open_review(page: Page, site: Site, who: str = "editor") -> tuple[str, str]:
    seeded = site.world.seed_review()
    sign_in(page, site, who, f"/runs/{seeded.id}/review")
    return seeded.id, seeded.sha256


def test_upload_when_files_are_chosen_shows_each_with_its_outcome(
    site: Site, new_page: NewPage
) -> None:
    page = new_page()
    sign_in(page, site, "uploader", "/upload")
    page.locator("#file").set_input_files([SPEECH, DATA / "media_odd" / "zero_byte.mp3"])
    page.get_by_role("button", name="Upload").click()
    refused = page.locator(".upload.is-refused")
    expect(refused).to_contain_text("zero_byte.mp3")
    expect(refused).to_contain_text("input.empty")
    page.get_by_role("link", name="Open the run").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile("^Recording of "))
    expect(page.locator(".steps")).to_contain_text("Look at the file")


def test_upload_when_refused_on_a_phone_brings_the_reason_into_view(
    site: Site, new_page: NewPage
) -> None:
    page = new_page(viewport={"width": 390, "height": 700})
    sign_in(page, site, "uploader", "/upload")
    page.locator("#file").set_input_files(DATA / "media_odd" / "zero_byte.mp3")
    page.get_by_role("button", name="Upload").click()
    expect(page.locator(".upload-message")).to_be_in_viewport()


def test_deadline_when_the_review_has_just_opened_is_told_as_it_was_set(
    site: Site, new_page: NewPage
) -> None:
    page = new_page()
    open_review(page, site)
    expect(page.locator("#decision .facts")).to_contain_text("in 3 days")


def test_run_page_when_the_run_changes_follows_without_a_reload_by_hand(
    site: Site, new_page: NewPage
) -> None:
    page = new_page()
    run_id = site.world.submit("editor")
    sign_in(page, site, "editor", f"/runs/{run_id}")
    expect(page.locator(".runhead .chip")).to_have_text("Queued")
    site.world.open_review(run_id, 1)
    expect(page.get_by_role("link", name="Review", exact=True).first).to_be_visible(timeout=20_000)
    expect(page.locator(".runhead .chip")).to_have_text("Awaiting review")


def test_review_when_approved_decides_on_the_hash_that_was_shown(
    site: Site, new_page: NewPage
) -> None:
    page = new_page()
    run_id, sha256 = open_review(page, site)
    expect(page.locator("#decision .hash").first).to_have_text(sha256[:12])
    page.get_by_label("Comment").fill("Checked against the recording.")
    page.get_by_role("button", name="Approve and publish").click()
    expect(page.get_by_role("status")).to_contain_text("Approved")
    assert [(d.sha256, d.decision) for d in decisions(site)] == [(sha256, "approve")]
    assert site.world.status_of(run_id) is RunStatus.APPROVED


def test_approval_when_the_draft_has_changed_is_not_taken(site: Site, new_page: NewPage) -> None:
    page = new_page()
    run_id, sha256 = open_review(page, site)
    app, other = site.world.app, site.world.actor("other")
    commands.save_summary(app, other, run_id, sha256, make_summary("Another headline"))
    site.world.open_review(run_id, 2, headline="Another headline")
    page.get_by_role("button", name="Approve and publish").click()
    expect(page.get_by_role("alert")).to_contain_text("The draft has changed")
    expect(page.locator(".diff-added")).to_contain_text("Another headline")
    assert decisions(site) == []


def test_approval_when_the_deadline_has_passed_is_not_taken(site: Site, new_page: NewPage) -> None:
    page = new_page()
    run_id, _ = open_review(page, site)
    with transaction(site.world.app.database) as session:
        past = utc_now() - timedelta(seconds=1)
        session.exec(sa.update(Review).where(col(Review.run_id) == run_id).values(deadline=past))
    page.get_by_role("button", name="Approve and publish").click()
    expect(page.get_by_role("alert")).to_contain_text("The deadline passed before you decided")
    assert decisions(site) == []


def test_approval_when_double_clicked_is_one_decision(site: Site, new_page: NewPage) -> None:
    page = new_page()
    run_id, _ = open_review(page, site)
    page.get_by_role("button", name="Approve and publish").dblclick()
    expect(page.get_by_role("status")).to_contain_text("Approved")
    assert len(decisions(site)) == 1
    assert site.world.status_of(run_id) is RunStatus.APPROVED


def test_summary_when_two_editors_save_keeps_the_words_of_the_second(
    site: Site, new_page: NewPage
) -> None:
    first, second = new_page(), new_page()
    run_id, _ = open_review(first, site)
    sign_in(second, site, "other", f"/runs/{run_id}/summary/edit")
    first.get_by_role("link", name="Edit", exact=True).click()
    for page, words in ((first, "What the first wrote"), (second, "What the second wrote")):
        page.get_by_label("Headline").fill(words)
        page.get_by_role("button", name="Save as new revision").click()
    expect(first.get_by_role("status")).to_contain_text("Revision 2")
    expect(second.get_by_role("alert")).to_contain_text(
        re.compile("what you typed is kept", re.IGNORECASE)
    )
    expect(second.get_by_label("Headline")).to_have_value("What the second wrote")


def test_player_when_a_citation_is_clicked_plays_its_evidence(
    site: Site, new_page: NewPage
) -> None:
    page = new_page()
    open_review(page, site)
    page.locator("#summary .cite").nth(1).click()
    wait_until_playing(page, 6.2, 12.5)
    expect(page.locator("#s2")).to_have_attribute("aria-current", "true")
    page.locator("#s1 .segment-time").click()
    wait_until_playing(page, 0.1, 6)
    expect(page.locator("#s1")).to_have_attribute("aria-current", "true")


def wait_until_playing(page: Page, start: float, end: float) -> None:
    """Wait until the recording plays between two times."""
    page.evaluate(
        """([start, end]) => new Promise((resolve) => {
            const audio = document.getElementById("audio");
            const look = () => {
                if (audio.currentTime > start && audio.currentTime < end) resolve();
            };
            audio.addEventListener("timeupdate", look);
            look();
        })""",
        [start, end],
    )


def test_redactions_when_selected_and_lifted_are_saved_together(
    site: Site, new_page: NewPage
) -> None:
    page = new_page()
    run_id, _ = open_review(page, site)
    page.locator("#s1 mark").nth(1).click()
    page.get_by_role("button", name="Lift").click()
    select_words(page, 2, "Rowan")
    page.get_by_role("button", name="Redact", exact=True).click()
    expect(page.locator("#tray-items li")).to_have_count(2)
    expect(page.get_by_role("button", name="Approve and publish")).to_be_disabled()
    expect(page.get_by_text("Your redactions are not saved yet.")).to_be_visible()
    page.get_by_role("button", name="Save redactions").click()
    expect(page.get_by_role("status")).to_contain_text("Revision 2")
    with reading(site.world.app.database) as session:
        ref = runs.artifacts_of(session, run_id, 2)["redactions/edits"]
    edits = Redactions.model_validate_json(site.world.app.store.read_bytes(ref)).edits
    assert [(e.action, e.start, e.end) for e in edits] == [("remove", 51, 64), ("add", 40, 45)]


def test_redaction_when_lifted_is_struck_through_wherever_it_stands(
    site: Site, new_page: NewPage
) -> None:
    page = new_page()
    open_review(page, site)
    page.locator("#s4 mark").first.click()
    page.get_by_role("button", name="Lift · all 3 places").click()
    expect(page.locator("mark.is-lifted")).to_have_count(3)
    expect(page.locator("#tray-items li")).to_contain_text("all 3 places")
    page.get_by_role("button", name="Remove").click()
    expect(page.locator("mark.is-lifted")).to_have_count(0)


def _comment(page: Page) -> None:
    page.get_by_label("Comment").press_sequentially("Page 3?")


def _lift(page: Page) -> None:
    page.locator("#s1 mark").nth(1).click()
    page.get_by_role("button", name="Lift").click()


@pytest.mark.parametrize("change", [_comment, _lift])
def test_review_when_left_with_something_unsent_asks_first_and_lets_one_stay(
    site: Site, new_page: NewPage, change: Callable[[Page], None]
) -> None:
    page = new_page()
    open_review(page, site)
    change(page)
    asked: list[str] = []

    def stay(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.dismiss()

    page.on("dialog", stay)
    page.get_by_role("link", name="Runs").first.click(no_wait_after=True)
    page.wait_for_function("() => true")
    assert asked == ["beforeunload"]
    assert page.url.endswith("/review")


def select_words(page: Page, segment: int, words: str) -> None:
    """Select words in a segment as a mouse does."""
    page.evaluate(
        """([id, words]) => {
            const node = document.querySelector(`#s${id} .segment-text`).firstChild;
            const range = document.createRange();
            const start = node.data.indexOf(words);
            range.setStart(node, start);
            range.setEnd(node, start + words.length);
            getSelection().removeAllRanges();
            getSelection().addRange(range);
            node.parentElement.dispatchEvent(new PointerEvent("pointerup", { bubbles: true }));
        }""",
        [segment, words],
    )


def test_review_when_done_by_keyboard_alone_is_decided(site: Site, new_page: NewPage) -> None:
    page = new_page()
    seeded = site.world.seed_review()
    page.goto(f"{site.url}/sign-in")
    expect(page.get_by_label("Name")).to_be_focused()
    page.keyboard.type("editor")
    page.keyboard.press("Tab")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Inbox")).to_be_visible()
    tab_to(page, "Planning call")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Decision")).to_be_visible()
    tab_to(page, "Request changes")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("Sent back")
    assert site.world.status_of(seeded.id) is RunStatus.CHANGES_REQUESTED


def tab_to(page: Page, text: str) -> None:
    """Press Tab until the element with this text has the focus, which has to be visible."""
    for _ in range(80):
        page.keyboard.press("Tab")
        focused = page.evaluate("document.activeElement.textContent.trim()")
        if focused == text:
            outline = "getComputedStyle(document.activeElement, {}).outlineStyle"
            after = "getComputedStyle(document.activeElement, '::after').outlineStyle"
            assert page.evaluate(f"[{outline}, {after}].some(style => style !== 'none')")
            return
    raise AssertionError(f"the keyboard does not reach {text!r}")


def test_everything_when_script_is_off_still_works(site: Site, new_page: NewPage) -> None:
    page = new_page(java_script_enabled=False)
    sign_in(page, site, "admin", "/upload")
    page.locator("#file").set_input_files(SPEECH)
    page.get_by_role("button", name="Upload").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile("^Recording of "))
    expect(page.get_by_role("link", name="Refresh this page")).to_be_visible()
    seeded = site.world.seed_review()
    page.goto(f"{site.url}/runs/{seeded.id}/segments/2")
    page.get_by_label("Text").first.fill("Nobody")
    page.get_by_role("button", name="Save redactions").click()
    expect(page.get_by_role("alert")).to_contain_text("does not stand in this segment")
    page.goto(f"{site.url}/runs/{seeded.id}/review")
    page.locator("#summary .cite").first.click()
    assert page.url.endswith("#s1")
    page.get_by_role("button", name="Reject").click()
    expect(page.get_by_role("status")).to_contain_text("Rejected")
    assert site.world.status_of(seeded.id) is RunStatus.REJECTED
