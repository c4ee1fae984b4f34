"""A whole installation as its users have it: real processes and real models, in a real browser.

With SCREENSHOTS_DIR pictures of its pages are written to that folder.
"""

import io
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, expect

from review_ui.locale import LOCALES
from tests.web.world import PASSWORD

REPOSITORY = Path(__file__).parents[2]
PAGE_LANGUAGES = {"en": "en", "ja": "ja", "zh": "zh-Hant"}
PROCESSED_MS = 240_000
READY = "Kikigaki is ready: "
_PICTURE_WIDTH = 1000
_PICTURE_COLOURS = 64


@dataclass(frozen=True)
class Installation:
    """A running installation of its own, with the user `sato`."""

    url: str
    environ: dict[str, str]

    def run(self, *arguments: str, text: str = "") -> "subprocess.CompletedProcess[str]":
        """Run a command of the command line."""
        command = [sys.executable, "-m", "pipeline", *arguments]
        return subprocess.run(
            command, env=self.environ, input=text, capture_output=True, text=True, check=False
        )

    def sign_in(self, page: Page) -> None:
        """Sign in through the form."""
        page.goto(f"{self.url}/sign-in?next=/upload")
        page.get_by_label("Name").fill("sato")
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Sign in").click()

    def upload(self, page: Page, file: Path, language: str, title: str) -> str:
        """Upload a file through the form and return its run."""
        page.goto(f"{self.url}/upload")
        page.get_by_label("Language", exact=False).first.select_option(language)
        page.get_by_label("Title").fill(title)
        page.locator("#file").set_input_files(file)
        page.get_by_role("button", name="Upload").click()
        page.wait_for_url("**/runs/run_*")
        return page.url.rpartition("/")[2]

    def wait_for_review(self, page: Page, run: str) -> None:
        """Wait on the page of the run until it can be reviewed."""
        page.goto(f"{self.url}/runs/{run}")
        expect(page.locator(".runhead .chip")).to_have_text("Awaiting review", timeout=PROCESSED_MS)


@contextmanager
def serving(home: Path) -> Iterator[Installation]:
    """Start an installation in a folder, and end it."""
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


def show_in(page: Page, locale: str) -> None:
    """Choose the language of the pages, as the footer's form does."""
    name = LOCALES[locale]
    page.get_by_role("contentinfo").get_by_role("button", name=name, exact=True).click()
    expect(page.locator("html")).to_have_attribute("lang", locale)


def screenshot(page: Page, name: str) -> None:
    """Write a picture of the page, small enough for a repository."""
    folder = os.environ.get("SCREENSHOTS_DIR")
    if not folder:
        return
    page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")
    size = page.viewport_size
    assert size is not None
    # What is as high as the window shows all that it has.
    page.set_viewport_size({**size, "height": _height(page)})
    page.set_viewport_size({**size, "height": _height(page)})
    picture = Image.open(io.BytesIO(page.screenshot(full_page=True))).convert("RGB")
    page.set_viewport_size(size)
    scale = min(1.0, _PICTURE_WIDTH / picture.width)
    small = picture.resize((round(picture.width * scale), round(picture.height * scale)))
    path = Path(folder) / f"{name}.png"
    path.parent.mkdir(parents=True, exist_ok=True)
    small.quantize(_PICTURE_COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)


def _height(page: Page) -> int:
    return int(page.evaluate("document.documentElement.scrollHeight"))
