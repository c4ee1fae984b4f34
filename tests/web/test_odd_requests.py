"""Addresses, headers and numbers that no page of ours sends: a clear refusal, never a 500."""

from collections.abc import Iterator
from datetime import UTC, datetime
from urllib.parse import quote

import pytest
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient

from pipeline.commands import App
from pipeline.engine import Engine
from pipeline.workflow import ProcessSource
from review_ui.app import _API, _PAGES, create_app
from review_ui.web import WebConfig
from storage import migrate, users
from storage.artifacts import ArtifactStore
from storage.database import create_database, transaction
from storage.statuses import Role
from tests.databases import NewDatabase
from tests.web.conftest import MAX_UPLOAD_BYTES
from tests.web.world import World, review_policy

HUGE = "9" * 5000
NUMBERS = {"segment_id": "1", "revision": "1"}


@pytest.fixture(scope="module")
def postgres_client(
    new_database: NewDatabase, web_store: ArtifactStore, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[TestClient]:
    """An admin's client of the application over PostgreSQL, which refuses more than SQLite."""
    with new_database("postgresql") as url:
        database = create_database(url)
        migrate.upgrade(database)
        engine = Engine(database, url, workflows=[ProcessSource()])
        engine.connect()
        with transaction(database) as session:
            user = users.create_user(session, "admin", Role.ADMIN)
            _, secret = users.create_token(session, user.id, "test")
        app = App(
            database,
            web_store,
            engine,
            review_policy,
            MAX_UPLOAD_BYTES,
            templates=lambda _: (),
            has_tenant=lambda _: True,
        )
        config = WebConfig(home=tmp_path_factory.mktemp("home"))
        headers = {"Authorization": f"Bearer {secret}"}
        yield TestClient(create_app(app, config), headers=headers, follow_redirects=False)
        engine.stop()
        database.dispose()


def addresses(odd: str) -> Iterator[tuple[str, str]]:
    """Yield method and address of every route that has an id, with `odd` in its place."""
    for prefix, modules in (("", _PAGES), ("/api/v1", _API)):
        for route in (route for module in modules for route in module.router.routes):
            if isinstance(route, APIRoute) and "{" in route.path:
                names = {name: NUMBERS.get(name, odd) for name in route.param_convertors}
                path = prefix + route.path.replace(":path}", "}").format(**names)
                yield from ((method, quote(path)) for method in sorted(route.methods or ()))


@pytest.mark.parametrize("odd", ["a\0b", "a\x1bb", "\u202eab", "\0"])
def test_address_when_an_id_holds_what_cannot_be_printed_then_is_not_found(
    postgres_client: TestClient, odd: str
) -> None:
    asked = [
        (method, path, postgres_client.request(method, path).status_code)
        for method, path in addresses(odd)
    ]
    assert len(asked) > 40
    assert [one for one in asked if one[2] != 404] == []


@pytest.mark.parametrize("odd", ["😀 é", "a" * 3000, "%00", "' OR 1=1 --", "...", "\ufffd"])
def test_address_when_an_id_is_odd_then_is_not_found(postgres_client: TestClient, odd: str) -> None:
    asked = [
        (path, postgres_client.get(path, params={"revision": 1}).status_code)
        for method, path in addresses(odd)
        if method == "GET" and not path.startswith(("/p/", "/schedules/"))
    ]
    assert [one for one in asked if one[1] != 404] == []


@pytest.mark.parametrize(
    "path",
    [
        "/api/v1/runs?tenant=a%00b",
        "/api/v1/runs?after=%00",
        "/runs?before=%00",
        "/api/v1/runs/run_1/artifacts/source?revision=99999999999999999999",
        "/runs/run_1/audio?revision=99999999999999999999",
    ],
)
def test_query_when_the_database_takes_no_such_value_then_is_refused(
    postgres_client: TestClient, path: str
) -> None:
    assert postgres_client.get(path).status_code == 422


def test_sign_in_when_the_name_holds_a_nul_then_is_refused(postgres_client: TestClient) -> None:
    answer = postgres_client.post("/sign-in", data={"name": "a\0b", "password": "x"})
    assert answer.status_code == 422


def test_static_file_when_its_name_holds_a_nul_then_is_not_found(world: World) -> None:
    assert world.client.get("/static/a%00b").status_code == 404


def test_range_when_its_numbers_are_endless_then_is_answered_with_the_whole(world: World) -> None:
    seeded = world.seed_review()
    headers = {**world.token("editor"), "Range": f"bytes={HUGE}-"}
    answer = world.client.get(f"/api/v1/runs/{seeded.id}/artifacts/summary", headers=headers)
    assert answer.status_code == 200


def test_redactions_when_the_segments_number_is_endless_then_are_refused(world: World) -> None:
    seeded = world.seed_review()
    form = {"base_sha256": seeded.sha256, "segment_id": HUGE, "add_text": "budget"}
    answer = world.sign_in("editor").post(f"/runs/{seeded.id}/redactions", data=form)
    assert answer.status_code == 422


def test_notice_when_its_number_is_endless_then_the_page_is_shown(world: World) -> None:
    client = world.sign_in("editor")
    client.cookies.set("kikigaki_notice", f"saved:{HUGE}")
    assert client.get("/runs").status_code == 200


def test_form_when_its_origin_is_no_address_then_is_refused(world: World) -> None:
    answer = world.client.post("/sign-in", data={}, headers={"Origin": "http://[bad"})
    assert answer.status_code == 403


def test_list_when_since_has_no_time_zone_then_is_utc(world: World) -> None:
    run_id = world.submit()
    today = datetime.now(UTC).date().isoformat()
    for since, found in ((f"{today}T00:00:00", [run_id]), ("2999-01-01T00:00:00", [])):
        answer = world.client.get(
            "/api/v1/runs", params={"since": since}, headers=world.token("editor")
        )
        assert [run["run"] for run in answer.json()["runs"]] == found
