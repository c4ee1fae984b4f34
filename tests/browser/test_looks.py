"""Every page fits a phone, and its text has enough contrast, in light and in dark."""

from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Page

from review_ui.locale import load_locale
from review_ui.templating import STATIC, render_page
from tests.browser.conftest import NewPage
from tests.web import samples

SAMPLES = samples.pages()
ORIGIN = "http://pages.test"
TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
NAMELESS = """() => [...document.querySelectorAll("a, button, input, select, textarea")]
  .filter((e) => e.type !== "hidden")
  .filter((e) => !(e.textContent.trim() || e.getAttribute("aria-label") || e.labels?.length))
  .map((e) => e.outerHTML)"""
# A part that htmx puts into a page has no style of its own: it is looked at in its page.
TOO_WIDE = "document.styleSheets.length && document.documentElement.scrollWidth > innerWidth"
COVERED = """() => [...document.querySelectorAll(".review-judge > *")].flatMap((card, i, all) => {
  const next = all[i + 1]?.getBoundingClientRect();
  return next && card.getBoundingClientRect().bottom > next.top ? [card.id] : [];
})"""
BROKEN = """() => [...document.querySelectorAll(".of-document .segment-time")]
  .filter((e) => {
    const range = document.createRange();
    range.selectNodeContents(e);
    return range.getClientRects().length > 1;
  })
  .map((e) => e.textContent)"""
LOW_CONTRAST = (Path(__file__).parent / "contrast.js").read_text(encoding="utf-8")


def serve_samples(page: Page, tag: str) -> None:
    """Answer the browser's requests from templates and static files, without a server."""
    rendered = {
        name: render_page(template, context, frame, load_locale(tag))
        for name, template, context, frame in SAMPLES
    }

    def answer(route: object) -> None:
        path = route.request.url.removeprefix(ORIGIN).partition("?")[0]  # type: ignore[attr-defined]
        if path.startswith("/static/"):
            file = STATIC / path.removeprefix("/static/")
            route.fulfill(body=file.read_bytes(), content_type=TYPES[file.suffix])  # type: ignore[attr-defined]
        elif path[1:] in rendered:
            route.fulfill(body=rendered[path[1:]], content_type="text/html; charset=utf-8")  # type: ignore[attr-defined]
        else:
            route.fulfill(status=404, body="")  # type: ignore[attr-defined]

    page.route("**/*", answer)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_of_every_page_has_enough_contrast(
    new_page: NewPage, scheme: Literal["light", "dark"]
) -> None:
    page = new_page(color_scheme=scheme)
    serve_samples(page, "en")
    found = []
    for name, *_ in SAMPLES:
        page.goto(f"{ORIGIN}/{name}")
        found += [(name, *low) for low in page.evaluate(LOW_CONTRAST)]
    assert not found


@pytest.mark.parametrize("tag", ["en", "ja", "zh-Hant"])
def test_every_page_fits_a_phone(new_page: NewPage, tag: str) -> None:
    page = new_page(viewport={"width": 390, "height": 844})
    serve_samples(page, tag)
    wide = []
    for name, *_ in SAMPLES:
        page.goto(f"{ORIGIN}/{name}")
        if page.evaluate(TOO_WIDE):
            wide.append(name)
    assert not wide


@pytest.mark.parametrize("width", [390, 800, 1060, 1280, 1600])
def test_review_of_a_document_when_scrolled_covers_no_card_and_breaks_no_place(
    new_page: NewPage, width: int
) -> None:
    page = new_page(viewport={"width": width, "height": 700})
    serve_samples(page, "en")
    page.goto(f"{ORIGIN}/review_document")
    for top in (0, 300, 10_000):
        page.evaluate("top => scrollTo({ top, behavior: 'instant' })", top)
        assert page.evaluate(COVERED) == []
    assert page.evaluate(BROKEN) == []


def test_every_control_has_a_name(new_page: NewPage) -> None:
    page = new_page()
    serve_samples(page, "en")
    nameless = []
    for name, *_ in SAMPLES:
        page.goto(f"{ORIGIN}/{name}")
        nameless += [(name, tag) for tag in page.evaluate(NAMELESS)]
    assert not nameless
