"""What is asked of a run whose raw artifacts, instance or whole content is gone."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from configs.errors import ErasedError, NotApplicableError
from pipeline import commands
from pipeline.workflow import ProcessSource
from storage import retention, revisions
from storage.artifacts import Area, ArtifactRef, ArtifactStore
from storage.database import reading, transaction
from storage.refs import run_prefix
from storage.statuses import RunStatus
from storage.tables import Run
from tests.web.world import Seeded, World, make_summary


def without_raw(world: World) -> Seeded:
    seeded = world.seed_review()
    commands.decide(world.app, world.actor("editor"), seeded.id, "reject", seeded.sha256)
    retention.delete_raw(world.app.database, world.app.store, seeded.id)
    return seeded


def without_instance(world: World) -> Seeded:
    seeded = world.seed_review()
    instance = world.app.engine.workflows.get(ProcessSource.name).get(f"{seeded.id}-r1")
    instance.terminate()
    instance.delete()
    return seeded


def newest(world: World, run_id: str) -> int:
    with reading(world.app.database) as session:
        return revisions.latest_revision(session, run_id).number


def edit_redactions(world: World, seeded: Seeded) -> int:
    return commands.save_redactions(world.app, world.actor("editor"), seeded.id, seeded.sha256, [])


def edit_summary(world: World, seeded: Seeded) -> int:
    summary = make_summary("Another headline")
    return commands.save_summary(
        world.app, world.actor("editor"), seeded.id, seeded.sha256, summary
    )


def reopen(world: World, seeded: Seeded) -> int:
    return commands.reopen(world.app, world.actor("editor"), seeded.id)


@pytest.mark.parametrize("begin", [edit_redactions, edit_summary, reopen])
def test_revision_when_the_raw_artifacts_are_gone_then_is_refused_and_nothing_begins(
    world: World, begin: Callable[[World, Seeded], int]
) -> None:
    seeded = without_raw(world)
    with pytest.raises(NotApplicableError, match="retention period") as refused:
        begin(world, seeded)
    assert refused.value.details["reason"] == "artifact_missing"
    assert (newest(world, seeded.id), world.status_of(seeded.id)) == (1, RunStatus.REJECTED)


def test_redactions_when_the_tenants_file_is_gone_then_are_refused_and_nothing_begins(
    world: World,
) -> None:
    seeded = world.seed_review()
    world.app = replace(world.app, has_tenant=lambda _: False)
    with pytest.raises(NotApplicableError) as refused:
        edit_redactions(world, seeded)
    assert refused.value.details["reason"] == "tenant_gone"
    with pytest.raises(NotApplicableError):
        commands.reprocess(world.app, world.actor("editor"), seeded.id, "probe", {})
    assert (newest(world, seeded.id), world.status_of(seeded.id)) == (1, RunStatus.AWAITING_REVIEW)
    assert edit_summary(world, seeded) == 2  # what is redacted already can go on


def test_forms_when_the_raw_artifacts_are_gone_then_say_why_and_lose_no_text(world: World) -> None:
    seeded, client = without_raw(world), world.sign_in("editor")
    form = {"base_sha256": seeded.sha256, "segment_id": "2", "add_text": "budget"}
    refused = client.post(f"/runs/{seeded.id}/redactions", data=form)
    assert refused.status_code == 409
    assert "retention period" in refused.text
    form = {
        "base_sha256": seeded.sha256,
        "title": "Call",
        "headline": "A headline of my own",
        "abstract.text": "The budget stays.",
        "abstract.citations": "2",
    }
    refused = client.post(f"/runs/{seeded.id}/summary", data=form)
    assert refused.status_code == 409
    assert "retention period" in refused.text
    assert "A headline of my own" in refused.text


def test_edit_when_the_run_is_erased_while_it_is_stored_then_nothing_stays(world: World) -> None:
    seeded = world.seed_review()

    class Overtaken(ArtifactStore):
        def put_bytes(
            self, tenant: str, run_id: str, kind: str, data: bytes, *, ext: str, media_type: str
        ) -> ArtifactRef:
            commands.erase(world.app, world.actor("admin"), run_id)
            return super().put_bytes(tenant, run_id, kind, data, ext=ext, media_type=media_type)

    late = replace(world.app, store=Overtaken(world.app.store.config))
    with pytest.raises(ErasedError):
        commands.save_summary(
            late, world.actor("editor"), seeded.id, seeded.sha256, make_summary("Another headline")
        )
    assert world.app.store.delete_prefix(Area.DERIVED, run_prefix("default", seeded.id)) == 0


def test_erase_when_the_instance_was_deleted_then_all_of_the_run_goes(world: World) -> None:
    seeded = without_instance(world)
    assert commands.erase(world.app, world.actor("admin"), seeded.id).verified
    assert world.status_of(seeded.id) is RunStatus.ERASED


def test_reprocess_when_the_instance_was_deleted_then_the_next_revision_begins(
    world: World,
) -> None:
    seeded = without_instance(world)
    made = commands.reprocess(world.app, world.actor("editor"), seeded.id, "summarize", {})
    assert made.number == 2


def test_inbox_when_the_instance_was_terminated_then_lists_the_review_no_more(
    world: World,
) -> None:
    seeded = without_instance(world)
    assert seeded.id not in world.sign_in("editor").get("/inbox").text


def test_decision_when_the_instance_was_terminated_then_is_refused_with_a_page(
    world: World,
) -> None:
    seeded = world.seed_review()
    world.app.engine.workflows.get(ProcessSource.name).get(f"{seeded.id}-r1").terminate()
    form = {"sha256": seeded.sha256, "decision": "approve"}
    assert world.sign_in("editor").post(f"/runs/{seeded.id}/decision", data=form).status_code == 409


def test_review_when_the_instance_was_terminated_then_shows_no_decision_to_take(
    world: World,
) -> None:
    page = world.sign_in("editor").get(f"/runs/{without_instance(world).id}/review").text
    assert "The run was ended before anybody decided." in page
    assert 'name="decision"' not in page
    assert 'id="segments"' in page


@pytest.mark.parametrize(
    "path", ["/api/v1/runs/{}/artifacts/summary", "/runs/{}/preview/1/index.html"]
)
def test_artifact_when_the_run_is_being_erased_then_is_read_no_more(
    world: World, path: str
) -> None:
    seeded = world.seed_review()
    with transaction(world.app.database) as session:  # the store's part is still to come
        session.get_one(Run, seeded.id).status = RunStatus.ERASED
    answer = world.client.get(path.format(seeded.id), headers=world.token("editor"))
    assert answer.status_code == 410
