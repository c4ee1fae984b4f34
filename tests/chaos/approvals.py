"""The invariants of real runs: what is published was approved, by somebody who may, as it is."""

import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from sqlmodel import Session, col, select

from configs.errors import AppError
from storage import audit, publications, reviews, runs
from storage.artifacts import ArtifactStore
from storage.database import reading
from storage.statuses import RunStatus
from storage.tables import Decision, Publication, Run
from tests.chaos.books import Books
from tests.chaos.editor import EDITOR, Source, sources
from tests.chaos.scene import Scene

_ENDS = {
    "approve": RunStatus.PUBLISHED,
    "reject": RunStatus.REJECTED,
    "request_changes": RunStatus.CHANGES_REQUESTED,
}
_OF_ONE_RUN = ("manifest.json", "statement.json")  # ids, times, a signature
_REFUSALS = {"denied", "sent", "ended", "stale", "known", "None"}


@dataclass(frozen=True)
class Made:
    """What a run came to, as far as every run of the same file comes to the same."""

    artifacts: dict[str, str]
    published: dict[str, object]


def problems(scene: Scene, books: Books, count: int) -> Iterator[str]:
    """Yield what is wrong with the real runs."""
    submitted = {e.number: e.subject for e in books.entries if e.what == "submit"}
    wanted = sources(scene.seed, count)
    references: dict[tuple[str, str], Made] = {}
    with reading(scene.database) as session:
        for source in reversed(wanted):  # the references are the last ones
            if source.number not in submitted:
                yield f"source {source.number} was never uploaded"
                continue
            run = runs.get_run(session, submitted[source.number])
            yield from (f"{run.id}: {what}" for what in _run(session, run, source, references))
        yield from _publications(scene, session)
        if not audit.verify(session).ok:
            yield "the audit log is broken"
        if session.exec(select(Run).where(col(Run.id).not_in(submitted.values()))).first():
            yield "there is a run that nobody uploaded"
    yield from _attempts(books)


def _run(
    session: Session, run: Run, source: Source, references: dict[tuple[str, str], Made]
) -> Iterator[str]:
    if run.status is not _ENDS[source.decision]:
        yield f"is {run.status.value} although it was to {source.decision}: {run.error_code}"
        return
    made = _made(session, run)
    reference = references.setdefault((source.file, source.language), made)
    if made.artifacts != reference.artifacts:
        yield "made other artifacts than an undisturbed run of the same file"
    if source.decision == "approve" and made.published != reference.published:
        yield "published something else than an undisturbed run of the same file"


def _made(session: Session, run: Run) -> Made:
    artifacts = {role: ref.sha256 for role, ref in runs.artifacts_of(session, run.id, 1).items()}
    files: dict[str, object] = {}
    for publication in publications.publications_of(session, run.id):
        files |= {n: f for n, f in publication.files.items() if n not in _OF_ONE_RUN}
    return Made(artifacts, files)


def _publications(scene: Scene, session: Session) -> Iterator[str]:
    store = ArtifactStore(scene.s3.config)
    found = list(session.exec(select(Publication)))
    for publication in found:
        yield from (f"{publication.run_id}: {what}" for what in _approval(session, publication))
        yield from (f"{publication.run_id}: {what}" for what in _bytes(store, publication))
        told = publications.notifications_of(session, publication.run_id)
        if len(told) != 1:
            yield f"{publication.run_id}: {len(told)} notices of one publication"
    keys = Counter(received.headers["idempotency-key"] for received in scene.receiver.received)
    if len(keys) != len(found):
        yield f"{len(found)} publications were told under {len(keys)} keys"


def _approval(session: Session, publication: Publication) -> Iterator[str]:
    """A publication has an earlier approval of the same hash by somebody who may give it."""
    try:
        approval = reviews.approval_of(session, publication.run_id, publication.revision)
    except AppError as error:
        yield f"published without an approval: {error.code}"
        return
    decision = session.get_one(Decision, publication.decision_id)
    if decision not in approval.decisions or decision.approver_id != EDITOR.user_id:
        yield "published by the decision of somebody who may not"
    if not decision.sha256 == publication.review_sha256 == approval.review.sha256:
        yield "published another hash than was approved"
    if decision.decided_at > publication.published_at:
        yield "published before it was approved"
    if len(reviews.decisions_of(session, approval.review.id)) != 1:
        yield "has several decisions"


def _bytes(store: ArtifactStore, publication: Publication) -> Iterator[str]:
    there = {file.name for file in store.list_published(publication.prefix)}
    if there != publication.files.keys():
        yield "other files are published than are recorded"
    for name in there & publication.files.keys():
        digest = hashlib.sha256(store.read_published(publication.prefix, name)).hexdigest()
        recorded = publication.files[name]
        if not isinstance(recorded, dict) or recorded["sha256"] != digest:
            yield f"published other bytes of {name} than are recorded"


def _attempts(books: Books) -> Iterator[str]:
    """Whatever was not allowed was refused."""
    for entry in books.entries:
        if entry.what == "try" and entry.answer not in _REFUSALS:
            yield f"{entry.subject}: what is not allowed was answered with {entry.answer}"
