"""The whole way with nothing replaced: real processes, real models, real Chromium.

With SCREENSHOTS_DIR the pages that the README shows are written to that folder.
"""

import hashlib
import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import NewPage
from tests.browser.installation import (
    PAGE_LANGUAGES,
    PROCESSED_MS,
    REPOSITORY,
    Installation,
    screenshot,
    show_in,
)
from tests.web.world import DATA

RECORDINGS = {
    "en": REPOSITORY / "configs" / "demo" / "interview.opus",
    "ja": DATA / "audio" / "ja_dialogue_speech_recognition.wav",
    "zh": DATA / "audio" / "zh_watson_intro.wav",
}
TITLES = {"en": "How real is artificial intelligence?", "ja": "音声認識の現状", "zh": "沃森简介"}


@pytest.mark.timeout(900)
def test_recordings_in_three_languages_when_uploaded_reach_the_review_and_are_published(
    installation: Installation, new_page: NewPage, tmp_path: Path
) -> None:
    page = new_page(viewport={"width": 1280, "height": 900})
    installation.sign_in(page)
    runs = {
        language: installation.upload(page, file, language, TITLES[language])
        for language, file in RECORDINGS.items()
    }
    expect(page.locator(".steps")).to_contain_text("Look at the file")
    for language, run in runs.items():
        look_at_review(page, installation, language, run)
    approve(page, installation, runs["en"])
    check_publication(page, installation, runs["en"], tmp_path / "out")


def look_at_review(page: Page, installation: Installation, language: str, run: str) -> None:
    installation.wait_for_review(page, run)
    page.get_by_role("link", name="Review", exact=True).last.click()
    expect(page.locator("#segments .segment").first).to_be_visible()
    expect(page.locator("#summary .cite").first).to_be_visible()
    page.locator("#summary .cite").first.click()
    expect(page.locator("#segments .segment[aria-current]")).to_be_visible()
    page.keyboard.press("k")
    show_in(page, PAGE_LANGUAGES[language])
    screenshot(page, f"sources/recording-{language}")
    show_in(page, "en")


def approve(page: Page, installation: Installation, run: str) -> None:
    page.goto(f"{installation.url}/runs/{run}/review")
    reason = page.get_by_label("Reason to approve anyway")
    if reason.count():
        reason.fill("Compared with the recording.")
    page.get_by_role("button", name="Approve and publish").click()
    expect(page.locator(".runhead .chip")).to_have_text("Published", timeout=PROCESSED_MS)
    page.get_by_role("link", name="See the publication").click()
    expect(page.get_by_role("heading", name="Files")).to_be_visible()
    look_at_instance(page, installation, run)


def look_at_instance(page: Page, installation: Installation, run: str) -> None:
    """The engine's own page of the run: the sound was covered while the summary was written."""
    page.goto(f"{installation.url}/instances/{run}-r1")
    expect(page.locator(".flow-block.is-parallel")).to_contain_text("Bleep the audio")
    expect(page.locator("#steps")).to_contain_text("Publish")
    screenshot(page, "instance-en")
    page.goto(f"{installation.url}/runs/{run}/publication")


def check_publication(page: Page, installation: Installation, run: str, folder: Path) -> None:
    """What the public page serves, the table of hashes and the exported files are one."""
    shown = page.locator("table.hashes tbody tr").all()
    for row in shown:
        name = row.locator("a").inner_text()
        body = page.request.get(f"{installation.url}/p/{run}/{name}").body()
        assert row.locator("code").get_attribute("title") == hashlib.sha256(body).hexdigest()
    assert len(shown) == 7
    exported = installation.run("runs", "export", run, str(folder))
    assert exported.returncode == 0, exported.stderr
    verified = installation.run("verify", str(folder), "--json")
    assert json.loads(verified.stdout)["ok"] is True
    page.goto(f"{installation.url}/p/{run}/")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
