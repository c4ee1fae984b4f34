"""What everybody can read: exactly the published bytes, no script, and nothing after erasure."""

import hashlib
from dataclasses import fields, replace
from typing import Any

import pytest

from configs.errors import ErasedError
from pipeline import commands
from pipeline.provenance import FileDigest, SigningKey
from pipeline.steps import publish as publish_step
from pipeline.steps import services
from pipeline.steps.job import Job
from pipeline.steps.publish import Published
from pipeline.steps.services import Services
from storage import publications, reviews
from storage.artifacts import ArtifactStore
from storage.database import reading, transaction
from storage.refs import Area, ArtifactRef, PublishedFile, publication_prefix
from tests.web.world import AUDIO, Seeded, World

UNUSED: dict[str, Any] = dict.fromkeys(field.name for field in fields(Services))
NO_SERVICES = Services(**UNUSED)


def publish(world: World) -> Seeded:
    """Publish a seeded review as the workflow does after an approval, without its proofs."""
    seeded, store = world.seed_review(title="<b>Call</b>"), world.app.store
    commands.decide(world.app, world.actor("editor"), seeded.id, "approve", seeded.sha256, "Read.")
    prefix = publication_prefix("default", seeded.id, 1)
    with reading(world.app.database) as session:
        approval = reviews.approval_of(session, seeded.id, 1)
    files: dict[str, object] = {}
    for role, ref in approval.artifacts.items():
        name = {"redacted_audio": "audio.opus"}.get(role, role.removeprefix("rendered/"))
        if role == "redacted_audio" or role.startswith("rendered/"):
            store.publish(prefix, name, ref)
            files[name] = {"sha256": ref.sha256, "bytes": ref.bytes}
    with transaction(world.app.database) as session:
        bucket = store.bucket(Area.PUBLISHED)
        publications.record_publication(
            session, approval, bucket=bucket, prefix=prefix, files=files
        )
    return seeded


def test_publication_when_opened_by_a_stranger_is_what_was_approved(world: World) -> None:
    seeded = publish(world)
    world.client.cookies.clear()
    assert world.client.get(f"/p/{seeded.id}").headers["location"] == f"/p/{seeded.id}/"
    page = world.client.get(f"/p/{seeded.id}/")
    assert page.status_code == 200
    assert "&lt;b&gt;Call&lt;/b&gt;" in page.text
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src" not in policy
    assert "style-src 'sha256-" in policy
    audio = world.client.get(f"/p/{seeded.id}/audio.opus", headers={"Range": "bytes=0-9"})
    assert (audio.status_code, audio.content) == (206, AUDIO.read_bytes()[:10])
    head = world.client.head(f"/p/{seeded.id}/audio.opus")
    assert head.headers["content-length"] == str(len(AUDIO.read_bytes()))
    assert head.content == b""


def test_publish_when_the_signing_key_is_rotated_before_its_commit_then_signs_anew(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    seeded = world.seed_review()
    commands.decide(world.app, world.actor("editor"), seeded.id, "approve", seeded.sha256)
    job = Job(seeded.id, 1, "default", "en", "default")

    def published(key: SigningKey) -> Published:
        app = world.app
        made = replace(NO_SERVICES, store=app.store, database=app.database, signing_key=key)
        monkeypatch.setattr(services._Installed, "services", made)
        return publish_step.publish(job)

    first, second = (published(key) for key in (SigningKey.generate(), SigningKey.generate()))
    assert first.files["statement.json"] != second.files["statement.json"]
    data = world.app.store.read_published(second.prefix, "statement.json")
    assert FileDigest.of(data) == second.files["statement.json"]

    with transaction(world.app.database) as session:
        publish_step.record_publication(job, session, second)
    assert published(SigningKey.generate()) == second  # what is recorded stays
    assert world.app.store.read_published(second.prefix, "statement.json") == data


def test_publish_when_the_run_is_erased_while_a_file_is_copied_then_nothing_stays(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    seeded = world.seed_review()
    commands.decide(world.app, world.actor("editor"), seeded.id, "approve", seeded.sha256)

    class Overtaken(ArtifactStore):
        def publish(self, prefix: str, name: str, ref: ArtifactRef) -> PublishedFile:
            data = self.read_bytes(ref)
            commands.erase(world.app, world.actor("admin"), seeded.id)
            return self.put_published(prefix, name, data, ref.media_type)

    late = Overtaken(world.app.store.config)
    made = replace(NO_SERVICES, store=late, database=world.app.database)
    monkeypatch.setattr(services._Installed, "services", made)
    with pytest.raises(ErasedError):
        publish_step.publish(Job(seeded.id, 1, "default", "en", "default"))
    assert late.delete_prefix(Area.PUBLISHED, publication_prefix("default", seeded.id)) == 0


def test_publication_page_when_shown_lists_each_file_with_its_hash(world: World) -> None:
    seeded = publish(world)
    client = world.sign_in("editor")
    page = client.get(f"/runs/{seeded.id}/publication").text
    for name in ("index.html", "summary.md", "captions.vtt", "publication.json", "audio.opus"):
        body = client.get(f"/p/{seeded.id}/{name}").content
        assert hashlib.sha256(body).hexdigest() in page, name
    assert seeded.sha256 in page
    assert "Read." in page


def test_publication_when_there_is_none_or_it_is_erased_is_not_found(world: World) -> None:
    waiting = world.seed_review()
    assert world.client.get(f"/p/{waiting.id}/").status_code == 404
    assert world.client.get("/p/none/index.html").status_code == 404
    seeded = publish(world)
    commands.erase(world.app, world.actor("admin"), seeded.id)
    assert world.client.get(f"/p/{seeded.id}/").status_code == 404
    assert world.client.get(f"/p/{seeded.id}/summary.md").status_code == 404
