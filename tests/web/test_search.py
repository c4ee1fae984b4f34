"""Searching over the API: what is published and visible, and nothing else."""

import pytest
from sqlmodel import select

from pipeline import commands
from pipeline.steps.rendering import published_lines
from storage import publications, reviews, runs
from storage.database import reading, transaction
from storage.search import keep_published_text
from storage.statuses import Role
from storage.tables import PublishedText, Run
from tests.web.world import Seeded, World


def publish(world: World, title: str = "Planning call") -> Seeded:
    """Publish a seeded review as far as the search knows of it."""
    seeded = world.seed_review(title=title)
    keep_text(world, seeded.id, 1)
    commands.decide(world.app, world.actor("editor"), seeded.id, "approve", seeded.sha256)
    with transaction(world.app.database) as session:
        approval = reviews.approval_of(session, seeded.id, 1)
        publications.record_publication(session, approval, bucket="b", prefix="p", files={})
    return seeded


def keep_text(world: World, run_id: str, revision: int) -> None:
    with reading(world.app.database) as session:
        ref = runs.artifacts_of(session, run_id, revision)["rendered/publication.json"]
    lines = published_lines(world.app.store.read_bytes(ref))
    with transaction(world.app.database) as session:
        keep_published_text(session, run_id, revision, lines)


def found(world: World, q: str, who: str = "editor", **more: int) -> list[str]:
    answer = world.client.get("/api/v1/search", params={"q": q, **more}, headers=world.token(who))
    assert answer.status_code == 200, answer.text
    return [hit["run"] for hit in answer.json()["results"]]


@pytest.mark.parametrize(
    "words", ["budget", "BUDGET forty", "ｂｕｄｇｅｔ", "[PERSON_1]", "planning", "thank watching"]
)
def test_search_when_all_words_are_published_then_finds_it(world: World, words: str) -> None:
    assert found(world, words) == []
    seeded = publish(world)
    assert found(world, words) == [seeded.id]


@pytest.mark.parametrize("words", ["Marigold", "Fenwick", "7946", "budget missing", "%", "_a_"])
def test_search_when_a_word_is_not_in_what_is_published_then_finds_nothing(
    world: World, words: str
) -> None:
    publish(world)
    assert found(world, words) == []


def test_search_when_found_then_shows_the_line_and_where_to_read_it(world: World) -> None:
    seeded = publish(world, title="議事録 四月")
    answer = world.client.get("/api/v1/search?q=forty", headers=world.token("editor"))
    (hit,) = answer.json()["results"]
    assert (hit["run"], hit["revision"], hit["title"]) == (seeded.id, 1, "議事録 四月")
    assert hit["excerpt"] == "The budget stays at forty thousand."
    assert hit["url"].endswith(f"/p/{seeded.id}/")
    assert found(world, "議事") == [seeded.id]


def test_search_when_the_line_is_long_then_the_excerpt_holds_the_word(world: World) -> None:
    seeded, line = publish(world), f"{'x ' * 400}marmalade {'y ' * 400}"
    with transaction(world.app.database) as session:
        keep_published_text(session, seeded.id, 1, ["A title", line])
    answer = world.client.get("/api/v1/search?q=MARMALADE", headers=world.token("editor"))
    (hit,) = answer.json()["results"]
    assert "marmalade" in hit["excerpt"]
    assert len(hit["excerpt"]) <= 300


def test_search_when_it_is_another_tenants_or_persons_then_finds_nothing(world: World) -> None:
    world.add_person("stranger", Role.EDITOR, tenant="elsewhere")
    world.add_person("colleague", Role.UPLOADER)
    seeded = publish(world)
    assert found(world, "budget", "stranger") == []
    assert found(world, "budget", "colleague") == []
    assert found(world, "budget", "uploader") == [seeded.id]
    assert found(world, "budget", "admin") == [seeded.id]


def test_search_when_a_later_revision_waits_for_its_review_then_finds_what_is_live(
    world: World,
) -> None:
    seeded = publish(world)
    commands.reprocess(world.app, world.actor("editor"), seeded.id, "summarize", {})
    world.open_review(seeded.id, 2, title="Secret draft")
    keep_text(world, seeded.id, 2)
    assert found(world, "draft") == []
    assert found(world, "budget") == [seeded.id]


def test_search_when_the_run_is_erased_then_nothing_is_found_or_left(world: World) -> None:
    seeded = publish(world)
    commands.erase(world.app, world.actor("admin"), seeded.id)
    assert found(world, "budget") == []
    with reading(world.app.database) as session:
        assert session.exec(select(PublishedText)).all() == []
        assert session.get_one(Run, seeded.id).title == ""


def test_search_when_asked_by_a_stranger_or_for_nothing_then_is_refused(world: World) -> None:
    assert world.client.get("/api/v1/search?q=budget").status_code == 401
    for q in ("", "%20", "a" * 201):
        answer = world.client.get(f"/api/v1/search?q={q}", headers=world.token("editor"))
        assert answer.status_code == 422


def test_search_when_there_is_more_than_asked_for_then_the_newest_come_first(world: World) -> None:
    made = [publish(world, title=f"Call {n}").id for n in range(2)]
    assert found(world, "budget", limit=1) == made[1:]
