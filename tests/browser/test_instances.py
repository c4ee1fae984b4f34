"""What operators do with instances, in a real browser."""

from playwright.sync_api import Page, expect

from pipeline.engine import Status
from tests.browser.conftest import NewPage, Site, sign_in
from tests.web.test_instances import add_step, instance_of

FOLLOWED_MS = 20_000


def chip(page: Page, words: str) -> None:
    """Wait until the page shows the instance's status."""
    expect(page.locator(".pagehead .chip")).to_have_text(words, timeout=FOLLOWED_MS)


def test_list_when_searched_shows_what_matches_and_the_address_says_so(
    site: Site, new_page: NewPage
) -> None:
    wanted, other = instance_of(site.world), instance_of(site.world)
    page = new_page()
    sign_in(page, site, "admin", "/instances")
    expect(page.get_by_role("link", name=other.id)).to_be_visible()
    page.get_by_label("Part of the id").press_sequentially(wanted.id[-9:])
    expect(page.get_by_role("link", name=other.id)).to_be_hidden()
    expect(page.get_by_label("Part of the id")).to_be_focused()
    page.get_by_label("Status").select_option("Queued")
    expect(page).to_have_url(
        f"{site.url}/instances?search={wanted.id[-9:]}&workflow=&status=queued&tenant="
    )
    page.get_by_role("link", name=wanted.id).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(wanted.id)
    page.go_back()
    expect(page.get_by_role("link", name=wanted.id)).to_be_visible()
    expect(page.get_by_role("link", name=other.id)).to_be_hidden()


def test_instance_when_it_moves_is_followed_and_operated(site: Site, new_page: NewPage) -> None:
    instance = instance_of(site.world)
    page = new_page()
    sign_in(page, site, "admin", f"/instances/{instance.id}")
    chip(page, "Queued")
    instance.pause()
    chip(page, "Paused")
    add_step(site.world, instance, "probe")
    expect(page.locator("#steps .node")).to_contain_text("Look at the file", timeout=FOLLOWED_MS)
    page.locator("#steps .node").click()
    expect(page.locator("#t1")).to_be_in_viewport()
    assert page.url.endswith("#t1")
    page.get_by_role("link", name="Restart").click()
    page.get_by_label("Restart from").select_option("probe (1)")
    page.get_by_role("button", name="Restart").click()
    expect(page.get_by_role("status")).to_contain_text("The instance runs again.")
    chip(page, "Queued")
    page.get_by_role("link", name="Terminate").click()
    page.get_by_role("button", name=f"Terminate {instance.id}").click()
    chip(page, "Terminated")
    assert instance.status().status is Status.TERMINATED


def test_instance_when_script_is_off_is_found_and_operated(site: Site, new_page: NewPage) -> None:
    wanted, other = instance_of(site.world), instance_of(site.world)
    page = new_page(java_script_enabled=False)
    sign_in(page, site, "admin", "/instances")
    page.get_by_label("Part of the id").fill(wanted.id[-9:])
    page.get_by_role("button", name="Filter").click()
    expect(page.get_by_role("link", name=other.id)).to_have_count(0)
    page.get_by_role("link", name=wanted.id).click()
    expect(page.get_by_role("link", name="Refresh this page")).to_be_visible()
    page.get_by_role("link", name="Send event").click()
    page.get_by_label("Type").fill("note")
    page.get_by_label("Payload").fill('{"to": "all"}')
    page.get_by_role("button", name="Send event").click()
    expect(page.locator("#timeline")).to_contain_text("Event arrived: note")
    page.get_by_role("link", name="Terminate").click()
    page.get_by_role("button", name="Terminate").click()
    page.get_by_role("link", name="Delete").click()
    page.get_by_role("button", name=f"Delete {wanted.id}").click()
    expect(page.get_by_role("status")).to_contain_text("The instance was deleted.")
    expect(page.get_by_role("link", name=wanted.id)).to_have_count(0)
