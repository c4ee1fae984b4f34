"""A real server and a real Chromium; what the browser complains about fails the test."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.browser.chromium import launch_options
from tests.browser.installation import Installation, serving
from tests.served import served
from tests.web.conftest import app, config, empty_database, web_store, world
from tests.web.world import PASSWORD, World

__all__ = ["app", "config", "empty_database", "web_store", "world"]

NewPage = Callable[..., Page]


@dataclass(frozen=True)
class Site:
    """The served application and what is behind it."""

    url: str
    world: World


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Chromium for these tests only: while Playwright runs, no other test could start a loop."""
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(**launch_options())
        yield chromium
        chromium.close()


@pytest.fixture
def site(world: World) -> Iterator[Site]:
    """The application behind a real socket, in this process so that tests can look at its rows."""
    with served(world.client.app) as address:
        yield Site(address, world)


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """Everything in processes of its own, as an operator starts it; nothing is replaced."""
    with serving(tmp_path_factory.mktemp("installation")) as made:
        yield made


@pytest.fixture
def new_page(browser: Browser) -> Iterator[NewPage]:
    """A function that opens a page in a browser of its own, with options of the context."""
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    def make(**options: object) -> Page:
        context = browser.new_context(**{"locale": "en-GB", **options})  # type: ignore[arg-type]
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "console",
            lambda message: (
                complaints.append(message.text)
                if message.type == "error" and "Failed to load resource" not in message.text
                else None
            ),
        )
        return page

    yield make
    for context in contexts:
        context.close()
    assert not complaints, complaints


def sign_in(page: Page, site: Site, name: str, path: str = "/") -> None:
    """Sign in through the form and go to a path."""
    page.goto(f"{site.url}/sign-in?next={path}")
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(f"{site.url}{path}" if path != "/" else lambda url: "/sign-in" not in url)
