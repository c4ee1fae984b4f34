"""The whole way with nothing replaced: real processes, real models, real Chromium.

With SCREENSHOTS_DIR the pages that the README shows are written to that folder.
"""

import hashlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from review_ui.locale import LOCALES
from tests.browser.conftest import NewPage
from tests.web.world import DATA, PASSWORD

REPOSITORY = Path(__file__).parents[2]
RECORDINGS = {
    "en": REPOSITORY / "configs" / "demo" / "interview.opus",
    "ja": DATA / "audio" / "ja_dialogue_speech_recognition.wav",
    "zh": DATA / "audio" / "zh_watson_intro.wav",
}
PAGE_LANGUAGES = {"en": "en", "ja": "ja", "zh": "zh-Hant"}
PROCESSED_MS = 240_000
READY = "Kikigaki is ready: "


@dataclass(frozen=True)
class Installation:
    """A running installation of its own."""

    url: str
    environ: dict[str, str]

    def run(self, *arguments: str, text: str = "") -> "subprocess.CompletedProcess[str]":
        """Run a command of the command line."""
        command = [sys.executable, "-m", "pipeline", *arguments]
        return subprocess.run(
            command, env=self.environ, input=text, capture_output=True, text=True, check=False
        )


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    home = tmp_path_factory.mktemp("installation")
    environ = {**os.environ, "KIKIGAKI_HOME": str(home), "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        [sys.executable, "-m", "pipeline", "serve", "--port", "0"],
        env=environ,
        cwd=REPOSITORY,
        stderr=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stderr is not None
        said = []
        for line in server.stderr:
            said.append(line)
            if READY in line:
                break
        assert READY in "".join(said[-1:]), said
        drain = threading.Thread(target=server.stderr.read)
        drain.start()  # a full pipe would stop the server
        made = Installation(said[-1].partition(READY)[2].strip(), environ)
        added = made.run(
            "users", "add", "sato", "--role", "admin", "--password-stdin", text=PASSWORD
        )
        assert added.returncode == 0, added.stderr
        yield made
        server.terminate()
        drain.join()


@pytest.mark.timeout(900)
def test_recordings_in_three_languages_when_uploaded_reach_the_review_and_are_published(
    installation: Installation, new_page: NewPage, tmp_path: Path
) -> None:
    page = new_page(viewport={"width": 1280, "height": 900})
    sign_in(page, installation)
    runs = {language: upload(page, installation, language) for language in RECORDINGS}
    for language, run in runs.items():
        look_at_review(page, installation, language, run)
    approve(page, installation, runs["en"])
    check_publication(page, installation, runs["en"], tmp_path / "out")


def sign_in(page: Page, installation: Installation) -> None:
    page.goto(f"{installation.url}/sign-in?next=/upload")
    page.get_by_label("Name").fill("sato")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()


def upload(page: Page, installation: Installation, language: str) -> str:
    page.goto(f"{installation.url}/upload")
    page.get_by_label("Language", exact=False).first.select_option(language)
    page.get_by_label("Title").fill(f"Recording {language}")
    page.locator("#file").set_input_files(RECORDINGS[language])
    page.get_by_role("button", name="Upload").click()
    page.wait_for_url("**/runs/run_*")
    expect(page.locator(".steps")).to_contain_text("Look at the file")
    return page.url.rpartition("/")[2]


def look_at_review(page: Page, installation: Installation, language: str, run: str) -> None:
    page.goto(f"{installation.url}/runs/{run}")
    expect(page.locator(".runhead .chip")).to_have_text("Awaiting review", timeout=PROCESSED_MS)
    screenshot(page, f"run-{language}")
    page.get_by_role("link", name="Review", exact=True).last.click()
    expect(page.locator("#segments .segment").first).to_be_visible()
    expect(page.locator("#summary .cite").first).to_be_visible()
    page.locator("#summary .cite").first.click()
    expect(page.locator("#segments .segment[aria-current]")).to_be_visible()
    page.keyboard.press("k")
    show_in(page, PAGE_LANGUAGES[language])
    screenshot(page, f"review-{language}")
    show_in(page, "en")


def show_in(page: Page, locale: str) -> None:
    """Choose the language of the pages, as the footer's form does."""
    name = LOCALES[locale]
    page.get_by_role("contentinfo").get_by_role("button", name=name, exact=True).click()
    expect(page.locator("html")).to_have_attribute("lang", locale)


def approve(page: Page, installation: Installation, run: str) -> None:
    page.goto(f"{installation.url}/runs/{run}/review")
    reason = page.get_by_label("Reason to approve anyway")
    if reason.count():
        reason.fill("Compared with the recording.")
    page.get_by_role("button", name="Approve and publish").click()
    expect(page.locator(".runhead .chip")).to_have_text("Published", timeout=PROCESSED_MS)
    page.get_by_role("link", name="See the publication").click()
    expect(page.get_by_role("heading", name="Files")).to_be_visible()
    screenshot(page, "publication-en")
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
    screenshot(page, "published-en")


def screenshot(page: Page, name: str) -> None:
    folder = os.environ.get("SCREENSHOTS_DIR")
    if folder:
        page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)
