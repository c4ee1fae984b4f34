"""Erasing, against a real store and on both databases."""

from collections.abc import Callable
from datetime import timedelta

import pytest
import sqlalchemy as sa
from sqlmodel import select

from configs.errors import (
    ErasedError,
    MissingArtifactError,
    NotFoundError,
    StoreUnavailableError,
)
from models.documents import Verdict
from pipeline.steps.services import unless_erased
from storage import audit, idempotency, publications, retention, reviews, revisions, runs
from storage.artifacts import Area, ArtifactRef, ArtifactStore, StoreConfig
from storage.database import reading, transaction
from storage.decisions import Choice, decide
from storage.policy import ReviewPolicy
from storage.refs import publication_prefix, run_prefix
from storage.statuses import ReviewStatus, RunStatus
from storage.tables import Artifact, Decision, IdempotencyKey, Run
from tests.rows import ADMIN, EDITOR, RAW, REVIEWED, make_run


def stored_run(database: sa.Engine, store: ArtifactStore) -> tuple[str, dict[str, ArtifactRef]]:
    """A run with every artifact in the store."""
    with transaction(database) as session:
        run_id = make_run(session, title="Yamada Hanako's appointment").id
    refs = {}
    for role in (*RAW, *REVIEWED):
        kind = role.split("/")[0]
        data = f"{role} of {run_id}".encode()
        refs[role] = store.put_bytes(
            "default", run_id, kind, data, ext="json", media_type="application/json"
        )
    with transaction(database) as session:
        for role, ref in refs.items():
            runs.keep(session, run_id, 1, role, ref)
    return run_id, refs


def approve_and_publish(database: sa.Engine, store: ArtifactStore, run_id: str) -> None:
    with transaction(database) as session:
        review = reviews.open_review(
            session, run_id, 1, verdict=Verdict.PASS, timeout=timedelta(hours=1)
        )
        decide(
            session,
            run_id=run_id,
            sha256=review.sha256,
            choice=Choice.APPROVE,
            actor=EDITOR,
            policy=ReviewPolicy(),
            channel="web",
            comment="Yamada Hanako asked for it",
        )
        approval = reviews.approval_of(session, run_id, 1)
    prefix = publication_prefix("default", run_id, 1)
    store.publish(prefix, "index.html", approval.artifacts["rendered/index.html"])
    with transaction(database) as session:
        publications.record_publication(
            session, approval, bucket=store.bucket(Area.PUBLISHED), prefix=prefix, files={}
        )


def left(store: ArtifactStore, area: Area, prefix: str) -> int:
    answer = store._client.list_object_versions(Bucket=store.bucket(area), Prefix=prefix)
    return len(answer.get("Versions", [])) + len(answer.get("DeleteMarkers", []))


def test_erase_when_published_then_every_version_everywhere_is_gone(
    migrated: sa.Engine, store: ArtifactStore
) -> None:
    run_id, refs = stored_run(migrated, store)
    other_id, other_refs = stored_run(migrated, store)
    approve_and_publish(migrated, store, run_id)
    store._client.put_object(Bucket=refs["source"].bucket, Key=refs["source"].key, Body=b"v2")
    receipt = retention.erase_run(migrated, store, run_id, actor_id=ADMIN.id)
    assert (receipt.artifacts, receipt.versions) == (len(refs), len(refs) + 2)
    for area in (Area.RAW, Area.DERIVED):
        assert left(store, area, run_prefix("default", run_id)) == 0
    assert left(store, Area.PUBLISHED, publication_prefix("default", run_id)) == 0
    assert all(store.exists(ref) for ref in other_refs.values())
    with reading(migrated) as session:
        assert len(runs.artifacts_of(session, other_id, 1)) == len(other_refs)


def test_erase_when_done_then_only_hashes_decisions_and_the_audit_log_remain(
    migrated: sa.Engine, store: ArtifactStore
) -> None:
    run_id, _ = stored_run(migrated, store)
    approve_and_publish(migrated, store, run_id)
    retention.erase_run(migrated, store, run_id, actor_id=ADMIN.id)
    with reading(migrated) as session:
        run = runs.get_run(session, run_id)
        assert (run.status, run.title, run.file_name) == (RunStatus.ERASED, "", "")
        decision = session.exec(select(Decision)).one()
        assert (decision.approver_id, decision.comment) == (EDITOR.id, "")
        assert runs.artifacts_of(session, run_id, 1) == {}
        assert publications.latest_publication(session, run_id) is None
        actions = [event["action"] for event in audit.export(session, run_id)]
        assert actions[-2:] == ["run.erasure_begun", "run.erased"]
        assert audit.verify(session).ok


@pytest.mark.parametrize("delete", [retention.erase_run, retention.delete_raw])
def test_delete_when_the_run_was_made_with_a_key_then_the_hash_of_its_names_goes(
    migrated: sa.Engine, store: ArtifactStore, delete: Callable[..., retention.Receipt]
) -> None:
    (run_id, _), (other_id, _) = stored_run(migrated, store), stored_run(migrated, store)
    with transaction(migrated) as session:
        for made in (run_id, other_id):
            idempotency.remember(session, "usr", f"key of {made}", "a" * 64, run_id=made)
    delete(migrated, store, run_id, actor_id=ADMIN.id)
    with reading(migrated) as session:
        assert [key.run_id for key in session.exec(select(IdempotencyKey))] == [other_id]


def test_put_when_the_run_was_erased_meanwhile_then_nothing_stays(
    migrated: sa.Engine, store: ArtifactStore
) -> None:
    """A step at work when its run is erased writes after the store has been swept."""
    run_id, _ = stored_run(migrated, store)

    def put() -> ArtifactRef:
        kind, media_type = "model_answer", "application/json"
        ref = store.put_bytes("default", run_id, kind, b"{}", ext="json", media_type=media_type)
        return unless_erased(migrated, store, run_id, ref)

    assert store.exists(put())
    retention.erase_run(migrated, store, run_id, actor_id=ADMIN.id)
    with pytest.raises(ErasedError):
        put()
    assert left(store, Area.DERIVED, run_prefix("default", run_id)) == 0


def test_erase_when_a_review_is_open_then_it_can_no_longer_be_decided(
    migrated: sa.Engine, store: ArtifactStore
) -> None:
    run_id, _ = stored_run(migrated, store)
    with transaction(migrated) as session:
        review = reviews.open_review(
            session, run_id, 1, verdict=Verdict.PASS, timeout=timedelta(hours=1)
        )
    retention.erase_run(migrated, store, run_id, actor_id=ADMIN.id)
    with transaction(migrated) as session:
        assert reviews.get_review(session, review.id).status is ReviewStatus.SUPERSEDED
        with pytest.raises(ErasedError):
            decide(
                session,
                run_id=run_id,
                sha256=review.sha256,
                choice=Choice.APPROVE,
                actor=EDITOR,
                policy=ReviewPolicy(),
                channel="web",
            )
        with pytest.raises(ErasedError):
            revisions.add_revision(
                session, run_id, reason="reopen", begins_at="render", actor=EDITOR, carry=()
            )


def test_erase_when_the_store_is_away_then_nothing_is_added_and_again_completes_it(
    migrated: sa.Engine, store: ArtifactStore, store_config: StoreConfig
) -> None:
    run_id, refs = stored_run(migrated, store)
    away = ArtifactStore(
        StoreConfig("http://127.0.0.1:1", store_config.access_key, store_config.secret_key)
    )
    with pytest.raises(StoreUnavailableError):
        retention.erase_run(migrated, away, run_id, actor_id=ADMIN.id)
    with transaction(migrated) as session:
        assert runs.get_run(session, run_id).status is RunStatus.ERASED
        with pytest.raises(ErasedError):
            runs.keep(session, run_id, 1, "summary", refs["summary"])
    receipt = retention.erase_run(migrated, store, run_id, actor_id=ADMIN.id)
    assert receipt.versions == len(refs)
    with reading(migrated) as session:
        actions = [event["action"] for event in audit.export(session, run_id)]
    assert actions.count("run.erasure_begun") == actions.count("run.erased") == 1


def test_erase_when_erased_already_then_a_receipt_of_nothing(
    migrated: sa.Engine, store: ArtifactStore
) -> None:
    run_id, _ = stored_run(migrated, store)
    retention.erase_run(migrated, store, run_id, actor_id=ADMIN.id)
    again = retention.erase_run(migrated, store, run_id, actor_id=ADMIN.id)
    assert (again.artifacts, again.versions, again.verified) == (0, 0, True)


class WrittenTo(ArtifactStore):
    """A store in which a step that is being stopped writes once more after each deletion."""

    def __init__(self, config: StoreConfig, run_id: str, writes: int) -> None:
        super().__init__(config)
        self._run_id = run_id
        self.writes_left = writes
        self.emptied: list[Area] = []

    def delete_prefix(self, area: Area, prefix: str) -> int:
        deleted = super().delete_prefix(area, prefix)
        self.emptied.append(area)
        if self.writes_left:
            self.writes_left -= 1
            name = f"late {self.writes_left}"
            if area is Area.PUBLISHED:
                folder = publication_prefix("default", self._run_id, 1)
                self.put_published(folder, f"{self.writes_left}.txt", b"late", "text/plain")
            else:
                kind = "transcript" if area is Area.RAW else "summary"
                self.put_bytes(
                    "default", self._run_id, kind, name.encode(), ext="txt", media_type="text/plain"
                )
        return deleted


def test_erase_when_a_step_writes_late_then_that_goes_too_and_published_last(
    migrated: sa.Engine, store: ArtifactStore, store_config: StoreConfig
) -> None:
    run_id, refs = stored_run(migrated, store)
    late = WrittenTo(store_config, run_id, writes=3)
    receipt = retention.erase_run(migrated, late, run_id, actor_id=ADMIN.id)
    assert (receipt.versions, receipt.verified) == (len(refs) + 3, True)
    assert late.emptied == [Area.RAW, Area.DERIVED, Area.PUBLISHED] * 3
    for area in (Area.RAW, Area.DERIVED):
        assert left(store, area, run_prefix("default", run_id)) == 0
    assert left(store, Area.PUBLISHED, publication_prefix("default", run_id)) == 0


def test_erase_when_something_never_stops_writing_then_not_verified_and_due_again(
    migrated: sa.Engine, store: ArtifactStore, store_config: StoreConfig
) -> None:
    run_id, refs = stored_run(migrated, store)
    receipt = retention.erase_run(
        migrated, WrittenTo(store_config, run_id, writes=100), run_id, actor_id=ADMIN.id
    )
    assert (receipt.artifacts, receipt.verified) == (0, False)
    with reading(migrated) as session:
        event = list(audit.export(session, run_id))[-1]
        assert event["details"]["verified"] is False  # type: ignore[index]
    again = retention.erase_run(migrated, store, run_id, actor_id=ADMIN.id)
    assert (again.artifacts, again.verified) == (len(refs), True)


def test_retention_when_a_step_writes_late_then_that_goes_too(
    migrated: sa.Engine, store: ArtifactStore, store_config: StoreConfig
) -> None:
    run_id, _ = stored_run(migrated, store)
    receipt = retention.delete_raw(migrated, WrittenTo(store_config, run_id, writes=1), run_id)
    assert (receipt.versions, receipt.verified) == (len(RAW) + 1, True)
    assert left(store, Area.RAW, run_prefix("default", run_id)) == 0


def test_retention_when_something_never_stops_writing_then_the_run_stays_due(
    migrated: sa.Engine, store: ArtifactStore, store_config: StoreConfig
) -> None:
    run_id, _ = stored_run(migrated, store)
    with transaction(migrated) as session:
        runs.set_status(session, run_id, RunStatus.PUBLISHED)
    late = WrittenTo(store_config, run_id, writes=100)
    assert not retention.delete_raw(migrated, late, run_id).verified
    with reading(migrated) as session:
        assert retention.runs_past_retention(session, timedelta(0)) == [run_id]


class WorkedOn(ArtifactStore):
    """A store of a run that somebody begins anew while another one's data is deleted."""

    def __init__(self, config: StoreConfig, database: sa.Engine, run_id: str) -> None:
        super().__init__(config)
        self._database, self._run_id = database, run_id

    def delete_prefix(self, area: Area, prefix: str) -> int:
        with transaction(self._database) as session:
            runs.set_status(session, self._run_id, RunStatus.QUEUED)
        return super().delete_prefix(area, prefix)


def test_retention_when_a_run_begins_anew_meanwhile_then_its_raw_artifacts_stay(
    migrated: sa.Engine, store: ArtifactStore, store_config: StoreConfig
) -> None:
    due, begun = (stored_run(migrated, store)[0] for _ in range(2))
    for run_id in (due, begun):  # the one that ended longest ago goes first
        with transaction(migrated) as session:
            runs.set_status(session, run_id, RunStatus.PUBLISHED)
    working = WorkedOn(store_config, migrated, begun)
    done = retention.delete_due(migrated, working, timedelta(0), tenant="default")
    assert [one.run_id for one in done if isinstance(one, retention.Receipt)] == [due]
    assert left(store, Area.RAW, run_prefix("default", begun)) == len(RAW)


def test_erase_when_there_is_no_such_run_then_not_found(
    migrated: sa.Engine, store: ArtifactStore
) -> None:
    with pytest.raises(NotFoundError):
        retention.erase_run(migrated, store, "run_none", actor_id=ADMIN.id)


def test_retention_when_raw_goes_then_what_was_derived_and_published_stays(
    migrated: sa.Engine, store: ArtifactStore
) -> None:
    run_id, refs = stored_run(migrated, store)
    approve_and_publish(migrated, store, run_id)
    receipt = retention.delete_raw(migrated, store, run_id)
    assert (receipt.artifacts, receipt.versions) == (len(RAW), len(RAW))
    with pytest.raises(MissingArtifactError):
        store.read_bytes(refs["transcript"])
    assert store.exists(refs["redacted_transcript"])
    with reading(migrated) as session:
        assert set(runs.artifacts_of(session, run_id, 1)) == set(REVIEWED)
        assert runs.get_run(session, run_id).status is RunStatus.PUBLISHED
        assert publications.latest_publication(session, run_id) is not None


@pytest.mark.parametrize("status", list(RunStatus))
def test_retention_when_looking_for_runs_then_only_ended_ones(
    rows: sa.Engine, status: RunStatus
) -> None:
    with transaction(rows) as session:
        run_id = make_run(session).id
        runs.keep(session, run_id, 1, "source", a_ref(run_id))
        runs.set_status(session, run_id, status)
        found = retention.runs_past_retention(session, timedelta(0))
        recent = retention.runs_past_retention(session, timedelta(days=1))
    ended = {"no_speech", "published", "rejected", "expired", "failed", "terminated"}
    assert found == ([run_id] if status.value in ended else [])
    assert recent == []


def test_retention_when_raw_is_gone_then_the_run_is_not_found_again(rows: sa.Engine) -> None:
    with transaction(rows) as session:
        run_id = make_run(session).id
        runs.keep(session, run_id, 1, "source", a_ref(run_id))
        runs.set_status(session, run_id, RunStatus.PUBLISHED)
        row = session.exec(select(Artifact)).one()
        row.deleted_at = session.get_one(Run, run_id).created_at
        session.add(row)
        session.flush()
        assert retention.runs_past_retention(session, timedelta(0)) == []


def test_retention_when_of_one_tenant_then_only_its_runs(rows: sa.Engine) -> None:
    with transaction(rows) as session:
        found = {}
        for tenant in ("city", "school"):
            run_id = make_run(session, tenant=tenant).id
            runs.keep(session, run_id, 1, "source", a_ref(run_id))
            runs.set_status(session, run_id, RunStatus.PUBLISHED)
            found[tenant] = run_id
        for tenant, run_id in found.items():
            assert retention.runs_past_retention(session, timedelta(0), tenant=tenant) == [run_id]
        assert retention.runs_past_retention(session, timedelta(0)) == list(found.values())


def a_ref(run_id: str) -> ArtifactRef:
    return ArtifactRef("kikigaki-raw", f"default/runs/{run_id}/source/x", "1" * 64, "v", 1, "x/y")
