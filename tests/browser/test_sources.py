"""Every kind of document in every language, from the upload to the review that an editor reads.

Nothing is replaced. With SCREENSHOTS_DIR the pictures of `docs/sources.md` are written there.
"""

import re
from collections.abc import Mapping

import pytest
from playwright.sync_api import Browser, Page, PdfMargins, expect

from models.documents import LANGUAGES
from tests.browser.conftest import NewPage
from tests.browser.installation import PAGE_LANGUAGES, Installation, screenshot, show_in
from tests.sources import Source, sources

RENDERED = ("index.html", "summary.md", "publication.json")
SOURCES = [source for language in LANGUAGES for source in sources(language)]
MARGIN: PdfMargins = {"top": "2cm", "right": "2cm", "bottom": "2cm", "left": "2cm"}
KANA = re.compile("[\u3041-\u30ff]")
HAN = re.compile("[\u4e00-\u9fff]")


@pytest.fixture(scope="module")
def runs(
    installation: Installation, browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> Mapping[str, str]:
    """All sources, uploaded one after the other through the form; they are worked on meanwhile."""
    folder = tmp_path_factory.mktemp("sources")
    with browser.new_context(locale="en-GB") as context:
        page, press = context.new_page(), context.new_page()

        def printed(markup: str) -> bytes:
            press.set_content(markup)
            return press.pdf(format="A4", margin=MARGIN)

        installation.sign_in(page)
        return {
            source.id: installation.upload(
                page, source.write(folder, printed), source.language, source.title
            )
            for source in SOURCES
        }


@pytest.mark.timeout(600)
@pytest.mark.parametrize("source", SOURCES, ids=[source.id for source in SOURCES])
def test_document_when_uploaded_then_reads_well_in_the_review(
    installation: Installation, runs: Mapping[str, str], new_page: NewPage, source: Source
) -> None:
    page, run = new_page(viewport={"width": 1280, "height": 900}), runs[source.id]
    installation.sign_in(page)
    installation.wait_for_review(page, run)
    page.goto(f"{installation.url}/runs/{run}/review")
    show_in(page, PAGE_LANGUAGES[source.language])
    screenshot(page, f"sources/{source.id}")
    summary = page.locator("#summary .spoken")
    expect(summary).to_have_attribute("lang", source.language)
    assert is_in(source.language, page.locator("#headline").inner_text())
    for words, part in ((source.decided, "decisions"), (source.to_do, "action_items")):
        if words:
            expect(summary.locator(f".sentences-{part}")).to_contain_text(words)
    check_privacy(page, f"{installation.url}/runs/{run}/preview/1", source)


def is_in(language: str, text: str) -> bool:
    """True where a text is written as this language is."""
    seen = {"ja": KANA.search(text), "zh": HAN.search(text) and not KANA.search(text)}
    return bool(seen[language]) if language in seen else not (KANA.search(text) or HAN.search(text))


def check_privacy(page: Page, preview: str, source: Source) -> None:
    """Nothing planted is on the page nor in the files that an approval would publish."""
    shown = {"the page": page.content()}
    for name in RENDERED:
        answer = page.request.get(f"{preview}/{name}")
        assert answer.ok, name
        shown[name] = answer.text()
    left = [(where, v) for where, text in shown.items() for v in source.planted if v in text]
    assert not left, (source.kind, source.language, left)
