"""Rows of the application's tables for tests: runs, reviewed revisions, people."""

import hashlib
import shutil
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlmodel import Session

from configs.clock import new_id, utc_now
from models.documents import Finding, Severity, Verdict
from storage import migrate, reviews, runs
from storage.artifacts import ArtifactRef
from storage.database import create_database, transaction
from storage.policy import Actor
from storage.runs import NewRun
from storage.statuses import Role, RunStatus
from storage.tables import PendingUpload, Review, Run

EDITOR = Actor("usr_editor", Role.EDITOR, "default")
OTHER_EDITOR = Actor("usr_other", Role.EDITOR, "default")
ADMIN = Actor("usr_admin", Role.ADMIN)
UPLOADER = Actor("usr_uploader", Role.UPLOADER, "default")

BLOCKING = Finding(
    check="facts.number",
    severity=Severity.BLOCK,
    place="abstract[0]",
    reason="A number is not in the cited segments.",
    segments=(3,),
)
REVIEWED = (
    "redacted_transcript",
    "redacted_audio",
    "summary",
    "quality_report",
    "rendered/index.html",
    "rendered/summary.md",
)
RAW = ("source", "transcript", "redactions", "pseudonym_map")


@pytest.fixture(scope="session")
def migrated_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An SQLite file with the application's tables, to be copied."""
    path = tmp_path_factory.mktemp("migrated") / "rows.db"
    engine = create_database(f"sqlite:///{path}")
    migrate.upgrade(engine)
    engine.dispose()
    return path


@pytest.fixture
def rows(tmp_path: Path, migrated_file: Path) -> Iterator[sa.Engine]:
    """An SQLite database with the application's tables, the test's own."""
    engine = create_database(f"sqlite:///{shutil.copy(migrated_file, tmp_path)}")
    yield engine
    engine.dispose()


@pytest.fixture
def migrated(database: sa.Engine) -> sa.Engine:
    """A database with the application's tables, on SQLite and on PostgreSQL."""
    migrate.upgrade(database)
    return database


def make_run(
    session: Session,
    *,
    tenant: str = "default",
    uploader_id: str = UPLOADER.id,
    title: str = "Council meeting",
    template: str = "default",
    run_id: str | None = None,
) -> Run:
    return runs.create_run(
        session,
        NewRun(
            id=run_id or new_id("run"),
            tenant=tenant,
            title=title,
            file_name="会議録音 😀 (最終).wav",
            media_type="audio/wav",
            source_sha256="5" * 64,
            source_bytes=1000,
            uploader_id=uploader_id,
            template=template,
        ),
    )


def make_pending_upload(
    session: Session,
    *,
    tenant: str = "default",
    size: int = 1000,
    store_upload_id: str = "",
    lifetime: timedelta = timedelta(hours=24),
) -> PendingUpload:
    row = PendingUpload(
        id=new_id("run"),
        tenant=tenant,
        user_id=UPLOADER.id,
        store_upload_id=store_upload_id,
        bytes=size,
        announcement={"file_name": "会議録音 😀 (最終).wav"},
        expires_at=utc_now() + lifetime,
    )
    session.add(row)
    return row


def make_ref(run_id: str, role: str, *, sha256: str = "", version: str = "v1") -> ArtifactRef:
    kind = role.split("/", maxsplit=1)[0]
    digest = sha256 or hashlib.sha256(role.encode()).hexdigest()
    area = "raw" if role in RAW else "derived"
    return ArtifactRef(
        bucket=f"kikigaki-{area}",
        key=f"default/runs/{run_id}/{kind}/{digest}.json",
        sha256=digest,
        version_id=version,
        bytes=10,
        media_type="application/json",
    )


def keep_artifacts(session: Session, run_id: str, revision: int = 1) -> None:
    for role in (*RAW, *REVIEWED):
        runs.keep(session, run_id, revision, role, make_ref(run_id, role))


def make_review(
    session: Session,
    *,
    verdict: Verdict = Verdict.PASS,
    timeout: timedelta = timedelta(hours=72),
    approvals_needed: int = 1,
    uploader_id: str = UPLOADER.id,
) -> Review:
    run = make_run(session, uploader_id=uploader_id)
    keep_artifacts(session, run.id)
    return reviews.open_review(
        session,
        run.id,
        1,
        verdict=verdict,
        timeout=timeout,
        approvals_needed=approvals_needed,
        reasons=(BLOCKING,) if verdict is Verdict.BLOCK else (),
    )


def committed_review(database: sa.Engine, *, verdict: Verdict = Verdict.PASS) -> Review:
    with transaction(database) as session:
        return make_review(session, verdict=verdict)


def ended_days_ago(database: sa.Engine, tenant: str, days: int) -> str:
    """Return a run with artifacts that ended so long ago."""
    with transaction(database) as session:
        run = make_run(session, tenant=tenant)
        keep_artifacts(session, run.id)
        runs.set_status(session, run.id, RunStatus.PUBLISHED)
        run.updated_at -= timedelta(days=days)
        session.add(run)
        return run.id
