"""What the web refuses, and the headers it sends."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from threading import Barrier

import pytest
from fastapi.testclient import TestClient

from pipeline.commands import App
from review_ui.app import create_app
from review_ui.forms import local_path
from review_ui.security import SignInLimiter
from review_ui.web import WebConfig
from storage import users
from storage.database import transaction
from storage.statuses import Role
from tests.web.world import PASSWORD, World


def test_pages_when_asked_for_carry_a_strict_policy(world: World) -> None:
    answer = world.client.get("/sign-in")
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["x-frame-options"] == "DENY"
    assert answer.headers["x-request-id"].startswith("req_")


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
    ],
)
def test_form_when_sent_by_another_site_is_refused(world: World, headers: dict[str, str]) -> None:
    client = world.sign_in("editor")
    answer = client.post("/sign-out", headers=headers)
    assert answer.status_code == 403
    assert answer.json()["error"]["code"] == "policy.cross_origin"
    assert client.get("/runs").status_code == 200


@pytest.mark.parametrize(
    "headers", [{"Sec-Fetch-Site": "same-origin"}, {"Origin": "http://testserver"}, {}]
)
def test_form_when_sent_by_the_site_itself_is_taken(world: World, headers: dict[str, str]) -> None:
    client = world.sign_in("editor")
    assert client.post("/sign-out", headers=headers).status_code == 303
    assert client.get("/runs").headers["location"].startswith("/sign-in")


def test_session_cookie_when_set_is_out_of_reach_of_script(world: World) -> None:
    answer = world.client.post("/sign-in", data={"name": "editor", "password": PASSWORD})
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    assert "secure" not in cookie


def test_sign_in_when_the_password_is_wrong_too_often_waits(world: World) -> None:
    wrong = {"name": "editor", "password": "not the password"}
    statuses = [world.client.post("/sign-in", data=wrong).status_code for _ in range(6)]
    assert statuses == [422] * 5 + [429]
    right = world.client.post("/sign-in", data={"name": "editor", "password": PASSWORD})
    assert right.status_code == 429


def test_sign_in_when_names_differ_by_spaces_counts_them_as_one(world: World) -> None:
    names = ["editor", " editor", "editor ", "  editor", "editor  ", " editor "]
    statuses = [
        world.client.post("/sign-in", data={"name": name, "password": "wrong one"}).status_code
        for name in names
    ]
    assert statuses == [422] * 5 + [429]


def test_sign_in_when_tried_at_the_same_time_looks_at_as_many_passwords_as_one_by_one(
    world: World,
) -> None:
    web, start = world.client.app, Barrier(8)

    def attempt(_: int) -> int:
        client = TestClient(web, follow_redirects=False)
        start.wait()
        wrong = {"name": "editor", "password": "not the password"}
        return client.post("/sign-in", data=wrong).status_code

    with ThreadPoolExecutor(8) as threads:
        statuses = sorted(threads.map(attempt, range(8)))
    assert statuses == [422] * 5 + [429] * 3


def test_sign_in_when_right_counts_neither_against_name_nor_address(world: World) -> None:
    state = world.client.app.state  # type: ignore[attr-defined]
    state.web = replace(state.web, limiter=SignInLimiter(per_name=1, per_address=1))
    for _ in range(2):
        world.sign_in("editor")


def test_sign_in_when_the_password_is_wrong_does_not_wait_for_a_writer(world: World) -> None:
    with transaction(world.app.database) as session:
        users.create_token(session, world.people["editor"].id, "holds the write lock")
        answer = world.client.post("/sign-in", data={"name": "editor", "password": "wrong one"})
    assert answer.status_code == 422


def test_limiter_when_attempts_come_at_once_lets_no_more_than_the_limit_begin() -> None:
    limiter, start = SignInLimiter(per_name=5, per_address=7), Barrier(40)

    def begin(i: int) -> bool:
        start.wait()
        return limiter.begin(f"name {i % 2}", "192.0.2.1")

    with ThreadPoolExecutor(40) as threads:
        assert sum(threads.map(begin, range(40))) == 7


def test_limiter_when_an_attempt_is_taken_back_frees_its_place_for_name_and_address() -> None:
    limiter = SignInLimiter(per_name=2, per_address=2)
    assert [limiter.begin("sato", "192.0.2.1") for _ in range(3)] == [True, True, False]
    limiter.take_back("sato", "192.0.2.1")
    assert [limiter.begin("sato", "192.0.2.1") for _ in range(2)] == [True, False]


def test_limiter_when_a_name_signs_in_keeps_what_its_address_did_wrong() -> None:
    limiter = SignInLimiter(per_name=5, per_address=3)
    assert all(limiter.begin(name, "192.0.2.1") for name in ("mori", "sato", "own account"))
    limiter.clear("own account")
    assert not limiter.begin("mori", "192.0.2.1")


def test_limiter_when_full_forgets_those_tried_longest_ago() -> None:
    limiter = SignInLimiter(per_name=1, max_entries=5)
    assert all(limiter.begin(f"name {i}", "192.0.2.1") for i in range(6))
    assert limiter.begin("name 0", "192.0.2.1")
    assert not limiter.begin("name 5", "192.0.2.1")


def test_limiter_when_the_window_has_passed_begins_again() -> None:
    limiter = SignInLimiter(window=timedelta(0), per_name=1)
    assert all(limiter.begin("sato", "192.0.2.1") for _ in range(3))


def test_sign_in_link_when_used_twice_signs_in_once(world: World) -> None:
    with transaction(world.app.database) as session:
        secret = users.create_sign_in_link(session, world.people["admin"].id, timedelta(minutes=5))
    first = world.client.get("/sign-in/link", params={"secret": secret, "next": "/inbox"})
    assert (first.status_code, first.headers["location"]) == (303, "/inbox")
    world.client.cookies.clear()
    assert world.client.get("/sign-in/link", params={"secret": secret}).status_code == 410


@pytest.mark.parametrize("path", ["//evil.example", "/\\evil.example", "https://evil.example", "x"])
def test_next_path_when_it_leads_elsewhere_is_the_home_page(path: str) -> None:
    assert local_path(path) == "/"


def test_stranger_when_asking_for_a_page_is_sent_to_sign_in(world: World) -> None:
    world.client.cookies.clear()
    answer = world.client.get("/runs?status=failed")
    assert answer.headers["location"] == "/sign-in?next=%2Fruns%3Fstatus%3Dfailed"


def test_stranger_when_asking_the_api_gets_the_error_body(world: World) -> None:
    answer = world.client.get("/api/v1/runs")
    assert answer.status_code == 401
    assert answer.json()["error"]["code"] == "auth.required"
    assert answer.json()["error"]["request_id"] == answer.headers["x-request-id"]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/inbox"),
        ("GET", "/operations"),
        ("GET", "/api/v1/instances"),
    ],
)
def test_uploader_when_asking_for_editors_pages_is_refused(
    world: World, method: str, path: str
) -> None:
    client = world.sign_in("uploader")
    assert client.request(method, path).status_code == 403


def test_uploader_when_asking_for_anothers_run_finds_nothing(world: World) -> None:
    run_id = world.submit("editor")
    client = world.sign_in("uploader")
    assert client.get(f"/runs/{run_id}").status_code == 404
    assert client.get(f"/api/v1/runs/{run_id}").status_code == 404


def test_editor_when_asking_for_another_tenants_run_finds_nothing(world: World) -> None:
    seeded = world.seed_review()
    world.add_person("stranger", Role.EDITOR, tenant="other")
    client = world.sign_in("stranger")
    for path in ("", "/review", "/preview", "/preview/1/index.html", "/audio?revision=1"):
        assert client.get(f"/runs/{seeded.id}{path}").status_code == 404


def test_form_when_larger_than_forms_can_be_is_refused(world: World) -> None:
    client = world.sign_in("editor")
    answer = client.post(
        "/locale",
        content=(b"next=" + b"x" * 1_000_000 for _ in range(10)),
        headers={"Content-Type": "application/x-www-form-urlencoded"},
    )
    assert answer.status_code == 413


def test_web_when_imported_and_rendering_loads_no_model() -> None:
    heavy = "faster_whisper spacy presidio_analyzer torch transformers ctranslate2 onnxruntime"
    code = (
        "import sys; import review_ui.server, review_ui.app; from tests.web import samples; "
        "from review_ui.templating import render_page; from review_ui.locale import load_locale; "
        "[render_page(t, c, f, load_locale('en')) for _, t, c, f in samples.pages()]; "
        f"loaded = sorted(set('{heavy}'.split()) & set(sys.modules)); assert not loaded, loaded"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_unexpected_error_when_raised_says_nothing_of_its_text(
    app: App, config: WebConfig, caplog: pytest.LogCaptureFixture
) -> None:
    web = create_app(app, config)

    def fail() -> None:
        raise RuntimeError("Marigold Fenwick")

    web.add_api_route("/api/v1/fail", fail)
    answer = TestClient(web).get("/api/v1/fail")
    assert answer.status_code == 500
    assert answer.json()["error"]["code"] == "unexpected"
    assert answer.json()["error"]["request_id"] == answer.headers["x-request-id"]
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert "Marigold" not in answer.text + caplog.text
    assert "RuntimeError" in caplog.text


def test_cookies_when_served_behind_https_go_over_https_only(app: App, tmp_path: Path) -> None:
    web = create_app(app, WebConfig(home=tmp_path, base_url="https://kikigaki.example"))
    answer = TestClient(web, follow_redirects=False).post("/locale", data={"locale": "ja"})
    assert answer.headers["set-cookie"].endswith("; Secure")
    assert "max-age" in answer.headers["strict-transport-security"]
